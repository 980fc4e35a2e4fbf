import type { Cell, CellType } from './table.ts';

/** Texts that a spreadsheet takes for a formula, and those that `defused` makes. */
const formula = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const plainNumber = /^[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/**
 * Formats a value as a cell: numbers and flags as they are, lists and objects as JSON, nothing for no value, `""` for an empty text. In a
 * column of JSON, a text is JSON as well. In other columns, a text that a spreadsheet would take for a formula, and that is not a number,
 * gets a `'` before it. A text that begins with `'` and has such a formula behind it gets one more, so that a reader can always remove
 * exactly one.
 */
export function csvCell(value: Cell, type?: CellType): string {
  if (value === null || value === undefined) return '';
  if (type === 'instant' && typeof value === 'number') return new Date(value).toISOString();
  if (typeof value !== 'string' || type === 'json') return quotedIfNeeded(JSON.stringify(value));
  if (value === '') return '""';
  return quotedIfNeeded(formula.test(value) && !plainNumber.test(value) ? `'${value}` : value);
}

/** Joins cells to a row of CSV as RFC 4180 has it, without the line feed at its end. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.join(',')}\r`;
}

function quotedIfNeeded(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
