import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Exact } from '../../src/expression/exact.ts';
import type { Value } from '../../src/extract/value/value.ts';
import { computeMetrics, type Metric } from '../../src/metric/compute.ts';
import { type InputCell, InputTotals } from '../../src/metric/input-totals.ts';
import { Metrics } from '../../src/metric/metric.ts';
import { planMetrics } from '../../src/metric/plan.ts';
import { RateTable } from '../../src/metric/rates.ts';

const dayMs = 86_400_000;
const at = 100 * dayMs;
const rates = new RateTable([
  { base: 'USD', quote: 'EUR', day: 99, rate: Exact.of('0.8') ?? assert.fail(), source: 'bank' },
]);

/** Values by the type of their record; all of them are amounts. */
type Given = Readonly<Record<string, readonly (Value | undefined)[]>>;

function cellsOf(given: Given, verifiedAt = at): (input: { readonly of: string }) => InputCell[] {
  return ({ of }) =>
    (given[of] ?? []).map((value, index) => ({
      source: 'site',
      type: of,
      key: `${of}-${index + 1}`,
      value,
      observedAt: verifiedAt - dayMs + index,
      verifiedAt: verifiedAt + index,
    }));
}

function computed(written: unknown, given: Given, kind = 'money', hasRates = true): Record<string, Metric> {
  const { metrics, issues } = planMetrics(Metrics.parse(written), () => ({ ok: true, kind }));
  assert.deepEqual(issues, []);
  const cells = cellsOf(given);
  const totals = new Map<string, InputTotals>();
  for (const metric of metrics) {
    if (!('input' in metric)) continue;
    const ofMetric = new InputTotals(metric.input, metric.kind);
    for (const cell of cells(metric.input)) ofMetric.set(cell);
    totals.set(metric.name, ofMetric);
  }
  const facts = { totals, unread: new Map(), rates, maxRateAge: hasRates ? 7 : undefined };
  return Object.fromEntries(computeMetrics(metrics, facts).map((metric) => [metric.name, metric]));
}

const eur = (amount: string): Value => ({ amount, currency: 'EUR' });
const usd = (amount: string): Value => ({ amount, currency: 'USD' });

const roas = {
  income: { of: 'campaign', field: 'pledged', currency: 'EUR', min: 0 },
  spend: { of: 'ad', field: 'spend', take: 'sum', currency: 'EUR', min: 0 },
  roas: 'income / spend',
};

describe('the return on advertising spend', () => {
  for (const [income, spend, value, code] of [
    [eur('12500'), [eur('2500')], 5],
    [eur('12500'), [eur('2000'), eur('500')], 5],
    [eur('0'), [eur('100')], 0],
    [eur('100'), [eur('0')], null, 'division_by_zero'],
    [eur('100'), [eur('-1')], null, 'refused'],
    [eur('100'), [], null, 'missing'],
    [null, [eur('100')], null, 'missing'],
    [undefined, [eur('100')], null, 'missing'],
    [eur('100'), [eur('20'), null], null, 'missing'],
    [usd('100'), [eur('20')], 4],
    [{ amount: '100', currency: 'JPY' }, [eur('20')], null, 'no_rate'],
  ] as const)
    test(`of ${JSON.stringify(income)} and ${JSON.stringify(spend)} is ${value}${code === undefined ? '' : `: ${code}`}`, () => {
      const metrics = computed(roas, { campaign: [income], ad: spend });
      assert.equal(metrics['roas']?.value, value);
      assert.equal(metrics['roas']?.reason?.code, code);
    });
});

test('a return on a negative spend is refused, whatever the spend is called and without a bound', () => {
  const written = { earned: { of: 'campaign', field: 'pledged' }, cost: { of: 'ad', field: 'spend', take: 'sum' } };
  const { back } = computed({ ...written, back: 'earned / cost' }, { campaign: [eur('9')], ad: [eur('1'), eur('-4')] });
  assert.deepEqual(back?.value, null);
  assert.deepEqual(back?.reason, { code: 'refused', message: 'the divisor is -3 EUR: expected no negative amount' });
});

describe('a metric', () => {
  test('of the last of several records is as old as that one, and names it alone', () => {
    const { some } = computed({ some: { of: 'ad', field: 'spend', take: 'last' } }, { ad: [eur('1'), eur('2')] });
    assert.deepEqual([some?.verifiedAt, some?.inputs.map(({ key }) => key), some?.records], [at + 1, ['ad-2'], 2]);
  });

  test('that is too large for a number is null', () => {
    const written = { one: { of: 'ad', field: 'spend' }, great: 'one * one', back: 'great / one' };
    const { great, back } = computed(written, { ad: [1e300] }, 'number');
    assert.deepEqual([great?.value, great?.reason?.code, back?.value], [null, 'no_result', 1e300]);
  });

  test('tells the oldest verification of what it is made of, and the rates with who gave them', () => {
    const { roas: metric } = computed(roas, { campaign: [usd('100')], ad: [eur('10'), eur('10')] });
    assert.equal(metric?.verifiedAt, at);
    assert.equal(metric?.records, 3);
    assert.deepEqual(metric?.rates, [
      { from: 'USD', to: 'EUR', factor: '0.8', day: new Date(99 * dayMs).toISOString().slice(0, 10), source: 'bank' },
    ]);
  });

  test('without a rate is null and stale, and so is what uses it', () => {
    const metrics = computed(roas, { campaign: [{ amount: '1', currency: 'JPY' }], ad: [eur('1')] });
    assert.match(metrics['income']?.stale ?? '', /no rate from JPY to EUR on 1970-04-11 or up to 7 days before/);
    assert.match(metrics['roas']?.stale ?? '', /^income: no rate from JPY/);
  });

  test('without rates in the configuration says so', () => {
    const { income } = computed(roas, { campaign: [usd('1')], ad: [] }, 'money', false);
    assert.equal(income?.reason?.message, 'no rate from USD to EUR: heronry.yaml names no `rates`');
  });

  test('never joins amounts of two currencies without one to convert them to', () => {
    const { total } = computed({ total: { of: 'ad', field: 'spend', take: 'sum' } }, { ad: [eur('1'), usd('1')] });
    assert.equal(total?.reason?.code, 'currencies');
  });

  test('of several records needs to say what is made of them', () => {
    const { only } = computed({ only: { of: 'ad', field: 'spend' } }, { ad: [eur('1'), eur('1')] });
    assert.equal(only?.reason?.code, 'ambiguous');
  });

  for (const [take, value] of [
    ['sum', eur('6')],
    ['mean', eur('2')],
    ['min', eur('1')],
    ['max', eur('3')],
    ['last', eur('2')],
  ] as const)
    test(`takes the ${take} of several records`, () => {
      const { some } = computed({ some: { of: 'ad', field: 'spend', take } }, { ad: [eur('1'), eur('3'), eur('2')] });
      assert.deepEqual(some?.value, value);
    });

  test('counts records', () => {
    const { ads } = computed({ ads: { of: 'ad', take: 'count' } }, { ad: [null, eur('1')] });
    assert.equal(ads?.value, 2);
  });

  test('is exact: a tenth and two tenths are three tenths', () => {
    const { sum } = computed({ sum: { of: 'ad', field: 'spend', take: 'sum' } }, { ad: [0.1, 0.2] }, 'number');
    assert.equal(sum?.value, 0.3);
  });

  test('sums as many amounts as there are, and converts them, without losing a cent', () => {
    const spent = Array.from({ length: 20_000 }, (_, index) => (index % 2 === 0 ? eur('12.34') : usd('1.25')));
    const { spend } = computed(roas, { campaign: [eur('1')], ad: spent });
    assert.deepEqual(spend?.value, { amount: '133400', currency: 'EUR' });
  });

  test('uses only those above it, a field that can be computed with, and says what it expects', () => {
    const wrong = {
      a: 'b + 1',
      b: { of: 'ad', field: 'name' },
      c: { of: 'ad', field: 'spend', take: 'sum', currency: 'EUR' },
    };
    const { issues } = planMetrics(Metrics.parse(wrong), ({ field }) => ({
      ok: true,
      kind: field === 'name' ? 'text' : 'number',
    }));
    assert.deepEqual(
      issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
      [
        'a: expected a metric that stands above this one, got "b", at character 1',
        'b.field: expected a field of the type number, integer, money, date or datetime',
        'c.currency: expected a field of the type money, got number',
      ],
    );
  });
});
