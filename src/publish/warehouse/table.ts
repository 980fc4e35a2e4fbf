import type { ClientBase } from 'pg';
import { boundedName, type FieldColumn, keyColumns, ownColumns, quoted } from './column.ts';

/** A table as the database has it: the types of its columns by name. */
export interface WarehouseTable {
  readonly name: string;
  readonly columns: ReadonlyMap<string, string>;
}

/** Thrown where a table is not as it must be and may not be changed. */
export class SchemaFault extends Error {
  override readonly name = 'SchemaFault';
}

/** The name of the table of a record type: that of the shared type that it is, or one of the source's own. */
export function tableName({
  source,
  type,
  is,
}: {
  readonly source: string;
  readonly type: string;
  readonly is?: string;
}): string {
  // Names of sources and shared types have no "_", so that no two tables have one name.
  return boundedName(is ?? `${source}_${type}`);
}

/** The name of the table that holds the values of another one over time. */
export function historyName(table: string): string {
  return boundedName(`${table}__history`);
}

const keys = keyColumns.map(quoted).join(', ');

/** The columns and constraints with which a table is created. */
const shapes = {
  records: [
    ...Object.entries(ownColumns).map(([name, type]) => `${quoted(name)} ${type} not null`),
    `primary key (${keys})`,
    'unique ("meta_id")',
  ],
  history: [
    ...keyColumns.map((name) => `${quoted(name)} text not null`),
    '"_deleted" boolean not null',
    '"valid_from" timestamptz not null',
    '"valid_to" timestamptz',
    `primary key (${keys}, "valid_from")`,
  ],
} as const;

/** The columns that a table must have besides those of fields. */
const required = {
  records: Object.keys(ownColumns),
  history: [...keyColumns, '_deleted', 'valid_from', 'valid_to'],
} as const;

/** What a table holds. */
export type TableShape = keyof typeof shapes;

/** The tables of a warehouse. They are created and get columns as needed; if a sink may not do that, they are checked. */
export class Tables {
  readonly #mode: 'auto' | 'strict';
  readonly #known = new Map<string, WarehouseTable>();

  constructor(mode: 'auto' | 'strict') {
    this.#mode = mode;
  }

  /** Clears the cache of tables, after another program has changed one. */
  forget(): void {
    this.#known.clear();
  }

  /** Resolves with a table; `undefined` where there is none. */
  async find(client: ClientBase, name: string): Promise<WarehouseTable | undefined> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const { rows } = await client.query<{ readonly name: string; readonly type: string }>(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
       where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
      [quoted(name)],
    );
    if (rows.length === 0) return undefined;
    const table = { name, columns: new Map(rows.map((row) => [row.name, row.type])) };
    this.#known.set(name, table);
    return table;
  }

  /** Resolves with a table that has columns. Rejects with a `SchemaFault` where it lacks one and none may be added. */
  async with(
    client: ClientBase,
    name: string,
    shape: TableShape,
    columns: readonly Pick<FieldColumn, 'name' | 'type'>[],
  ): Promise<WarehouseTable> {
    const table = await this.find(client, name);
    const lacking = columns.filter((column) => table?.columns.has(column.name) !== true);
    if (table !== undefined && lacking.length === 0) return table;
    // Somebody may mend it meanwhile.
    this.#known.delete(name);
    if (this.#mode === 'strict') throw new SchemaFault(faultOf(name, shape, table, lacking));
    await this.#make(client, name, shape, lacking);
    return (await this.find(client, name)) ?? Promise.reject(new SchemaFault(`the table ${quoted(name)} is gone`));
  }

  async #make(
    client: ClientBase,
    name: string,
    shape: TableShape,
    lacking: readonly Pick<FieldColumn, 'name' | 'type'>[],
  ): Promise<void> {
    await client.query('begin');
    try {
      // Of two that make a table at once, one would fail.
      await client.query(`select pg_advisory_xact_lock(hashtextextended('heronry', 0))`);
      await client.query(`create table if not exists ${quoted(name)} (${shapes[shape].join(', ')})`);
      for (const column of lacking)
        await client.query(
          `alter table ${quoted(name)} add column if not exists ${quoted(column.name)} ${column.type}`,
        );
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  }
}

function faultOf(
  name: string,
  shape: TableShape,
  table: WarehouseTable | undefined,
  lacking: readonly Pick<FieldColumn, 'name' | 'type'>[],
): string {
  if (table === undefined) return `there is no table ${quoted(name)}: expected one, as \`schema: strict\` makes none`;
  const missing = [
    ...required[shape].filter((column) => !table.columns.has(column)).map(quoted),
    ...lacking.map((column) => `${quoted(column.name)} ${column.type}`),
  ];
  return `the table ${quoted(name)} has no column ${missing.join(', ')}: expected it, as \`schema: strict\` adds none`;
}
