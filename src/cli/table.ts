import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from './terminal.ts';

const gap = '  ';

// Escape, and what follows up to the letter that ends it.
const colour = new RegExp(`(${String.fromCodePoint(0x1b)}\\[[0-9;]*m)`);

/** The narrowest that a column is cut to, in characters, unless its heading is longer. */
const narrowest = 8;

/** How a table is printed to a pipe: `rows` alone, or `headed` where several tables are printed. */
type Piped = 'rows' | 'headed';

/** A column of a table: its heading, and the cell of each item. */
export type Column<T> = readonly [heading: string, cellOf: (item: T) => string];

/**
 * Formats one row for each item under the headings of the columns; no text without items. Columns are as wide as their
 * cells; where the terminal is too narrow, the widest columns are cut. Off a terminal, cells are separated by tabs and
 * nothing is cut.
 */
export function table<T>(
  terminal: Terminal,
  items: readonly T[],
  columns: readonly Column<T>[],
  piped: Piped = 'rows',
): string {
  if (items.length === 0) return '';
  const headings = columns.map(([heading]) => heading);
  const rows = items.map((item) => columns.map(([, cellOf]) => cellOf(item)));
  if (terminal.columns === undefined)
    return [...(piped === 'headed' ? [headings] : []), ...rows].map((row) => row.join('\t')).join('\n');
  const edge = Math.max(terminal.columns, 20);
  const widths = fitting(headings, rows, edge);
  const line = (row: readonly string[]): string => cutAt(padded(row, widths), edge);
  return [terminal.paint('dim', line(headings)), ...rows.map(line)].join('\n');
}

/** A name and what is told under it; the fact is left out where the text is missing or empty. */
export type Fact = readonly [name: string, text: string | undefined];

/** Formats facts under one another, the texts in one column after names of at most `width` characters. */
export function factLines(facts: readonly Fact[], { indent = '  ', width = 11 } = {}): string[] {
  return facts.flatMap(([name, text]) => (text ? [`${indent}${name.padEnd(width)}${gap}${text}`] : []));
}

/** Computes the widths of columns: the widest are narrowed until all fit, or each is as narrow as it may be. */
function fitting(headings: readonly string[], rows: readonly (readonly string[])[], edge: number): number[] {
  const least = headings.map((heading) => Math.max(width(heading), narrowest));
  const widths = headings.map((heading, column) =>
    rows.reduce((widest, row) => Math.max(widest, width(row[column] ?? '')), width(heading)),
  );
  let surplus = widths.reduce((sum, each) => sum + each, 0) + gap.length * (widths.length - 1) - edge;
  while (surplus > 0) {
    const room = widths.map((each, column) => (each > (least[column] ?? 0) ? each : 0));
    const widest = room.indexOf(Math.max(...room));
    if (room[widest] === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    surplus -= 1;
  }
  return widths;
}

function padded(row: readonly string[], widths: readonly number[]): string {
  const cells = row.map((cell, column) => {
    const room = widths[column] ?? 0;
    const shown = cutAt(cell, room);
    return shown + ' '.repeat(Math.max(0, room - width(shown)));
  });
  return cells.join(gap).trimEnd();
}

function width(cell: string): number {
  return Array.from(stripVTControlCharacters(cell)).length;
}

/** Cuts a line to `edge` visible characters. Colour codes are kept, so that each colour that begins also ends. */
export function cutAt(line: string, edge: number): string {
  if (width(line) <= edge) return line;
  // Texts and, between them, what colours them.
  const parts = line.split(colour);
  let room = edge - 1;
  let cut = '';
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) {
      cut += part;
      continue;
    }
    const letters = Array.from(part).slice(0, room);
    room -= letters.length;
    cut += letters.join('');
  }
  return `${cut}…`;
}
