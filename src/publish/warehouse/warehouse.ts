import { tellsCorrections } from '../../event/tells-corrections.ts';
import type { ClientBase } from 'pg';
import type { Event, EventOf, EventType } from '../../event/catalogue.ts';
import type { Message } from '../sink.ts';
import { correct } from './correct.ts';
import { addVersions, beginVersions, type Row, type Statement, touch, upsert } from './statement.ts';
import { historyName, tableName, type Tables, type WarehouseTable } from './table.ts';
import { seenRow, type ToldRecord, type WarehousePorts } from './told.ts';

/** The events of the ends of scrapes. */
const scrapeEnds = [
  'scrape.completed',
  'scrape.failed',
  'scrape.aborted',
  'scrape.cancelled',
] as const satisfies readonly EventType[];

/** The types of events that stand for many records: those that a scrape saw unchanged, and those that a re-extraction or a recall corrected. */
export const ofManyRecords = [
  ...scrapeEnds,
  'reextraction.applied',
  'records.recalled',
] as const satisfies readonly EventType[];

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

/** A message, and the record that it tells of, if it does. */
export interface ToldMessage {
  readonly message: Message;
  readonly record?: ToldRecord | undefined;
}

/** Makes the statements of rows of one table that all have the same columns. */
type StatementsOf = (table: WarehouseTable, rows: readonly Row[], told: readonly ToldRecord[]) => readonly Statement[];

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
  async write(batch: readonly ToldMessage[]): Promise<void> {
    const told = batch.flatMap(({ record }) => record ?? []);
    const statements = [...(await this.#rows(told)), ...(this.#deps.hasHistory ? await this.#versions(told) : [])];
    await this.#transact(statements);
    for (const {
      message: { event },
    } of batch) {
      if (event === undefined) continue;
      if (isScrapeEnd(event)) await this.#sight(event);
      if (tellsCorrections(event.type))
        await correct(this.#deps, event.id, (corrections) => this.#transact(corrections));
    }
  }

  /** Makes the statements that write the rows of records as they are now. A record that was removed meanwhile has a message of its own. */
  async #rows(told: readonly ToldRecord[]): Promise<readonly Statement[]> {
    const [removed, known] = [told.filter(isRemoved), told.filter((record) => !isRemoved(record))];
    return [
      ...(await this.#statements(known, 'row', (table, rows) => [upsert(table, rows)])),
      ...(await this.#statements(removed, 'row', (table, rows) => [touch(table, rows)])),
    ];
  }

  async #versions(told: readonly ToldRecord[]): Promise<readonly Statement[]> {
    const [synced, changed] = [told.filter(isSynced), told.filter((record) => !isSynced(record))];
    const [added, others] = [changed.filter(({ isNew }) => isNew), changed.filter(({ isNew }) => !isNew)];
    return [
      ...(await this.#statements(added, 'version', (table, rows) => addVersions(table, rows))),
      ...(await this.#statements(others, 'version', (table, rows, records) =>
        addVersions(
          table,
          rows,
          records.flatMap(({ base }) => (base === undefined ? [] : [base])),
        ),
      )),
      ...(await this.#statements(synced, 'version', (table, rows) => [beginVersions(table, rows)])),
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
    part: 'row' | 'version',
    statementsOf: StatementsOf,
  ): Promise<readonly Statement[]> {
    const { client, tables } = this.#deps;
    const made: Statement[] = [];
    const rows = told.flatMap((record) => (record[part] === undefined ? [] : [{ record, row: record[part] }]));
    for (const [name, ofTable] of Map.groupBy(rows, ({ record }) => record.table)) {
      const columns = new Map(
        ofTable.flatMap(({ record }) =>
          [...record.columns.values()].flat().map((column) => [column.name, column] as const),
        ),
      );
      const [tableOf, shape] = part === 'row' ? [name, 'records' as const] : [historyName(name), 'history' as const];
      const table = await tables.with(client, tableOf, shape, [...columns.values()]);
      for (const [, same] of Map.groupBy(ofTable, ({ row }) => Object.keys(row).join('\0')))
        made.push(
          ...statementsOf(
            table,
            same.map(({ row }) => row),
            same.map(({ record }) => record),
          ),
        );
    }
    return made;
  }

  async #transact(statements: readonly Statement[]): Promise<void> {
    const { client } = this.#deps;
    const [only, ...others] = statements;
    if (only === undefined) return;
    if (others.length === 0) {
      // A statement alone is a transaction of its own.
      await client.query(only.text, [...only.values]);
      return;
    }
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

function isRemoved({ kind }: ToldRecord): boolean {
  return kind === 'removed';
}

function isSynced({ kind }: ToldRecord): boolean {
  return kind === 'synced';
}
