import type { CellType, Column, Row } from './table.ts';

/** A column whose type cannot hold a cell, and the type that can. */
export interface Widening {
  readonly column: string;
  readonly to: CellType;
}

/** A file under way that holds rows of one table. */
export interface PartFile {
  /** Adds a row, or returns why it cannot: its column needs another type, thus another file. */
  add(row: Row): Widening | undefined;
  /** The bytes that are held in memory until the next `flush`, roughly. */
  readonly heldBytes: number;
  /** The bytes that were written. */
  readonly writtenBytes: number;
  readonly rows: number;
  /** Writes what is held in memory. */
  flush(): Promise<void>;
  /** Writes the rest; the file is whole and on disk then. */
  finish(): Promise<void>;
}

/** A format of files. */
export interface Format {
  /** The ending of the names of its files. */
  readonly extension: string;
  /** The bytes that a file may hold in memory, however much room there is. */
  readonly heldBytes: number;
  /** Makes a file at a path. */
  create(path: string, columns: readonly Column[]): Promise<PartFile>;
}
