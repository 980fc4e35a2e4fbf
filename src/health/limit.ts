import { dayOf } from './baseline.ts';
import { kindOf, type Measure } from './measure-kind.ts';
import { countingNoise, moved, scaled, unscaled } from './scale.ts';
import { studentT } from './student-t.ts';

/** The least number of healthy runs by which a run is judged, as the specification has it. */
export const leastRuns = 5;

/** The usual value is the median of so many of the last days, as the specification has it: a source that grows is compared with what it is now. */
const centredDays = 10;

/**
 * The spread is the standard deviation of so many of the last days. In simulations of healthy sources, 10 to 14 days gave up to three times as many false
 * tickets, as they miss what happens once in two weeks; with 36 days, sources that grow have wide limits and others false tickets.
 */
const spreadDays = 18;

/** The chance that a healthy measure of a source with `usualMeasures` measures passes its limit on a day: found by simulation, for less than one false ticket in 1,000 days of a source. */
const usualChance = 2e-5;
const usualMeasures = 45;
const mostChance = 4e-5;

/** The chance is so many times the usual one while the spread is of few days, as limits would be very wide; each source has these days once. */
const chanceFactors: ReadonlyMap<number, number> = new Map([
  [5, 8],
  [6, 4],
  [7, 2],
]);

/** The limit is so many times the counting noise off the usual value. */
const noiseFactor = 4.5;

/** Returns the chance that each of so many measures may pass its limit though the source is healthy. */
export function chanceOf(measures: number): number {
  return Math.min(mostChance, (usualChance * usualMeasures) / Math.max(1, measures));
}

/** The healthy values of a measure, on the scale of its kind, the newest last. */
export interface HealthyValues {
  readonly values: readonly number[];
  /** The chance that a healthy value passes the limit, as `chanceOf` has it. */
  readonly chance: number;
}

/** Which side a value is unusual on. */
export type Sign = 1 | -1;

/** A limit and the usual value, both on the scale of the measure's kind. */
export interface Limit {
  readonly limit: number;
  readonly usual: number;
}

/**
 * Returns the limit of a measure on one side: as far off the median of the last days as the spread, the least distance of its kind and the counting
 * noise say, and never within what healthy runs had. A count must also be that far off the last run: a source that grows by some percent a day is not
 * unusual.
 */
export function limitOf(measure: Measure, { values, chance }: HealthyValues, sign: Sign): Limit {
  const usual = median(values.slice(-centredDays));
  const recent = values.slice(-spreadDays);
  const spread = { squares: squaresOf(recent), freedom: recent.length - 1, runs: recent.length };
  const { scale, least } = kindOf(measure.name);
  const last = values.at(-1) ?? usual;
  const grown = scale === 'count' ? [moved(scale, last, sign * least)] : [];
  const bounds = [...boundsOf(measure, usual, { ...spread, chance }, sign), ...grown, ...values];
  return { limit: furthest(bounds, sign), usual };
}

/** The healthy values of a measure with their instants, `NaN` where an entry has none, and the instant of the run that is judged. */
export interface DatedValues extends HealthyValues {
  readonly entries: readonly number[];
  readonly at: number;
}

/**
 * Returns the limit of a measure by the values of one day of the week; the spread is that of all days around the mean of their own day of the week.
 * `undefined` where fewer than `leastRuns` values are of that day.
 */
export function weekdayLimitOf(
  measure: Measure,
  { values, entries, chance, at }: DatedValues,
  sign: Sign,
): Limit | undefined {
  const today = dayOf(at) % 7;
  if (entries.filter((entry) => dayOf(entry) % 7 === today).length < leastRuns) return undefined;
  const days: number[][] = [[], [], [], [], [], [], []];
  let before = Number.NaN;
  for (const [index, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    const day = dayOf(entries[index] ?? at);
    const same = days[day % 7] ?? [];
    // The first runs have several entries a day.
    same.push(day === before ? furthest([value, same.pop() ?? value], sign) : value);
    before = day;
  }
  const same = days[today] ?? [];
  if (same.length < leastRuns) return undefined;
  let [squares, freedom] = [0, 0];
  for (const day of days.filter(({ length }) => length > 0)) {
    squares += squaresOf(day);
    freedom += day.length - 1;
  }
  const usual = median(same);
  const bounds = boundsOf(measure, usual, { squares, freedom, runs: same.length, chance }, sign);
  return { limit: furthest(bounds, sign), usual };
}

interface Spread {
  /** The sum of the squared differences from the mean. */
  readonly squares: number;
  readonly freedom: number;
  /** The number of values that the usual one is of. */
  readonly runs: number;
  readonly chance: number;
}

/** How far a healthy value may be off the usual one, by each reason. */
function boundsOf(measure: Measure, usual: number, { squares, freedom, runs, chance }: Spread, sign: Sign): number[] {
  const kind = kindOf(measure.name);
  const deviation = Math.sqrt(squares / freedom);
  const quantile = studentT(chance * (chanceFactors.get(freedom + 1) ?? 1), freedom);
  const noise = kind.isCounted === true ? noiseFactor * countingNoise(kind.scale, usual, measure.of) : 0;
  return [
    usual + sign * quantile * deviation * Math.sqrt(1 + 1 / runs),
    moved(kind.scale, usual, sign * Math.max(kind.least, noise)),
    ...(kind.from === undefined ? [] : [scaled(kind.scale, kind.from)]),
  ];
}

/** Whether a share is further above the usual one, which is on its scale, than chance alone brings it. */
export function isBeyondNoise({ name, value, of }: Measure, usual: number): boolean {
  const { scale } = kindOf(name);
  return value - unscaled(scale, usual) > noiseFactor * countingNoise(scale, usual, of);
}

function furthest(bounds: readonly number[], sign: Sign): number {
  return sign === 1 ? Math.max(...bounds) : Math.min(...bounds);
}

function squaresOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/** The middle of the values, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
