import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from './terminal.ts';

const gap = '  ';

// Escape, and what follows up to the letter that ends it.
const colour = new RegExp(`(${String.fromCodePoint(0x1b)}\\[[0-9;]*m)`);

/** The narrowest that a column gets where nothing else helps, in characters. */
const narrowest = 8;

/** How a column yields where the terminal is too narrow. */
interface Yielding<T> {
  /** The cells may be cut to this width, in characters. Default: they stay whole. */
  readonly cutTo?: number;
  /** Cuts the cell of an item to `room` places. Default: its end is cut off. */
  cut?(item: T, room: number): string;
  /** The column may be left out; of several, the last goes first. */
  readonly spare?: true;
}

/** A column of a table: its heading, the cell of each item, and how it yields. */
export type Column<T> = readonly [heading: string, cellOf: (item: T) => string, yielding?: Yielding<T>];

/** A column with its texts and widths. */
interface Measured {
  readonly heading: string;
  readonly cells: readonly string[];
  readonly width: number;
  /** The narrowest that it gets by itself. */
  readonly least: number;
  readonly spare: boolean;
  /** Cuts the cell of a row to `room` places; missing where its end is cut off. */
  readonly cut: ((row: number, room: number) => string) | undefined;
}

/**
 * Formats one row for each item under the headings of the columns; no text without items. Columns are as wide as their
 * cells. Where the terminal is too narrow, spare columns are left out, which a `…` after the headings tells, and the widest
 * of the others are cut. Off a terminal, cells are separated by tabs, and nothing is cut or left out.
 */
export function table<T>(terminal: Terminal, items: readonly T[], columns: readonly Column<T>[]): string {
  if (items.length === 0) return '';
  const all = measured(items, columns);
  if (terminal.columns === undefined) return linesOf(all, items.length, (row) => row.join('\t')).join('\n');
  const edge = Math.max(terminal.columns, 20);
  const shown = withoutSpare(all, edge);
  const mark = shown.length < all.length ? ' …' : '';
  const widths = fitting(shown, edge - mark.length);
  const [headings = '', ...rows] = linesOf(shown, items.length, (row, index) =>
    cutAt(padded(row, widths, shown, index), edge),
  );
  return [terminal.paint('dim', headings + mark), ...rows].join('\n');
}

/** Whether a table fits into the terminal with no more cut or left out than its columns allow. */
export function fits<T>(terminal: Terminal, items: readonly T[], columns: readonly Column<T>[]): boolean {
  if (terminal.columns === undefined) return true;
  return leastWidth(withoutSpare(measured(items, columns), terminal.columns)) <= terminal.columns;
}

function measured<T>(items: readonly T[], columns: readonly Column<T>[]): Measured[] {
  return columns.map(([heading, cellOf, { cutTo, cut, spare = false } = {}]) => {
    const cells = items.map(cellOf);
    const widest = cells.reduce((most, cell) => Math.max(most, width(cell)), width(heading));
    const least = cutTo === undefined ? widest : Math.min(widest, Math.max(cutTo, width(heading)));
    const cutCell = cut && ((row: number, room: number) => cut(items[row] as T, room));
    return { heading, cells, width: widest, least, spare, cut: cutCell };
  });
}

/** The headings and the rows, each made to a line. */
function linesOf(
  columns: readonly Measured[],
  count: number,
  line: (row: readonly string[], index: number) => string,
): string[] {
  const rows = Array.from({ length: count }, (_, row) => columns.map(({ cells }) => cells[row] ?? ''));
  // The headings are the row before the first.
  return [columns.map(({ heading }) => heading), ...rows].map((row, index) => line(row, index - 1));
}

/** The columns without as many spare ones as it takes for the others to fit. */
function withoutSpare(columns: readonly Measured[], edge: number): readonly Measured[] {
  let left = columns;
  while (leastWidth(left) > edge - (left.length < columns.length ? 2 : 0)) {
    const last = left.findLastIndex(({ spare }) => spare);
    if (last === -1) break;
    left = left.toSpliced(last, 1);
  }
  return left;
}

function leastWidth(columns: readonly Measured[]): number {
  return columns.reduce((sum, { least }) => sum + least, 0) + gap.length * (columns.length - 1);
}

/** A name and what is told under it; the fact is left out where the text is missing or empty. */
export type Fact = readonly [name: string, text: string | undefined];

/** Formats facts under one another, the texts in one column after names of at most `width` characters. */
export function factLines(facts: readonly Fact[], { indent = '  ', width = 11 } = {}): string[] {
  return facts.flatMap(([name, text]) => (text ? [`${indent}${name.padEnd(width)}${gap}${text}`] : []));
}

/** Computes the widths of columns: the widest are narrowed until all fit, first as far as each allows, then all alike. */
function fitting(columns: readonly Measured[], edge: number): number[] {
  const widths = columns.map((column) => column.width);
  let surplus = widths.reduce((sum, each) => sum + each, 0) + gap.length * (widths.length - 1) - edge;
  narrow(columns.map(({ least }) => least));
  narrow(columns.map(() => narrowest));
  return widths;

  function narrow(least: readonly number[]): void {
    while (surplus > 0) {
      const room = widths.map((each, column) => (each > (least[column] ?? 0) ? each : 0));
      const widest = room.indexOf(Math.max(...room));
      if (room[widest] === 0) return;
      widths[widest] = (widths[widest] ?? 0) - 1;
      surplus -= 1;
    }
  }
}

function padded(
  row: readonly string[],
  widths: readonly number[],
  columns: readonly Measured[],
  index: number,
): string {
  const cells = row.map((cell, column) => {
    const room = widths[column] ?? 0;
    const cut = index < 0 || width(cell) <= room ? undefined : columns[column]?.cut;
    if (cut !== undefined) return paddedTo(cut(index, room), room);
    // What should have stayed whole, such as a host, is told by its end as much as by its begin.
    const isWhole = columns[column]?.least === columns[column]?.width;
    const shown = isWhole ? cutWithin(cell, room) : cutAt(cell, room);
    return paddedTo(shown, room);
  });
  return cells.join(gap).trimEnd();
}

function paddedTo(text: string, room: number): string {
  return text + ' '.repeat(Math.max(0, room - width(text)));
}

/** Characters that take two places on a terminal. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303F\uFF01-\uFF60\uFFE0-\uFFE6]/u;

/** Characters that take none. */
const placeless = /[\p{M}\p{Cf}]/u;

/** The places that a text takes on a terminal. */
export function width(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return Array.from(stripVTControlCharacters(text)).reduce((sum, letter) => sum + places(letter), 0);
}

function places(letter: string): number {
  return wide.test(letter) ? 2 : placeless.test(letter) ? 0 : 1;
}

/** The first letters of a text that have room. */
function fitted(letters: readonly string[], room: number): string[] {
  let left = room;
  const end = letters.findIndex((letter) => (left -= places(letter)) < 0);
  return end === -1 ? [...letters] : letters.slice(0, end);
}

/** Cuts a text in its middle to `room` places. */
function cutWithin(text: string, room: number): string {
  if (width(text) <= room || colour.test(text)) return cutAt(text, room);
  const letters = Array.from(text);
  const begin = fitted(letters, Math.ceil((room - 1) / 2));
  const end = fitted(letters.toReversed(), room - 1 - width(begin.join('')));
  return `${begin.join('')}…${end.toReversed().join('')}`;
}

/** Cuts a line to `edge` places. Colour codes are kept, so that each colour that begins also ends. */
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
    const letters = fitted(Array.from(part), room).join('');
    // Nothing behind a letter that has no room is shown, however narrow.
    room = letters === part ? room - width(letters) : 0;
    cut += letters;
  }
  return `${cut}…`;
}
