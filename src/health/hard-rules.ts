import type { Symptom } from '../view/symptom.ts';
import type { Baseline } from './baseline.ts';
import { fewRecords } from './guard.ts';
import { measureId } from './measure-kind.ts';
import type { Scope } from './measures.ts';
import { scaled } from './scale.ts';
import { emptyType, type RunTally } from './tally.ts';

/** What hard rules look at. */
export interface HardFacts {
  readonly tally: RunTally;
  readonly scope: Scope;
  /** The types of records that the definition declares. */
  readonly types: readonly string[];
  /** Set where a run may find nothing, as one of a register whose windows may be empty. */
  readonly mayBeEmpty?: boolean;
  /** Set for a crawl that was aborted as its pages repeat. */
  readonly isLoop?: boolean;
}

/** Returns what is unusual about a run without any baseline: no records, none of a type that had some, and a loop. Shares past a limit of their own are found by `judge`. */
export function hardSymptoms(
  { tally, scope, types, mayBeEmpty = false, isLoop = false }: HardFacts,
  baseline: Baseline,
): Symptom[] {
  const symptoms: Symptom[] = isLoop ? [{ kind: 'loop', measure: 'pages', observed: tally.bodies }] : [];
  if (scope !== 'whole' || mayBeEmpty) return symptoms;
  const isEmpty = Object.values(tally.types).every(({ records }) => records === 0);
  const known = [...new Set([...types, ...Object.keys(tally.types)])].map((record) => ({
    record,
    ...(tally.types[record] ?? emptyType),
  }));
  const gone = known.filter(({ records, expected }) => records === 0 && expected >= (isEmpty ? 1 : fewRecords));
  const lost = gone.filter(({ record }) => !isUsuallyEmpty(record, baseline));
  if (lost.length > 0) return [...symptoms, ...lost.map(({ record, expected }) => emptySymptom(record, expected))];
  // A new target that gives nothing has no type that had some.
  const [only, another] = types;
  if (!isEmpty || gone.length > 0 || types.some((type) => isUsuallyEmpty(type, baseline))) return symptoms;
  return [...symptoms, emptySymptom(another === undefined ? only : undefined, 1)];
}

function emptySymptom(record: string | undefined, median: number): Symptom {
  return {
    kind: 'records',
    ...(record !== undefined && { record }),
    measure: 'records',
    observed: 0,
    expected: { low: 1, ...(median > 1 && { median }) },
  };
}

/** Whether a healthy run, or one that a person accepted, had no record of a type. */
function isUsuallyEmpty(record: string, { series }: Baseline): boolean {
  const none = scaled('count', 0);
  return series.get(measureId({ name: 'records', record }))?.lows?.some((low) => low <= none) === true;
}
