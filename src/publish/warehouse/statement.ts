import type { Value } from '../../extract/value/value.ts';
import { keyColumns, quoted } from './column.ts';
import type { WarehouseTable } from './table.ts';

/** A row to be written: values by column, as JSON. */
export type Row = Readonly<Record<string, Value>>;

/** A statement and its parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly string[];
}

const keys = listed(keyColumns);

/** The column with the instant from which a row of history holds. */
const from = '"valid_from"';

/** Inserts rows that all have the same columns, or updates those whose key is known. */
export function upsert(table: WarehouseTable, rows: readonly Row[]): Statement {
  const columns = columnsIn(rows);
  const name = quoted(table.name);
  const updates = columns
    .filter((column) => !isKey(column) && !['meta_id', 'meta_created'].includes(column))
    .map((column) =>
      column === 'meta_updated'
        ? `"meta_updated" = greatest(${name}."meta_updated", excluded."meta_updated")`
        : `${quoted(column)} = excluded.${quoted(column)}`,
    );
  return {
    text: `insert into ${name} (${listed(columns)}) select ${listed(columns, 'r')} from ${given(table, columns)}
      on conflict (${keys}) do update set ${updates.join(', ')}`,
    values: [written(rows)],
  };
}

/** Updates those rows whose key is known. */
export function update(table: WarehouseTable, rows: readonly Row[]): Statement {
  const columns = columnsIn(rows);
  return {
    text: `update ${quoted(table.name)} t set ${assigned(columns.filter((column) => !isKey(column)))}
      from ${given(table, columns)} where ${sameKey('t', 'r')}`,
    values: [written(rows)],
  };
}

/** Updates those rows whose key is known and that are older. */
export function touch(table: WarehouseTable, rows: readonly Row[]): Statement {
  const { text, values } = update(table, rows);
  return { text: `${text} and t."meta_updated" <= r."meta_updated"`, values };
}

/**
 * Adds rows of history that hold from an instant on, and ends the rows before them. A row of the same instant is replaced, so that repeating a message,
 * or all messages in order, gives the same history.
 *
 * @param bases - what the records said at that instant. A column that a row does not set keeps the value of the row before it, or takes that of
 * its base where there is no row before. Default: it becomes null.
 */
export function addVersions(table: WarehouseTable, rows: readonly Row[], bases?: readonly Row[]): readonly Statement[] {
  const columns = columnsIn(rows);
  const name = quoted(table.name);
  const others = [...table.columns.keys()].filter((column) => !columns.includes(column) && column !== 'valid_to');
  const kept = bases === undefined ? [] : others;
  const inserted = [...columns, ...kept];
  const before = kept.map(
    (column) => `case when b.${from} is null then s.${quoted(column)} else b.${quoted(column)} end`,
  );
  const same = sameKey('h', 'r');
  return [
    {
      text: `insert into ${name} (${listed(inserted)}, "valid_to")
        select ${[listed(columns, 'r'), ...before].join(', ')},
          (select min(h."valid_from") from ${name} h where ${same} and h."valid_from" > r.${from})
        from ${given(table, columns)}
        left join lateral (
          select * from ${name} h where ${same} and h."valid_from" < r.${from} order by h."valid_from" desc limit 1
        ) b on true
        left join ${given(table, [...keyColumns, ...kept], { parameter: 2, as: 's' })} on ${sameKey('s', 'r')}
        on conflict (${keys}, "valid_from") do update set ${[...columns, ...others]
          .filter((column) => !isKey(column) && column !== 'valid_from')
          .map((column) => `${quoted(column)} = ${inserted.includes(column) ? `excluded.${quoted(column)}` : 'null'}`)
          .join(', ')}`,
      values: [written(rows), written(bases ?? [])],
    },
    {
      text: `update ${name} t set "valid_to" = r.${from} from ${given(table, columns)}
        where ${sameKey('t', 'r')} and t."valid_from" =
          (select max(h."valid_from") from ${name} h where ${same} and h."valid_from" < r.${from})`,
      values: [written(rows)],
    },
  ];
}

/** Adds the first rows of history of records that have none. */
export function beginVersions(table: WarehouseTable, rows: readonly Row[]): Statement {
  const columns = columnsIn(rows);
  const name = quoted(table.name);
  return {
    text: `insert into ${name} (${listed(columns)}) select ${listed(columns, 'r')} from ${given(table, columns)}
      where not exists (select from ${name} h where ${sameKey('h', 'r')})
      on conflict do nothing`,
    values: [written(rows)],
  };
}

/**
 * Corrects the history of records that have one: within the span of each row, from `valid_from` to `valid_to`, its columns have the values
 * of the row. If no row of the history begins at `valid_from`, the row before is split there. Nothing is said of the time before the first
 * row.
 */
export function correctVersions(table: WarehouseTable, rows: readonly Row[]): readonly Statement[] {
  const columns = columnsIn(rows);
  const name = quoted(table.name);
  const told = columns.filter((column) => !isKey(column) && column !== 'valid_from' && column !== 'valid_to');
  const kept = [...table.columns.keys()].filter(
    (column) => !isKey(column) && !['valid_from', 'valid_to'].includes(column),
  );
  const same = sameKey('h', 'r');
  const values = [written(rows)];
  return [
    {
      text: `insert into ${name} (${keys}, "valid_from", ${listed(kept)})
        select ${listed(keyColumns, 'r')}, r.${from}, ${listed(kept, 'b')} from ${given(table, columns)}
        cross join lateral (
          select * from ${name} h where ${same} and h."valid_from" <= r.${from} order by h."valid_from" desc limit 1
        ) b
        on conflict do nothing`,
      values,
    },
    {
      text: `update ${name} t set ${assigned(told)} from ${given(table, columns)}
        where ${sameKey('t', 'r')} and t."valid_from" >= r.${from} and coalesce(t."valid_from" < r."valid_to", true)`,
      values,
    },
    {
      text: `update ${name} t set "valid_to" = n.next
        from (select distinct ${listed(keyColumns, 'r')} from ${given(table, columns)}) r
        cross join lateral (
          select h."valid_from" as at, lead(h."valid_from") over (order by h."valid_from") as next from ${name} h where ${same}
        ) n
        where ${sameKey('t', 'r')} and t."valid_from" = n.at and t."valid_to" is distinct from n.next`,
      values,
    },
  ];
}

/** The rows of a parameter, each column of the type that the table has. */
function given({ columns: types }: WarehouseTable, columns: readonly string[], { parameter, as } = rowsGiven): string {
  const typed = columns.map((column) => `${quoted(column)} ${types.get(column) ?? 'text'}`);
  return `json_to_recordset($${parameter}::json) as ${as}(${typed.join(', ')})`;
}

const rowsGiven = { parameter: 1, as: 'r' };

/** Columns that take the values of a row of the parameter. */
function assigned(columns: readonly string[]): string {
  return columns.map((column) => `${quoted(column)} = r.${quoted(column)}`).join(', ');
}

function isKey(column: string): boolean {
  return keyColumns.some((key) => key === column);
}

/** The condition that two rows are of one record. */
function sameKey(one: string, other: string): string {
  return keyColumns.map((column) => `${one}.${quoted(column)} = ${other}.${quoted(column)}`).join(' and ');
}

function columnsIn([first = {}]: readonly Row[]): string[] {
  return Object.keys(first);
}

function listed(columns: readonly string[], of?: string): string {
  return columns.map((column) => `${of === undefined ? '' : `${of}.`}${quoted(column)}`).join(', ');
}

/** Writes rows as JSON, sorted by their keys, so that two concurrent writers cannot deadlock. */
function written(rows: readonly Row[]): string {
  const named = rows.map((row) => [JSON.stringify(keyColumns.map((column) => row[column])), row] as const);
  return JSON.stringify(named.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row));
}
