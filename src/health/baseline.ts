import { kindOf, type Measure, measureId } from './measure-kind.ts';
import { asStored, scaled } from './scale.ts';

/**
 * Digests of the rules by which a target is read: of each field by `type.field`, of all else that says what a record of a type is by the type's name,
 * and of what belongs to the target, as its address and its pages, by an empty name.
 */
export type RuleDigests = Readonly<Record<string, string>>;

/** The values of a measure in healthy runs, on the scale of its kind, one per entry of the baseline; the newest last, `NaN` where an entry has none. */
export interface Series {
  readonly name: Measure['name'];
  readonly record?: string;
  readonly field?: string;
  /** The lowest value of each entry; missing where only high values are unusual. */
  readonly lows?: readonly number[];
  /** The highest value of each entry; missing where only low values are unusual. */
  readonly highs?: readonly number[];
}

/** What healthy runs of a target, or healthy rounds of a source, measured. */
export interface Baseline {
  /** The version of the definition that the newest run was read by. */
  readonly version: string;
  readonly rules?: RuleDigests | undefined;
  /** The instants of the entries, the newest last: the first 12 runs have an entry each, after that all runs of a day share one. */
  readonly entries: readonly number[];
  /** By the identity of the measure. */
  readonly series: ReadonlyMap<string, Series>;
  /** Measures past a limit that they must pass for longer, by identity, with the first run in a row in which they did. */
  readonly suspects: ReadonlyMap<string, number>;
}

/** The first runs have an entry each, so that a source that is scraped often is judged within hours. */
const singleRuns = 12;

/** Five weeks and a day: five values of each day of the week. */
const mostEntries = 36;

/** The most values of a measure whose days of the week are alike: as many as its spread is of. */
const mostAlike = 18;

export const dayMs = 86_400_000;

/** A run that is judged. */
export interface Run {
  readonly at: number;
  /** The version of the definition. */
  readonly version: string;
  /** Missing where they are not known: then nothing of another version is compared. */
  readonly rules?: RuleDigests | undefined;
  readonly measures: readonly Measure[];
}

/** Makes the baseline of a source of which nothing is known. */
export function emptyBaseline({ version, rules }: Pick<Run, 'version' | 'rules'>): Baseline {
  return { version, rules, entries: [], series: new Map(), suspects: new Map() };
}

/** Returns a baseline without what was read by rules that a version of the definition does not have any more. */
export function forVersion(baseline: Baseline, { version, rules }: Pick<Run, 'version' | 'rules'>): Baseline {
  if (baseline.version === version) return baseline;
  const { rules: old } = baseline;
  if (rules === undefined || old === undefined) return emptyBaseline({ version, rules });
  const isSame = (name: string): boolean => rules[name] === old[name];
  const series = [...baseline.series].filter(([, { record, field }]) => {
    if (record === undefined) return isSame('');
    return isSame(record) && isSame(field === undefined ? '' : `${record}.${field}`);
  });
  if (series.length === 0) return emptyBaseline({ version, rules });
  return { ...baseline, version, rules, series: new Map(series) };
}

/** Returns a baseline with one more healthy run. Runs of one day share an entry, which keeps the lowest and the highest value, so that nights and days are compared with nights and days. */
export function withRun(baseline: Baseline, { at, measures }: Pick<Run, 'at' | 'measures'>): Baseline {
  const last = baseline.entries.at(-1);
  const isMerged = last !== undefined && baseline.entries.length >= singleRuns && dayOf(last) === dayOf(at);
  const series = new Map<string, Series>();
  const found = new Map(measures.map((measure) => [measureId(measure), measure]));
  for (const [id, old] of baseline.series) {
    const measure = found.get(id);
    found.delete(id);
    const next = added(old, measure && storedValue(measure), isMerged);
    if (next !== undefined) series.set(id, next);
  }
  for (const [id, { name, record, field, value }] of found) {
    const { side } = kindOf(name);
    const first = [storedValue({ name, value })];
    series.set(id, {
      name,
      ...(record !== undefined && { record }),
      ...(field !== undefined && { field }),
      ...(side !== 'high' && { lows: first }),
      ...(side !== 'low' && { highs: first }),
    });
  }
  const kept = isMerged ? baseline.entries.slice(0, -1) : baseline.entries;
  const entries = [...kept, at].slice(-mostEntries);
  return { ...baseline, entries, series };
}

/** Returns a baseline that has forgotten some measures, so that they are learnt anew. */
export function withoutMeasures(baseline: Baseline, isForgotten: (series: Series) => boolean): Baseline {
  const isKept = ([, series]: readonly [string, Series]): boolean => !isForgotten(series);
  const series = new Map([...baseline.series].filter(isKept));
  const suspects = new Map([...baseline.suspects].filter(([id]) => series.has(id)));
  return { ...baseline, series, suspects };
}

/** The number of the day of an instant, in UTC, from 1970 on. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}

/** The value of a measure as a series has it. */
export function storedValue({ name, value }: Pick<Measure, 'name' | 'value'>): number {
  const { scale } = kindOf(name);
  return asStored(scale, scaled(scale, value));
}

/** Whether a share was more than 0 in any of the healthy runs; `undefined` where none of them has it. */
export function hadAny(baseline: Baseline | undefined, measure: Parameters<typeof measureId>[0]): boolean | undefined {
  const highs = baseline?.series.get(measureId(measure))?.highs?.filter((high) => !Number.isNaN(high)) ?? [];
  const none = storedValue({ name: measure.name, value: 0 });
  return highs.length === 0 ? undefined : highs.some((high) => high > none);
}

/** A series after one more run; `undefined` for one that is left without any value. */
function added(series: Series, value: number | undefined, isMerged: boolean): Series | undefined {
  if (isMerged && value === undefined) return series;
  const { lows, highs } = series;
  const most = kindOf(series.name).isWeekly === true ? mostEntries : mostAlike;
  const next = (values: readonly number[], sign: 1 | -1): readonly number[] => {
    if (!isMerged) return [...(values.length < most ? values : values.slice(1)), value ?? Number.NaN];
    const last = values.at(-1) ?? Number.NaN;
    return value === undefined || sign * value <= sign * last ? values : [...values.slice(0, -1), value];
  };
  const after: { -readonly [Name in keyof Series]: Series[Name] } = { ...series };
  if (lows !== undefined) after.lows = next(lows, -1);
  if (highs !== undefined) after.highs = next(highs, 1);
  const isLeft = value !== undefined || (after.lows ?? after.highs)?.some((each) => !Number.isNaN(each));
  return isLeft === true ? after : undefined;
}
