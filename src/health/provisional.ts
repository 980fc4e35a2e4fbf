import type { Symptom } from '../view/symptom.ts';
import type { Baseline } from './baseline.ts';
import { judge } from './judge.ts';
import { fewestOfShare, type Measure, type MeasureName } from './measure-kind.ts';
import { measuresOf } from './measures.ts';
import type { RunTally } from './tally.ts';

/** What compares known records with themselves, or says that a page is none of the site's: it holds for a part of a run as for the whole. */
const holdsForParts: ReadonlySet<MeasureName> = new Set([
  'lost',
  'emptied',
  'merged',
  'currency',
  'rescaled',
  'shape',
  'garbled',
  'refused',
  'unread',
  'failed',
]);

/** What the first records of a crawl have less of by chance alone where a site's sections differ: it is asked where hardly any record was known. */
const ofNewRecords: ReadonlySet<MeasureName> = new Set(['fill', 'empty', 'one_value']);

/**
 * Judges a run that is under way by what it has read so far: shares past their limit on at least eight records. Counts, sizes and times say nothing
 * before its end. What it finds is held, and is no symptom of a ticket before the run has ended.
 *
 * @param baseline - that of the version by which the run reads.
 */
export function judgeProvisionally(baseline: Baseline, tally: RunTally, at: number): readonly Symptom[] {
  const isSure = ({ name, record = '', field = '' }: Measure): boolean => {
    if (holdsForParts.has(name)) return true;
    const known = tally.types[record]?.fields[field]?.had ?? 0;
    return ofNewRecords.has(name) && known < fewestOfShare;
  };
  return judge(baseline, measuresOf(tally, 'part').filter(isSure), at).symptoms;
}
