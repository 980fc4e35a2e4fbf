import { defined } from '../defined.ts';
import type { RecordDraft } from '../extract/draft.ts';
import type { WholeType } from '../health/page-tally.ts';
import type { RecordView } from '../view/record.ts';
import type { KnownRecords } from './known-records.ts';
import type { StepOps } from './ops.ts';
import type { Store } from './store.ts';
import { digestOf } from './tables/digest.ts';
import type { OtherKey, OtherRow } from './tables/runs.ts';
import type { TargetRow } from './tables/rows.ts';

/** Records of a target that are looked at: a page of more than one says by their number what it lacks. */
const looked = 8;

/** A text that may tell one record from another has more characters than this. */
const leastText = 3;

/** A page that is about to be stored. */
interface OnePage {
  readonly target: TargetRow;
  readonly scrape: number;
  readonly ops: StepOps;
  readonly known: KnownRecords;
}

/** A record that a page showed. */
export interface ShownRecord {
  readonly type: string;
  readonly record: number;
}

/** What becomes of the record that a page shows. */
interface OtherFound {
  /** Whether it waits for another look. */
  readonly isWithheld: boolean;
  /** The record that waited, which is one of a series: it is to be stored first. */
  readonly earlier?: OtherRow;
}

/**
 * Withholds a new record that stands in the place of the one that its page had shown in several scrapes, with none of its texts: more often than not it is
 * a wrong page. The next scrape believes it if it shows it again, or a third one, while no ticket says that many records are missing. The page is one
 * of a crawl, or all of its target. To be called within the transaction that stores the page.
 */
export function findOther(store: Store, { target, scrape, ops, known }: OnePage): OtherFound {
  const { drafts, guards, observedAt, digest, log } = ops;
  const [draft, second] = drafts;
  const url = ops.crawl === undefined ? '' : ops.page?.url;
  if (draft === undefined || second !== undefined || url === undefined) return { isWithheld: false };
  const { others } = store.runs;
  const key: OtherKey = [target.target, url && digestOf(url)];
  const row = others.get(key);
  const isOther =
    guards !== undefined &&
    guards.unusual !== false &&
    known.read(draft) === undefined &&
    isOtherThan(store, target.target, draft, { records: recordsOn(store, target.target, url), scrape });
  if (!isOther) {
    if (row !== undefined) others.remove(key);
    return { isWithheld: false };
  }
  const waiting = row?.isOver === true ? undefined : row;
  if (waiting === undefined || isMissingMany(store, target.source, draft.type)) {
    others.put(key, { scrape, url: log.url, observedAt, draft, ...defined({ digest }) });
    return { isWithheld: true };
  }
  others.put(key, { ...waiting, scrape, isOver: true });
  const isSame = waiting.draft.type === draft.type && waiting.draft.key === draft.key;
  return { isWithheld: false, ...(!isSame && { earlier: waiting }) };
}

/** Whether an open ticket says that records of a type are missing. */
function isMissingMany({ tickets }: Store, source: string, type: string): boolean {
  if (tickets.isNone()) return false;
  const open = Array.from(tickets.unresolvedOf(source)).flatMap(({ symptoms }) => symptoms);
  return open.some(({ kind, record }) => kind === 'missing' && record === type);
}

/** The records that a page of a crawl showed last, or those of a target that is one page, whose address is empty here. */
function recordsOn({ records, pages }: Store, target: number, url: string): readonly RecordView[] {
  if (url === '') return [...records.ofTarget(target, { limit: looked })];
  const { records: numbers = [] } = pages.get(target, url) ?? {};
  return numbers.slice(0, looked).flatMap((number) => records.byNumber(number) ?? []);
}

/**
 * What a page of one record says of the record that it showed before: whether it shows another one in its place, none of whose texts is as that
 * one's were. A record by another key that has a text in common, as the next day of a series has, is not taken for another one. To be called once the page is stored.
 *
 * @param scrape - the number of the scrape that has read the page.
 * @param only - the record that the page showed, where it is known that it showed one alone.
 */
export function otherRecord(
  store: Store,
  { target }: Pick<TargetRow, 'target'>,
  scrape: number,
  only?: ShownRecord,
): Readonly<Record<string, WholeType>> {
  const row = store.runs.others.get([target, '']);
  // What is believed was counted when it was first seen.
  if (row?.scrape === scrape) return { [row.draft.type]: { expected: 1, missing: row.isOver === true ? 0 : 1 } };
  // Nearly all pages show the record that they had shown.
  const by = only && store.records.seenByNumber(target, only.record);
  if (only !== undefined && by !== undefined && by.first < scrape) return { [only.type]: { expected: 1, missing: 0 } };
  const known = [...store.records.ofTarget(target, { limit: looked })];
  if (known.length === looked) return {};
  const seen = known.map((record) => ({ record, by: store.records.seenByNumber(target, record.record) }));
  const [shown, second] = seen.filter(({ by }) => by?.last === scrape);
  if (shown === undefined || second !== undefined) return {};
  const { type, key, fields } = shown.record;
  if ((shown.by?.first ?? scrape) < scrape) return { [type]: { expected: 1, missing: 0 } };
  const values = Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
  const isNow = isOtherThan(store, target, { type, key, fields: values }, { records: known, scrape });
  return isNow ? { [type]: { expected: 1, missing: 1 } } : {};
}

/** Whether a record differs in each of several texts from the one that its page showed last and that several scrapes had seen. */
function isOtherThan(
  store: Pick<Store, 'records'>,
  target: number,
  { type, key, fields: after }: RecordDraft,
  { records: known, scrape }: { readonly records: readonly RecordView[]; readonly scrape: number },
): boolean {
  if (known.length === looked) return false;
  const [before] = known
    .flatMap((record) => {
      const isOwn = record.type === type && record.key !== key;
      const by = isOwn ? store.records.seenByNumber(target, record.record) : undefined;
      return by !== undefined && by.last < scrape ? [{ record, by }] : [];
    })
    .toSorted((one, other) => other.by.last - one.by.last);
  // One that was seen once is of a series.
  if (before === undefined || before.by.first === before.by.last) return false;
  const texts = Object.entries(before.record.fields).flatMap(([name, { value }]) => {
    const now = after[name];
    return typeof value === 'string' && value.length > leastText && typeof now === 'string' ? [value !== now] : [];
  });
  return texts.length >= 2 && texts.every(Boolean);
}
