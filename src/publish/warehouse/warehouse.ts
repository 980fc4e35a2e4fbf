import type { ClientBase } from 'pg';
import type { Event, EventOf, EventType } from '../../event/catalogue.ts';
import type { Message } from '../sink.ts';
import { correct } from './correct.ts';
import { addVersions, beginVersions, type Row, type Statement, touch, upsert } from './statement.ts';
import { historyName, tableName, type Tables, type WarehouseTable } from './table.ts';
import { removedRow, rowOf, seenRow, type ToldRecord, toldRecord, versionOf, type WarehousePorts } from './told.ts';

/** The events of the ends of scrapes. */
const scrapeEnds = [
  'scrape.completed',
  'scrape.failed',
  'scrape.aborted',
  'scrape.cancelled',
] as const satisfies readonly EventType[];

/** The types of events that stand for many records: those that a scrape saw unchanged, and those that a re-extraction corrected. */
export const ofManyRecords = [...scrapeEnds, 'reextraction.applied'] as const satisfies readonly EventType[];

type ScrapeEnd = EventOf<(typeof scrapeEnds)[number]>;

function isScrapeEnd(event: Event): event is ScrapeEnd {
  return scrapeEnds.some((type) => type === event.type);
}

/** The dependencies of a warehouse. */
export interface WarehouseDeps {
  readonly client: ClientBase;
  readonly tables: Tables;
  readonly ports: WarehousePorts;
  readonly hasHistory: boolean;
}

/** Rows of one table that all have the same columns. */
type RowsOf = (table: WarehouseTable, rows: readonly Row[]) => readonly Statement[];

/** Whether an error is one of the values that were to be written: another attempt cannot succeed. */
export function isDataFault(error: unknown): boolean {
  // Classes of SQLSTATE: one row told twice in a statement, data, constraints, limits of the program.
  return error instanceof Error && 'code' in error && /^(?:21|22|23|54)...$/.test(String(error.code));
}

/** The tables of PostgreSQL that hold records. */
export class Warehouse {
  readonly #deps: WarehouseDeps;

  constructor(deps: WarehouseDeps) {
    this.#deps = deps;
  }

  /**
   * Writes what messages of different keys tell, all or nothing. Rejects with what the database says, with a `SchemaFault`, or with a `StillApplied`.
   */
  async write(batch: readonly Message[]): Promise<void> {
    const { ports, hasHistory } = this.#deps;
    const told = batch.flatMap((message) => toldRecord(message, ports) ?? []);
    const statements = [...(await this.#rows(told)), ...(hasHistory ? await this.#versions(told) : [])];
    if (statements.length > 0) await this.#transact(statements);
    for (const { event } of batch) {
      if (event === undefined) continue;
      if (isScrapeEnd(event)) await this.#sight(event);
      if (event.type === 'reextraction.applied')
        await correct(this.#deps, event.id, (corrections) => this.#transact(corrections));
    }
  }

  /** Makes the statements that write the rows of records as they are now. A record that was removed meanwhile has a message of its own. */
  async #rows(told: readonly ToldRecord[]): Promise<readonly Statement[]> {
    const removed = told.filter(({ kind }) => kind === 'removed');
    const known = told.filter(({ kind }) => kind !== 'removed');
    const rows = await this.#statements(known, 'records', rowOf, (table, each) => [upsert(table, each)]);
    return [
      ...rows,
      ...(await this.#statements(removed, 'records', removedRow, (table, each) => [touch(table, each)])),
    ];
  }

  async #versions(told: readonly ToldRecord[]): Promise<readonly Statement[]> {
    const of = (records: readonly ToldRecord[], statements: RowsOf) =>
      this.#statements(records, 'history', versionOf, statements);
    const changed = told.filter(({ kind }) => kind !== 'synced');
    return [
      ...(await of(
        changed.filter(({ isNew }) => isNew),
        (table, rows) => addVersions(table, rows, true),
      )),
      ...(await of(
        changed.filter(({ isNew }) => !isNew),
        (table, rows) => addVersions(table, rows, false),
      )),
      ...(await of(
        told.filter(({ kind }) => kind === 'synced'),
        (table, rows) => [beginVersions(table, rows)],
      )),
    ];
  }

  /** Updates the rows of records that a scrape saw unchanged, in tables that exist. Idempotent. */
  async #sight({ target, scrape, data }: ScrapeEnd): Promise<void> {
    const { client, tables, ports } = this.#deps;
    let after: number | undefined = data.counts.confirmed > 0 ? 0 : undefined;
    while (after !== undefined) {
      const { rows, last } = ports.seenIn({ target, scrape, after });
      after = last;
      for (const [name, records] of Map.groupBy(rows, (record) =>
        tableName({ ...record, ...ports.recordType(record) }),
      )) {
        const table = await tables.find(client, name);
        if (table === undefined) continue;
        const { text, values } = touch(table, records.map(seenRow));
        await client.query(text, [...values]);
      }
    }
  }

  /** Makes the statements of records, for each table and set of columns; a record without a row has none. */
  async #statements(
    told: readonly ToldRecord[],
    shape: 'records' | 'history',
    rowOfRecord: (record: ToldRecord) => Row | undefined,
    statements: RowsOf,
  ): Promise<readonly Statement[]> {
    const { client, tables } = this.#deps;
    const made: Statement[] = [];
    const rows = told.flatMap((record) => {
      const row = rowOfRecord(record);
      return row === undefined ? [] : [{ record, row }];
    });
    for (const [name, ofTable] of Map.groupBy(rows, ({ record }) => record.table)) {
      const columns = new Map(
        ofTable.flatMap(({ record }) =>
          [...record.columns.values()].flat().map((column) => [column.name, column] as const),
        ),
      );
      const tableOf = shape === 'records' ? name : historyName(name);
      const table = await tables.with(client, tableOf, shape, [...columns.values()]);
      for (const [, same] of Map.groupBy(ofTable, ({ row }) => Object.keys(row).join('\0')))
        made.push(
          ...statements(
            table,
            same.map(({ row }) => row),
          ),
        );
    }
    return made;
  }

  async #transact(statements: readonly Statement[]): Promise<void> {
    const { client } = this.#deps;
    await client.query('begin');
    try {
      for (const { text, values } of statements) await client.query(text, [...values]);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  }
}
