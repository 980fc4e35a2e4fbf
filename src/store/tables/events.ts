import type { Event } from '../../event/catalogue.ts';
import type { HistoryView } from '../../view/record.ts';
import { recordEvent, type Telling } from '../../event/record-event.ts';
import type { Environment } from '../lmdb/environment.ts';
import { numberedTable, type Range } from '../lmdb/table.ts';
import type { CorrectionPlace, historyTable } from './history.ts';
import { sourceNames } from './source-names.ts';

/** The event of a change of a record, without what the change says: its wall time, where the change is, and who is told. */
type ChangeRow = readonly [at: number, record: number, observedAt: number, projects: readonly string[]];

/** The events by id, in the order of the commits. Those of changes of records are made of the history as they are read. */
export function eventTable(environment: Environment, history: ReturnType<typeof historyTable>) {
  const rows = numberedTable<Event | ChangeRow>(environment, 'events');
  const { idThen } = sourceNames(environment);

  return {
    /** Appends the event that `make` returns for the next id. Returns the event. */
    add(make: (id: number) => Event): Event {
      const id = rows.last() + 1;
      const event = make(id);
      rows.add(() => event);
      return event;
    },
    /** Adds a change of a record to its history, and the event that tells of it. Returns the event. */
    addChange(change: Omit<HistoryView, 'serial'>, { at, projects }: Omit<Telling, 'source'>): Event {
      const added = { serial: rows.last() + 1, ...change };
      history.add(added);
      rows.add(() => [at, change.record, change.at, projects]);
      return recordEvent(added, { at, projects, source: change.source });
    },
    get(id: number): Event | undefined {
      const row = rows.get(id);
      return row && eventOf(id, row);
    },
    *rows(range?: Range<number>): Generator<Event> {
      for (const { key, row } of rows.entries(range)) yield eventOf(key, row);
    },
    /** The events of a range, each with the number of the record that it is a change of, if it is one. */
    *entries(range?: Range<number>): Generator<{ readonly event: Event; readonly record?: number }> {
      for (const { key, row } of rows.entries(range)) {
        const event = eventOf(key, row);
        yield isChange(row) ? { event, record: row[1] } : { event };
      }
    },
    /**
     * The changes of records that the events of a range tell of, where the history still has them, and the corrections of the jobs that they tell of.
     *
     * @param corrected - the last correction that was read, where the range begins within those of a job.
     */
    *changes(range?: Range<number>, corrected?: CorrectionPlace): Generator<HistoryView> {
      let after = corrected;
      for (const { key, row } of rows.entries(range)) {
        if (isChange(row)) {
          const change = history.get(row[1], row[2], key);
          if (change !== undefined) yield change;
        } else if (row.type === 'reextraction.applied') yield* history.correctionsOf(key, { after });
        after = undefined;
      }
    },
    /** Stores the event of a change whole, if it is still kept. To be called before the change is removed. */
    keepWhole({ serial }: HistoryView): void {
      const row = rows.get(serial);
      if (row !== undefined && isChange(row)) rows.put(serial, eventOf(serial, row));
    },
    last: rows.last,
    /** The id of the oldest event that is kept; `undefined` where there is none. */
    first(): number | undefined {
      for (const id of rows.keys({ limit: 1 })) return id;
      return undefined;
    },
    count: rows.count,
    exceeds: rows.exceeds,
    /** Returns how many of the newest events stay when those at the beginning go that were told before `at`; looks at up to `limit` events. */
    keptSince: (at: number, limit: number) => rows.keptBehind((row) => (isChange(row) ? row[0] : row.at) < at, limit),
    /** Removes up to `limit` of the oldest events beyond the newest `keep`. Returns their number. */
    trim: (keep: number, limit: number) => rows.trim(keep, limit),
  };

  function eventOf(id: number, row: Event | ChangeRow): Event {
    if (!isChange(row)) return row;
    const [at, record, observedAt, projects] = row;
    const change = history.get(record, observedAt, id);
    if (change === undefined) throw new Error(`event ${id}: expected the history of record ${record} to have it`);
    return recordEvent(change, { at, projects, source: idThen(change.source, id) });
  }
}

function isChange(row: Event | ChangeRow): row is ChangeRow {
  return Array.isArray(row);
}
