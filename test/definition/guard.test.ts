import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { guardsOf } from '../../src/definition/source-guards.ts';
import { parseSource } from '../../src/definition/load.ts';

function parsed(price: string, rest = '') {
  const fields = `sku: .sku\n      price: ${price}`;
  const text = `id: shop\n${rest}\nrecords:\n  product:\n    key: sku\n    fields:\n      ${fields}`;
  return parseSource(text, 'shop.yaml');
}

function guards(price: string, rest?: string): unknown {
  const found = parsed(price, rest);
  assert.ok(found.ok, JSON.stringify(found));
  return guardsOf(found.value);
}

function problems(price: string, rest?: string): string[] {
  const found = parsed(price, rest);
  return found.ok ? [] : found.problems.map(({ line, path, message }) => `${line} ${path}: ${message}`);
}

const usual = { missing: true, empty: true, unusual: true };

describe('the guards of a source', () => {
  test('hold what goes missing or empty at once, and nothing else, where a definition says nothing', () => {
    assert.deepEqual(guards('.price'), { ...usual, fields: {} });
    assert.deepEqual(guards('.price', 'hold: { missing: false }'), { ...usual, missing: false, fields: {} });
  });

  for (const [written, guard] of [
    ['confirm: { times: 2 }', { confirm: { times: 2, of: 2 } }],
    ['confirm: { times: 2, of: 3 }', { confirm: { times: 2, of: 3 } }],
    ['hold: { jump: 80% }', { jump: { part: 0.8 } }],
    ['hold: { jump: 5 }', { jump: { factor: 5 } }],
    ['hold: { empty: false }', { empty: false }],
  ] as const)
    test(`${written} of a field`, () => {
      const price = `{ css: .price, type: money, ${written} }`;
      assert.deepEqual(guards(price), { ...usual, fields: { product: { price: guard } } });
    });

  test('are those of the page that an item leads to as well, and of a plug-in', () => {
    const page = 'page: { url: a @href, fields: { stock: { css: .s, type: integer, confirm: { times: 2 } } } }';
    assert.deepEqual(guards(`.price\n    ${page}`), {
      ...usual,
      fields: { product: { stock: { confirm: { times: 2, of: 2 } } } },
    });
    const text =
      'id: shop\nplugin: shop.ts\nrecords:\n  product:\n    key: sku\n    fields:\n      sku: { type: text }\n      price: { type: money, hold: { jump: 5 } }';
    const plugged = parseSource(text, 'shop.yaml');
    assert.ok(plugged.ok, JSON.stringify(plugged));
    assert.deepEqual(guardsOf(plugged.value).fields, { product: { price: { jump: { factor: 5 } } } });
  });

  for (const [written, problem] of [
    ['{ css: b, confirm: { times: 1 } }', /confirm\.times: .*2/],
    ['{ css: b, confirm: { times: 3, of: 2 } }', /confirm\.of: expected at least "times"/],
    ['{ css: b, type: money, hold: { jump: 80 percent } }', /hold\.jump: expected a percentage like "80%"/],
    ['{ css: b, hold: { jump: 80% } }', /hold\.jump: expected it for a field of type integer, .* got one of type text/],
    ['{ css: b, fields: { x: { css: i, confirm: { times: 2 } } } }', /confirm/],
  ] as const)
    test(`refuse ${written}`, () => assert.match(problems(written).join('\n'), problem));
});

describe('a value that is confirmed too late for the objective of its field', () => {
  const price = '{ css: .price, confirm: { times: 3 } }';

  test('is refused with the numbers', () => {
    assert.deepEqual(problems(price, 'every: 6h\nobjectives: { fields: { price: { errorAfter: 12h } } }'), [
      '9 records.product.fields.price.confirm: expected a new value to be confirmed within the objective of the field, 12h, but 3 observations, one each 6h, take 18h',
    ]);
  });

  for (const rest of [
    'every: 4h\nobjectives: { fields: { price: { errorAfter: 12h } } }',
    'every: 6h\nobjectives: { errorAfter: 12h }',
    'objectives: { fields: { price: { errorAfter: 12h } } }',
    'every: 6h\nobjectives: { fields: { price: { errorAfter: 12h } } }\npulse: { every: 1h, record: product, fields: { sku: .sku, price: .price } }',
  ])
    test(`is not refused with ${rest.replaceAll('\n', ', ')}`, () => assert.deepEqual(problems(price, rest), []));
});
