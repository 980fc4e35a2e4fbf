import type { Event, EventOf } from '../event/catalogue.ts';

/** The state of the demo's screen, from the daemon's events so far. */
export interface Board {
  readonly rows: ReadonlyMap<string, BoardRow>;
  readonly counts: BoardCounts;
}

/** The demo's figures for one project on one source. */
export interface BoardRow {
  readonly project: string;
  readonly source: string;
  /** The record that was last added or changed, its fields as they stand. */
  readonly record?: { readonly key: string; readonly fields: Readonly<Record<string, unknown>> };
  /** The fields that changed last. */
  readonly latest: readonly string[];
  readonly records: number;
  readonly changes: number;
  /** When a scrape last completed or a record last changed. */
  readonly seenAt?: number;
  /** The fields that are figures out of date. */
  readonly stale?: readonly string[];
  /** Why the last scrape failed; gone when one completes. */
  readonly failure?: string;
}

/** The numbers of events since the demo began, by kind. */
export interface BoardCounts {
  readonly scrapes: number;
  readonly records: number;
  readonly changes: number;
  readonly failures: number;
  readonly finished: number;
}

/** An event that tells a record's fields. */
export type RecordChange = EventOf<'record.added' | 'record.changed'>;

/** A board on which nothing has happened. */
export const emptyBoard: Board = {
  rows: new Map(),
  counts: { scrapes: 0, records: 0, changes: 0, failures: 0, finished: 0 },
};

/** The board after one more event. */
export function withEvent(board: Board, event: Event): Board {
  const { counts } = board;
  switch (event.type) {
    case 'record.added':
      return { rows: changedRow(board, event), counts: { ...counts, records: counts.records + 1 } };
    case 'record.changed':
      return { rows: changedRow(board, event), counts: { ...counts, changes: counts.changes + 1 } };
    case 'scrape.completed':
      return { rows: scrapedRow(board, event), counts: { ...counts, scrapes: counts.scrapes + 1 } };
    case 'scrape.failed':
      return {
        rows: row(board, event, { failure: event.data.failure?.code ?? 'failed' }),
        counts: { ...counts, failures: counts.failures + 1 },
      };
    case 'metric.changed':
      return { ...board, rows: figuredRow(board, event) };
    case 'project.finished':
      return { ...board, counts: { ...counts, finished: counts.finished + 1 } };
    default:
      return board;
  }
}

function changedRow(board: Board, event: RecordChange): Board['rows'] {
  const change = event.data;
  const before = rowOf(board, event);
  const values = Object.fromEntries(Object.entries(change.fields).map(([name, field]) => [name, field.new]));
  const kept = before.record?.key === change.key ? before.record.fields : {};
  const added = event.type === 'record.added';
  return row(board, event, {
    record: { key: change.key, fields: { ...kept, ...values } },
    latest: added ? [] : Object.keys(change.fields),
    records: before.records + (added ? 1 : 0),
    changes: before.changes + (added ? 0 : 1),
    seenAt: event.at,
  });
}

/** The row of a project's figures, which stands beside those of its sources. */
function figuredRow(board: Board, { projects: [project = ''], data }: EventOf<'metric.changed'>): Board['rows'] {
  const key = `${project} figures`;
  const before = board.rows.get(key) ?? { project, source: 'figures', latest: [], records: 0, changes: 0 };
  const { metric, new: value, stale, verifiedAt } = data;
  const others = (before.stale ?? []).filter((name) => name !== metric);
  return new Map(board.rows).set(key, {
    ...before,
    record: { key: project, fields: { ...before.record?.fields, [metric]: value } },
    latest: [metric],
    stale: stale === undefined ? others : [...others, metric],
    changes: before.changes + 1,
    ...(verifiedAt !== undefined && { seenAt: verifiedAt }),
  });
}

function scrapedRow(board: Board, event: Event): Board['rows'] {
  const { failure: _mended, ...rest } = rowOf(board, event);
  return new Map(board.rows).set(keyOf(event), { ...rest, seenAt: event.at });
}

function row(board: Board, event: Event, change: Partial<BoardRow>): Board['rows'] {
  return new Map(board.rows).set(keyOf(event), { ...rowOf(board, event), ...change });
}

function rowOf(board: Board, event: Event): BoardRow {
  const { projects: [project = ''] = [], source = '' } = event;
  return board.rows.get(keyOf(event)) ?? { project, source, latest: [], records: 0, changes: 0 };
}

function keyOf({ projects: [project = ''] = [], source = '' }: Event): string {
  return `${project} ${source}`;
}
