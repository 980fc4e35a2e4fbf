import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';
import { unfoundIn } from '../../src/definition/unfound.ts';

test('fields that none of five or more records has are told with the places where they were looked for', () => {
  const parsed = parseSource(
    `id: shop
records:
  lamp:
    key: sku
    fields:
      sku: .sku
      price: { any: [.price @data-amount, { meta: "og:price" }] }
      weight: { from: { column: Weight }, css: b }
      stock: { json: $.stock, in: ld+json }
`,
    'shop.yaml',
  );
  assert.ok(parsed.ok);
  const names = ['sku', 'price', 'weight', 'stock', 'former'];
  const fill = (seen: number, total: number) =>
    Object.fromEntries(names.map((name) => [`lamp.${name}`, { seen: name === 'sku' ? total : seen, total }]));
  assert.deepEqual(unfoundIn(fill(0, 5), parsed.value), [
    { record: 'lamp', field: 'price', records: 5, rule: '.price @data-amount, else meta og:price' },
    { record: 'lamp', field: 'weight', records: 5, rule: 'column "Weight" b' },
    { record: 'lamp', field: 'stock', records: 5, rule: '$.stock in ld+json' },
    { record: 'lamp', field: 'former', records: 5 },
  ]);
  assert.deepEqual([unfoundIn(fill(0, 4), parsed.value), unfoundIn(fill(1, 5), parsed.value)], [[], []]);
});
