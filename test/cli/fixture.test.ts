import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from './terminal.ts';

/** A folder with one definition and one saved page that is read by it. */
async function kept(t: TestContext): Promise<string> {
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'sources'));
  await writeFile(join(cwd, 'sources', 'shop.yaml'), productSource('shop'));
  await writeFile(join(cwd, 'page.html'), productPage('S1', '5.00'));
  const added = await run(['fixture', 'add', 'shop', 'http://127.0.0.1/p/solar.html', '--file', 'page.html'], { cwd });
  assert.equal(added.status, 0, added.err);
  return cwd;
}

async function change(cwd: string, from: string, to: string): Promise<void> {
  const file = join(cwd, 'sources', 'shop.yaml');
  await writeFile(file, (await readFile(file, 'utf8')).replace(from, to));
}

describe('fixture add', () => {
  test('saves a page that the daemon asks for, and what is read there, but none of its headers', async (t) => {
    const headers = { 'content-type': 'text/html; charset=utf-8', 'set-cookie': 'session=hush', 'x-token': 'hush' };
    const site = await openSite(t, { '/p/solar': { body: productPage('S1', '5.00'), headers } });
    const { socket, folder } = await startDaemon(t, { sources: { shop: productSource('shop') } });
    const { status, out, err } = await run(['fixture', 'add', 'shop', site.url('/p/solar'), '--socket', socket], {
      cwd: folder,
    });
    assert.equal(status, 0, err);
    assert.match(
      out,
      /^wrote fixtures\/shop\/solar\.html\nwrote fixtures\/shop\/solar\.expected\.json\nit gives 1 record; /,
    );
    assert.equal(await readFile(join(folder, 'fixtures/shop/solar.html'), 'utf8'), productPage('S1', '5.00'));
    const text = await readFile(join(folder, 'fixtures/shop/solar.expected.json'), 'utf8');
    const { fetchedAt, ...rest } = JSON.parse(text);
    assert.match(fetchedAt, /^\d{4}-.*Z$/);
    assert.deepEqual(rest, {
      url: site.url('/p/solar'),
      contentType: headers['content-type'],
      records: [
        {
          type: 'product',
          key: 'S1',
          fields: { sku: 'S1', price: { amount: '5.00', currency: 'EUR' }, state: 'live' },
        },
      ],
      finished: false,
    });
    assert.ok(!text.includes('hush'));
  });

  test("saves the page at the source's own address where none is given, and asks for one that lacks a parameter", async (t) => {
    const cwd = await kept(t);
    const words = ['fixture', 'add', 'shop', '--file', 'page.html'];
    const refused = await run(words, { cwd });
    assert.deepEqual([refused.status, refused.out], [2, '']);
    await change(cwd, 'id: shop', 'id: shop\nurl: http://127.0.0.1/p/{slug}');
    assert.match((await run(words, { cwd })).err, /missing parameter "slug"/);
    await change(cwd, '{slug}', 'only');
    const { status, out } = await run(words, { cwd });
    assert.equal(status, 0);
    assert.match(out, /^wrote fixtures\/shop\/only\.html$/m);
  });

  test('reads a page that a crawl reads for links alone as the crawl does, and says which pages to save instead', async (t) => {
    const cwd = await kept(t);
    await change(cwd, 'id: shop', 'id: shop\ncrawl: { detail: [/p/] }');
    await writeFile(join(cwd, 'start.html'), '<a href="/p/solar">Solar</a>');
    const add = (url: string, file: string) => run(['fixture', 'add', 'shop', url, '--file', file], { cwd });
    const { status, out } = await add('http://127.0.0.1/', 'start.html');
    assert.equal(status, 0);
    assert.match(
      out,
      /\nthe crawl reads it for links alone: it gives no record\. Save a page whose address crawl\.detail matches to have its records tested\n$/,
    );
    assert.match((await add('http://127.0.0.1/p/lunar', 'page.html')).out, /^it gives 1 record; /m);
    const expected = JSON.parse(await readFile(join(cwd, 'fixtures/shop/page.expected.json'), 'utf8'));
    assert.deepEqual([expected.records, expected.failure], [[], undefined]);
    assert.equal((await run(['test'], { cwd })).status, 0);
  });

  test('reads the page of an item of a list by the fields of `page`, and test and try of a file do so too', async (t) => {
    const cwd = await temporaryDirectory(t);
    const definition = `id: books\nurl: https://books.example/\nfeed: { by: link }
records: { book: { key: id, each: li, fields: { id: '@id' }, page: { url: a @href, fields: { stock: .stock } } } }\n`;
    await mkdir(join(cwd, 'sources'));
    await writeFile(join(cwd, 'sources', 'books.yaml'), definition);
    await writeFile(join(cwd, 'moss.html'), '<h1>Moss</h1><p class="stock">3</p>');
    const add = await run(['fixture', 'add', 'books', 'https://books.example/moss', '--file', 'moss.html'], { cwd });
    assert.deepEqual(
      [add.status, add.out.split('\n')[2]],
      [0, 'it gives 1 record; `heronry test books` holds it to that'],
    );
    assert.match((await run(['try', 'books', 'moss.html'], { cwd })).out, /^ +stock +3 +css \.stock$/m);
    assert.equal((await run(['test'], { cwd })).status, 0);
    await writeFile(join(cwd, 'fixtures/books/moss.html'), '<h1>Moss</h1><p class="stock">4</p>');
    assert.match((await run(['test'], { cwd })).out, /- book .*"stock":"3".*\n.*\+ book .*"stock":"4"/);
    await writeFile(join(cwd, 'fixtures/books/moss.html'), '<h1>Moss</h1>');
    assert.match((await run(['test'], { cwd })).out, /expected no failure, got the failure no_record/);
  });

  test('overwrites nothing unless it is forced', async (t) => {
    const cwd = await kept(t);
    const words = ['fixture', 'add', 'shop', 'http://127.0.0.1/p/solar', '--file', 'page.html'];
    const { status, err } = await run(words, { cwd });
    assert.equal(status, 4);
    assert.match(err, /fixtures\/shop\/solar\.html, fixtures\/shop\/solar\.expected\.json stand there already/);
    assert.equal((await run([...words, '--force'], { cwd })).status, 0);
    assert.equal((await run([...words, '--name', 'other'], { cwd })).status, 0);
  });

  test('takes no name that leads elsewhere', async (t) => {
    const cwd = await kept(t);
    const words = ['fixture', 'add', 'shop', 'http://127.0.0.1/p/solar', '--file', 'page.html', '--name', '../x'];
    assert.equal((await run(words, { cwd })).status, 2);
    assert.equal(
      (await run(['fixture', 'add', '../x', 'http://127.0.0.1/', '--file', 'page.html'], { cwd })).status,
      3,
    );
  });
});

describe('test', () => {
  test('is content with pages that give what is expected, without a daemon', async (t) => {
    const cwd = await kept(t);
    assert.deepEqual(await run(['test'], { cwd }), {
      status: 0,
      out: 'ok  shop/solar\n1 saved page, none differs\n',
      err: '',
    });
  });

  test('tells each field that differs, and leaves with 1', async (t) => {
    const cwd = await kept(t);
    await change(cwd, 'type: money', 'type: text');
    await change(cwd, 'css: .state', 'css: .nowhere');
    const { status, out, err } = await run(['test', 'shop'], { cwd });
    assert.equal(status, 1);
    assert.equal(
      out,
      'differs  shop/solar\n  ~ product S1 price: 5.00 EUR → EUR 5.00\n  ~ product S1 state: live → nothing\n',
    );
    assert.equal(err, 'heronry: 1 of 1 saved page differs\n');
    const [machine] = JSON.parse((await run(['test', '--json'], { cwd })).out);
    assert.equal(machine.differences[0].field, 'price');
  });

  test('tells a record that is missing, and a failure that was not expected', async (t) => {
    const cwd = await kept(t);
    await change(cwd, 'css: h1', 'css: h2');
    const { out } = await run(['test'], { cwd });
    assert.match(out, /^ {2}- product S1: /m);
    assert.match(out, /^ {2}expected no failure, got the failure no_record: /m);
  });

  test('--update makes what is read now what is expected', async (t) => {
    const cwd = await kept(t);
    await change(cwd, 'type: money', 'type: text');
    const updated = await run(['test', '--update'], { cwd });
    assert.equal(updated.status, 0);
    assert.match(updated.out, /^updated {2}shop\/solar\n {2}~ product S1 price: /);
    assert.equal((await run(['test'], { cwd })).status, 0);
  });

  test('a definition, an expectation and a page that are not as they should be hide no other', async (t) => {
    const cwd = await kept(t);
    for (const name of ['bare', 'broken', 'odd']) {
      await run(['fixture', 'add', 'shop', 'http://127.0.0.1/', '--file', 'page.html', '--name', name], { cwd });
    }
    const at = (name: string): string => join(cwd, 'fixtures', 'shop', name);
    await rm(at('bare.html'));
    await writeFile(at('broken.expected.json'), '{');
    await writeFile(at('odd.expected.json'), '{ "url": 1 }');
    const { status, out } = await run(['test'], { cwd });
    assert.equal(status, 1);
    assert.match(out, /^differs {2}shop\/bare\n.*there is no page beside it$/m);
    assert.match(out, /^differs {2}shop\/broken\n.*expected JSON/m);
    assert.match(out, /^differs {2}shop\/odd\n.*url: /m);
    assert.match(out, /^ok {2}shop\/solar$/m);
    await change(cwd, 'key: sku', 'key: nope');
    assert.match((await run(['test'], { cwd })).out, /sources\/shop\.yaml:\d+:\d+: /);
  });

  test('of a source without a saved page leaves with 3', async (t) => {
    const cwd = await kept(t);
    const { status, err } = await run(['test', 'shop', 'other'], { cwd });
    assert.equal(status, 3);
    assert.match(err, /no saved page of other in .*fixtures: `heronry fixture add` saves one/);
  });
});

describe('validate', () => {
  test('warns of sources without saved pages, and of saved pages without a source or a page', async (t) => {
    const cwd = await kept(t);
    assert.deepEqual(await run(['validate'], { cwd }), {
      status: 0,
      out: '1 source and 0 projects, no problems\n',
      err: '',
    });
    await writeFile(join(cwd, 'sources', 'other.yaml'), productSource('other'));
    await rm(join(cwd, 'fixtures', 'shop', 'solar.html'));
    await mkdir(join(cwd, 'fixtures', 'gone'));
    await writeFile(join(cwd, 'fixtures', 'gone', 'x.expected.json'), '{}');
    await writeFile(join(cwd, 'fixtures', 'gone', 'x.html'), '');
    const { status, err } = await run(['validate'], { cwd });
    assert.equal(status, 0);
    assert.equal(
      err,
      'warning: source other has no saved page: heronry fixture add\n' +
        'warning: saved pages of gone, of which there is no valid definition\n' +
        'warning: fixtures/shop/solar.expected.json: there is no page beside it\n',
    );
    await writeFile(join(cwd, 'sources', 'third.yaml'), productSource('third'));
    assert.match(
      (await run(['validate'], { cwd })).err,
      /^warning: 2 sources have no saved page: heronry fixture add\n/,
    );
  });

  const refusals: readonly [string, string, string, RegExp][] = [
    ['a selector', 'css: .state', 'css: "p["', /sources\/shop\.yaml:14:21: .*CSS selector, got "p\["/],
    ['a value type', 'type: money', 'type: mony', /sources\/shop\.yaml:13:35: .*"mony"/],
    ['a filter', 'css: .state', 'css: .state, filters: [trimm]', /sources\/shop\.yaml:14:\d+: .*"trimm"/],
    [
      'a regular expression',
      'css: .state',
      'css: .state, filters: [{ regex: "(" }]',
      /sources\/shop\.yaml:14:\d+: .*regular expression/,
    ],
  ];
  for (const [what, from, to, says] of refusals) {
    test(`names the line and the reason of ${what} that is wrong (P1, P19)`, async (t) => {
      const cwd = await kept(t);
      await change(cwd, from, to);
      const { status, out } = await run(['validate'], { cwd });
      assert.equal(status, 2);
      assert.match(out, says);
    });
  }

  test('loads plug-ins, and names the line of one that cannot be', async (t) => {
    const cwd = await kept(t);
    await mkdir(join(cwd, 'plugins'));
    const at = (name: string): string => join(cwd, 'plugins', name);
    await writeFile(at('good.ts'), 'export async function* collect(): AsyncGenerator<never> {}\n');
    assert.match((await run(['validate'], { cwd })).out, /^1 source and 0 projects and 1 plug-in, no problems$/m);
    await writeFile(at('broken.ts'), 'export default {\n  read( {\n');
    await writeFile(at('odd.js'), 'export default { raed() {} };\n');
    const { status, out } = await run(['validate'], { cwd });
    assert.equal(status, 2);
    assert.match(out, /^plugins\/broken\.ts:2:1: broken\.ts: cannot be loaded: SyntaxError/m);
    assert.match(out, /^plugins\/odd\.js:1:1: .*unknown key "raed"/m);
    assert.equal((await run(['validate', 'plugins/good.ts'], { cwd })).status, 0);
  });

  test('holds the options of a definition to its plug-in, and wants the plug-in to be there', async (t) => {
    const cwd = await temporaryDirectory(t);
    await mkdir(join(cwd, 'sources'));
    await mkdir(join(cwd, 'own'));
    await writeFile(join(cwd, 'heronry.yaml'), 'plugins: own\n');
    await copyFile(join(import.meta.dirname, '..', 'fixtures', 'plugins', 'cards.js'), join(cwd, 'own', 'cards.js'));
    await copyFile(join(import.meta.dirname, '..', 'fixtures', 'plugins', 'unruly.ts'), join(cwd, 'own', 'unruly.ts'));
    const records = 'records: { card: { key: id, fields: { id: {} } } }';
    const define = (id: string, plugin: string, more = ''): Promise<void> =>
      writeFile(join(cwd, 'sources', `${id}.yaml`), `id: ${id}\nplugin: ${plugin}\n${records}\n${more}`);
    await define('cards', 'cards.js');
    const good = await run(['validate'], { cwd });
    assert.equal(good.out, '1 source and 0 projects and 2 plug-ins, no problems\n');
    await define('odd', 'unruly.ts', 'options:\n  speed: 5\n');
    await define('lost', 'nowhere.ts');
    const { status, out } = await run(['validate'], { cwd });
    assert.equal(status, 2);
    assert.match(out, /^sources\/odd\.yaml:[45]:\d+: options.*speed/m);
    assert.match(out, /^sources\/lost\.yaml:2:9: plugin: there is no file "nowhere\.ts" in /m);
  });
});
