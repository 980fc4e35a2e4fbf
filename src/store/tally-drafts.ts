import { defined } from '../defined.ts';
import type { RecordDraft } from '../extract/draft.ts';
import { type ReadBy, rulesSince } from '../health/last-reading.ts';
import { pageTally, type ReadPage, type ReadRecord, valuesSince } from '../health/page-tally.ts';
import type { RunTally } from '../health/tally.ts';
import type { RecordView } from '../view/record.ts';
import type { KnownRecords } from './known-records.ts';
import { sameValue } from './same-value.ts';
import type { Store } from './store.ts';
import type { TargetRow } from './tables/rows.ts';

/** A page whose drafts are tallied. */
interface TalliedPage {
  readonly target: TargetRow;
  /** The definition by which it was read. */
  readonly by: ReadBy;
  /** Set for a page that items lead to. */
  readonly isItemPage: boolean;
  /** What was read of it besides the drafts. */
  readonly read: Pick<ReadPage, 'absent' | 'blank' | 'unparsed' | 'items' | 'refused'>;
}

/** Tallies the drafts of a page beside what was known of their records, before any of them is stored. */
export function tallyDrafts(
  store: Store,
  known: KnownRecords,
  { target, by, isItemPage, read }: TalliedPage,
  drafts: readonly RecordDraft[],
): RunTally {
  const healthySince = store.runs.baselines.since([target.source, target.target]);
  const reading = store.runs.readings.get(target.target);
  const isSame = rulesSince(reading, by);
  // A record keeps the value of a field that none had in the last trusted reading, as a person has accepted. That is of lists alone.
  const wasSeen = (type: string, field: string): boolean => {
    const last = isItemPage ? undefined : reading?.types[type]?.fields;
    return last === undefined || Object.hasOwn(last, field);
  };
  const seen = new Set<string>();
  const records = drafts.flatMap((draft): ReadRecord[] => {
    const record = known.read(draft);
    if (isItemPage && record === undefined) return [];
    const name = `${draft.type}\0${draft.key}`;
    const change = seen.has(name) ? 'confirmed' : changeOf(record, draft);
    seen.add(name);
    const before =
      record &&
      valuesSince(record.fields, healthySince, (field) => isSame(draft.type, field) && wasSeen(draft.type, field));
    return [{ draft, change, ...defined({ before }) }];
  });
  return pageTally({ records, isItemPage, ...read });
}

function changeOf(known: RecordView | undefined, { fields }: RecordDraft): ReadRecord['change'] {
  if (known === undefined) return 'added';
  const isSame = Object.keys(fields).every((name) => {
    const cell = Object.hasOwn(known.fields, name) ? known.fields[name] : undefined;
    return cell !== undefined && sameValue(cell.value, fields[name] ?? null);
  });
  return isSame && known.absent === undefined ? 'confirmed' : 'changed';
}
