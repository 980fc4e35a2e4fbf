import type { WholeType } from '../health/page-tally.ts';
import type { RecordView } from '../view/record.ts';
import type { Store } from './store.ts';
import type { TargetRow } from './tables/rows.ts';

/** Records of a target that are looked at: a page of more than one says by their number what it lacks. */
const looked = 8;

/** A text that may tell one record from another has more characters than this. */
const leastText = 3;

/**
 * What a page of one record says of the record that it showed before: whether it shows another one in its place, none of whose texts is as that
 * one's were. A record by another key that has a text in common, as the next day of a series has, is not taken for another one.
 *
 * @param scrape - the number of the scrape that has read the page.
 */
export function otherRecord(
  { records }: Store,
  { target }: Pick<TargetRow, 'target'>,
  scrape: number,
): Readonly<Record<string, WholeType>> {
  const known = [...records.ofTarget(target, { limit: looked })];
  if (known.length === looked) return {};
  const seen = known.map((record) => ({ record, by: records.seenByNumber(target, record.record) }));
  const now = seen.filter(({ by }) => by?.last === scrape);
  const [shown, second] = now;
  if (shown === undefined || second !== undefined) return {};
  const { type } = shown.record;
  if ((shown.by?.first ?? scrape) < scrape) return { [type]: { expected: 1, missing: 0 } };
  // That of the scrape before, which others had seen as well.
  const [before] = seen
    .filter(({ record, by }) => record.type === type && by !== undefined && by.first < by.last && by.last < scrape)
    .toSorted((one, other) => (other.by?.last ?? 0) - (one.by?.last ?? 0));
  if (before === undefined || !isOther(before.record, shown.record)) return {};
  return { [type]: { expected: 1, missing: 1 } };
}

/** Whether each of several texts that two records have differs. */
function isOther({ fields: before }: RecordView, { fields: after }: RecordView): boolean {
  const texts = Object.entries(before).flatMap(([name, { value }]) => {
    const now = after[name]?.value;
    return typeof value === 'string' && value.length > leastText && typeof now === 'string'
      ? [[value, now] as const]
      : [];
  });
  return texts.length >= 2 && texts.every(([one, other]) => one !== other);
}
