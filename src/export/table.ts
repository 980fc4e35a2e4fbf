import type { Value } from '../extract/value/value.ts';

/**
 * What the cells of a column are. `text` holds any value, other than texts as JSON; `instant` is a number of milliseconds since 1970 or an ISO
 * text in UTC; `decimal` is the text of a number with up to 14 digits before the point and 4 behind it, `long decimal` with 20 and 18.
 */
export type CellType =
  | 'text'
  | 'integer'
  | 'number'
  | 'decimal'
  | 'long decimal'
  | 'boolean'
  | 'date'
  | 'instant'
  | 'json';

/** A column of an exported table. */
export interface Column {
  readonly name: string;
  readonly type: CellType;
}

/** The value of one row in one column; null and undefined are no value. */
export type Cell = Value | undefined;

/** A table of an export. Its rows are written to files in a folder of its own. */
export interface Table {
  /** The folder within the export, such as `records/shop.product`. */
  readonly folder: string;
  readonly columns: readonly Column[];
}

/** One row of an export. */
export interface Row {
  readonly table: Table;
  /** The row as one line of NDJSON says it. */
  readonly json: object;
  /** Returns the cells in the order of the table's columns. */
  readonly cells: () => readonly Cell[];
}
