import type { Symptom } from '../view/symptom.ts';
import type { Baseline } from './baseline.ts';
import { judge } from './judge.ts';
import { fewestOfShare, kindOf, type Measure, type MeasureName } from './measure-kind.ts';
import { measuresOf } from './measures.ts';
import type { RunTally } from './tally.ts';

/** What compares known records with themselves: it holds for a part of a run as for the whole. */
const holdsForParts: ReadonlySet<MeasureName> = new Set([
  'lost',
  'emptied',
  'merged',
  'currency',
  'rescaled',
  'shape',
  'garbled',
]);

/** What the first records of a crawl have less of by chance alone where a site's sections differ: it is asked where hardly any record was known. */
const ofNewRecords: ReadonlySet<MeasureName> = new Set(['fill', 'empty', 'one_value']);

/**
 * Judges the fields of what a run that is under way has read so far: shares past their limit on at least eight records. Counts, sizes and times say
 * nothing before its end. What it finds is held, and is no symptom of a ticket before the run has ended.
 *
 * @param baselineOf - returns the baseline of the version by which the run reads. Called only where a share may be past its limit, as few are.
 */
export function judgeProvisionally(baselineOf: () => Baseline, tally: RunTally, at: number): readonly Symptom[] {
  if (measuresOf(tally, 'part', mayBeUnusual).length === 0) return [];
  const sure = measuresOf(tally, 'part').filter((measure) => isSure(measure, tally));
  return sure.some(({ name, value, of }) => mayBeUnusual(name, value, of))
    ? judge(baselineOf(), sure, at).symptoms
    : [];
}

/** Whether a measure of a part says the same as one of the whole. */
function isSure({ name, record = '', field = '' }: Measure, tally: RunTally): boolean {
  if (holdsForParts.has(name)) return true;
  const known = tally.types[record]?.fields[field]?.had ?? 0;
  return ofNewRecords.has(name) && known < fewestOfShare;
}

/** Whether a share is far enough from nothing, or from all, to be past any limit. */
function mayBeUnusual(name: MeasureName, value: number, of = 0): boolean {
  if (of < fewestOfShare || !(holdsForParts.has(name) || ofNewRecords.has(name))) return false;
  const { side, least } = kindOf(name);
  return (side === 'low' ? 1 - value : value) > least;
}
