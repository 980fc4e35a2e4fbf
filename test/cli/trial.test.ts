import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from './terminal.ts';

const launcher = join(import.meta.dirname, '..', '..', 'src', 'heronry.cjs');

const definition = (more = '') => `id: shop
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
records:
  product:
    key: sku
    fields:
      sku: { css: h1, required: true }
      price: { any: [{ css: .sale }, { css: .price }], filters: [{ replace: { from: "^about ", to: "" } }], type: money }
      stock: { css: .stock, type: integer }
      cell: { css: table b }
${more}`;

const page =
  '<h1>S1</h1><p class="price">about EUR 5.00</p><p class="stock">many</p><table><b>x</b><tr><td>y</td></tr></table>';

async function folderWith(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'sources'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  return cwd;
}

/** The program as a process of its own, read until it has printed something. */
function start(t: TestContext, cwd: string, words: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, [launcher, ...words], { cwd });
  t.after(() => child.kill('SIGKILL'));
  const printed = { out: '', err: '' };
  const waits = new Set<() => void>();
  child.stdout?.on('data', (data) => {
    printed.out += String(data);
    for (const wake of waits) wake();
  });
  child.stderr?.on('data', (data) => {
    printed.err += String(data);
    for (const wake of waits) wake();
  });
  return {
    printed,
    async until(isThere: () => boolean): Promise<void> {
      while (!isThere()) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waits.add(resolve);
        await promise;
        waits.delete(resolve);
      }
    },
    async interrupt(): Promise<unknown> {
      child.kill('SIGINT');
      const [status] = await once(child, 'exit');
      return status;
    },
  };
}

const shown = `product  S1
  sku    S1  css h1
  price  5.00 EUR  css .price, alternative 2 of 2
           replace of "about EUR 5.00"
  stock  lost  css .stock
           expected`;

describe('try', () => {
  test('prints the record of a saved page, with how each field came to its value (P22)', async (t) => {
    const cwd = await folderWith(t, { 'sources/shop.yaml': definition(), 'page.html': page });
    const { status, out, err } = await run(['try', 'shop', 'page.html'], { cwd });
    assert.equal(status, 0, err);
    assert.ok(out.includes(shown), out);
    assert.match(out, /^1 record$/m);
    assert.match(out, /^product S1 stock: expected .*, got "many"$/m);
  });

  test('tells the way to a field that is found from another element', async (t) => {
    const rules =
      '{ key: sku, each: td.sku, fields: { sku: ., price: { from: { column: Price }, css: b }, row: { from: next } } }';
    const table =
      '<table><tr><th>Sku</th><th>Price</th></tr><tr><td class=sku>A</td><td>EUR <b>5</b></td></tr></table>';
    const cwd = await folderWith(t, { 'sources/shop.yaml': `id: shop\nrecords:\n  it: ${rules}`, 'page.html': table });
    const { out } = await run(['try', 'shop', 'page.html'], { cwd });
    assert.match(out, /^  sku    A  the place itself\n  price  5  column "Price" › css b\n  row    EUR 5  next$/m);
  });

  test('tells of records on a page that have one key and say different things', async (t) => {
    const list = definition().replace('key: sku', 'key: sku\n    each: li');
    const items = ['5.00', '6.00', '7.00'].map((price) => `<li><h1>S1</h1><p class="price">EUR ${price}</p></li>`);
    const cwd = await folderWith(t, { 'sources/shop.yaml': list, 'page.html': items.join('') });
    const site = await openSite(t, { '/list': items.join('') });
    const { socket } = await startDaemon(t, { sources: { shop: list } });
    for (const words of [['page.html'], [site.url('/list'), '--socket', socket]]) {
      const { status, out, err } = await run(['try', 'shop', ...words], { cwd });
      assert.equal(status, 0, err);
      assert.match(out, /^1 record, 2 left out for the key of another$/m);
      assert.match(out, /^Repeated key: product - S1$/m);
    }
  });

  test('of a saved page ends with the limit of its source', { timeout: 60_000 }, async (t) => {
    const slow = definition('limits: { extract: 20ms }\n').replace('css: table b', 'css: "body b b b:has(i) i"');
    const deep = `${page}${'<b>'.repeat(60_000)}`;
    const cwd = await folderWith(t, { 'sources/shop.yaml': slow, 'page.html': deep });
    const { status, err } = await run(['try', 'shop', 'page.html'], { cwd });
    assert.equal(status, 1);
    assert.match(err, /extract_timeout: reading the page took longer than 20 ms/);
  });

  test('prints the same of a page that the daemon asks for (P22)', async (t) => {
    const site = await openSite(t, { '/solar': page });
    const { socket } = await startDaemon(t, { sources: { shop: definition() } });
    const { status, out } = await run(['try', 'shop', site.url('/solar'), '--socket', socket]);
    assert.equal(status, 0);
    assert.ok(out.includes(shown), out);
  });

  test('tells where the two trees give different fields', async (t) => {
    const cwd = await folderWith(t, { 'sources/shop.yaml': definition(), 'page.html': page });
    const { out } = await run(['try', 'shop', 'page.html', '--trees'], { cwd });
    assert.match(out, /^the two trees differ in 1 field:\n {2}product S1 cell: fast "x", browser nothing$/m);
  });

  test('shows a place that is no record, and only so many of a list', async (t) => {
    const list = definition().replace('    key: sku', '    key: sku\n    each: li');
    const items = ['<li><h1>A</h1>', '<li><p>none</p>', '<li><h1>B</h1>'].join('');
    const cwd = await folderWith(t, { 'sources/shop.yaml': list, 'page.html': `<ul>${items}</ul>` });
    const { out } = await run(['try', 'shop', 'page.html', '--items', '2'], { cwd });
    assert.match(out, /^product {2}no record, as it lacks what it must have$/m);
    assert.match(out, /^… and 1 place more/m);
    assert.match(out, /^2 records, 1 place without one$/m);
  });

  test('of a definition with problems tells them with file and line (P1)', async (t) => {
    const cwd = await folderWith(t, { 'sources/shop.yaml': definition('finishd: 1\n'), 'page.html': page });
    const { status, err } = await run(['try', 'shop', 'page.html'], { cwd });
    assert.equal(status, 2);
    assert.match(err, /sources\/shop\.yaml:14:1: .*did you mean "finished"/);
  });

  test('--watch shows what is different after each change of the definition, and ends at an interrupt', async (t) => {
    const cwd = await folderWith(t, { 'sources/shop.yaml': definition(), 'page.html': page });
    const watching = start(t, cwd, ['try', 'shop', 'page.html', '--watch']);
    await watching.until(() => watching.printed.err.includes('Ctrl-C ends it'));
    assert.ok(watching.printed.out.includes('1 record'));
    await writeFile(join(cwd, 'sources', 'shop.yaml'), definition().replace('css: table b', 'css: td'));
    await watching.until(() => watching.printed.out.includes('~ product S1 cell: x → y'));
    // As editors do it: a new file in the place of the old one.
    await writeFile(
      join(cwd, 'new.yaml'),
      definition().replace('type: integer', 'type: text').replace('css: table b', 'css: td'),
    );
    await rename(join(cwd, 'new.yaml'), join(cwd, 'sources', 'shop.yaml'));
    await watching.until(() => watching.printed.out.includes('~ product S1 stock: nothing → many'));
    await writeFile(join(cwd, 'sources', 'shop.yaml'), 'id: [');
    await watching.until(() => /sources\/shop\.yaml:1:/.test(watching.printed.err));
    await writeFile(join(cwd, 'page.html'), page.replace('S1', 'S2'));
    await writeFile(join(cwd, 'sources', 'shop.yaml'), definition());
    await watching.until(() => watching.printed.out.includes('+ product S2:'));
    assert.equal(watching.printed.out.split('product  S1').length, 2);
    assert.equal(await watching.interrupt(), 0);
  });

  test('--watch asks for the page once, and needs no daemon from then on', async (t) => {
    const site = await openSite(t, { '/solar': page });
    const { socket, folder, close } = await startDaemon(t, { sources: { shop: definition() } });
    const watching = start(t, folder, ['try', 'shop', site.url('/solar'), '--watch', '--socket', socket]);
    await watching.until(() => watching.printed.err.includes('Ctrl-C ends it'));
    await close();
    const file = join(folder, 'sources', 'shop.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('css: table b', 'css: td'));
    await watching.until(() => watching.printed.out.includes('~ product S1 cell: x → y'));
    assert.equal(site.asked.length, 1);
    assert.equal(await watching.interrupt(), 0);
  });

  test('reads a saved page by a plug-in, and again when its file changes', async (t) => {
    const plugin = (name: string): string =>
      `export default { request: ({ url }) => ({ url }), read: (page, { $ }) => ({ drafts: [{ type: 'card', key: 'A', fields: { ${name}: $('h1').text() } }] }) };\n`;
    const yaml = 'id: cards\nplugin: cards.js\nrecords: { card: { key: title, fields: { title: {}, name: {} } } }\n';
    const cwd = await folderWith(t, { 'sources/cards.yaml': yaml, 'page.html': page });
    await mkdir(join(cwd, 'plugins'));
    await writeFile(join(cwd, 'plugins', 'cards.js'), plugin('title'));
    const watching = start(t, cwd, ['try', 'cards', 'page.html', '--watch']);
    await watching.until(() => watching.printed.err.includes('Ctrl-C ends it'));
    assert.match(watching.printed.out, /^card {2}A\n {2}title {2}S1$/m);
    await writeFile(join(cwd, 'plugins', 'cards.js'), plugin('name'));
    await watching.until(() => watching.printed.out.includes('~ card A name: nothing → S1'));
    assert.equal(await watching.interrupt(), 0);
  });
});
