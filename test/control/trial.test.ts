import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startTimed } from '../daemon/passing.ts';
import { startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const definition = `id: shop
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
`;

// The browser's tree has what is in a table but in no cell before the table.
const page =
  '<h1>S1</h1><p class="price">about EUR 5.00</p><p class="stock">many</p><table><b>x</b><tr><td>y</td></tr></table>';

describe('a trial of a page over the socket', () => {
  test('tells for each field the alternative that matched, the text before each filter, and what was expected (P22)', async (t) => {
    const site = await openSite(t, { '/solar': page });
    const { client } = await startDaemon(t, { sources: { shop: definition } });
    const found = await client.call('source.try', { id: 'shop', url: site.url('/solar') });
    assert.deepEqual(found.drafts[0]?.fields['price'], { amount: '5.00', currency: 'EUR' });
    const [item] = found.explained;
    assert.deepEqual([item?.record, item?.key], ['product', 'S1']);
    const field = (name: string) => item?.fields.find((each) => each.name === name);
    assert.deepEqual(field('price')?.place, { by: 'css', text: '.price', alternative: 2, alternatives: 2, matches: 1 });
    assert.deepEqual(
      field('price')?.filters.map(({ before }) => before),
      ['about EUR 5.00'],
    );
    assert.equal(field('stock')?.lost[0]?.text, 'many');
    assert.equal(found.page, undefined);
    assert.equal(found.trees, undefined);
  });

  test('shows a list, and the page to which its first item leads, with the key of its record', async (t) => {
    const list = '<li id="a">No link</li><li id="b"><a href="/p/b">B</a></li><li id="c"><a href="/p/c">C</a></li>';
    const site = await openSite(t, { '/list': `<ul>${list}</ul>`, '/p/b': '<i>12</i>', '/p/c': '<i>9</i>' });
    const records = `item: { key: id, each: li, fields: { id: "@id" }, page: { url: a, fields: { size: { css: i, type: integer } } } }`;
    const source = definition.replace(/records:[^]*/, `records: { ${records} }`);
    const { client } = await startDaemon(t, { sources: { shop: source } });
    const { drafts, item, explained } = await client.call('source.try', { id: 'shop', url: site.url('/list') });
    assert.deepEqual(
      drafts.map(({ page }) => page),
      [undefined, site.url('/p/b'), site.url('/p/c')],
    );
    assert.deepEqual(
      explained[1]?.fields.map(({ name, value }) => [name, value]),
      [
        ['id', 'b'],
        ['page.url', site.url('/p/b')],
      ],
    );
    assert.deepEqual(item?.drafts, [{ type: 'item', key: 'b', fields: { size: 12 } }]);
    assert.deepEqual([item?.url, item?.explained[0]?.key], [site.url('/p/b'), 'b']);
    assert.equal(site.asked.length, 2);
  });

  test('says that the file of the definition has changed since it was loaded', async (t) => {
    const site = await openSite(t, { '/solar': page });
    const { client, folder } = await startDaemon(t, { sources: { shop: definition } });
    const asked = { id: 'shop', url: site.url('/solar') };
    assert.equal((await client.call('source.try', asked)).notes, undefined);
    const file = join(folder, 'sources', 'shop.yaml');
    // A comment is no other definition.
    await writeFile(file, `# shop\n${await readFile(file, 'utf8')}`);
    assert.equal((await client.call('source.try', asked)).notes, undefined);
    await writeFile(file, (await readFile(file, 'utf8')).replace('css: table b', 'css: td'));
    const { notes } = await client.call('source.try', asked);
    assert.deepEqual(notes, ['sources/shop.yaml has changed since it was loaded: `heronry sources --reload`']);
    await client.call('source.reload', {});
    assert.equal((await client.call('source.try', asked)).notes, undefined);
  });

  test('of a source whose file has problems says how many, and what shows them', async (t) => {
    const { client } = await startDaemon(t, { sources: { shop: `${definition}finishd: 1\nevry: 1h\n` } });
    await assert.rejects(client.call('source.try', { id: 'shop', url: 'http://127.0.0.1:9/' }), {
      code: 'not_found',
      message: 'source "shop" has 2 problems: `heronry validate`',
    });
  });

  test('tells where the two trees of the page differ, when it is asked', async (t) => {
    const site = await openSite(t, { '/solar': page });
    const { client } = await startDaemon(t, { sources: { shop: definition } });
    const { trees } = await client.call('source.try', { id: 'shop', url: site.url('/solar'), trees: true });
    assert.deepEqual(trees, [{ record: 'product', key: 'S1', field: 'cell', fast: 'x' }]);
  });

  test('hands back the page as it came, when it is asked, also one without a record', async (t) => {
    const bytes = Buffer.from('<p>gr\xfc\xdfe', 'latin1');
    const headers = { 'content-type': 'text/html; charset=latin1' };
    const site = await openSite(t, { '/bare': { body: bytes, headers } });
    const { client } = await startDaemon(t, { sources: { shop: definition } });
    const found = await client.call('source.try', { id: 'shop', url: site.url('/bare'), keep: true });
    assert.equal(found.failure?.code, 'no_record');
    assert.equal(found.page?.contentType, headers['content-type']);
    assert.deepEqual(Buffer.from(found.page?.body ?? '', 'base64'), bytes);
  });

  test('leaves out a page that is too large for an answer', async (t) => {
    const site = await openSite(t, { '/large': `<h1>S1</h1>${'x'.repeat(8 * 1024 * 1024)}` });
    const { client } = await startDaemon(t, { sources: { shop: definition } });
    const found = await client.call('source.try', { id: 'shop', url: site.url('/large'), keep: true });
    assert.equal(found.drafts.length, 1);
    assert.equal(found.page, undefined);
  });

  test('a page of no source is asked for as robots.txt allows, and handed back whatever it is', async (t) => {
    const site = await openSite(t, {
      '/robots.txt': { body: 'User-agent: *\nDisallow: /secret', headers: { 'content-type': 'text/plain' } },
      '/data': { body: '{"a":1}', headers: { 'content-type': 'application/json' } },
      '/secret': 'x',
    });
    const { client, during } = await startTimed(t, { sources: {} });
    const peeked = await during(client.call('source.peek', { url: site.url('/data') }));
    assert.equal(Buffer.from(peeked.body, 'base64').toString(), '{"a":1}');
    assert.equal(peeked.contentType, 'application/json');
    const refused = during(client.call('source.peek', { url: site.url('/secret') }));
    await assert.rejects(refused, /no page came: .*robots/);
    assert.ok(!site.asked.some(({ path }) => path === '/secret'));
  });

  test('a page of no source leads to this machine only where each address names it', async (t) => {
    const inner = await openSite(t, { '/': '<title>inner</title>' });
    const { port } = new URL(inner.origin);
    const named = `http://127.rebound.localhost:${port}/`;
    const open = (to: string) =>
      openSite(t, {
        '/away': { status: 302, headers: { location: to } },
        '/robots.txt': { status: 404, body: '' },
      });
    const { client, during } = await startTimed(t, { sources: {} });
    const peek = (url: string) => during(client.call('source.peek', { url }));
    await assert.rejects(peek(named), /no page came: .*may not be asked/);
    await assert.rejects(peek((await open(named)).url('/away')), /no page came: .*may not be asked/);
    await assert.rejects(peek((await open('http://10.0.0.1:9/')).url('/away')), /10\.0\.0\.1 may not be asked/);
    assert.deepEqual(inner.asked, []);
    assert.equal((await peek((await open(inner.url('/'))).url('/away'))).url, inner.url('/'));
  });

  test('a robots.txt on this machine leads a page of no source to no other', async (t) => {
    const site = await openSite(t, {
      '/robots.txt': { status: 302, headers: { location: 'http://127.rebound.localhost:9/robots.txt' } },
      '/': '<title>S1</title>',
    });
    const { client, during } = await startTimed(t, { sources: {} });
    await assert.rejects(during(client.call('source.peek', { url: site.url('/') })), /robots.*may not be asked/);
  });
});
