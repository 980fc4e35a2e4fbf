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
  const isSure = ({ name, record = '', field = '' }: Measure): boolean => {
    if (holdsForParts.has(name)) return true;
    const known = tally.types[record]?.fields[field]?.had ?? 0;
    return ofNewRecords.has(name) && known < fewestOfShare;
  };
  const sure = measuresOf(tally, 'part').filter(isSure);
  return sure.some(mayBeUnusual) ? judge(baselineOf(), sure, at).symptoms : [];
}

/** Whether a share is far enough from nothing, or from all, to be past any limit. */
function mayBeUnusual({ name, value, of = 0 }: Measure): boolean {
  const { side, least } = kindOf(name);
  return of >= fewestOfShare && (side === 'low' ? 1 - value : value) > least;
}
