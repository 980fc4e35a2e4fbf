import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Value } from '../../src/extract/value/value.ts';
import { sameValue } from '../../src/store/same-value.ts';
import { thinDay } from '../../src/store/thin-day.ts';
import type { HistoryView } from '../../src/view/record.ts';

const names = ['price', 'title', '__proto__'];

/** The changes of a day that set fields to values one after the other, each of them from the value before. */
function dayOf(steps: readonly (readonly [field: string, value: Value][] | 'missing')[]): HistoryView[] {
  const known = new Map<string, Value>();
  const seen = { record: 1, target: 1, source: 'shop', type: 'item', key: 'a', version: 'v1' };
  return steps.flatMap((step, index): HistoryView[] => {
    const at = { serial: index + 1, at: index * 1_000, scrape: index + 1 };
    if (step === 'missing') return [{ ...seen, ...at, kind: 'missing', fields: {} }];
    const differing = step.filter(([field, value]) => !known.has(field) || !sameValue(known.get(field) ?? null, value));
    const fields = Object.fromEntries(
      differing.map(([field, value]) => {
        const old = known.get(field);
        known.set(field, value);
        return [field, { ...(old !== undefined && { old }), new: value }];
      }),
    );
    const isBack = steps[index - 1] === 'missing';
    return differing.length === 0 && !isBack
      ? []
      : [{ ...seen, ...at, kind: index === 0 ? 'added' : 'changed', fields }];
  });
}

function valuesOf(changes: readonly HistoryView[], field: string) {
  return changes.flatMap(({ fields }) => (Object.hasOwn(fields, field) ? [fields[field] ?? assert.fail()] : []));
}

const amount = fc.integer({ min: -3, max: 9 });
const value: fc.Arbitrary<Value> = fc.oneof(
  { weight: 4, arbitrary: amount },
  amount.map((each) => ({ amount: `${each}.50`, currency: 'EUR' })),
  amount.map((each) => ({ amount: `${each}`, currency: 'NOK' })),
  amount.map((each) => ({ amount: each, unit: 'kg' })),
  fc.constantFrom(null, true, 'red', 'blue', ['red']),
);
const steps = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.array(fc.tuple(fc.constantFrom(...names), value), { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant('missing' as const) },
  ),
  { maxLength: 40 },
);

/** What values are measured by, and their numbers; of text nothing. */
function numbersOf(values: readonly Value[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const each of values) {
    if (typeof each === 'number') found.set('', [...(found.get('') ?? []), each]);
    else if (typeof each === 'object' && each !== null && 'amount' in each) {
      const of = JSON.stringify([each.currency, each.unit]);
      found.set(of, [...(found.get(of) ?? []), Number(each.amount)]);
    }
  }
  return found;
}

describe('a day of changes that is thinned', () => {
  test('keeps the first, last, least and greatest number of each field, and of others the last value', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const day = dayOf(given.map((step) => (step === 'missing' ? step : [...new Map(step)])));
        const thin = thinDay(day);
        for (const field of names) {
          const [all, kept] = [valuesOf(day, field), valuesOf(thin, field)].map((each) =>
            each.map((change) => change.new),
          );
          if (all === undefined || kept === undefined || all.length === 0) continue;
          const numbers = numbersOf(all);
          assert.deepEqual(kept.at(-1), all.at(-1));
          if (numbers.size > 0) assert.deepEqual(kept[0], all[0]);
          for (const [of, every] of numbers) {
            const left: number[] = numbersOf(kept).get(of) ?? [];
            assert.deepEqual([Math.min(...left), Math.max(...left)], [Math.min(...every), Math.max(...every)]);
          }
        }
      }),
    );
  });

  test('is thinned no further when it is thinned again, and each value that stays follows the one before', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const day = dayOf(given.map((step) => (step === 'missing' ? step : [...new Map(step)])));
        const thin = thinDay(day);
        const again = thinDay(thin);
        assert.deepEqual(again, thin);
        assert.ok(again.every((change, place) => change === thin[place]));
        for (const field of names)
          for (const [place, { old, new: value }] of valuesOf(thin, field).entries()) {
            assert.deepEqual(old, place === 0 ? undefined : valuesOf(thin, field)[place - 1]?.new);
            assert.ok(old === undefined || !sameValue(old, value));
          }
      }),
    );
  });

  test('has four changes of a price at most, one of a title, and each that a record was missing or back', () => {
    const prices = [5, 4, 6, 9, 2, 3, 7].map((price): [string, Value][] => [
      ['price', price],
      ['title', `${price}`],
    ]);
    const day = dayOf([[['price', 1]], ...prices, 'missing', [['price', 7]], [['price', 8]]]).slice(1);
    assert.deepEqual(
      thinDay(day).map(({ kind, fields }) => [kind, fields]),
      [
        ['changed', { price: { old: 1, new: 5 } }],
        ['changed', { price: { old: 5, new: 9 } }],
        ['changed', { price: { old: 9, new: 2 } }],
        ['changed', { title: { new: '7' } }],
        ['missing', {}],
        ['changed', {}],
        ['changed', { price: { old: 2, new: 8 } }],
      ],
    );
  });

  test('keeps no value that was corrected, but where its change stays whole, and then the correction too', () => {
    const seen = { record: 1, target: 1, source: 'shop', type: 'item', key: 'a', scrape: 1, version: 'v1' };
    const at = (at: number, fields: HistoryView['fields'], of: Partial<HistoryView> = {}): HistoryView => {
      return { ...seen, serial: at, at, kind: 'changed', fields, ...of };
    };
    const corrected = (instant: number, old: number, value: number) =>
      at(instant, { price: { old, new: value } }, { serial: 100, corrects: instant });
    const day = [
      at(1, { price: { new: 999 }, title: { new: 'x' } }, { kind: 'added' }),
      corrected(1, 999, 500),
      at(2, { price: { old: 999, new: 1 }, title: { old: 'x', new: 'y' } }),
      corrected(2, 1, 600),
      at(3, { price: { old: 1, new: 700 } }),
      at(4, { price: { old: 700, new: 550 } }),
      at(5, { price: { old: 550, new: 998 } }),
      corrected(5, 998, 400),
    ];
    assert.deepEqual(
      thinDay(day).map(({ at: instant, fields }) => [instant, fields]),
      [
        [1, { price: { new: 999 }, title: { new: 'x' } }],
        [1, { price: { old: 999, new: 500 } }],
        [2, { title: { old: 'x', new: 'y' } }],
        [3, { price: { old: 500, new: 700 } }],
        [5, { price: { old: 700, new: 400 } }],
      ],
    );
  });
});
