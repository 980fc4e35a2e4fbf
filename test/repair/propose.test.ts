import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Source } from '../../src/definition/source.ts';
import { planOf } from '../../src/provider/plans.ts';
import { propose } from '../../src/repair/propose.ts';
import { productPage, productPageRecords, products, redesignedPage } from '../drill/product-pages.ts';
import type { Repair, RepairQuestion } from '../../src/view/repair.ts';

/** Proposes repairs for pages that changed. */
function proposed(
  records: unknown,
  pages: readonly (readonly [good: string, bad: string])[],
  {
    lost,
    records: known = 'keyed',
    provider = 'html',
  }: Partial<RepairQuestion> & { readonly provider?: string } & Pick<RepairQuestion, 'lost'>,
): Promise<readonly Repair[]> {
  const plan = planOf(Source.parse({ id: 'shop', provider, url: 'https://shop.example/', records }));
  const contentType = { html: 'text/html', xml: 'application/xml', json: 'application/json' }[provider] ?? '';
  const page = (text: string, at: number) => ({
    url: `https://shop.example/${at}`,
    body: new Uint8Array(Buffer.from(text)),
    contentType,
  });
  const pairs = pages.map(([good, bad], at) => ({ good: page(good, at), bad: page(bad, at) }));
  return propose(plan, { pairs, lost, records: known });
}

const prices = [12.5, 13, 8.75, 40, 21.2, 7, 99, 15.5, 30, 61.25, 5.5, 18];

/** A list of kettles; `price` makes the place of each price. */
const kettles = (price: (amount: string, at: number) => string, more = ''): string =>
  `<main>${more}<ul class="all">${prices
    .map((amount, at) => `<li class="kettle"><h2>Kettle ${at}</h2>${price(amount.toFixed(2), at)}</li>`)
    .join('')}</ul></main>`;

const kettleRecords = {
  kettle: {
    each: '.kettle',
    key: 'name',
    fields: { name: 'h2', price: { css: '.price', type: 'money', currency: 'EUR' } },
  },
};
const lostPrice = [{ record: 'kettle', field: 'price' }];
const good = kettles((amount) => `<p class="price">${amount}</p>`);

/** The changes of the first repair, by field. */
function firstOf([repair]: readonly Repair[]): Record<string, unknown> {
  return Object.fromEntries((repair?.changes ?? []).map(({ field = 'each', to }) => [field, to]));
}

describe('a repair', () => {
  test('names the class that a field has now, what it was, and what is as it was known', async () => {
    const [repair] = await proposed(kettleRecords, [[good, kettles((amount) => `<p class="cost">${amount}</p>`)]], {
      lost: lostPrice,
    });
    assert.deepEqual(repair, {
      changes: [{ record: 'kettle', field: 'price', before: '.price', to: { css: '.cost' } }],
      kept: [
        { record: 'kettle', kept: 12, of: 12, other: 0 },
        { record: 'kettle', field: 'name', kept: 12, of: 12, other: 0 },
        { record: 'kettle', field: 'price', kept: 12, of: 12, other: 0 },
      ],
      isSafe: true,
    });
  });

  test('prefers what says what a value is to names that tools make and to places that are counted', async () => {
    const bad = kettles((amount) => `<p class="css-1x9zq"><span class="k3Fz9a" itemprop="price">${amount}</span></p>`);
    assert.deepEqual(firstOf(await proposed(kettleRecords, [[good, bad]], { lost: lostPrice })), {
      price: { css: '[itemprop="price"]' },
    });
  });

  test('is found although some prices have changed since, and is then for a person to make', async () => {
    const bad = kettles((amount, at) => `<p class="cost">${at % 3 === 0 ? '11.00' : amount}</p>`);
    const repairs = await proposed(kettleRecords, [[good, bad]], { lost: lostPrice });
    assert.deepEqual([firstOf(repairs), repairs[0]?.isSafe], [{ price: { css: '.cost' } }, false]);
    assert.deepEqual(repairs[0]?.kept.at(-1), { record: 'kettle', field: 'price', kept: 8, of: 12, other: 4 });
  });

  test('is not taken from a place that has the same price in a few records only, nor from what was asked before', async () => {
    const some = kettles((amount, at) => (at < 6 ? `<p class="tip">${amount}</p>` : '<p class="tip">1.00</p>'));
    assert.deepEqual(await proposed(kettleRecords, [[good, some]], { lost: lostPrice }), []);
    const both = kettles((amount) => `<s>${amount}</s><b>${amount}</b>`);
    assert.deepEqual(firstOf(await proposed(kettleRecords, [[good, both]], { lost: lostPrice })), {
      price: { css: 'b' },
    });
  });

  test('is for a person to make where two places have had the known values and differ in a record that has another', async () => {
    const two = (other: string) =>
      kettles(
        (amount, at) =>
          `<i class="one">${at === 0 ? '11.00' : amount}</i><i class="two">${at === 0 ? other : amount}</i>`,
      );
    const [same] = await proposed(kettleRecords, [[good, two('11.00')]], { lost: lostPrice });
    const [unlike] = await proposed(kettleRecords, [[good, two('10.00')]], { lost: lostPrice });
    assert.deepEqual([same?.isSafe, unlike?.isSafe], [true, false]);
  });

  const lamp = (name: string, at: number, { left = at, was = '' } = {}): string =>
    `<h1>Lamp ${at}</h1><b class="${name}-no">L-${at}</b><i class="${name}-price">€${10 + at}.50</i>${
      was === '' ? '' : `<s class="${name}-was">€${was}</s>`
    } ${left === 0 ? 'Sold out' : `<u class="${name}-left">${left}</u>`}`;
  const lampFields = {
    no: { css: '.old-no', required: true },
    price: { css: '.old-price', type: 'money' },
    was: { css: '.old-was', type: 'money' },
    left: { any: ['.old-left', { const: 0 }], type: 'integer' },
  };
  const lamps = { lamp: { key: 'no', fields: lampFields } };

  test('names the new place of a value for which a constant stands where it is missing', async () => {
    const all = Array.from({ length: 6 }, (_, at) => at);
    const pages = all.map((at) => [lamp('old', at), lamp('new', at)] as const);
    const [first] = await proposed(lamps, pages, { lost: [{ record: 'lamp' }] });
    const { left } = firstOf(first === undefined ? [] : [first]);
    assert.deepEqual(left, { css: '.new-left' });
    assert.deepEqual(
      first?.kept.find(({ field }) => field === 'left'),
      { record: 'lamp', field: 'left', kept: 6, of: 6, other: 0 },
    );
    const named = await proposed(
      { lamp: { key: 'no', fields: { ...lampFields, no: '.new-no' } } },
      all.map((at) => [lamp('old', at).replace('old-no', 'new-no'), lamp('new', at)] as const),
      { lost: [{ record: 'lamp', field: 'left' }] },
    );
    assert.deepEqual(firstOf(named)['left'], { css: '.new-left' });
  });

  test('is found for a value that not all records have, and that some of them no longer have', async () => {
    const pages = Array.from({ length: 6 }, (_, at) => {
      const was = at % 2 === 0 ? `${20 + at}.00` : '';
      return [lamp('old', at, { was }), lamp('new', at, { was: at === 2 ? '' : was })] as const;
    });
    assert.deepEqual(firstOf(await proposed(lamps, pages, { lost: [{ record: 'lamp' }] }))['was'], { css: '.new-was' });
  });

  test('is no place of another field that happens to be near what was known', async () => {
    const [price, was] = ['.price', '.old-price'].map((css) => ({ css, type: 'money' }));
    const records = { lamp: { key: 'no', fields: { ...lampFields, no: '.new-no', price, was } } };
    const pages = Array.from({ length: 6 }, (_, at) => {
      const page = lamp('new', at).replace('new-price', 'price');
      return [page.replace('<i', `<i class="old-price">€${12 + at}.00</i><i`), page] as const;
    });
    assert.deepEqual(await proposed(records, pages, { lost: [{ record: 'lamp', field: 'was' }] }), []);
  });

  test('follows a number that has changed everywhere, as counters do, by where it stands, for a person to make', async () => {
    const bad = kettles(
      (amount) => `<p class="price-now">${(Number(amount) * 1.1).toFixed(2)}</p><em>${amount.length}</em>`,
    );
    const repairs = await proposed(kettleRecords, [[good, bad]], { lost: lostPrice });
    assert.deepEqual([firstOf(repairs), repairs[0]?.isSafe], [{ price: { css: '.price-now' } }, false]);
  });

  test('finds the records of a list anew, by what tells them apart', async () => {
    const bad = `<aside>Kettle 3</aside><div class="grid">${prices
      .map(
        (amount, at) =>
          `<article class="tile"><a>Kettle ${at}</a><div><b class="price">${amount.toFixed(2)}</b></div></article>`,
      )
      .join('')}</div>`;
    const repairs = await proposed(kettleRecords, [[good, bad]], { lost: [{ record: 'kettle' }] });
    assert.deepEqual(firstOf(repairs), { each: { css: '.tile' }, name: { css: 'a' } });
    assert.equal(repairs[0]?.isSafe, true);
  });

  test('names a value behind its label, and a cell by the heading of its column', async () => {
    const records = { lamp: { key: 'id', fields: { id: 'h1', weight: 'dd.weight' } } };
    const page = (more: string) => `<h1>Lamp</h1><dl><dt>Colour</dt><dd>red</dd><dt>Weight</dt>${more}</dl>`;
    const lost = [{ record: 'lamp', field: 'weight' }];
    const bad: [string, string] = [page('<dd class="weight">3 kg</dd>'), page('<dd>3 kg</dd>')];
    assert.deepEqual(firstOf(await proposed(records, [bad], { lost })), {
      weight: { xpath: '//dt[normalize-space()="Weight"]/following-sibling::dd[1]' },
    });
    const table = (cells: (amount: number, at: number) => string, head: string) =>
      `<table><tr>${head}</tr>${prices.map((amount, at) => `<tr class="kettle">${cells(amount, at)}</tr>`).join('')}</table>`;
    const before = table(
      (amount, at) => `<td><h2>K${at}</h2></td><td class="price">${amount}</td>`,
      '<th>Name</th><th>Price</th>',
    );
    const after = table(
      (amount, at) => `<td><h2>K${at}</h2></td><td>${at}</td><td>${amount}</td>`,
      '<th>Name</th><th>Left</th><th>Price</th>',
    );
    assert.deepEqual(firstOf(await proposed(kettleRecords, [[before, after]], { lost: lostPrice })), {
      price: { column: 'Price' },
    });
  });

  test('finds a value in what the page says to search engines', async () => {
    const records = { lamp: { key: 'id', fields: { id: 'h1', price: { css: '.price', type: 'money' } } } };
    const data = { '@type': 'Product', name: 'Lamp', offers: { price: '12.50', priceCurrency: 'EUR' } };
    const linked = `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
    const repairs = await proposed(
      records,
      [['<h1>Lamp</h1><p class="price">EUR 12.50</p>', `<h1>Lamp</h1>${linked}`]],
      {
        lost: [{ record: 'lamp', field: 'price' }],
      },
    );
    assert.deepEqual(firstOf(repairs), { price: { json: '$[?@["@type"] == "Product"].offers', in: 'ld+json' } });
    assert.equal(repairs[0]?.isSafe, false);
  });

  test('is safe by several pages of one record each', async () => {
    const records = { lamp: { key: 'id', fields: { id: 'h1', price: { css: '.price', type: 'number' } } } };
    const pages = prices.map((amount, at): [string, string] => [
      `<h1>L${at}</h1><p class="price">${amount}</p>`,
      `<h1>L${at}</h1><p class="amount">${amount}</p>`,
    ]);
    const [repair] = await proposed(records, pages, { lost: [{ record: 'lamp', field: 'price' }] });
    assert.deepEqual([repair?.changes[0]?.to, repair?.isSafe], [{ css: '.amount' }, true]);
    const [few] = await proposed(records, pages.slice(0, 4), { lost: [{ record: 'lamp', field: 'price' }] });
    assert.deepEqual([few?.changes[0]?.to, few?.isSafe], [{ css: '.amount' }, false]);
  });

  test('finds the records anew of pages of one record each, in the smallest element that holds what was known', async () => {
    const pages = products(6).map((product): [string, string] => [productPage(product), redesignedPage(product)]);
    const repairs = await proposed(productPageRecords, pages, { lost: [{ record: 'product' }] });
    assert.deepEqual(firstOf(repairs), {
      each: { css: 'article' },
      sku: { xpath: './/dt[normalize-space()="Article"]/following-sibling::dd[1]' },
      title: { css: '.n' },
      brand: { xpath: './/dt[normalize-space()="Maker"]/following-sibling::dd[1]' },
      price: { xpath: './/dt[normalize-space()="Price"]/following-sibling::dd[1]' },
      stock: { xpath: './/dt[normalize-space()="Stock"]/following-sibling::dd[1]' },
    });
    assert.equal(repairs[0]?.isSafe, true);
    assert.ok(repairs[0]?.kept.every(({ kept, of }) => kept === 6 && of === 6));
    const [of] = await proposed(productPageRecords, pages.slice(0, 1), { lost: [{ record: 'product' }] });
    assert.deepEqual([of?.changes.length, of?.isSafe], [6, false]);
  });

  test('leaves the records of such pages where they are, where only what tells them apart has moved', async () => {
    const pages = products(6).map((product): [string, string] => [
      productPage(product),
      productPage(product).replace('data-sku=', 'data-article='),
    ]);
    const repairs = await proposed(productPageRecords, pages, { lost: [{ record: 'product' }] });
    assert.deepEqual([firstOf(repairs), repairs[0]?.isSafe], [{ sku: { attr: 'data-article' } }, true]);
  });

  test('is none for pages of one record each that show other ones', async () => {
    const shown = products(12);
    const pages = shown
      .slice(0, 6)
      .map((product, at): [string, string] => [productPage(product), redesignedPage(shown[at + 6] ?? product)]);
    assert.deepEqual(await proposed(productPageRecords, pages, { lost: [{ record: 'product' }] }), []);
  });

  test('follows the path of a list and of a value in JSON, and the name of an element in XML', async () => {
    const json = {
      kettle: { each: '$.items[*]', key: 'id', fields: { id: '$.id', price: { json: '$.price', type: 'number' } } },
    };
    const moved = { data: { products: prices.map((amount, at) => ({ id: `K${at}`, offer: { price: amount } })) } };
    const items = { items: prices.map((price, at) => ({ id: `K${at}`, price })) };
    const repairs = await proposed(json, [[JSON.stringify(items), JSON.stringify(moved)]], {
      provider: 'json',
      lost: [{ record: 'kettle' }],
    });
    assert.deepEqual(firstOf(repairs), { each: { json: '$.data.products[*]' }, price: { json: '$.offer.price' } });
    const xml = {
      kettle: { each: 'kettle', key: 'id', fields: { id: 'id', price: { css: 'price', type: 'number' } } },
    };
    const feed = (name: string) =>
      `<?xml version="1.0"?><all>${prices.map((amount, at) => `<kettle><id>K${at}</id><${name}>${amount}</${name}></kettle>`).join('')}</all>`;
    assert.deepEqual(
      firstOf(await proposed(xml, [[feed('price'), feed('cost')]], { provider: 'xml', lost: lostPrice })),
      {
        price: { css: 'cost' },
      },
    );
  });

  test('knows the record of a page without a key by its address, whatever has changed of it', async () => {
    const page = (name: string, amount: number) =>
      `<p class="${name}">${amount}</p><p class="weight">${amount * 3} g</p>`;
    const records = {
      kettle: { key: 'content', fields: { price: { css: '.price', type: 'number' }, weight: '.weight' } },
    };
    const pages = prices.map((amount, at) => [page('price', amount), page('cost', at === 3 ? 60 : amount)] as const);
    const [keyed] = await proposed(records, pages, { lost: lostPrice });
    const [keyless] = await proposed(records, pages, { lost: lostPrice, records: 'keyless' });
    assert.deepEqual([keyed?.kept[0]?.kept, keyed?.isSafe], [11, false]);
    assert.deepEqual([keyless?.kept[0]?.kept, keyless?.isSafe], [12, true]);
    assert.deepEqual(keyless?.changes, [{ record: 'kettle', field: 'price', before: '.price', to: { css: '.cost' } }]);
  });

  test('is none where the page shows nothing of what was known, or is no page of the kind', async () => {
    for (const bad of ['<h1>Sorry</h1>', kettles(() => ''), '{}', ''])
      assert.deepEqual(await proposed(kettleRecords, [[good, bad]], { lost: lostPrice }), []);
  });
});
