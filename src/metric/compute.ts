import { Exact } from '../expression/exact.ts';
import type { Figure } from '../expression/figure.ts';
import { Money } from '../expression/values.ts';
import type { Value } from '../extract/value/value.ts';
import { defined } from '../defined.ts';
import { compareFigures, dayText, productOf, sumOf, valueOfFigure } from './figures.ts';
import { type InputCell, InputTotals, type Subtotal } from './input-totals.ts';
import type { CalculatedMetric, InputMetric, PlannedMetric } from './plan.ts';
import type { RateTable } from './rates.ts';

/** Why a metric has no value. */
export interface NoValue {
  readonly code: 'missing' | 'ambiguous' | 'refused' | 'currencies' | 'no_rate' | 'division_by_zero' | 'no_result';
  readonly message: string;
}

/** A rate by which a value was converted. */
export interface UsedRate {
  readonly from: string;
  readonly to: string;
  readonly factor: string;
  /** The day of the rate, such as `2026-03-14`. */
  readonly day: string;
  readonly over?: string;
  /** Who gave the rate: a source, or the file or what it says. */
  readonly source: string;
}

/** A metric as it is now. */
export interface Metric {
  readonly name: string;
  readonly value: Value;
  /** Missing where there is a value. */
  readonly reason?: NoValue;
  /** Why the value may be out of date; missing where it is not. */
  readonly stale?: string;
  /** When the value was last known to be so: the oldest verification of all that it is made of. Missing where it is made of nothing. */
  readonly verifiedAt?: number;
  /** The number of records that it is taken from, and the oldest of their values, up to `mostInputs`. */
  readonly records: number;
  readonly inputs: readonly InputCell[];
  readonly rates: readonly UsedRate[];
}

/** The values of a metric that are told, at most. */
export const mostInputs = 20;

/** What metrics are computed from. */
export interface MetricFacts {
  /** The values of the records that metrics are taken from, by the name of the metric. */
  readonly totals: ReadonlyMap<string, InputTotals>;
  /** By the name of a metric: says which target was never read, so that its records are not known. */
  readonly unread: ReadonlyMap<string, string>;
  readonly rates: RateTable;
  /** The age that a rate may have, in days. Missing where there are to be no rates. */
  readonly maxRateAge: number | undefined;
}

/** A computed metric, with its exact value in place of the one that is told. */
interface Computed extends Omit<Metric, 'name' | 'value'> {
  readonly figure?: Figure;
}

/**
 * Computes metrics in their order. A metric whose value is missing or refused is null, with the reason, and so is each that uses it: never
 * zero, never a part of the whole.
 */
export function computeMetrics(plan: readonly PlannedMetric[], facts: MetricFacts): Metric[] {
  const known = new Map<string, Computed>();
  for (const metric of plan)
    known.set(metric.name, 'input' in metric ? fromRecords(metric, facts) : fromMetrics(metric, known));
  return plan.map(({ name }) => {
    const { figure, ...others } = known.get(name) ?? nothing;
    const value = figure === undefined ? null : valueOfFigure(figure);
    return value === Infinity || value === -Infinity
      ? { name, value: null, ...others, reason: tooLarge }
      : { name, value, ...others };
  });
}

const tooLarge: NoValue = { code: 'no_result', message: 'a number beyond 1.8e308' };

const nothing: Computed = { records: 0, inputs: [], rates: [] };

/** Computes a metric from the values of records. */
function fromRecords({ name, kind, input }: InputMetric, facts: MetricFacts): Computed {
  const totals = facts.totals.get(name) ?? new InputTotals(input, kind);
  const inputs = totals.inputs(mostInputs);
  const known = {
    records: totals.size,
    inputs,
    rates: [],
    ...defined({ stale: totals.stale, verifiedAt: inputs[0]?.verifiedAt }),
  };
  const without = (code: NoValue['code'], message: string): Computed => ({ ...known, reason: { code, message } });
  const unread = input.take === 'only' ? undefined : facts.unread.get(name);
  if (unread !== undefined) return without('missing', unread);
  if (input.take === 'count') return { ...known, figure: new Exact(BigInt(totals.size)) };
  if (totals.size === 0) return without('missing', `no ${input.of} is known`);
  if (input.take === 'only' && totals.size > 1)
    return without('ambiguous', `there are ${totals.size} of ${input.of}: expected one, or \`take\``);
  const subtotals = totals.subtotals();
  if ('code' in subtotals) return without(subtotals.code, subtotals.message);
  try {
    const converted = convertAll(subtotals, input.currency, facts);
    if ('code' in converted) return { ...without(converted.code, converted.message), ...staleWithout(converted) };
    const figure = combine(converted.figures, input.take, totals.size);
    return { ...known, rates: converted.rates, ...defined({ figure }) };
  } catch (error) {
    if (error instanceof RangeError) return without('no_result', error.message);
    throw error;
  }
}

/** A metric without a rate is out of date as well: there was one before. */
function staleWithout({ code, message }: NoValue): Pick<Metric, 'stale'> {
  return code === 'no_rate' ? { stale: message } : {};
}

/** Converts amounts to one currency: by default to their own, which must be one. Other figures stay as they are. Throws a `RangeError` where an amount has too many digits. */
function convertAll(
  subtotals: readonly Subtotal[],
  wanted: string | undefined,
  { rates, maxRateAge }: MetricFacts,
): { readonly figures: readonly Figure[]; readonly rates: readonly UsedRate[] } | NoValue {
  const to = wanted ?? subtotals[0]?.currency ?? '';
  const figures: Figure[] = [];
  const used = new Map<string, UsedRate>();
  for (const { currency: from, day, figure } of subtotals) {
    if (from === undefined || !(figure instanceof Money)) {
      figures.push(figure);
      continue;
    }
    if (wanted === undefined && from !== to)
      return { code: 'currencies', message: `amounts in ${to} and ${from}: expected \`currency\`` };
    const rate = rates.find(from, to, day, maxRateAge ?? 0);
    if (rate === undefined) {
      const why =
        maxRateAge === undefined
          ? ': heronry.yaml names no `rates`'
          : ` on ${dayText(day)} or up to ${maxRateAge} days before`;
      return { code: 'no_rate', message: `no rate from ${from} to ${to}${why}` };
    }
    const [factor, onDay] = [rate.factor.text(), dayText(rate.day)];
    const { over, source = '' } = rate;
    if (from !== to) used.set(`${from} ${rate.day}`, { from, to, factor, day: onDay, ...defined({ over }), source });
    figures.push(new Money(figure.amount.times(rate.factor), to));
  }
  return { figures, rates: [...used.values()] };
}

/** Makes one figure of several, which are of one type and one currency. Throws a `RangeError` where it has too many digits. */
function combine(figures: readonly Figure[], take: InputMetric['input']['take'], count: number): Figure | undefined {
  const [first, ...others] = figures;
  if (first === undefined) return undefined;
  if (take === 'min' || take === 'max') {
    const sign = take === 'min' ? 1 : -1;
    return others.reduce((best, each) => (compareFigures(each, best) * sign < 0 ? each : best), first);
  }
  const sum = others.reduce(sumOf, first);
  return take === 'mean' ? productOf(sum, new Exact(1n, BigInt(count))) : sum;
}

/** Computes a metric from those above it. */
function fromMetrics({ calculation }: CalculatedMetric, known: ReadonlyMap<string, Computed>): Computed {
  const parts = calculation.uses.map((name) => [name, known.get(name) ?? nothing] as const);
  const verified = parts.flatMap(([, { verifiedAt }]) => verifiedAt ?? []);
  const stale = parts.find((part) => part[1].stale !== undefined);
  const others = {
    records: parts.reduce((sum, [, { records }]) => sum + records, 0),
    inputs: parts.flatMap(([, { inputs }]) => inputs).slice(0, mostInputs),
    rates: parts.flatMap(([, { rates }]) => rates),
    ...defined({
      stale: stale && `${stale[0]}: ${stale[1].stale}`,
      verifiedAt: verified.length === 0 ? undefined : Math.min(...verified),
    }),
  };
  const values = new Map<string, Figure>();
  for (const [name, { figure, reason }] of parts) {
    if (figure !== undefined) values.set(name, figure);
    else
      return {
        ...others,
        reason: { code: reason?.code ?? 'missing', message: `${name}: ${reason?.message ?? 'it has no value'}` },
      };
  }
  const result = calculation.of(values);
  return result.ok
    ? { ...others, figure: result.value }
    : { ...others, reason: { code: result.code, message: result.message } };
}
