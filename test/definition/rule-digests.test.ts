import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';
import { ruleDigests } from '../../src/definition/rule-digests.ts';

const text = `id: shop
url: https://shop.example/{sku}
records:
  product:
    key: sku
    each: .card
    fields: { sku: h1, price: { css: .price, type: money, hold: { jump: 5 } } }
    page: { url: a @href, fields: { stock: .stock } }
  review: { key: id, fields: { id: b } }
`;

/** The digests that differ between a definition and the same with something replaced. */
function differing(...[from, to]: readonly [string, string]): string[] {
  const [one, other] = [text, text.replace(from, to)].map((written) => {
    const parsed = parseSource(written, 'shop.yaml');
    assert.ok(parsed.ok, JSON.stringify(parsed));
    return ruleDigests({ source: parsed.value, version: written });
  });
  assert.ok(one && other);
  return Object.keys({ ...one, ...other }).filter((name) => one[name] !== other[name]);
}

for (const [from, to, names] of [
  ['.price', '.cost', ['product.price']],
  ['jump: 5', 'jump: 6', []],
  ['.card', 'li', ['product']],
  ['.stock', '.left', ['product.stock']],
  ['a @href', 'b @href', ['product.stock']],
  ['/{sku}', '/p/{sku}', ['']],
  ['fields: { id: b }', 'fields: { id: b, text: p }', ['review.text']],
  ['id: shop\n', 'id: shop\ntree: browser\n', ['product', 'review']],
  ['id: shop\n', 'id: shop\nevery: 1h\n', []],
] as const)
  test(`${JSON.stringify(to)} for ${JSON.stringify(from)} changes the rules of ${names.join(', ') || 'nothing'}`, () =>
    assert.deepEqual(differing(from, to), names));
