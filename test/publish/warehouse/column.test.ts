import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedName, columnsOf, partOf } from '../../../src/publish/warehouse/column.ts';
import { tableName } from '../../../src/publish/warehouse/table.ts';

function namesOf(fields: Readonly<Record<string, string>>) {
  return [...columnsOf(new Map(Object.entries(fields))).values()].flat().map(({ name, type }) => `${name} ${type}`);
}

test('a field has a column of its type; of money and quantities each member has one, and the rest is JSON', () => {
  assert.deepEqual(
    namesOf({
      title: 'text',
      pages: 'integer',
      rating: 'number',
      inStock: 'boolean',
      day: 'date',
      seenAt: 'datetime',
      price: 'money',
      weight: 'quantity',
      tags: 'array of text',
      maker: 'object',
    }),
    [
      'title text',
      'pages bigint',
      'rating numeric',
      'inStock boolean',
      'day date',
      'seenAt timestamptz',
      'price_amount numeric',
      'price_currency text',
      'price_per text',
      'price_from boolean',
      'weight_amount numeric',
      'weight_unit text',
      'weight_count numeric',
      'tags jsonb',
      'maker jsonb',
    ],
  );
});

test('no two fields share a column, and none takes one of the table', () => {
  assert.deepEqual(namesOf({ price: 'money', price_amount: 'text', meta_id: 'text' }), [
    'price_amount numeric',
    'price_currency text',
    'price_per text',
    'price_from boolean',
    'price_amount_ text',
    'meta_id_ text',
  ]);
});

test('a table is called by its shared type, or by its source and type, and no two by one name', () => {
  assert.equal(tableName({ source: 'shop-a', type: 'product', is: 'goods' }), 'goods');
  assert.equal(tableName({ source: 'shop-a', type: 'product' }), 'shop-a_product');
  const long = 'x'.repeat(60);
  const [one, other] = [tableName({ source: long, type: 'one' }), tableName({ source: long, type: 'two' })];
  assert.notEqual(one, other);
  assert.equal(one, boundedName(`${long}_one`));
  assert.ok(Buffer.byteLength(one) <= 63);
});

test('what PostgreSQL cannot hold of a text is replaced', () => {
  const column = { name: 'a', type: 'jsonb' } as const;
  assert.deepEqual(partOf({ 'a\0': ['b\ud800', 1, null] }, column), { 'a\u{fffd}': ['b\u{fffd}', 1, null] });
});
