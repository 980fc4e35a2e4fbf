import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { FixtureDrill } from '../../src/cli/local/drill.ts';
import { temporaryDirectory } from '../control/daemon.ts';
import type { DrillPage } from '../../src/drill/mutation.ts';
import { listRecords, listSubject, productRecords, productSubject } from '../drill/pages.ts';
import { run } from './terminal.ts';

/** A definition, and pages to be saved for it by their names. */
interface Saved {
  readonly definition: { readonly id: string; readonly [key: string]: unknown };
  readonly pages: Readonly<Record<string, DrillPage>>;
}

const list: Saved = { definition: { id: 'list', records: listRecords }, pages: { page: listSubject().page } };
const one: Saved = { definition: { id: 'one', records: productRecords }, pages: { page: productSubject().page } };

/** A folder with a definition and saved pages of it. */
async function kept(t: TestContext, { definition, pages }: Saved): Promise<string> {
  const { id } = definition;
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'sources'));
  await writeFile(join(cwd, 'sources', `${id}.yaml`), JSON.stringify(definition));
  for (const [name, { url, html }] of Object.entries(pages)) {
    await writeFile(join(cwd, 'page.html'), html);
    const added = await run(['fixture', 'add', id, url, '--name', name, '--file', 'page.html'], { cwd });
    assert.equal(added.status, 0, added.err);
  }
  return cwd;
}

async function drilled(t: TestContext, what: Saved): Promise<readonly FixtureDrill[]> {
  const cwd = await kept(t, what);
  const { out } = await run(['drill', what.definition.id, '--json'], { cwd });
  return JSON.parse(out);
}

/** The changes that nothing would tell of, by saved page, change and field. */
function missed(results: readonly FixtureDrill[]): readonly string[] {
  return results
    .filter(({ noticed }) => noticed === 'none')
    .map(({ fixture, mutation, field = '' }) => `${fixture} ${mutation} ${field}`);
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
      rehearsed: { of: 'pages', pages: 1, changed: 1 },
    });
  });

  test('crawls from a saved start to pages like a saved one, changes each kind by itself, and says which it has rehearsed', async (t) => {
    const links = Array.from({ length: 20 }, (_, at) => `<li><a href="/p/${at + 1}">Kettle ${at}</a></li>`);
    const html = `<!doctype html><html><head><title>Shop</title></head><body><ul>${links.join('')}</ul></body></html>`;
    const start = { url: 'https://shop.example/', status: 200, html };
    const definition = { id: 'crawl', crawl: { detail: ['/p/'] }, records: productRecords };
    const results = await drilled(t, { definition, pages: { kettle: productSubject().page, start } });
    assert.deepEqual(missed(results), []);
    const rehearsed = new Map(results.map((each) => [each.fixture, each.rehearsed]));
    assert.deepEqual(Object.fromEntries(rehearsed), {
      kettle: { of: 'crawl', pages: 13, changed: 12 },
      start: { of: 'crawl', pages: 21, changed: 1 },
    });
  });

  test('shows the pages of the items of a list as a saved one', async (t) => {
    const { product } = listRecords;
    const { text, title: name, amount } = productRecords.product.fields;
    const page = { url: 'h2.name > a', fields: { text, name, amount } };
    const definition = { id: 'items', records: { product: { ...product, page } } };
    const results = await drilled(t, { definition, pages: { item: productSubject().page, list: listSubject().page } });
    // A page of an item says no key: texts that are all others at once are noticed after two weeks of healthy scrapes.
    assert.deepEqual(missed(results), ['item another record in its place ']);
    const of = new Map(results.map((each) => [each.fixture, each.rehearsed]));
    assert.deepEqual(Object.fromEntries(of), {
      item: { of: 'items', pages: 21, changed: 20 },
      list: { of: 'items', pages: 21, changed: 1 },
    });
  });

  test('shows a second page of a list that leads on, and says what is not noticed as only its head is read', async (t) => {
    const { page } = listSubject();
    const html = page.html.replace('</ul>', '</ul><a rel="next" href="?page=2">next</a>');
    const definition = { id: 'paged', feed: { by: 'link' }, records: listRecords };
    const results = await drilled(t, { definition, pages: { list: { ...page, html } } });
    // What is known is read no further than to its first record.
    assert.deepEqual(missed(results), ['list half of the records gone ', 'list only the first five records left ']);
    assert.deepEqual(results[0]?.rehearsed, { of: 'list', pages: 2, changed: 2 });
  });

  test('shows a page of one record at several addresses, and leaves nothing behind', async (t) => {
    const before = await folders();
    const cwd = await kept(t, one);
    const { out, err, status } = await run(['drill', 'one'], { cwd });
    assert.equal(status, 0, err);
    assert.match(out, /^page\tanother currency\tprice\tyes\tvalues product price\tcurrency changed$/m);
    assert.match(out, /^page\tanother record in its place\t\tyes\tmissing product\twrong page$/m);
    assert.match(out, /\npage: 12 of 12 pages by themselves changed\n/);
    assert.match(out, /\n(\d+) of \1 changes noticed, \1 with the right cause\n$/);
    assert.deepEqual(await folders(), before);
  });
});

async function folders(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('heronry-drill-'));
}
