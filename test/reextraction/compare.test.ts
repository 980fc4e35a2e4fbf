import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Value } from '../../src/extract/value/value.ts';
import { compareSeries } from '../../src/reextraction/compare.ts';
import type { HistoryView } from '../../src/view/record.ts';

/** A change at an instant, which is its serial as well, that a page of that name showed. */
function change(at: number, fields: Readonly<Record<string, Value>>, page?: string): HistoryView {
  const named = {
    source: 'shop',
    type: 'product',
    key: 'lamp',
    record: 1,
    target: 1,
    scrape: at,
    version: 'v1',
    kind: 'changed',
  } as const;
  const changed = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { new: value }]));
  return { ...named, at, serial: at, fields: changed, ...(page !== undefined && { page }) };
}

const reading = (at: number, page: string, fields: Readonly<Record<string, Value>>) => ({
  ...{ at, page, fields, target: 1, scrape: at, version: 'v1' },
});

/** The rule of the price has changed since it was read. */
const ofPrice = (_version: string, field: string): boolean => field !== 'price';

test('a value that a page says otherwise is corrected where it stands, and what follows is compared with the corrected one', () => {
  const told = [change(1, { price: 90, stock: 3 }, 'a'), change(3, { stock: 2 }, 'b'), change(5, { price: 80 }, 'c')];
  const read = [
    reading(1, 'a', { price: 60, stock: 3 }),
    reading(3, 'b', { price: 60, stock: 2 }),
    reading(5, 'c', { price: 55, stock: 2 }),
  ];
  const { corrections, present } = compareSeries(told, read);
  assert.deepEqual(
    corrections.map(({ at, corrects, page, fields }) => ({ at, corrects, page, fields })),
    [
      { at: 1, corrects: 1, page: 'a', fields: { price: { old: 90, new: 60 } } },
      { at: 5, corrects: 5, page: 'c', fields: { price: { old: 80, new: 55 } } },
    ],
  );
  assert.deepEqual(present, { price: { from: { at: 5, value: 80 }, to: { at: 5, value: 55 } } });
});

test('a page shows a change that the wrong rule had overlooked, also of a field that was not known', () => {
  const told = [change(1, { price: 90, stock: 3 }, 'a'), change(3, { stock: 2 }, 'b')];
  const read = [reading(1, 'a', { price: 60, brand: 'Ember' }), reading(3, 'b', { price: 50, brand: null })];
  const { corrections, present } = compareSeries(told, read);
  assert.deepEqual(
    corrections.map(({ corrects, fields }) => [corrects, fields]),
    [
      [1, { price: { old: 90, new: 60 }, brand: { new: 'Ember' } }],
      [3, { price: { old: 60, new: 50 }, brand: { old: 'Ember', new: null } }],
    ],
  );
  assert.deepEqual(present, { price: { from: { at: 1, value: 90 }, to: { at: 3, value: 50 } } });
});

test('what another page has said since stays as it is, and so does what was seen before the first change that is kept', () => {
  const told = [change(3, { price: 90 }, 'b'), change(7, { price: 70 }, 'not read again'), change(8, { stock: 1 })];
  const read = [reading(1, 'a', { price: 66 }), reading(3, 'b', { price: 60 })];
  const { corrections, present } = compareSeries(told, read);
  assert.deepEqual(
    corrections.map(({ at }) => at),
    [3],
  );
  assert.deepEqual(present, {});
});

test('pages that say what is known correct nothing', () => {
  const price = { amount: '9.50', currency: 'EUR' };
  const told = [change(1, { price }, 'a')];
  assert.deepEqual(compareSeries(told, [reading(1, 'a', { price: { ...price }, stock: null })]), {
    corrections: [],
    present: {},
  });
});

test('what was read by the same rule is not compared, as where changes are thinned, or values held', () => {
  const told = [change(1, { price: 90, stock: 3 }, 'a'), change(5, { stock: 9 }, 'c')];
  const read = [
    reading(1, 'a', { price: 60, stock: 3 }),
    reading(3, 'b', { price: 60, stock: 7 }),
    reading(5, 'c', { price: 60, stock: 9 }),
  ];
  const { corrections, present } = compareSeries(told, read, ofPrice);
  assert.deepEqual(
    corrections.map(({ at, fields }) => [at, fields]),
    [[1, { price: { old: 90, new: 60 } }]],
  );
  assert.deepEqual(Object.keys(present), ['price']);
});

test('what was read by the same rule is compared where another one has corrected it, and behind what is corrected now', () => {
  const corrected = { ...change(1, { stock: 30 }, 'a'), serial: 20, corrects: 1, version: 'v2' };
  const told = [change(1, { stock: 3 }, 'a'), corrected];
  const read = [reading(1, 'a', { stock: 3 }), reading(3, 'b', { stock: 30 })];
  const { corrections, present } = compareSeries(told, read, () => true);
  assert.deepEqual(
    corrections.map(({ at, corrects, fields }) => [at, corrects, fields]),
    [
      [1, 20, { stock: { old: 30, new: 3 } }],
      [3, 20, { stock: { old: 3, new: 30 } }],
    ],
  );
  assert.deepEqual(present, {});
});
