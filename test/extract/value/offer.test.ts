import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readValue } from '../../../src/extract/value/all.ts';

const read = (value: Parameters<typeof readValue>[0], currency?: string) =>
  readValue(value, { type: 'money', ...(currency !== undefined && { currency }) }, 'https://shop.test/');

test('an object with a currency beside its price is money', () => {
  assert.deepEqual(read({ price: 1.5, currency: 'EUR', id: 7 }), {
    ok: true,
    value: { amount: '1.50', currency: 'EUR' },
  });
});

test('a currency that is no code says nothing, so that the rule says which it is', () => {
  assert.deepEqual(read({ price: 1.5, currency: '$' }, 'CAD'), {
    ok: true,
    value: { amount: '1.50', currency: 'CAD' },
  });
  assert.equal(read({ price: 1.5, currency: '$' }).ok, false);
});

test('a priceCurrency that is no code refuses the price', () => {
  assert.equal(read({ price: 1.5, priceCurrency: '$' }, 'CAD').ok, false);
});
