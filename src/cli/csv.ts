/** Formats one row of CSV as RFC 4180 has it, without the line feed at its end. */
export function csvRow(cells: readonly string[]): string {
  return cells
    .map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')
    .concat('\r');
}

/** Formats a value as a cell: texts, numbers and flags as they are, lists and objects as JSON, nothing for no value. */
export function csvCell(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
