import type { Event } from '../event/catalogue.ts';
import type { Value } from '../extract/value/value.ts';
import type { HistoryView } from '../view/record.ts';
import type { Column, Row, Table } from './table.ts';

/** The columns of events. */
export const eventColumns: readonly Column[] = [
  { name: 'id', type: 'text' },
  { name: 'at', type: 'instant' },
  { name: 'type', type: 'text' },
  { name: 'source', type: 'text' },
  { name: 'target', type: 'integer' },
  { name: 'scrape', type: 'integer' },
  { name: 'projects', type: 'json' },
  { name: 'data', type: 'json' },
];

const events: Table = { folder: 'events', columns: eventColumns };

const history: Table = {
  folder: 'history',
  columns: [
    { name: 'id', type: 'text' },
    { name: 'at', type: 'instant' },
    { name: 'source', type: 'text' },
    { name: 'type', type: 'text' },
    { name: 'key', type: 'text' },
    { name: 'record', type: 'integer' },
    { name: 'kind', type: 'text' },
    { name: 'serial', type: 'integer' },
    { name: 'corrects', type: 'integer' },
    { name: 'target', type: 'integer' },
    { name: 'scrape', type: 'integer' },
    { name: 'page', type: 'text' },
    { name: 'version', type: 'text' },
    { name: 'fields', type: 'json' },
  ],
};

const metrics: Table = {
  folder: 'metrics',
  columns: [
    { name: 'project', type: 'text' },
    { name: 'metric', type: 'text' },
    { name: 'at', type: 'instant' },
    { name: 'value', type: 'json' },
    { name: 'reason', type: 'text' },
    { name: 'stale', type: 'text' },
    { name: 'verifiedAt', type: 'instant' },
  ],
};

/** What a metric was from an instant on. */
export interface ExportedPoint {
  readonly project: string;
  readonly metric: string;
  readonly at: number;
  readonly value: Value;
  readonly reason?: { readonly code: string; readonly message: string };
  readonly stale?: string;
  readonly verifiedAt?: number;
}

/** The row of a point of a metric. */
export function metricRow(point: ExportedPoint): Row {
  const { project, metric, at, value, reason, stale, verifiedAt } = point;
  return {
    table: metrics,
    json: point,
    cells: () => [project, metric, Math.floor(at), value, reason?.code, stale, verifiedAt && Math.floor(verifiedAt)],
  };
}

/** The row of an event. */
export function eventRow(event: Event, generation: string): Row {
  const { id: serial, at, type, source, target, scrape, projects, data } = event;
  const id = `${generation}-${serial}`;
  return {
    table: events,
    json: { ...event, id },
    // A clock may tell fractions of a millisecond.
    cells: () => [id, Math.floor(at), type, source, target, scrape, projects, data],
  };
}

/**
 * The row of a change in the history of a record. Its id is that of the event that told it; of a correction, which shares its event with all
 * others of its job, with the number of the record and the instant behind it.
 */
export function historyRow(change: HistoryView, generation: string): Row {
  const { serial, record, at, source, type, key, kind, corrects, target, scrape, page, version, fields } = change;
  const id = `${generation}-${serial}${corrects === undefined ? '' : `:${record}:${at}`}`;
  return {
    table: history,
    json: { id, ...change },
    cells: () => [id, at, source, type, key, record, kind, serial, corrects, target, scrape, page, version, fields],
  };
}
