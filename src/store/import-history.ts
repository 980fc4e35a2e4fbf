import type { RecordView } from '../view/record.ts';
import type { Value } from '../extract/value/value.ts';
import { moveLinks } from './entities.ts';
import { moveFiles } from './files.ts';
import { difference, sequenceOf } from './observe.ts';
import { moveAges } from './record-ages.ts';
import type { Change, Store } from './store.ts';
import type { TargetRow } from './tables/rows.ts';

/** What a record said at instants before this daemon asked for its page. */
export interface PastRecord {
  readonly source: string;
  /** The address of the place that shows the record; it need not be tracked yet. */
  readonly url: string;
  readonly type: string;
  readonly key: string;
  readonly versions: readonly { readonly at: number; readonly fields: Readonly<Record<string, Value>> }[];
}

/** How many versions became changes of the history, and how many were as the one before, or not later than what is known. */
export interface ImportedHistory {
  readonly changes: number;
  readonly same: number;
  readonly skipped: number;
}

/** A change of the history without the event that tells of it. */
type NewChange = Pick<Parameters<Store['history']['add']>[0], 'at' | 'kind' | 'fields'>;

/**
 * Adds what a record said in the past to its history, oldest first; the next scrape compares with the last
 * of it. Versions that are not later than those that are known are skipped, and all of them where a scrape has seen the record. Tells one
 * event in place of one for each change. Rejects with `StoreFullError`.
 */
export function importHistory(store: Store, past: PastRecord): Promise<ImportedHistory> {
  return store.write((change) => importOne(store, change, past), { durable: true });
}

function importOne(store: Store, change: Change, past: PastRecord): ImportedHistory {
  const { source, url, type, key } = past;
  const known = store.records.get(source, type, key);
  const isSeen = known !== undefined && known.lastScrape > 0;
  const after = isSeen ? Infinity : (known?.updatedAt ?? -Infinity);
  const versions = past.versions.filter(({ at }) => at > after && at <= change.at).toSorted((a, b) => a.at - b.at);
  const skipped = past.versions.length - versions.length;
  if (versions.length === 0) return { changes: 0, same: 0, skipped };

  const target = store.targets.at({ source, url }) ?? placeOf(store, change, { source, url });
  const evidence = { target: target.target, scrape: 0, version: '' };
  const seen = { source, evidence, url, id: known?.id ?? store.newId(), sequence: sequenceOf(0, 0), at: change.at };
  const changes: NewChange[] = [];
  let record: Omit<RecordView, 'record'> | undefined = known;
  for (const { at, fields } of versions) {
    const found = difference(record, { type, key, fields }, { ...seen, observedAt: at });
    if (found.kind === 'stale') continue;
    record = found.row;
    if (found.kind !== 'confirmed') changes.push({ at, kind: found.kind, fields: found.fields });
  }
  if (record === undefined) return { changes: 0, same: 0, skipped };

  const { record: number } = keep(store, change, record, known, target);
  change.tell({ type: 'history.imported', source, data: { type, key, changes: changes.length } });
  const serial = store.events.last();
  for (const each of changes) store.history.add({ ...each, ...evidence, serial, record: number, source, type, key });
  return { changes: changes.length, same: versions.length - changes.length, skipped };
}

/** The place of a record that nobody watches: it is not scraped until a project names it. */
function placeOf(store: Store, { at }: Change, place: Pick<TargetRow, 'source' | 'url'>): TargetRow {
  return store.targets.add((target) => ({
    target,
    ...place,
    status: 'disabled',
    createdAt: at,
    epoch: 1,
    settled: 0,
    watchers: [],
    crashes: { recent: [], inRow: 0, total: 0 },
  }));
}

function keep(
  store: Store,
  change: Change,
  row: Omit<RecordView, 'record'>,
  known: RecordView | undefined,
  { target }: TargetRow,
): RecordView {
  const stored = known === undefined ? store.records.add(row) : { ...row, record: known.record };
  if (known !== undefined) store.records.put(stored, { target, scrape: 0 });
  moveAges(store, stored, known, stored);
  moveFiles(store, change, stored, stored.fields);
  moveLinks(store, change, stored, { before: known?.fields, after: stored.fields });
  return stored;
}
