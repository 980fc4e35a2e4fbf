import { fits, type Column, table } from './table.ts';
import type { Terminal } from './terminal.ts';
import { countText, plainText } from '../view/text.ts';

/** What names a record. */
interface Named {
  readonly source: string;
  readonly type: string;
  readonly key: string;
}

/** How rows of records, or of their changes, are printed. */
interface RowTables<R> {
  /** What a row is, for people. */
  readonly noun: string;
  /** Columns before those of the fields. */
  readonly before: readonly Column<R>[];
  /** Columns after those of the fields. */
  readonly after: readonly Column<R>[];
  /** Names the fields of a row that have columns. */
  fieldsOf(row: R): readonly string[];
  cellOf(row: R, field: string): string;
  /** Whether a cell is told by a part of it, as a text is and an amount is not. */
  mayCut(row: R, field: string): boolean;
  /** Cuts a cell to `room` places. Default: its end is cut off. */
  cut?(row: R, field: string, room: number): string;
  /** The narrowest that a field's column may be cut to. */
  readonly cutTo: number;
  /** Formats rows with a line for each field. */
  byField(rows: readonly R[]): string;
}

/**
 * Formats rows of records as one table for each source and record type, with a column for each field. The rows of a type that has only
 * one, or more fields than the terminal has room for, have a line for each field instead, and come first.
 */
export function recordTables<R extends Named>(terminal: Terminal, rows: readonly R[], how: RowTables<R>): string {
  const byType = Map.groupBy(rows, ({ source, type }) => `${source} ${type}`);
  const inLines: R[] = [];
  const tables: string[] = [];
  for (const [name, ofType] of byType) {
    const columns = columnsOf(ofType, how);
    if (ofType.length < 2 || !fits(terminal, ofType, columns)) {
      for (const row of ofType) inLines.push(row);
      continue;
    }
    const heading = terminal.paint('bold', `${plainText(name)}: ${countText(ofType.length, how.noun)}`);
    tables.push(`${heading}\n${table(terminal, ofType, columns)}`);
  }
  return [how.byField(inLines), ...tables].filter((part) => part !== '').join('\n\n');
}

function columnsOf<R extends Named>(rows: readonly R[], how: RowTables<R>): Column<R>[] {
  const fields = [...new Set(rows.flatMap((row) => how.fieldsOf(row)))];
  return [
    ...how.before,
    ...fields.map((field): Column<R> => {
      const mayCut = rows.some((row) => how.mayCut(row, field));
      const { cut } = how;
      return [
        plainText(field),
        (row) => how.cellOf(row, field),
        {
          ...(mayCut && { cutTo: how.cutTo }),
          ...(cut && { cut: (row: R, room: number) => cut(row, field, room) }),
        },
      ];
    }),
    ...how.after,
  ];
}
