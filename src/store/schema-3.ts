import type { Environment } from './environment.ts';
import type { Migration } from './migration.ts';
import { sequenceOf } from './observe.ts';
import type { HistoryRow, RecordRow, StepRow } from './rows.ts';
import type { Tables } from './store.ts';
import type { CrawlRow } from './tables/crawls.ts';
import { type RecordKey, recordKey, type SeenBy } from './tables/records.ts';
import { type Table, type TableKey, table } from './tables/table.ts';

/** What the first programs knew of a record; of all the rest, later ones wrote some. */
type OldRecord = Pick<RecordRow, 'source' | 'type' | 'key' | 'target' | 'firstSeenAt' | 'fields'> &
  Partial<Pick<RecordRow, 'id' | 'url' | 'updatedAt' | 'sequence'>> & {
    /** `null` where a later program counted on from none. */
    readonly lastScrape?: number | null;
    readonly absent?: { readonly since: number; readonly times: number; readonly scrape?: number };
  };

/** That a target has seen a record: 1 at first, then the first scrape that saw it, then the first and the last one. */
type OldSeenBy = number | Partial<SeenBy>;

type OldCrawl = Omit<CrawlRow, 'startLinks'> & { readonly startLinks?: number | null };

type OldRecords = Table<RecordKey, OldRecord>;

/**
 * What records and crawls gained while the schema kept its number is filled in where it is missing, from the history and the run
 * logs. What these no longer have is told as not known: no scrape that saw the record, and a place in the order before all others.
 */
export const toSchema3: Migration = (environment, tables, newId) => {
  const records: OldRecords = table(environment, 'records');
  fillSequences(environment, records);
  fillSightings(environment, records, tables);
  for (const { key, row } of each(records)) if (!isWhole(row)) records.put(key, whole(row, tables, newId));
  const crawls = table<[number, number], OldCrawl>(environment, 'crawls');
  // The guard counts anew: what it remembers has another form now.
  for (const {
    key,
    row: { guard: _, ...row },
  } of each(crawls))
    crawls.put(key, { ...row, startLinks: row.startLinks ?? 0 });
};

/** One scrape was one page, whose new records stand in the history one after the other, in page order. */
function fillSequences(environment: Environment, records: OldRecords): void {
  let [scrape, index] = [-1, 0];
  for (const { row } of each(table<number, HistoryRow>(environment, 'history'))) {
    if (row.kind !== 'added') continue;
    index = row.scrape === scrape ? index + 1 : 0;
    scrape = row.scrape;
    const key = recordKey(row.source, row.type, row.key);
    const record = records.get(key);
    if (record === undefined || record.sequence !== undefined) continue;
    records.put(key, { ...record, sequence: sequenceOf(scrape, index) });
  }
}

/** Says of each target which of its scrapes saw a record, and of the record which one did last, and where. */
function fillSightings(environment: Environment, records: OldRecords, tables: Tables): void {
  const byTarget = table<[number, ...RecordKey], OldSeenBy>(environment, 'records.by_target');
  let [of, steps] = [0, new Map<number, StepRow>()];
  for (const { key, row: before } of each(byTarget)) {
    if (isSeenBy(before)) continue;
    const [target, ...name] = key;
    const record = records.get(name);
    if (record === undefined) continue;
    if (target !== of) [of, steps] = [target, stepsThatSaw(tables, target)];
    const seenBy = seenByOf(before, [
      ...instantsOf(record).flatMap((at) => steps.get(at)?.scrape ?? []),
      ...scrapesThatChanged(tables, target, record),
    ]);
    byTarget.put(key, seenBy);
    const url = record.url ?? steps.get(lastSeenAt(record))?.url;
    const lastScrape = Math.max(record.lastScrape ?? 0, seenBy.last);
    records.put(name, { ...record, lastScrape, ...(url !== undefined && { url }) });
  }
}

function isSeenBy(row: OldSeenBy): row is SeenBy {
  return typeof row === 'object' && row.first !== undefined && row.last !== undefined;
}

function seenByOf(before: OldSeenBy, found: readonly number[]): SeenBy {
  const scrapes = [...found];
  if (typeof before === 'object') scrapes.push(...Object.values(before));
  // 1 may mean no more than that it was seen.
  else if (before > 1) scrapes.push(before);
  return scrapes.length === 0 ? { first: 0, last: 0 } : { first: Math.min(...scrapes), last: Math.max(...scrapes) };
}

/** The steps of a target that saw records, by when they did. */
function stepsThatSaw({ scrapes, steps }: Tables, target: number): Map<number, StepRow> {
  const found = new Map<number, StepRow>();
  for (const { scrape } of scrapes.ofTarget(target)) {
    for (const step of steps.ofScrape(scrape)) {
      const { added, changed, confirmed } = step.counts;
      if (added + changed + confirmed > 0) found.set(step.at, step);
    }
  }
  return found;
}

function scrapesThatChanged({ history }: Tables, target: number, { source, type, key }: OldRecord): number[] {
  return Array.from(history.ofRecord(source, type, key))
    .filter((row) => row.target === target && row.scrape > 0 && (row.kind === 'added' || row.kind === 'changed'))
    .map(({ scrape }) => scrape);
}

/** When a record is known to have been seen. */
function instantsOf({ firstSeenAt, fields }: OldRecord): number[] {
  return [firstSeenAt, ...Object.values(fields).flatMap(({ observedAt, verifiedAt }) => [observedAt, verifiedAt])];
}

function lastSeenAt(record: OldRecord): number {
  return record.updatedAt ?? instantsOf(record).reduce((latest, at) => Math.max(latest, at));
}

function isWhole(record: OldRecord): record is RecordRow {
  const { id, url, updatedAt, sequence, lastScrape, absent } = record;
  return (
    [id, url, updatedAt, sequence, lastScrape ?? undefined].every((value) => value !== undefined) &&
    (absent === undefined || absent.scrape !== undefined)
  );
}

/** A record with what is still missing: of a target, its address is where a pulse, or a scrape of which no log is left, has seen it. */
function whole({ absent, ...record }: OldRecord, { history, targets }: Tables, newId: () => string): RecordRow {
  const { source, type, key } = record;
  const isMark = ({ kind }: HistoryRow): boolean => kind === 'missing' || kind === 'gone';
  const marked = absent && Array.from(history.ofRecord(source, type, key)).find(isMark);
  return {
    ...record,
    id: record.id ?? newId(),
    url: record.url ?? targets.get(record.target)?.url ?? '',
    updatedAt: lastSeenAt(record),
    sequence: record.sequence ?? 0,
    lastScrape: record.lastScrape ?? 0,
    ...(absent && { absent: { ...absent, scrape: absent.scrape ?? marked?.scrape ?? 0 } }),
  };
}

const batch = 1_000;

/** The rows of a table that may be changed meanwhile. */
function* each<K extends TableKey, V>(rows: Table<K, V>): Generator<{ readonly key: K; readonly row: V }> {
  let after: K | undefined;
  for (;;) {
    const some = [...rows.entries({ limit: batch, ...(after !== undefined && { after }) })];
    yield* some;
    if (some.length < batch) return;
    after = some.at(-1)?.key;
  }
}
