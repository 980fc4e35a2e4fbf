import { tellsCorrections } from '../event/tells-corrections.ts';
import { defined } from '../defined.ts';
import type { Event, EventOf } from '../event/catalogue.ts';
import type { HistoryView, RecordView } from '../view/record.ts';
import { isOfType } from '../event/of-type.ts';
import { isScrapeEnd } from '../event/scrape-event.ts';
import type { Store } from './store.ts';
import type { CorrectionPlace } from './tables/history.ts';
import type { MetricPlace, MetricRow } from './tables/metrics.ts';

/** The position of an export: in a scan of a whole table, or in the event log. */
export interface ExportPlace {
  /** The newest event when the export began: what came later is left to the next export. */
  readonly upTo: number;
  /** The number of the last record that was read, or the place of the last change in the history. Missing in the log. */
  readonly scan?: { readonly record: number; readonly at?: number; readonly serial?: number };
  /** The last point of a metric that was read in a scan of them, and the number of all that were. */
  readonly point?: MetricPlace & { readonly read: number };
  /** The last event that was read. Missing in a scan. */
  readonly log?: number;
  /** The last correction that was read of the job that the next event tells of. */
  readonly corrected?: CorrectionPlace;
  /** The last record that was looked at of the target whose scrape the next event tells the end of. */
  readonly seen?: number;
}

/** Which rows an export wants. */
export interface WantedRows {
  readonly source?: string | undefined;
  /** Whether rows of this type of records are wanted. */
  isOfType(source: string, type: string): boolean;
  readonly project?: { readonly id: string; readonly targets: readonly number[] } | undefined;
  /** Only what was observed or told at this instant or later, in milliseconds since the epoch. */
  readonly since?: number | undefined;
}

/** A record that was removed. */
export interface RemovedRow extends Pick<RecordView, 'source' | 'type' | 'key'> {
  readonly at: number;
}

/** The rows of one call. */
export interface ExportSlice<T> {
  readonly rows: readonly T[];
  readonly removed: readonly RemovedRow[];
  /** Where the next call goes on; missing at the end. */
  readonly next?: ExportPlace;
  /** Set if the export starts again from the first row, because a source was renamed meanwhile. */
  readonly isAnew?: boolean;
}

/** The limits of one call. Between two calls the event loop serves others. */
export interface ExportRoom {
  readonly limit: number;
  /** Milliseconds of a monotonic clock. */
  now(): number;
}

const turnMs = 25;

/** Rows between two looks at the clock. */
const looks = 32;

/** The limits of one call, and how much of them is used. While a call lasts, the pages of LMDB that it reads stay in use. */
class Room {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #endsAt: number;
  #rows = 0;
  #read = 0;

  constructor({ limit, now }: ExportRoom) {
    this.#limit = limit;
    this.#now = now;
    this.#endsAt = now() + turnMs;
  }

  /** Whether another row may be read; `found`: whether the last one was wanted. */
  goesOn(found: boolean): boolean {
    this.#read += 1;
    if (found) this.#rows += 1;
    return this.#rows < this.#limit && (this.#read % looks !== 0 || this.#now() < this.#endsAt);
  }
}

/** Reads records as they are now: all of them in a scan, or only those that events after a position name. */
export function exportRecords(
  store: Store,
  place: ExportPlace,
  wanted: WantedRows,
  given: ExportRoom,
): ExportSlice<RecordView> {
  const room = new Room(given);
  const rows: RecordView[] = [];
  const removed: RemovedRow[] = [];
  const { upTo } = place;
  if (place.scan !== undefined) {
    for (const record of store.records.rows(place.scan.record)) {
      const isWanted = wantsRecord(store, record, wanted);
      if (isWanted) rows.push(record);
      if (!room.goesOn(isWanted)) return { rows, removed, next: { upTo, scan: { record: record.record } } };
    }
    return { rows, removed };
  }

  const read = new Set<number>();
  let { corrected: after, seen = 0 } = place;
  for (const { event, record } of store.events.entries({ after: place.log ?? 0, before: upTo + 1 })) {
    // Rows that have the old name are in other tables.
    if (event.type === 'source.renamed')
      return { rows: [], removed: [], isAnew: true, next: { upTo, scan: { record: 0 } } };
    if (tellsCorrections(event.type))
      for (const corrected of store.history.correctionsOf(event.id, { after })) {
        const next = { upTo, log: event.id - 1, corrected: { record: corrected.record, at: corrected.at } };
        if (!room.goesOn(addRecord(corrected.record))) return { rows, removed, next };
      }
    after = undefined;
    // No event tells a project that one of its targets shows a record that another one has found.
    if (isScrapeEnd(event.type) && isOfProject(event))
      for (const { record: number, isFirst } of store.records.firstSeenIn(event.scrape ?? 0, event.target ?? 0, seen))
        if (!room.goesOn(isFirst && addRecord(number)))
          return { rows, removed, next: { upTo, log: event.id - 1, seen: number } };
    seen = 0;
    let isWanted = false;
    if (record !== undefined) isWanted = addRecord(record);
    else if (event.type === 'record.removed') {
      const { source, at, data } = event;
      const { type, key } = data;
      const isAgain = store.records.get(source, type, key) !== undefined;
      isWanted = !isAgain && isNamed(event, wanted) && wanted.isOfType(source, type);
      if (isWanted) removed.push({ source, type, key, at: Math.floor(at) });
    }
    if (!room.goesOn(isWanted)) return { rows, removed, next: { upTo, log: event.id } };
  }
  return { rows, removed };

  /** Whether an event is of a target of the project that is wanted, on a source that has others. */
  function isOfProject({ source = '', target = 0 }: Event): boolean {
    return wanted.project?.targets.includes(target) === true && store.targets.hasSeveral(source);
  }

  /** Adds a record that is wanted and not there yet. Returns whether it did. */
  function addRecord(record: number): boolean {
    if (read.has(record)) return false;
    read.add(record);
    const view = store.records.byNumber(record);
    if (view === undefined || !wantsRecord(store, view, wanted)) return false;
    rows.push(view);
    return true;
  }
}

/** Reads changes in the history of records: all of them in a scan, or only those that events after a position name. */
export function exportHistory(
  store: Store,
  place: ExportPlace,
  wanted: WantedRows,
  given: ExportRoom,
): ExportSlice<HistoryView> {
  const room = new Room(given);
  const rows: HistoryView[] = [];
  const { upTo } = place;
  const isWanted = (change: HistoryView): boolean =>
    change.serial <= upTo &&
    (wanted.source === undefined || change.source === wanted.source) &&
    wanted.isOfType(change.source, change.type) &&
    (wanted.project === undefined || wanted.project.targets.includes(change.target)) &&
    (wanted.since === undefined || change.at >= wanted.since);
  if (place.scan !== undefined) {
    const { record, at = 0, serial = 0 } = place.scan;
    for (const change of store.history.rows({ record, at, serial })) {
      const found = isWanted(change);
      if (found) rows.push(change);
      const scan = { record: change.record, at: change.at, serial: change.serial };
      if (!room.goesOn(found)) return { rows, removed: [], next: { upTo, scan } };
    }
    return { rows, removed: [] };
  }
  for (const { id, changes } of store.events.changes({ after: place.log ?? 0, before: upTo + 1 }, place.corrected)) {
    let isFull = false;
    for (const change of changes) {
      const found = isWanted(change);
      if (found) rows.push(change);
      const { record, at, corrects } = change;
      isFull = !room.goesOn(found);
      if (isFull && corrects !== undefined)
        return { rows, removed: [], next: { upTo, log: id - 1, corrected: { record, at } } };
    }
    if (isFull || !room.goesOn(false)) return { rows, removed: [], next: { upTo, log: id } };
  }
  return { rows, removed: [] };
}

/** Reads the points of metrics: all of them in a scan, or only those that events after a position name. */
export function exportMetrics(
  store: Store,
  place: ExportPlace,
  { project, since = 0 }: Pick<WantedRows, 'project' | 'since'>,
  given: ExportRoom,
): ExportSlice<MetricPlace & MetricRow> {
  const room = new Room(given);
  const rows: (MetricPlace & MetricRow)[] = [];
  const { upTo, scan } = place;
  const isWanted = (point: MetricPlace): boolean =>
    (project === undefined || point.project === project.id) && point.at >= since;
  if (scan !== undefined) {
    let read = place.point?.read ?? 0;
    for (const point of store.metrics.points(place.point, project?.id)) {
      const found = isWanted(point);
      if (found) rows.push(point);
      read += 1;
      const { metric, at } = point;
      if (!room.goesOn(found))
        return { rows, removed: [], next: { upTo, scan, point: { project: point.project, metric, at, read } } };
    }
    return { rows, removed: [] };
  }
  for (const event of store.events.rows({ after: place.log ?? 0, before: upTo + 1 })) {
    const point = event.type === 'metric.changed' ? pointOf(event) : undefined;
    const found = point !== undefined && isWanted(point);
    if (found) rows.push(point);
    if (!room.goesOn(found)) return { rows, removed: [], next: { upTo, log: event.id } };
  }
  return { rows, removed: [] };
}

function pointOf({ projects: [project = ''], at, data }: EventOf<'metric.changed'>): MetricPlace & MetricRow {
  const { metric, new: value, reason, stale, verifiedAt } = data;
  return { project, metric, at, value, ...defined({ reason, stale, verifiedAt }) };
}

/** Which events an export wants. */
export interface WantedEvents extends Omit<WantedRows, 'isOfType'> {
  /** An event type; a `*` at the end stands for any rest. Default: all. */
  readonly type?: string | undefined;
}

/** Reads the events after a position in the log. */
export function exportEvents(
  store: Store,
  place: ExportPlace,
  { type, ...wanted }: WantedEvents,
  given: ExportRoom,
): ExportSlice<Event> {
  const room = new Room(given);
  const rows: Event[] = [];
  const { upTo } = place;
  for (const event of store.events.rows({ after: place.log ?? 0, before: upTo + 1 })) {
    const found =
      isNamed(event, wanted) && (type === undefined || isOfType(event.type, type)) && event.at >= (wanted.since ?? 0);
    if (found) rows.push(event);
    if (!room.goesOn(found)) return { rows, removed: [], next: { upTo, log: event.id } };
  }
  return { rows, removed: [] };
}

function isNamed(event: Event, { source, project }: Pick<WantedRows, 'source' | 'project'>): boolean {
  return (
    (source === undefined || event.source === source) &&
    (project === undefined || event.projects?.includes(project.id) === true)
  );
}

function wantsRecord(store: Store, record: RecordView, { source, isOfType: has, project, since }: WantedRows): boolean {
  return (
    (source === undefined || record.source === source) &&
    has(record.source, record.type) &&
    (project === undefined ||
      project.targets.some((target) => store.records.seenByNumber(target, record.record) !== undefined)) &&
    (since === undefined || changedAt(record) >= since)
  );
}

/** The instant of the last observation that changed a record. */
function changedAt({ firstSeenAt, absent, fields }: RecordView): number {
  let newest = Math.max(firstSeenAt, absent?.since ?? 0);
  for (const { observedAt } of Object.values(fields)) if (observedAt > newest) newest = observedAt;
  return newest;
}
