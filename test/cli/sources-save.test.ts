import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { productSource, startDaemon } from '../support/daemon.ts';
import { run } from './terminal.ts';

const shop = productSource('shop');
const titled = shop.replace('    fields:\n', '    fields:\n      title: { css: title }\n');

const other = productSource('other', 'url: "http://127.0.0.1:9/{id}"').replace(
  'allowPrivate: true',
  'allowPrivate: loopback',
);

/** A daemon with one definition, and a file outside of its folder of definitions. */
async function withDraft(t: TestContext, draft: string) {
  const { client, folder, socket } = await startDaemon(t, { sources: { shop } });
  await writeFile(join(folder, 'draft.yaml'), draft);
  return {
    client,
    definition: (id: string) => readFile(join(folder, 'sources', `${id}.yaml`), 'utf8'),
    save: (...words: string[]) => run(['sources', 'save', ...words, '--socket', socket], { cwd: folder }),
  };
}

describe('sources save', () => {
  test('writes a file as the definition, takes it into use, and shows how it differs', async (t) => {
    const { client, definition, save } = await withDraft(t, titled);
    const { status, out, err } = await save('shop', 'draft.yaml');
    assert.deepEqual([status, err], [0, '']);
    assert.match(out, /sources\/shop\.yaml is written:\n(?:.*\n)*\+ {7}title: \{ css: title \}\n/);
    assert.equal(await definition('shop'), titled);
    const { definition: inUse } = await client.call('source.get', { id: 'shop' });
    assert.match(JSON.stringify(inUse), /"title"/);
  });

  test('only shows the difference with --dry-run', async (t) => {
    const { definition, save } = await withDraft(t, titled);
    const { status, out } = await save('shop', 'draft.yaml', '--dry-run');
    assert.equal(status, 0);
    assert.match(out, /sources\/shop\.yaml would differ so:\n(?:.*\n)*\+ {7}title: /);
    assert.equal(await definition('shop'), shop);
  });

  test('adds a source that there was not', async (t) => {
    const { client, definition, save } = await withDraft(t, other);
    assert.equal((await save('other', 'draft.yaml')).status, 0);
    assert.equal(await definition('other'), other);
    assert.equal((await client.call('source.get', { id: 'other' })).status, 'ready');
  });

  test('refuses a text that is no valid definition, with line and column, and writes nothing', async (t) => {
    const { definition, save } = await withDraft(t, shop.replace('provider: html', 'provider: htlm'));
    const { status, out, err } = await save('shop', 'draft.yaml');
    assert.deepEqual([status, out], [2, '']);
    assert.match(err, /shop\.yaml:\d+:\d+: provider: expected one of html/);
    assert.equal(await definition('shop'), shop);
  });

  test('says so where there is no such file', async (t) => {
    const { save } = await withDraft(t, shop);
    const { status, err } = await save('shop', 'none.yaml');
    assert.equal(status, 1);
    assert.match(err, /^heronry: none\.yaml: .*no such file/);
  });
});
