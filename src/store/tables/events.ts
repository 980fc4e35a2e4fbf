import { tellsCorrections } from '../../event/tells-corrections.ts';
import type { Event } from '../../event/catalogue.ts';
import type { HistoryView } from '../../view/record.ts';
import type { ScrapeView } from '../../view/scrape.ts';
import { recordEvent, type Telling } from '../../event/record-event.ts';
import { endedEvent, startedEvent } from '../../event/scrape-event.ts';
import type { Environment } from '../lmdb/environment.ts';
import { numberedTable, type Range, table } from '../lmdb/table.ts';
import type { CorrectionPlace, historyTable } from './history.ts';
import type { scrapeTable } from './scrapes.ts';
import { sourceNames } from './source-names.ts';
import { wordsOf } from './words.ts';

/** What the row of an event says by itself. */
export interface EventBrief {
  readonly id: number;
  /** The part of the event's type before its dot, such as `record`. */
  readonly noun: string;
  /** The projects of the event; none where it is of no project. */
  readonly projects: readonly string[];
  /** Reads the whole event. To be called in the turn of the event loop in which the brief was read. */
  read(): Event;
}

const kinds = { change: 0, started: 1, ended: 2, both: 3 } as const;

/** The event of a change of a record, without what the change says: where the change is, the wall time, and who is told. */
type ChangeRow = readonly [kind: 0, record: number, observedAt: number, at: number, projects: readonly number[]];

/** The event of the begin or the end of a scrape, without what the scrape says; or both, of which the begin has the id before the row's. */
type ScrapeRow = readonly [kind: 1 | 2 | 3, scrape: number, projects: readonly number[]];

/** Any other event is stored whole, as JSON. */
type Row = string | ChangeRow | ScrapeRow;

/**
 * The events by id, in the order of the commits. Those of changes of records are made of the history as they are read, and those of the
 * begin and the end of scrapes of the scrapes.
 */
export function eventTable(
  environment: Environment,
  history: ReturnType<typeof historyTable>,
  scrapes: ReturnType<typeof scrapeTable>,
) {
  const rows = numberedTable<Row>(environment, 'events', () => table<number, Row>(environment, 'events', 'msgpack'));
  const { idThen } = sourceNames(environment);
  const { numberOf, textOf } = wordsOf(environment);
  /** The begin of a scrape that is the newest event, until it is known whether its end is the next one: they share a row. */
  let begun: ScrapeRow | undefined;
  environment.onLastChange(writeBegun);
  environment.onUndone(() => {
    begun = undefined;
  });

  return {
    /** Appends the event that `make` returns for the next id. Returns the event. */
    add(make: (id: number) => Event): Event {
      writeBegun();
      const event = make(rows.last() + 1);
      rows.add(() => JSON.stringify(event));
      return event;
    },
    /** Adds a change of a record to its history, and the event that tells of it. Returns the event. */
    addChange(change: Omit<HistoryView, 'serial'>, { at, projects }: Omit<Telling, 'source'>): Event {
      writeBegun();
      const added = { serial: rows.last() + 1, ...change };
      history.add(added);
      rows.add(() => [kinds.change, change.record, change.at, at, projects.map(numberOf)]);
      return recordEvent(added, { at, projects, source: change.source });
    },
    /** Adds the event of the begin or the end of a scrape, whose row the change stores as it is given here. Returns the event. */
    addOfScrape(what: 'started' | 'ended', scrape: ScrapeView, projects: readonly string[]): Event {
      const telling = { id: last() + 1, projects, source: scrape.source };
      const told = projects.map(numberOf);
      const isBoth = what === 'ended' && begun?.[1] === scrape.scrape && isSame(begun[2], told);
      if (isBoth) {
        begun = undefined;
        rows.add(() => [kinds.both, scrape.scrape, told], 2);
      } else {
        writeBegun();
        if (what === 'started') begun = [kinds.started, scrape.scrape, told];
        else rows.add(() => [kinds.ended, scrape.scrape, told]);
      }
      return what === 'started' ? startedEvent(scrape, telling) : endedEvent(scrape, telling);
    },
    get(id: number): Event | undefined {
      if (environment.isWriting()) writeBegun();
      const key = rows.has(id) ? id : id + 1;
      const row = rows.get(key);
      return row === undefined || !idsOf(key, row).includes(id) ? undefined : eventOf(id, key, row);
    },
    *rows(range?: Range<number>): Generator<Event> {
      for (const { id, key, row } of read(range)) yield eventOf(id, key, row);
    },
    /** The events of a range, each by what is known of it before the history or the scrapes are read. */
    *briefs(range?: Range<number>): Generator<EventBrief> {
      for (const { id, key, row } of read(range)) yield briefOf(id, key, row);
    },
    /** The events of a range, each with the number of the record that it is a change of, if it is one. */
    *entries(range?: Range<number>): Generator<{ readonly event: Event; readonly record?: number }> {
      for (const { id, key, row } of read(range)) {
        const event = eventOf(id, key, row);
        yield isChange(row) ? { event, record: row[1] } : { event };
      }
    },
    /**
     * The rows of a range, each with the changes of records that it tells of: one that the history still has, the corrections of a job, or none.
     * A reader can stop at any row, as long stretches of the log may tell of no change.
     *
     * @param corrected - the last correction that was read, where the range begins within those of a job.
     */
    *changes(
      range?: Range<number>,
      corrected?: CorrectionPlace,
    ): Generator<{ readonly id: number; readonly changes: Iterable<HistoryView> }> {
      let after = corrected;
      for (const { key, row } of rows.entries(range)) {
        yield { id: key, changes: changesOf(key, row, after) };
        after = undefined;
      }
    },
    /**
     * The rows of a range, each with the projects whose records changed by what it tells, or that were deleted; none for a row of anything else. Reads no
     * history.
     */
    *projectsOfChanges(
      range?: Range<number>,
    ): Generator<{ readonly id: number; readonly projects: readonly string[]; readonly isDeletion: boolean }> {
      for (const { key: id, row } of rows.entries(range)) {
        if (isChange(row)) {
          yield { id, projects: row[4].map(textOf), isDeletion: false };
          continue;
        }
        const { type, projects = [] } = typeof row === 'string' ? wholeOf(row) : { type: '' };
        const isDeletion = type === 'project.deleted';
        yield { id, projects: isDeletion || isRecordChange(type) ? projects : [], isDeletion };
      }
    },
    /** Stores the event of a change whole, if it is still kept. To be called before the change is removed. */
    keepWhole({ serial }: HistoryView): void {
      const row = rows.get(serial);
      if (row !== undefined && isChange(row)) rows.put(serial, JSON.stringify(eventOf(serial, serial, row)));
    },
    last,
    first,
    count: () => last() - (first() ?? last() + 1) + 1,
    exceeds: rows.exceeds,
    /** Returns how many of the newest events stay when those at the beginning go that were told before `at`; looks at up to `limit` events. */
    keptSince: (at: number, limit: number) => rows.keptBehind((row) => atOf(row) < at, limit),
    /** Removes up to `limit` of the oldest events beyond the newest `keep`. Returns their number. */
    trim: (keep: number, limit: number) => rows.trim(keep, limit),
  };

  function writeBegun(): void {
    const row = begun;
    begun = undefined;
    if (row !== undefined) rows.add(() => row);
  }

  function last(): number {
    return rows.last() + (begun === undefined ? 0 : 1);
  }

  function changesOf(key: number, row: Row, after: CorrectionPlace | undefined): Iterable<HistoryView> {
    if (isChange(row)) return [history.get(row[1], row[2], key)].flatMap((change) => change ?? []);
    return typeof row === 'string' && tellsCorrections(wholeOf(row).type) ? history.correctionsOf(key, { after }) : [];
  }

  /** The id of the oldest event that is kept; `undefined` where there is none. */
  function first(): number | undefined {
    for (const { key, row } of rows.entries({ limit: 1 })) return idsOf(key, row)[0];
    return undefined;
  }

  function* read({
    from,
    after,
    before = Infinity,
    limit = Infinity,
    offset = 0,
    newestFirst = false,
  }: Range<number> = {}) {
    if (environment.isWriting()) writeBegun();
    const lowest = after === undefined ? (from ?? 0) : after + 1;
    let [passed, found] = [0, 0];
    // The row behind the range may be that of two events.
    for (const { key, row } of rows.entries({ from: lowest, before: before + 1, newestFirst })) {
      for (const id of newestFirst ? idsOf(key, row).toReversed() : idsOf(key, row)) {
        if (id < lowest || id >= before || (passed += 1) <= offset) continue;
        if (found === limit) return;
        found += 1;
        yield { id, key, row };
      }
      if (found >= limit) return;
    }
  }

  function eventOf(id: number, key: number, row: Row): Event {
    if (typeof row === 'string') return wholeOf(row);
    if (isChange(row)) {
      const [, record, observedAt, at, projects] = row;
      const change = history.get(record, observedAt, id);
      if (change === undefined) throw new Error(`event ${id}: expected the history of record ${record} to have it`);
      return recordEvent(change, { at, projects: projects.map(textOf), source: idThen(change.source, id) });
    }
    const scrape = scrapeOf(row);
    const telling = { id, projects: row[2].map(textOf), source: idThen(scrape.source, id) };
    return row[0] === kinds.started || id < key ? startedEvent(scrape, telling) : endedEvent(scrape, telling);
  }

  function briefOf(id: number, key: number, row: Row): EventBrief {
    if (typeof row === 'string') {
      const event = wholeOf(row);
      return { id, noun: event.type.split('.', 1)[0] ?? '', projects: event.projects ?? [], read: () => event };
    }
    const [noun, numbers] = isChange(row) ? ['record', row[4]] : ['scrape', row[2]];
    return { id, noun, projects: numbers.map(textOf), read: () => eventOf(id, key, row) };
  }

  function scrapeOf([, number]: ScrapeRow): ScrapeView {
    const scrape = scrapes.resultOf(number);
    if (scrape === undefined) throw new Error(`events: expected scrape ${number} to be kept as long as its events`);
    return scrape;
  }

  /** The wall time of the newest event of a row. */
  function atOf(row: Row): number {
    if (typeof row === 'string') return wholeOf(row).at;
    if (isChange(row)) return row[3];
    const { startedAt, endedAt = startedAt } = scrapeOf(row);
    return row[0] === kinds.started ? startedAt : endedAt;
  }
}

function wholeOf(row: string): Event {
  return JSON.parse(row) as Event;
}

/** Whether an event of a type tells that records of its projects changed. */
function isRecordChange(type: string): boolean {
  return type.startsWith('record.') && type !== 'record.synced';
}

function isChange(row: Row): row is ChangeRow {
  return row[0] === kinds.change;
}

/** The ids of the events that a row tells, in order. */
function idsOf(key: number, row: Row): readonly number[] {
  return row[0] === kinds.both ? [key - 1, key] : [key];
}

function isSame(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((each, place) => each === others[place]);
}
