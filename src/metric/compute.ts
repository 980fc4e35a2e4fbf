import { Exact } from '../expression/exact.ts';
import type { Figure } from '../expression/figure.ts';
import { Day, Money, valueOf } from '../expression/values.ts';
import type { Value } from '../extract/value/value.ts';
import { defined } from '../defined.ts';
import type { MetricInput } from './metric.ts';
import type { PlannedMetric } from './plan.ts';
import type { RateTable } from './rates.ts';

/** A record's value that a metric is taken from. */
export interface InputCell {
  readonly source: string;
  readonly type: string;
  readonly key: string;
  /** `undefined` where the record has no such field. */
  readonly value: Value | undefined;
  /** When this value was first observed, and when it was last verified. */
  readonly observedAt: number;
  readonly verifiedAt: number;
  /** Why the value may be out of date, as a sentence; missing where it is not. */
  readonly stale?: string;
}

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
  /** The values of an input. */
  cells(input: MetricInput): readonly InputCell[];
  /** Says which target was never read, so that its records are not known. Default: all were. */
  unread?(input: MetricInput): string | undefined;
  readonly rates: RateTable;
  /** The age that a rate may have, in days. */
  readonly maxRateAge: number;
}

/** A metric on the way: its exact value in place of what is told. */
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
    known.set(metric.name, 'input' in metric ? taken(metric, facts) : calculated(metric, known));
  return plan.map(({ name }) => {
    const { figure, ...told } = known.get(name) ?? nothing;
    return { name, value: figure === undefined ? null : toldValue(figure), ...told };
  });
}

const nothing: Computed = { records: 0, inputs: [], rates: [] };

type TakenMetric = Extract<PlannedMetric, { input: MetricInput }>;
type CalculatedMetric = Exclude<PlannedMetric, TakenMetric>;

/** Computes a metric from the values of records. */
function taken({ kind, input }: TakenMetric, facts: MetricFacts): Computed {
  const cells = facts.cells(input);
  const told = {
    records: cells.length,
    inputs: cells.toSorted((one, other) => one.verifiedAt - other.verifiedAt).slice(0, mostInputs),
    rates: [],
    ...defined({
      stale: cells.find(({ stale }) => stale !== undefined)?.stale,
      verifiedAt:
        cells.length === 0 ? undefined : cells.reduce((least, each) => Math.min(least, each.verifiedAt), Infinity),
    }),
  };
  const because = (code: NoValue['code'], message: string): Computed => ({ ...told, reason: { code, message } });
  const unread = input.take === 'only' ? undefined : facts.unread?.(input);
  if (unread !== undefined) return because('missing', unread);
  if (input.take === 'count') return { ...told, figure: new Exact(BigInt(cells.length)) };
  if (cells.length === 0) return because('missing', `no ${input.of} is known`);
  if (input.take === 'only' && cells.length > 1)
    return because('ambiguous', `there are ${cells.length} of ${input.of}: expected one, or \`take\``);

  const used = input.take === 'last' ? [cells.reduce(newer)] : cells;
  const figures: Figure[] = [];
  const rates = new Map<string, UsedRate>();
  let { currency } = input;
  for (const cell of used) {
    const figure = valueOf(cell.value, kind, 'UTC') as Figure | undefined;
    if (figure === undefined) return because('missing', `${nameOf(cell)} has no ${input.field}`);
    const refusal = boundsFault(figure, input);
    if (refusal !== undefined) return because('refused', `the ${input.field} of ${nameOf(cell)} is ${refusal}`);
    if (!(figure instanceof Money)) {
      figures.push(figure);
      continue;
    }
    if (input.currency === undefined && currency !== undefined && currency !== figure.currency)
      return because('currencies', `amounts in ${currency} and ${figure.currency}: expected \`currency\``);
    currency ??= figure.currency;
    const day = Math.floor(cell.verifiedAt / dayMs);
    const rate = facts.rates.find(figure.currency, currency, day, facts.maxRateAge);
    if (rate === undefined) {
      const message = `no rate from ${figure.currency} to ${currency} on ${dayText(day)} or up to ${facts.maxRateAge} days before`;
      return { ...because('no_rate', message), stale: message };
    }
    if (figure.currency !== currency)
      rates.set(`${figure.currency} ${rate.day}`, {
        from: figure.currency,
        to: currency,
        factor: rate.factor.text(),
        day: dayText(rate.day),
        ...defined({ over: rate.over }),
      });
    figures.push(new Money(figure.amount.times(rate.factor), currency));
  }
  const figure = orNoResult(() => combined(figures, input.take));
  if (figure instanceof RangeError) return because('no_result', figure.message);
  return { ...told, rates: [...rates.values()], ...defined({ figure }) };
}

/** Computes a metric from those above it. */
function calculated({ calculation }: CalculatedMetric, known: ReadonlyMap<string, Computed>): Computed {
  const parts = calculation.uses.map((name) => [name, known.get(name) ?? nothing] as const);
  const verified = parts.flatMap(([, { verifiedAt }]) => verifiedAt ?? []);
  const stale = parts.find((part) => part[1].stale !== undefined);
  const told = {
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
        ...told,
        reason: { code: reason?.code ?? 'missing', message: `${name}: ${reason?.message ?? 'it has no value'}` },
      };
  }
  const result = calculation.of(values);
  return result.ok
    ? { ...told, figure: result.value }
    : { ...told, reason: { code: result.code, message: result.message } };
}

const dayMs = 86_400_000;

function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

function newer(one: InputCell, other: InputCell): InputCell {
  return other.observedAt > one.observedAt ? other : one;
}

function nameOf({ source, type, key }: InputCell): string {
  return `${source} ${type} ${key}`;
}

/** Why a value is refused by the bounds of its input; `undefined` where it is not. */
function boundsFault(figure: Figure, { min, max }: MetricInput): string | undefined {
  const amount = figure instanceof Money ? figure.amount : figure;
  if (!(amount instanceof Exact)) return undefined;
  const isBeyond = (bound: number | undefined, sign: number): boolean => {
    const limit = bound === undefined ? undefined : Exact.of(String(bound));
    return limit !== undefined && amount.compare(limit) * sign < 0;
  };
  if (isBeyond(min, 1)) return `${amount.text()}, expected at least ${min}`;
  return isBeyond(max, -1) ? `${amount.text()}, expected at most ${max}` : undefined;
}

/** Makes one figure of several, which are of one type and one currency. */
function combined(figures: readonly Figure[], take: MetricInput['take']): Figure | undefined {
  const [first, ...others] = figures;
  if (first === undefined) return undefined;
  if (take === 'min' || take === 'max') {
    const sign = take === 'min' ? 1 : -1;
    return others.reduce((best, each) => (compare(each, best) * sign < 0 ? each : best), first);
  }
  const sum = others.reduce(plus, first);
  return take === 'mean' ? over(sum, figures.length) : sum;
}

/** Returns the error of a calculation that has no result, such as for a number with too many digits. */
function orNoResult<T>(calculate: () => T): T | RangeError {
  try {
    return calculate();
  } catch (error) {
    if (error instanceof RangeError) return error;
    throw error;
  }
}

function plus(one: Figure, other: Figure): Figure {
  if (one instanceof Money && other instanceof Money) return one.plus(other);
  if (one instanceof Exact && other instanceof Exact) return one.plus(other);
  throw new Error('expected numbers or amounts to add');
}

function over(sum: Figure, count: number): Figure {
  const share = new Exact(1n, BigInt(count));
  if (sum instanceof Money) return sum.times(share);
  if (sum instanceof Exact) return sum.times(share);
  throw new Error('expected numbers or amounts of which to take the mean');
}

function compare(one: Figure, other: Figure): number {
  if (one instanceof Money && other instanceof Money) return one.compare(other);
  if (one instanceof Exact && other instanceof Exact) return one.compare(other);
  return instantOf(one) - instantOf(other);
}

function instantOf(figure: Figure): number {
  if (figure instanceof Date) return figure.getTime();
  if (figure instanceof Day) return figure.number;
  throw new Error('expected figures of one type');
}

/** A figure as it is told; numbers have ten places after the point, at most. */
function toldValue(figure: Figure): Value {
  if (figure instanceof Money) return { amount: figure.amount.text(), currency: figure.currency };
  if (figure instanceof Exact) return Number(figure.text());
  return figure instanceof Date ? figure.toISOString() : dayText(figure.number);
}
