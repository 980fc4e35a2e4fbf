import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Exact } from '../../src/expression/exact.ts';
import type { Value } from '../../src/extract/value/value.ts';
import { computeMetrics, type Metric } from '../../src/metric/compute.ts';
import { type InputCell, InputTotals } from '../../src/metric/input-totals.ts';
import type { MetricInput } from '../../src/metric/metric.ts';
import { RateTable } from '../../src/metric/rates.ts';

const dayMs = 86_400_000;
const rates = new RateTable([
  { base: 'USD', quote: 'EUR', day: 1, rate: Exact.of('0.8') ?? assert.fail(), source: 'bank' },
]);

const value: fc.Arbitrary<Value | undefined> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
  {
    weight: 12,
    arbitrary: fc.record({
      amount: fc.integer({ min: -1, max: 40 }).map((cents) => (cents / 4).toFixed(2)),
      currency: fc.constantFrom('EUR', 'EUR', 'USD', 'JPY'),
    }),
  },
);

const cell: fc.Arbitrary<InputCell> = fc.record(
  {
    source: fc.constant('site'),
    type: fc.constant('ad'),
    key: fc.integer({ min: 0, max: 30 }).map(String),
    value,
    observedAt: fc.integer({ min: 0, max: 5 }),
    verifiedAt: fc.integer({ min: 0, max: 12 }).map((part) => (part * dayMs) / 4),
    stale: fc.constantFrom('one failed', 'two failed'),
  },
  { requiredKeys: ['source', 'type', 'key', 'value', 'observedAt', 'verifiedAt'] },
);

const action = fc.oneof(
  { weight: 3, arbitrary: cell.map((set) => ({ set })) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 30 }).map((key) => ({ remove: String(key) })) },
);

const input = fc.record(
  {
    of: fc.constant('ad'),
    field: fc.constant('spend'),
    take: fc.constantFrom('only', 'last', 'sum', 'mean', 'min', 'max', 'count'),
    currency: fc.constant('EUR'),
    min: fc.constant(0),
  },
  { requiredKeys: ['of', 'field', 'take'] },
);

function computed(totals: InputTotals, of: MetricInput): Metric | undefined {
  const facts = { totals: new Map([['spend', totals]]), unread: new Map(), rates, maxRateAge: 7 };
  return computeMetrics([{ name: 'spend', kind: 'money', input: of }], facts)[0];
}

test('a metric whose records are set and removed one by one is what it would be of those that are left', () => {
  fc.assert(
    fc.property(input, fc.array(action, { maxLength: 120 }), (of, actions) => {
      const running = new InputTotals(of, 'money');
      const left = new Map<string, InputCell>();
      for (const [index, each] of actions.entries()) {
        if ('set' in each) {
          running.set(each.set);
          left.set(each.set.key, each.set);
        } else {
          running.remove({ source: 'site', type: 'ad', key: each.remove });
          left.delete(each.remove);
        }
        if (index % 7 > 0 && index < actions.length - 1) continue;
        const anew = new InputTotals(of, 'money');
        for (const known of left.values()) anew.set(known);
        assert.deepEqual(computed(running, of), computed(anew, of));
      }
    }),
  );
});

test('a sum that had too many digits for a while is right again afterwards', () => {
  const of: MetricInput = { of: 'ad', field: 'spend', take: 'sum' };
  const totals = new InputTotals(of, 'money');
  const set = (key: string, amount: string): void =>
    totals.set({ source: 'site', type: 'ad', key, value: { amount, currency: 'EUR' }, observedAt: 1, verifiedAt: 1 });
  set('a', '3');
  set('b', '1e999');
  set('c', '1e-999');
  assert.equal(computed(totals, of)?.reason?.code, 'no_result');
  set('b', '1');
  set('c', '1');
  assert.deepEqual(computed(totals, of)?.value, { amount: '5', currency: 'EUR' });
});
