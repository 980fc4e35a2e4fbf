import type { Value } from '../extract/value/value.ts';
import type { FieldCell, RecordView } from '../view/record.ts';
import { stateOf } from '../view/record-state.ts';
import type { Cell, CellType, Column, Row, Table } from './table.ts';

/** A table of records as the daemon describes it: the records of one type of a source, or those of a shared type. */
export interface RecordTableView {
  readonly id: string;
  /** The fields of the definition, with the names of their types, such as `money`. */
  readonly fields: readonly { readonly name: string; readonly type: string }[];
}

/** The name of a record that was removed, and when. */
export interface RemovedRecord {
  readonly source: string;
  readonly type: string;
  readonly key: string;
  readonly at: number;
}

/** A table of records. */
export interface RecordTable extends Table {
  rowOf(record: RecordView): Row;
  /** The row of a record that was removed: its name, and the state `removed`. */
  removedRow(removed: RemovedRecord): Row;
}

const typeOf: Readonly<Record<string, CellType>> = {
  text: 'text',
  url: 'text',
  duration: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
  datetime: 'instant',
};

/** The columns of every table of records. No field has such a name, as names of fields begin with a letter. */
const own: readonly Column[] = [
  { name: '_source', type: 'text' },
  { name: '_type', type: 'text' },
  { name: '_key', type: 'text' },
  { name: '_record', type: 'integer' },
  { name: '_url', type: 'text' },
  { name: '_firstSeenAt', type: 'instant' },
  { name: '_updatedAt', type: 'instant' },
  { name: '_state', type: 'text' },
];

type ReadCells = (fields: RecordView['fields'], cells: Cell[]) => void;

/**
 * Makes the table of records of one type. An amount of money has a column for the amount, one for the currency and one for what else its text said;
 * lists, quantities and objects are JSON. Fields that the definition does not name are in `_more`.
 */
export function recordTable({ id, fields }: RecordTableView): RecordTable {
  const names = new Set<string>();
  const columns: Column[] = [...own];
  const readers: ReadCells[] = [];
  for (const { name, type } of fields) {
    const add = (suffix: string, cellType: CellType): void => {
      columns.push({ name: freeName(`${name}${suffix}`, names), type: cellType });
    };
    if (type === 'money') {
      add('', 'decimal');
      add('_currency', 'text');
      add('_terms', 'json');
      readers.push((given, cells) => pushMoney(valueOf(given, name), cells));
    } else {
      add('', typeOf[type] ?? 'json');
      readers.push((given, cells) => void cells.push(valueOf(given, name)));
    }
  }
  columns.push({ name: '_more', type: 'json' });
  const declared = new Set(fields.map(({ name }) => name));
  const table: Table = { folder: `records/${id}`, columns };

  return {
    ...table,
    rowOf(record) {
      const state = stateOf(record);
      return { table, json: { ...record, state }, cells: () => cellsOf(record, state) };
    },
    removedRow({ source, type, key, at }) {
      const cells: readonly Cell[] = [source, type, key, undefined, undefined, undefined, at, 'removed'];
      return {
        table,
        json: { source, type, key, updatedAt: at, state: 'removed' },
        cells: () => columns.map((_, index) => cells[index]),
      };
    },
  };

  function cellsOf(record: RecordView, state: string): Cell[] {
    const { source, type, key, url, firstSeenAt, updatedAt } = record;
    const cells: Cell[] = [source, type, key, record.record, url, firstSeenAt, updatedAt, state];
    for (const read of readers) read(record.fields, cells);
    cells.push(moreOf(record.fields));
    return cells;
  }

  function moreOf(given: RecordView['fields']): Cell {
    let more: Record<string, Value> | undefined;
    for (const name of Object.keys(given)) {
      if (declared.has(name)) continue;
      more ??= {};
      Object.defineProperty(more, name, { value: valueOf(given, name) ?? null, enumerable: true });
    }
    return more;
  }
}

function valueOf(fields: Readonly<Record<string, FieldCell>>, name: string): Cell {
  return Object.hasOwn(fields, name) ? fields[name]?.value : undefined;
}

function pushMoney(value: Cell, cells: Cell[]): void {
  if (typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value) {
    const { amount, currency, ...terms } = value;
    cells.push(amount, currency, Object.keys(terms).length > 0 ? terms : undefined);
  } else {
    // No amount: the column takes it as a text.
    cells.push(value, undefined, undefined);
  }
}

/** A name that no other column has, in capitals or not, since databases do not tell them apart. */
function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${wanted}_${number}`;
  taken.add(name.toLowerCase());
  return name;
}
