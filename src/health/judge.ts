import { type Symptom, symptomId } from '../view/symptom.ts';
import { type Baseline, dayMs, type Series } from './baseline.ts';
import { chanceOf, isBeyondNoise, leastRuns, limitOf, median, type Sign, weekdayLimitOf } from './limit.ts';
import { fewestOfShare, kindOf, type Measure, measureId } from './measure-kind.ts';
import { asStored, type Scale, scaled, unscaled } from './scale.ts';

/** What is unusual about a run. */
export interface Judgement {
  /** What is unusual, each symptom once. */
  readonly symptoms: readonly Symptom[];
  /** Measures past a limit that they must pass for longer, by identity, with the first run in a row in which they did. */
  readonly suspects: ReadonlyMap<string, number>;
  /** Identities of the measures that are past a limit, told or not. */
  readonly pastLimit: ReadonlySet<string>;
}

/** A limit that must be passed for a day and in two runs; of sources that are scraped once a day, runs a little less than a day apart count. */
const lastingMs = (22 / 24) * dayMs;

/** A field that records lost is no symptom as long as no less records have it than this part of the least that was healthy: at the end of a sale all lose a price that few had before. */
const sameFill = 0.95;

/** Whether a measure is of enough records to be judged and learnt. */
export function isJudged({ name, of }: Measure): boolean {
  return kindOf(name).scale === 'count' || (of ?? 0) >= fewestOfShare;
}

/** Compares the measures of a run with those of the healthy runs before it. */
export function judge(baseline: Baseline, measures: readonly Measure[], at: number): Judgement {
  const judged = measures.filter(isJudged);
  const chance = chanceOf(judged.length);
  const symptoms = new Map<string, Symptom>();
  const suspects = new Map<string, number>();
  const pastLimit = new Set<string>();
  for (const measure of judged) {
    // Nearly all shares of healthy runs end here.
    if (isNeverUnusual(measure)) continue;
    const id = measureId(measure);
    const series = baseline.series.get(id);
    const verdict = verdictOf(measure, { baseline, series, chance, at });
    if (verdict === undefined || isOutweighed(measure, judged, baseline)) continue;
    pastLimit.add(id);
    if (verdict.mustLast) {
      const since = baseline.suspects.get(id) ?? at;
      suspects.set(id, since);
      if (at - since < lastingMs) continue;
    }
    const symptom = symptomOf(measure, verdict);
    const same = symptomId(symptom);
    if (!symptoms.has(same)) symptoms.set(same, symptom);
  }
  for (const symptom of garbledBeside(judged, [...symptoms.values()]))
    if (!symptoms.has(symptomId(symptom))) symptoms.set(symptomId(symptom), symptom);
  return { symptoms: [...symptoms.values()], suspects, pastLimit };
}

/** Other fields with texts that were decoded by a wrong charset, however few, where those of a field of the type are unusual: the whole page was. */
function garbledBeside(measures: readonly Measure[], symptoms: readonly Symptom[]): Symptom[] {
  const types = new Set(symptoms.filter(({ measure }) => measure === 'garbled').map(({ record }) => record));
  return measures
    .filter(({ name, record, value }) => name === 'garbled' && value > 0 && types.has(record))
    .map((measure) => symptomOf(measure, { sign: 1, mustLast: false }));
}

interface Verdict {
  readonly mustLast: boolean;
  /** The limit that is passed, on the scale of the measure's kind; missing before there is a baseline. */
  readonly limit?: number;
  readonly usual?: number;
  readonly sign: Sign;
}

interface Before {
  readonly baseline: Baseline;
  readonly series: Series | undefined;
  readonly chance: number;
  readonly at: number;
}

/** Whether a share is so low that it is within any limit. */
function isNeverUnusual({ name, value }: Measure): boolean {
  const { side, scale, least } = kindOf(name);
  return side === 'high' && scale === 'share' && value <= least;
}

/** Why a measure is unusual; `undefined` if it is not. */
function verdictOf(measure: Measure, before: Before): Verdict | undefined {
  const { side } = kindOf(measure.name);
  const high = side === 'low' ? undefined : beyond(measure, before, 1);
  return high ?? (side === 'high' ? undefined : beyond(measure, before, -1));
}

function beyond(measure: Measure, { baseline, series, chance, at }: Before, sign: Sign): Verdict | undefined {
  const kind = kindOf(measure.name);
  const all = (sign === 1 ? series?.highs : series?.lows) ?? [];
  const value = scaled(kind.scale, measure.value);
  // What healthy runs had is past no limit but that of its day of the week. Nearly all measures of healthy runs end here.
  const had = asStored(kind.scale, value);
  const isUsual = all.some((each) => sign * each >= sign * had);
  if (isUsual && kind.isWeekly !== true) return undefined;
  const first = baseline.entries.length - all.length;
  const { days = kind.isWeekly === true ? 1 : 0 } = kind;
  const isLongKnown = at - (baseline.entries[first] ?? at) >= days * dayMs;
  if (!isUsual) {
    const values = all.filter((each) => !Number.isNaN(each));
    if (isPastFixedLimit(measure, values))
      return { mustLast: false, sign, ...(values.length > 0 && { usual: median(values) }) };
    if (values.length < leastRuns || !isLongKnown) return undefined;
    const pooled = limitOf(measure, { values, chance }, sign);
    if (sign * (value - pooled.limit) > 0) return { ...pooled, mustLast: kind.mustLast === true, sign };
  }
  if (kind.isWeekly !== true || !isLongKnown) return undefined;
  const weekday = weekdayLimitOf(measure, { values: all, entries: baseline.entries.slice(first), chance, at }, sign);
  // A holiday is as a Sunday is: it lasts no second day.
  if (weekday === undefined || sign * (value - weekday.limit) <= 0) return undefined;
  return { ...weekday, mustLast: true, sign };
}

/** Whether a share passes its fixed limit (`limitWithoutBaseline`), which applies without a baseline. Where there are healthy runs, it must also be further above them than chance brings it. */
function isPastFixedLimit(measure: Measure, values: readonly number[]): boolean {
  const { limitWithoutBaseline: fixed } = kindOf(measure.name);
  if (fixed === undefined || measure.value < fixed.share || (measure.of ?? 0) < fixed.records) return false;
  return values.length === 0 || isBeyondNoise(measure, median(values));
}

/** Whether records lost a field while as many have it as in healthy runs. */
function isOutweighed(measure: Measure, measures: readonly Measure[], { series }: Baseline): boolean {
  if (measure.name !== 'lost') return false;
  const { record, field } = measure;
  const fill = measures.find((each) => each.name === 'fill' && each.record === record && each.field === field);
  const lows = (fill && series.get(measureId(fill))?.lows)?.filter((low) => !Number.isNaN(low)) ?? [];
  if (fill === undefined || lows.length < leastRuns) return false;
  return fill.value >= sameFill * unscaled('share', Math.min(...lows));
}

function symptomOf(measure: Measure, { limit, usual, sign }: Verdict): Symptom {
  const { name, record, field, value, of } = measure;
  const { symptom, scale, limitWithoutBaseline } = kindOf(name);
  const bound = limit === undefined ? limitWithoutBaseline?.share : plain(scale, limit);
  const expected = {
    ...(bound !== undefined && (sign === 1 ? { high: bound } : { low: bound })),
    ...(usual !== undefined && { median: plain(scale, usual) }),
  };
  return {
    kind: symptom,
    ...(record !== undefined && { record }),
    ...(field !== undefined && { field }),
    measure: name,
    observed: scale === 'level' ? plain(scale, value) : value,
    ...(Object.keys(expected).length > 0 && { expected }),
    ...(of !== undefined && { of }),
  };
}

/** A number as people read it, in four digits: a level as the geometric mean that it is the logarithm of. */
function plain(scale: Scale, value: number): number {
  return Number((scale === 'level' ? Math.exp(value) : unscaled(scale, value)).toPrecision(4));
}
