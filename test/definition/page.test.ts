import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pageSource } from '../../src/definition/page.ts';
import { parseSource } from '../../src/definition/load.ts';
import type { Value } from '../../src/extract/value/value.ts';
import { planOf } from '../../src/provider/plans.ts';
import { extracted } from '../extract/plan.ts';

const url = 'https://site.test/list/page';

/** The fields that the built-in source reads on a page, and those whose text it refuses. */
async function readPage(html: string) {
  const { drafts, unparsed } = await extracted(html, planOf(pageSource), { url });
  assert.equal(drafts.length, 1);
  const { url: at, ...fields } = drafts[0]?.fields ?? {};
  assert.equal(at, url);
  const said = Object.entries(fields).filter(([, value]) => value !== null);
  return { fields: Object.fromEntries(said), refused: unparsed.map(({ field }) => field) };
}

function saved(name: string): Promise<string> {
  return readFile(join(import.meta.dirname, '..', 'fixtures', 'pages', `${name}.html`), 'utf8');
}

const linked = (...things: readonly object[]): string =>
  `<title>t</title><script type="application/ld+json">${JSON.stringify(things)}</script>`;
const selling = (offers: Value): string => linked({ '@type': 'Product', name: 'Kettle', offers });

describe('the built-in source', () => {
  for (const [name, fields] of [
    [
      'product',
      {
        title: 'Solar kettle',
        description: 'Boils in the sun.',
        image: 'https://site.test/kettle.jpg',
        price: { amount: '1299.00', currency: 'TRY' },
        availability: 'InStock',
        site: 'Shop of Things',
        canonical: 'https://site.test/p/solar-kettle',
        text: 'Solar kettle Boils in the sun.',
      },
    ],
    [
      'microdata',
      {
        title: 'Desk lamp',
        description: 'A lamp.',
        image: 'https://site.test/list/lamp.png',
        price: { amount: '24.90', currency: 'EUR' },
        availability: 'OutOfStock',
        text: 'Desk lamp 24,90',
      },
    ],
    [
      'article',
      {
        title: 'Heron seen at the lake',
        description: 'It stood there for hours.',
        image: 'https://site.test/heron.jpg',
        author: 'Ada Reed',
        published: '2026-03-14',
        site: 'The Daily Reed',
        canonical: 'https://site.test/heron',
        text: 'Heron seen It stood there.',
      },
    ],
    ['bare', { title: 'Notes', text: 'Nothing but text, for 5 € or $7.' }],
  ] as const)
    test(`reads what a page says of itself: ${name}`, async () => {
      assert.deepEqual(await readPage(await saved(name)), { fields, refused: [] });
    });

  for (const [what, offers, price] of [
    ['a number', { price: 12.5, priceCurrency: 'EUR' }, { amount: '12.50', currency: 'EUR' }],
    [
      'several prices of one offer',
      { lowPrice: 5, highPrice: 9, priceCurrency: 'EUR' },
      { amount: '5.00', currency: 'EUR', from: true },
    ],
    [
      'two bounds that are one',
      { lowPrice: '5,00', highPrice: '5,00', priceCurrency: 'EUR' },
      { amount: '5.00', currency: 'EUR' },
    ],
    ['a list of one', [{ price: '9', priceCurrency: 'JPY' }], { amount: '9', currency: 'JPY' }],
    [
      'offers of one price',
      [
        { price: '9', priceCurrency: 'USD' },
        { price: '9', priceCurrency: 'USD' },
      ],
      { amount: '9.00', currency: 'USD' },
    ],
    [
      'a specification of its price',
      { priceSpecification: { price: '15.00', priceCurrency: 'GBP' } },
      { amount: '15.00', currency: 'GBP' },
    ],
    [
      'a list of specifications, of which one is of the price before',
      [
        {
          priceSpecification: [
            { price: '12.00', priceCurrency: 'GBP' },
            { price: '15.00', priceCurrency: 'GBP', priceType: 'https://schema.org/ListPrice' },
          ],
        },
      ],
      { amount: '12.00', currency: 'GBP' },
    ],
    ['groups that are clear', { price: '1.299,50', priceCurrency: 'EUR' }, { amount: '1299.50', currency: 'EUR' }],
    [
      'offers of several prices',
      [
        { price: 9, priceCurrency: 'EUR' },
        { price: 8, priceCurrency: 'EUR' },
      ],
      undefined,
    ],
    ['no currency', { price: '12.50' }, undefined],
    ['a sign in place of a currency', { price: '12.50', priceCurrency: '$' }, undefined],
    ['a lowest price alone', { lowPrice: '5', priceCurrency: 'EUR' }, undefined],
    ['a thousand or one and a bit', { price: '1.299', priceCurrency: 'EUR' }, undefined],
    ['words', { price: 'on request', priceCurrency: 'EUR' }, undefined],
  ] as const)
    test(`${price === undefined ? 'refuses' : 'reads'} the price of an offer that has ${what}`, async () => {
      const { fields, refused } = await readPage(selling(offers));
      assert.deepEqual([fields['price'], refused], [price, price === undefined ? ['price'] : []]);
    });

  for (const [what, html, price] of [
    ['one product', selling({ price: 1, priceCurrency: 'EUR' }), { amount: '1.00', currency: 'EUR' }],
    [
      'several products',
      linked({ offers: { price: 1, priceCurrency: 'EUR' } }, { offers: { price: 2, priceCurrency: 'EUR' } }),
      undefined,
    ],
    [
      'Open Graph',
      '<meta property="product:price:amount" content="7.5"><meta property="product:price:currency" content="USD">',
      { amount: '7.50', currency: 'USD' },
    ],
    [
      'the older Open Graph',
      '<meta property="og:price:amount" content="1,299.00"><meta property="og:price:currency" content="USD">',
      { amount: '1299.00', currency: 'USD' },
    ],
    [
      'an offer that has no price, beside Open Graph',
      `${selling([{ priceSpecification: { price: 5 } }])}<meta property="og:price:amount" content="7.50"><meta property="og:price:currency" content="USD">`,
      { amount: '7.50', currency: 'USD' },
    ],
    [
      'two specifications of a price',
      selling({
        priceSpecification: [
          { price: 5, priceCurrency: 'EUR' },
          { price: 6, priceCurrency: 'EUR' },
        ],
      }),
      undefined,
    ],
    ['an amount without a currency', '<meta property="product:price:amount" content="7.5">', undefined],
    [
      'three digits behind a mark',
      '<meta property="og:price:amount" content="1.299"><meta property="og:price:currency" content="EUR">',
      undefined,
    ],
    ['a price in its text alone', '<p class=price>€5.00</p>', undefined],
  ] as const)
    test(`${price === undefined ? 'takes no price from' : 'takes the price of'} a page with ${what}`, async () => {
      assert.deepEqual((await readPage(html)).fields['price'], price);
    });

  test('takes an author only where there is one, a day as it is written, and an instant with its offset alone', async () => {
    const told = (author: Value, datePublished: string) => linked({ headline: 'h', author, datePublished });
    const read = async (...given: Parameters<typeof told>) => (await readPage(told(...given))).fields;
    assert.equal((await read([{ name: 'Ada' }, { name: 'Bo' }], '2026-03-14'))['author'], undefined);
    assert.equal((await read([{ name: 'Ada' }], '2026-03-14'))['author'], 'Ada');
    assert.equal((await read({ name: 'Ada' }, '2026-03-14'))['published'], '2026-03-14');
    assert.equal((await read('Ada', '2026-03-14T23:30:00-05:00'))['published'], '2026-03-14');
    assert.equal((await read('Ada', '14/03/2026'))['author'], 'Ada');
    assert.equal((await read('Ada', '14/03/2026'))['published'], undefined);
    const modified = async (text: string) =>
      (await readPage(linked({ headline: 'h', dateModified: text }))).fields['modified'];
    assert.equal(await modified('2026-03-14T23:30:00-05:00'), '2026-03-15T04:30:00.000Z');
    assert.equal(await modified('2026-03-14T23:30:00'), undefined);
  });

  test('passes over a page that describes thousands of things, in no time', { timeout: 5_000 }, async () => {
    const things = Array.from({ length: 5_000 }, () => ({ headline: 'h', offers: { price: 1, priceCurrency: 'EUR' } }));
    assert.deepEqual((await readPage(linked(...things))).fields['price'], undefined);
  });

  test('keeps the first 20,000 characters of the text', async () => {
    const { fields } = await readPage(`<main>${'word '.repeat(10_000)}</main>`);
    assert.equal(JSON.stringify(fields['text']).length, 20_002);
  });

  test('keeps its name to itself', () => {
    const loaded = parseSource('id: page\nrecords: { a: { key: b, fields: { b: h1 } } }', 'page.yaml');
    assert.ok(!loaded.ok);
    assert.match(
      loaded.problems[0]?.message ?? '',
      /expected another name than "page", which is that of the built-in source/,
    );
  });
});
