import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from './terminal.ts';

const gap = '  ';

// Escape, and what follows up to the letter that ends it.
const colour = new RegExp(`(${String.fromCodePoint(0x1b)}\\[[0-9;]*m)`);

/** A column is cut no shorter than this, or than its heading. */
const narrowest = 8;

/** What a program that reads a table is given: rows alone, or also their headings where tables of several kinds may stand. */
type Piped = 'rows' | 'headed';

/**
 * Rows under their headings, in columns as wide as they must be; where the terminal is too narrow, the widest ones are cut.
 * Elsewhere than on a terminal: bare rows, with tabs between cells, for other programs to read.
 */
export function table(
  terminal: Terminal,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  piped: Piped = 'rows',
): string {
  if (terminal.columns === undefined)
    return [...(piped === 'headed' ? [headings] : []), ...rows].map((row) => row.join('\t')).join('\n');
  const edge = Math.max(terminal.columns, 20);
  const widths = fitting(headings, rows, edge);
  const line = (row: readonly string[]): string => cutAt(padded(row, widths), edge);
  return [terminal.paint('dim', line(headings)), ...rows.map(line)].join('\n');
}

/** The widths of columns, of which the widest give way until all fit, if they can. */
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

/** The line up to the edge; its colours are kept as far as they come, and ended. */
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
