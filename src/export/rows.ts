import type { Event } from '../event/catalogue.ts';
import type { HistoryView, RecordView } from '../view/record.ts';
import { type ExportedPoint, eventRow, historyRow, metricRow } from './log-tables.ts';
import { type RecordTable, type RecordTableView, recordTable, type RemovedRecord } from './record-table.ts';
import type { RowPlace, RowSlice } from './run.ts';
import type { Row } from './table.ts';

/** What can be exported, by the word of the command. */
export const exported = ['records', 'history', 'metrics', 'events'] as const;
export type Exported = (typeof exported)[number];

/** Which rows an export wants. */
export interface WantedRows {
  readonly source?: string;
  readonly type?: string;
  readonly project?: string;
  readonly since?: number;
}

/** Reads the rows of one slice. */
export type ReadRows = (place: RowPlace) => Promise<RowSlice>;

/** A question for rows: those that are wanted, from a place on, at most `limit`. */
type Asked = WantedRows & RowPlace & { readonly limit: number };

/** The answer to a question for rows. */
type Answer<T> = Omit<RowSlice, 'rows'> & { readonly rows: readonly T[] };

/** The rows of a daemon, as its control methods `export.*` read them. */
export interface ExportSource {
  tables(): Promise<readonly (RecordTableView & { readonly records: readonly TypeName[] })[]>;
  records(asked: Asked): Promise<Answer<RecordView> & { readonly removed: readonly RemovedRecord[] }>;
  history(asked: Asked): Promise<Answer<HistoryView>>;
  metrics(asked: Asked): Promise<Answer<ExportedPoint>>;
  events(asked: Asked): Promise<Answer<Event>>;
}

interface TypeName {
  readonly source: string;
  readonly type: string;
}

/** Opens the rows of an export. Rejects if there can be no such rows, as for an unknown source, so that no destination is created. */
export async function openRows(source: ExportSource, what: Exported, wanted: WantedRows): Promise<ReadRows> {
  await source[what]({ ...wanted, limit: 1 });
  switch (what) {
    case 'records':
      return readRecords(source, wanted);
    case 'history':
      return async (place) => rowsOf(await source.history({ ...wanted, ...place, limit }), historyRow);
    case 'metrics':
      return async (place) => rowsOf(await source.metrics({ ...wanted, ...place, limit }), metricRow);
    case 'events':
      return async (place) => rowsOf(await source.events({ ...wanted, ...place, limit }), eventRow);
    default:
      return what satisfies never;
  }
}

function rowsOf<T>({ rows, ...slice }: Answer<T>, rowOf: (row: T, generation: string) => Row): RowSlice {
  const generation = slice.upTo.slice(0, slice.upTo.lastIndexOf('-'));
  return { ...slice, rows: rows.map((row) => rowOf(row, generation)) };
}

/** Rows of one answer: some hundred kilobytes. */
const limit = 1_000;

async function readRecords(source: ExportSource, wanted: WantedRows): Promise<ReadRows> {
  const byName = new Map<string, RecordTable>();
  for (const { records, ...view } of await source.tables()) {
    const table = recordTable(view);
    for (const { source: id, type } of records) byName.set(`${id}.${type}`, table);
  }
  let seen = new Numbers();
  return async (place) => {
    const { rows, removed, ...slice } = await source.records({ ...wanted, ...place, limit });
    // What changed several times is told once, as it is now.
    if (slice.anew !== undefined) seen = new Numbers();
    const fresh = slice.anew !== undefined ? rows : rows.filter(({ record }) => seen.add(record));
    return {
      ...slice,
      rows: [
        ...fresh.map((record) => tableOf(record).rowOf(record)),
        ...removed.map((record) => tableOf(record).removedRow(record)),
      ],
    };
  };

  /** The table of a record; of one whose definition is not loaded, one without fields. */
  function tableOf({ source: id, type }: TypeName): RecordTable {
    const name = `${id}.${type}`;
    const table = byName.get(name) ?? recordTable({ id: name, fields: [] });
    byName.set(name, table);
    return table;
  }
}

/** A set of whole numbers that takes one bit for each up to the greatest. */
class Numbers {
  #bits = new Uint8Array(1_024);

  /** Adds a number. Returns whether it is new. */
  add(number: number): boolean {
    const at = number >> 3;
    if (at >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(at + 1, this.#bits.length * 2));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    const bit = 1 << (number & 7);
    const before = this.#bits[at] ?? 0;
    this.#bits[at] = before | bit;
    return (before & bit) === 0;
  }
}
