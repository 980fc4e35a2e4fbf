import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseSource } from '../../src/definition/load.ts';
import { definitionText } from '../../src/draft/definition.ts';
import { draftOf } from '../../src/draft/draft.ts';

const url = 'https://shop.example/p/solar';

function draft(text: string) {
  return draftOf({ body: new TextEncoder().encode(text), url });
}

const word = fc.oneof(
  fc.constantFrom('price', 'card', 'title', 'sku', '€1.50', '2026-01-02', 'a b', "it's", '"', '{x}', '#', ': '),
  fc.string(),
);
const attribute = fc.tuple(
  fc.constantFrom('class', 'id', 'href', 'itemprop', 'itemtype', 'property', 'content', 'data-id'),
  word,
);
const tag = fc.constantFrom('div', 'li', 'a', 'h2', 'tr', 'td', 'table', 'meta', 'img', 'time', 'b', 'title');

const markup = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    word,
    fc
      .tuple(
        tag,
        fc.array(attribute, { maxLength: 3 }),
        fc.array(tie('node'), { maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
      )
      .map(([name, attributes, inner, times]) => {
        const given = attributes.map(([key, value]) => ` ${key}="${value.replaceAll('"', '&quot;')}"`).join('');
        return `<${name}${given}>${inner.join('')}</${name}>`.repeat(times);
      }),
  ),
})).node;

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));

async function isValid(text: string): Promise<void> {
  const drafted = await draft(text);
  if (drafted.record === undefined && drafted.provider !== 'rss') return;
  const definition = definitionText(drafted, { id: 'shop', url });
  const loaded = parseSource(definition, 'shop.yaml');
  assert.ok(loaded.ok, `${definition}\n${JSON.stringify(loaded)}`);
}

describe('a draft', () => {
  test('is a valid definition, whatever the page holds', async () => {
    const block = '<div class="price">!<A</div>';
    const broken = `<div><meta>${block.repeat(2)}</meta><meta>${block.repeat(2)}</meta></div>`;
    await fc.assert(fc.asyncProperty(markup, isValid), { numRuns: 300, examples: [[broken]] });
  });

  test('is a valid definition, whatever an ld+json block, a JSON document or a table holds', async () => {
    const block = fc.jsonValue({ maxDepth: 3 }).map((value) => {
      const thing = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { name: value };
      return `<script type="application/ld+json">${JSON.stringify([{ '@type': 'Product', sku: 'x', ...thing }])}</script>`;
    });
    const objects = fc.array(fc.dictionary(word, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }), { maxLength: 4 });
    const list = objects.map((items) => JSON.stringify({ items: items.map((item, id) => ({ id, ...item })) }));
    const csv = fc.array(
      fc.array(
        word.map((cell) => cell.replaceAll(/[";\r\n]/g, '')),
        { minLength: 2, maxLength: 4 },
      ),
      { minLength: 2 },
    );
    const table = csv.map((rows) => rows.map((row) => row.join(';')).join('\n'));
    await fc.assert(fc.asyncProperty(fc.oneof(block, json, list, table), isValid), { numRuns: 300 });
  });

  test('of a page that is nested very deep, or has very many alike, comes in time', async () => {
    const pages = [
      '<div class="x">'.repeat(20_000),
      '<tr><td>'.repeat(20_000),
      `<ul class="list">${'<li class="card"><a href="/a">name</a></li>'.repeat(50_000)}</ul>`,
      `<div class="card">${'<b class="x">'.repeat(20_000)}</div>`.repeat(3),
    ];
    for (const page of pages) {
      const startedAt = performance.now();
      await draft(`<h1>t</h1>${page}`);
      assert.ok(performance.now() - startedAt < 10_000);
    }
  });

  test('prefers things that are described to blocks, and tells what else is there', async () => {
    const cards = ['A', 'B', 'C']
      .map((name) => `<div class="card"><h3><a href="/${name}">${name} card</a></h3></div>`)
      .join('');
    const thing = '<script type="application/ld+json">{"@type":"Product","sku":"S","name":"Solar"}</script>';
    const { record, found } = await draft(`${thing}${cards}`);
    assert.equal(record?.type, 'product');
    assert.deepEqual(found, ['1 of product described as ld+json', '3 repeated blocks div.card']);
  });

  const cards = ['Ada', 'Bea', 'Cid']
    .map((name) => `<div class="card"><h3><a href="/${name}">${name} card</a></h3></div>`)
    .join('');
  const pagers: readonly (readonly [what: string, pager: string, feed: object | undefined])[] = [
    ['rel=next', '<link rel="next" href="?p=2"><a href="/x">Next</a>', { by: 'link' }],
    ['rel=next of another site', '<link rel="next" href="https://other.example/2">', undefined],
    [
      'a class of the link',
      '<a class="btn page-next" href="/2">more of it</a>',
      { by: 'link', next: 'a.page-next @href' },
    ],
    [
      'a label',
      '<a aria-label="Next page" href="/2"><svg></svg></a>',
      { by: 'link', next: 'a[aria-label="Next page"] @href' },
    ],
    [
      'its text alone, above and below',
      '<a href="/2">Older posts »</a><a href="/2">Older posts »</a>',
      { by: 'link', next: "//a[normalize-space(.)='Older posts »']/@href" },
    ],
    [
      'its text in another language',
      '<a href="/2">Nächste Seite</a>',
      { by: 'link', next: "//a[normalize-space(.)='Nächste Seite']/@href" },
    ],
    ['several that lead elsewhere', '<a href="/2">Next</a><a href="/3">Next</a>', undefined],
    ['a fragment', '<a class="next" href="#2">Next</a>', undefined],
    [
      'numbers in a parameter',
      '<a href="?p=1">1</a><a href="?p=2">2</a><a href="?p=9">9</a>',
      { by: 'page', param: 'p' },
    ],
    ['numbers from 0', '<a href="?page=1">2</a><a href="?page=2">3</a>', { by: 'page', start: 0 }],
    [
      'numbers in a path',
      '<a href="/p/page-2.html">2</a><a href="/p/page-3.html">3</a>',
      { by: 'page', url: 'https://shop.example/p/page-{page}.html' },
    ],
    ['a year', '<a href="/2019/">2019</a>', undefined],
  ];
  for (const [what, pager, feed] of pagers)
    test(`of a list goes on by ${what}: ${JSON.stringify(feed?.['by' as never]) ?? 'not at all'}`, async () => {
      const text = `${cards}<div class="pages">${pager}</div>`;
      assert.deepEqual((await draft(text)).feed, feed);
      await isValid(text);
      assert.equal((await draft(`<h1>One thing</h1>${pager}`)).feed, undefined);
    });

  test('takes no place in the list and nothing that changes for a key where there is something better', async () => {
    const rows = (cells: readonly (readonly string[])[]) =>
      `<table class="list"><tr><th>Rank</th><th>Text</th><th>Price</th></tr>${cells.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`;
    const keyOf = async (cells: readonly (readonly string[])[]) => {
      const { record } = await draft(rows(cells));
      return [record?.key, ...(record?.otherKeys ?? [])];
    };
    assert.deepEqual(
      await keyOf([
        ['1.', 'a lamp', '€1'],
        ['2.', 'a shoe', '€2'],
        ['3.', 'a boat', '€3'],
      ]),
      ['text', 'rank', 'content'],
    );
    assert.deepEqual(
      await keyOf([
        ['7.', 'a lamp', '€1'],
        ['2.', 'a lamp', '€2'],
        ['3.', 'a boat', '€2'],
      ]),
      ['rank', 'content'],
    );
    assert.deepEqual(
      await keyOf([
        ['120', 'a lamp', '€1'],
        ['1,080', 'a shoe', '€2'],
        ['95', 'a boat', '€3'],
      ]),
      ['text', 'rank', 'content'],
    );
  });

  for (const [what, document, next] of [
    ['beside its list', { data: { items: [{ id: 1 }, { id: 2 }], next: '/api?page=2' } }, '$.data.next'],
    ['around its list', { data: { items: [{ id: 1 }, { id: 2 }] }, links: { next: '/api?page=2' } }, '$.links.next'],
    ['around and beside it', { a: { b: [{ id: 1 }], next: '/b' }, next: '/a' }, '$.next'],
    ['within an item', { data: { items: [{ id: 1, next: '/x' }] } }, undefined],
  ] as const)
    test(`of a list in JSON goes on by an address ${what}`, async () => {
      const text = JSON.stringify(document);
      assert.equal((await draft(text)).feed?.['next'], next);
      await isValid(text);
    });

  test('names blocks without links, headings and prices by the class that they alone have', async () => {
    const quotes = (attributes: string): string =>
      ['one', 'two', 'three'].map((text) => `<div ${attributes}><q>${text}</q><i>by Ada</i></div>`).join('');
    assert.equal((await draft(`<main>${quotes('class="quote"')}</main>`)).record?.each, 'div.quote');
    assert.equal((await draft(`<main>${quotes('')}</main>`)).record?.each, 'main > div');
    const other = '<p><div class="quote">of the day</div></p>';
    assert.equal((await draft(`<main>${quotes('class="quote"')}</main>${other}`)).record?.each, 'main > div');
  });

  test("of one thing has the page's address as its key, unless the thing says which it is", async () => {
    const keyOf = async (thing: object) =>
      (await draft(`<script type="application/ld+json">${JSON.stringify({ '@type': 'Product', ...thing })}</script>`))
        .record?.key;
    assert.equal(await keyOf({ name: 'Solar', sku: 'S1' }), 'sku');
    assert.equal(await keyOf({ name: 'Solar', '@id': 'https://shop.example/#solar' }), 'id');
    assert.equal(await keyOf({ name: 'Solar', url: 'https://shop.example/p/solar' }), 'url');
    assert.equal(await keyOf({ name: 'Solar', offers: { sku: 'S1', price: 1 } }), 'sku');
    assert.equal(await keyOf({ name: 'Solar', brand: { '@id': 'https://maker.example/' } }), 'url');
    assert.equal(await keyOf({ name: 'Solar', image: { url: 'https://shop.example/1.jpg' } }), 'page_url');
    assert.equal(
      (await draft('<meta property="og:title" content="A"><meta property="og:image" content="/b">')).record?.key,
      'url',
    );
    assert.equal((await draft('{"status": "on", "price": 1}')).record?.key, 'url');
    assert.equal((await draft('{"status": "on", "data": {"id": 7}}')).record?.key, 'id');
  });

  test('of a plain page reads the one price that says what it is, and no other amount', async () => {
    const priceOf = async (text: string) => {
      await isValid(`<h1>Kettle</h1>${text}`);
      return (await draft(`<h1>Kettle</h1>${text}`)).record?.fields['price'];
    };
    const field = { xpath: "//p[starts-with(normalize-space(text()), 'Price')]", type: 'money' };
    assert.deepEqual(await priceOf('<p>Price: 129,00 €</p><p>Prompt delivery'), field);
    assert.deepEqual(await priceOf('<p>Price: <b>129.00 EUR</b></p>'), field);
    assert.deepEqual(await priceOf('<div> <div>Preis: 129,00 €</div></div>'), {
      xpath: "//div[starts-with(normalize-space(text()), 'Preis')]",
      type: 'money',
    });
    assert.deepEqual(await priceOf('<p>Price: 129,00 €</p><p>Postage: 5,00 €</p>'), undefined);
    assert.deepEqual(await priceOf('<p>Price: 129,00 €</p><p>Prices change.</p>'), undefined);
    assert.deepEqual(await priceOf('<p>It costs 129,00 €</p>'), undefined);
    assert.deepEqual(await priceOf('<p>Price: ask us, in €</p>'), undefined);
  });

  test('takes no shop, no list of crumbs and no menu for a record', async () => {
    const shop =
      '<script type="application/ld+json">[{"@type":"Organization","name":"x"},{"@type":"BreadcrumbList","name":"y"}]</script>';
    const menu = `<nav>${['a', 'b', 'c'].map((name) => `<a class="entry" href="/${name}">${name} entry</a>`).join('')}</nav>`;
    const { record } = await draft(`${shop}${menu}<h1>Solar</h1>`);
    assert.deepEqual([record?.type, record?.key, record?.isWhole], ['page', 'url', true]);
  });
});
