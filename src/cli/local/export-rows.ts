import type { Client } from '../../control/client.ts';
import type { MethodInput } from '../../control/methods.ts';
import { defined } from '../../defined.ts';
import { eventRow, historyRow, metricRow } from '../../export/log-tables.ts';
import { type RecordTable, recordTable } from '../../export/record-table.ts';
import type { RowPlace, RowSlice } from '../../export/run.ts';
import { CommandError } from '../exit-status.ts';

/** What can be exported, by the word of the command. */
export const exported = ['records', 'history', 'metrics', 'events'] as const;
export type Exported = (typeof exported)[number];

/** Which rows an export wants. */
export type WantedRows = Pick<MethodInput<'export.records'>, 'source' | 'type' | 'project' | 'since'>;

/** Reads the rows of one slice. */
export type ReadRows = (place: RowPlace) => Promise<RowSlice>;

/** Opens the rows of an export in a daemon. Rejects if there can be no such rows, as for an unknown source, so that no destination is created. */
export async function openRows(client: Client, what: Exported, wanted: WantedRows): Promise<ReadRows> {
  if (what === 'metrics')
    for (const name of ['source', 'type'] as const)
      if (wanted[name] !== undefined)
        throw new CommandError('usage', `--${name}: metrics are of projects: expected --project or none`);
  await client.call(`export.${what}`, { ...wanted, limit: 1 });
  switch (what) {
    case 'records':
      return readRecords(client, wanted);
    case 'history':
      return async (place) => {
        const { rows, ...slice } = await client.call('export.history', { ...wanted, ...place, limit });
        return { ...slice, rows: rows.map((row) => historyRow(row, generationOf(slice.upTo))) };
      };
    case 'metrics':
      return async (place) => {
        const { rows, ...slice } = await client.call('export.metrics', { ...wanted, ...place, limit });
        return { ...slice, rows: rows.map(metricRow) };
      };
    case 'events':
      return async (place) => {
        const { rows, ...slice } = await client.call('export.events', { ...wanted, ...place, limit });
        return { ...slice, rows: rows.map((row) => eventRow(row, generationOf(slice.upTo))) };
      };
    default:
      return what satisfies never;
  }
}

/** Rows of one answer: some hundred kilobytes. */
const limit = 1_000;

function generationOf(cursor: string): string {
  return cursor.slice(0, cursor.lastIndexOf('-'));
}

async function readRecords(client: Client, wanted: WantedRows): Promise<ReadRows> {
  const { tables } = await client.call('export.tables', {});
  const byName = new Map<string, RecordTable>();
  for (const { records, ...view } of tables) {
    const table = recordTable(view);
    for (const { source, type } of records) byName.set(`${source}.${type}`, table);
  }
  let seen = new Numbers();
  return async (place) => {
    const { rows, removed, ...slice } = await client.call('export.records', { ...wanted, ...place, limit });
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
  function tableOf({ source, type }: { readonly source: string; readonly type: string }): RecordTable {
    const name = `${source}.${type}`;
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

/** The options that select rows, without those that are not given. */
export function selection(given: { readonly [Name in keyof WantedRows]: WantedRows[Name] | undefined }): WantedRows {
  const { source, type, project, since } = given;
  return defined({ source, type, project, since });
}
