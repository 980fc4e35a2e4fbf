import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { FixtureDrill } from '../../src/cli/local/drill.ts';
import { temporaryDirectory } from '../control/daemon.ts';
import { listRecords, listSubject, productRecords, productSubject } from '../drill/pages.ts';
import { run } from './terminal.ts';

const list = { id: 'list', records: listRecords, page: listSubject().page };
const one = { id: 'one', records: productRecords, page: productSubject().page };

/** A folder with a definition and a saved page of it. */
async function kept(t: TestContext, { id, records, page }: typeof list | typeof one): Promise<string> {
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'sources'));
  await writeFile(join(cwd, 'sources', `${id}.yaml`), JSON.stringify({ id, records }));
  await writeFile(join(cwd, 'page.html'), page.html);
  const added = await run(['fixture', 'add', id, page.url, '--name', 'page', '--file', 'page.html'], { cwd });
  assert.equal(added.status, 0, added.err);
  return cwd;
}

async function drilled(t: TestContext, what: typeof list | typeof one): Promise<readonly FixtureDrill[]> {
  const cwd = await kept(t, what);
  const { out } = await run(['drill', what.id, '--json'], { cwd });
  return JSON.parse(out);
}

describe('a drill', () => {
  test('says of each change of a list at each field that it would be noticed, by what, and with which cause', async (t) => {
    const results = await drilled(t, list);
    assert.ok(results.length > 45, `${results.length}`);
    assert.deepEqual(
      results.filter(({ noticed, isRight }) => noticed === 'none' || !isRight),
      [],
    );
    const [renamed] = results.filter(
      ({ mutation, field }) => mutation === 'class of the field renamed' && field === 'price',
    );
    assert.deepEqual(renamed, {
      fixture: 'page',
      mutation: 'class of the field renamed',
      field: 'price',
      noticed: 'ticket',
      symptoms: ['field product price'],
      cause: 'rule_lost',
      isRight: true,
      told: 0,
    });
  });

  test('shows a page of one record at several addresses, and leaves nothing behind', async (t) => {
    const before = await folders();
    const cwd = await kept(t, one);
    const { out, err, status } = await run(['drill', 'one'], { cwd });
    assert.equal(status, 0, err);
    assert.match(out, /^page\tanother currency\tprice\tyes\tvalues product price\tcurrency changed$/m);
    assert.match(out, /^page\tanother record in its place\t\tyes\tmissing product\twrong page$/m);
    assert.match(out, /\n(\d+) of \1 changes noticed, \1 with the right cause\n$/);
    assert.deepEqual(await folders(), before);
  });
});

async function folders(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('heronry-drill-'));
}
