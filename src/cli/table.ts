import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from './terminal.ts';

const gap = '  ';

// Escape, and what follows up to the letter that ends it.
const colour = new RegExp(`(${String.fromCodePoint(0x1b)}\\[[0-9;]*m)`);

/**
 * Rows under their headings, in columns as wide as they must be, cut at the terminal's edge. Elsewhere than on a
 * terminal: bare rows, with tabs between cells, for other programs to read.
 */
export function table(terminal: Terminal, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (terminal.columns === undefined) return rows.map((row) => row.join('\t')).join('\n');
  const widths = headings.map((heading, column) =>
    Math.max(width(heading), ...rows.map((row) => width(row[column] ?? ''))),
  );
  const edge = Math.max(terminal.columns, 20);
  const lines = rows.map((row) => cutAt(padded(row, widths), edge));
  return [terminal.paint('dim', cutAt(padded(headings, widths), edge)), ...lines].join('\n');
}

function padded(row: readonly string[], widths: readonly number[]): string {
  const cells = row.map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - width(cell))));
  return cells.join(gap).trimEnd();
}

function width(cell: string): number {
  return Array.from(stripVTControlCharacters(cell)).length;
}

/** The line up to the edge; its colours are kept as far as they come, and ended. */
function cutAt(line: string, edge: number): string {
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
