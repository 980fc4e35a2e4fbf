import { type AnyNode, type Element, isTag } from 'domhandler';
import { spend } from '../../work-budget.ts';
import { attributeOf, walk } from './nodes.ts';
import { spacedText } from './text.ts';

/** The result of a look-up of a row's cell under a heading: a cell, nothing, or cells of several columns with that heading. */
export type Under = Element | 'several' | 'too large' | undefined;

/** Cells that go on into further rows, counted in each of them, that all tables of a page may have. */
export const maxContinued = 1_000_000;

/** The greatest spans of the HTML standard. */
const [maxColumns, maxRows] = [1_000, 65_534];

/** The work of a cell in a row. */
const cellSteps = 20;

/** The tables of one page. Each is laid out once, as the HTML standard lays out tables. */
export class Tables {
  readonly #layouts = new Map<Element, Layout | undefined>();
  #room = maxContinued;

  /**
   * Returns the cell under headings in the row that an element is or stands in. Several headings stand one above the other, the
   * uppermost first. The nearest head above the row counts; a cell of a head is under no heading.
   *
   * @param headings - as `foldedText` returns them; one list always means the same columns, so that they are looked for once.
   */
  cellUnder(element: Element, headings: readonly string[]): Under {
    const row = around(element, 'tr');
    const table = row && around(row, 'table');
    if (row === undefined || table === undefined) return undefined;
    if (!this.#layouts.has(table)) this.#layouts.set(table, this.#layOut(table));
    const layout = this.#layouts.get(table);
    return layout === undefined ? 'too large' : layout.cellUnder(row, headings);
  }

  #layOut(table: Element): Layout | undefined {
    const rows = rowsOf(table);
    const slots = slotsOf(rows, this.#room);
    this.#room -= slots?.continued ?? this.#room;
    return slots && new Layout(rows, slots.rows);
  }
}

/** Returns a text as headings are compared: without regard to case and white space. */
export function foldedText(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

function around(element: Element, name: string): Element | undefined {
  let node: AnyNode | null = element;
  for (; node !== null && !(isTag(node) && node.name === name); node = node.parent) spend(1);
  return node ?? undefined;
}

interface Row {
  readonly element: Element;
  /** The head, body or foot that it stands in, or the table itself. No cell goes on beyond it. */
  readonly group: Element;
  readonly cells: Element[];
}

/** Returns the rows of a table, without those of tables in its cells. */
export function rowsOf(table: Element): Row[] {
  const rows: Row[] = [];
  let group = table;
  let row: Row | undefined;
  walk(
    table,
    (node) => {
      if (!isTag(node) || node === table) return node === table;
      switch (node.name) {
        case 'table':
          return false;
        case 'td':
        case 'th':
          row?.cells.push(node);
          return false;
        case 'tr':
          row = { element: node, group, cells: [] };
          rows.push(row);
          return true;
        case 'thead':
        case 'tbody':
        case 'tfoot':
          group = node;
          return true;
        default:
          return true;
      }
    },
    (node) => {
      if (node === row?.element) row = undefined;
      if (node === group) group = table;
    },
  );
  return rows;
}

/** A cell in one row: the first column that it covers, and the one behind its last. */
interface Slot {
  readonly cell: Element;
  readonly start: number;
  readonly end: number;
}

/** Lays out the cells of rows from left to right; undefined where more of them than `room` go on into further rows. */
export function slotsOf(
  rows: readonly Row[],
  room: number,
): { readonly rows: readonly (readonly Slot[])[]; readonly continued: number } | undefined {
  const laidOut: Slot[][] = [];
  let continued = 0;
  let above: (Slot & { readonly last: number })[] = [];
  for (const [at, { group, cells }] of rows.entries()) {
    above = group === rows[at - 1]?.group ? above.filter(({ last }) => last >= at) : [];
    continued += above.length;
    if (continued > room) return undefined;
    spend((above.length + cells.length + 1) * cellSteps);
    const slots: Slot[] = [];
    const goOn: typeof above = [];
    let next = 0;
    let column = 0;
    for (const cell of cells) {
      for (let slot = above[next]; slot !== undefined && slot.start <= column; slot = above[next]) {
        slots.push(slot);
        column = Math.max(column, slot.end);
        next += 1;
      }
      const end = column + Math.min(spanOf(cell, 'colspan') || 1, maxColumns);
      // Of two cells in one place, the one that began above counts.
      const slot = { cell, start: column, end: Math.min(end, above[next]?.start ?? end) };
      slots.push(slot);
      column = end;
      const height = spanOf(cell, 'rowspan');
      // 0 goes on to the end of the group.
      if (height !== 1) goOn.push({ ...slot, last: height === 0 ? Infinity : at + Math.min(height, maxRows) - 1 });
    }
    laidOut.push([...slots, ...above.slice(next)]);
    if (goOn.length > 0) above = [...above, ...goOn].sort((one, other) => one.start - other.start);
  }
  return { rows: laidOut, continued };
}

function spanOf(cell: Element, name: 'colspan' | 'rowspan'): number {
  const [, digits] = /^\s*\+?(\d+)/.exec(attributeOf(cell, name) ?? '') ?? [];
  return digits === undefined ? 1 : Number(digits);
}

/** A cell of a head. */
interface Head {
  readonly text: string;
  readonly row: number;
  readonly column: number;
  /** The one right above it in the same head. */
  readonly above: Head | undefined;
  /** Rows with heads that follow each other are one head. */
  readonly block: { last: number };
}

/** One table whose cells are laid out. */
class Layout {
  readonly #rowNumbers: ReadonlyMap<Element, number>;
  readonly #slots: readonly (readonly Slot[])[];
  readonly #heads: ReadonlyMap<Element, Head>;
  /** The columns under headings, by row. */
  readonly #columns = new Map<readonly string[], readonly (ReadonlySet<number> | undefined)[]>();

  constructor(rows: readonly Row[], slots: readonly (readonly Slot[])[]) {
    this.#rowNumbers = new Map(rows.map(({ element }, at) => [element, at]));
    this.#slots = slots;
    this.#heads = this.#headsOf(headCells(rows));
  }

  cellUnder(row: Element, headings: readonly string[]): Under {
    const number = this.#rowNumbers.get(row);
    if (number === undefined) return undefined;
    const known = this.#columns.get(headings) ?? this.#columnsUnder(headings);
    this.#columns.set(headings, known);
    const [column, other] = known[number] ?? [];
    if (column === undefined) return undefined;
    if (other !== undefined) return 'several';
    const cell = slotAt(this.#slots[number], column)?.cell;
    return cell === undefined || this.#heads.has(cell) ? undefined : cell;
  }

  #headsOf(cells: readonly (readonly Element[])[]): Map<Element, Head> {
    const heads = new Map<Element, Head>();
    let block = { last: -1 };
    for (const [row, ofRow] of cells.entries()) {
      if (ofRow.length === 0) continue;
      if (block.last < row - 1) block = { last: row };
      block.last = row;
      const own = new Set(ofRow);
      for (const { cell, start } of this.#slots[row] ?? []) {
        if (!own.has(cell)) continue;
        const upper = heads.get(slotAt(this.#slots[row - 1], start)?.cell ?? cell);
        const above = upper?.block === block ? upper : undefined;
        heads.set(cell, { text: foldedText(spacedText(cell)), row, column: start, above, block });
      }
    }
    return heads;
  }

  /** Returns for each row the columns under headings in the nearest head above it that has them. */
  #columnsUnder(headings: readonly string[]): (ReadonlySet<number> | undefined)[] {
    /** How many of the headings stand above each cell of a head, or in it. */
    const reached = new Map<Head | undefined, number>();
    const found = new Map<Head['block'], Set<number>>();
    for (const head of this.#heads.values()) {
      spend(cellSteps);
      const before = reached.get(head.above) ?? 0;
      const isNext = head.text === headings[before];
      reached.set(head, isNext ? before + 1 : before);
      if (!isNext || before + 1 < headings.length) continue;
      const columns = found.get(head.block) ?? new Set();
      found.set(head.block, columns.add(head.column));
    }
    const byRow: (ReadonlySet<number> | undefined)[] = [];
    for (const [{ last }, columns] of found) byRow[last + 1] = columns;
    for (let row = 1; row < this.#slots.length; row += 1) byRow[row] ??= byRow[row - 1];
    return byRow;
  }
}

/**
 * Returns the cells of each row that head columns: all in a `thead`, and each `th` with `scope=col`, or with no other scope in a row
 * of such cells alone. Without a `thead`, a first row with a `th` may have empty cells beside. A table without any has its first row.
 */
function headCells(rows: readonly Row[]): (readonly Element[])[] {
  const hasHead = rows.some(({ group }) => group.name === 'thead');
  const found = rows.map(({ group, cells }, at): readonly Element[] => {
    if (group.name === 'thead') return cells;
    const declared = cells.filter((cell) => /^col/i.test(attributeOf(cell, 'scope') ?? ''));
    const others = cells.filter(({ name }) => name !== 'th');
    const mayHead = others.length < cells.length && !cells.some((cell) => isOfRow(cell));
    const isHead = mayHead && (others.length === 0 || (at === 0 && !hasHead && others.every(isEmpty)));
    return isHead ? cells : declared.filter(({ name }) => name === 'th');
  });
  return found.some((cells) => cells.length > 0) ? found : [rows[0]?.cells ?? []];
}

function isOfRow(cell: Element): boolean {
  return /^row/i.test(attributeOf(cell, 'scope') ?? '');
}

function isEmpty(cell: Element): boolean {
  return foldedText(spacedText(cell)) === '';
}

/** Returns what covers a column in a row. */
function slotAt(slots: readonly Slot[] = [], column: number): Slot | undefined {
  let [low, high] = [0, slots.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((slots[middle]?.start ?? Infinity) <= column) low = middle + 1;
    else high = middle;
  }
  const slot = slots[low - 1];
  return slot !== undefined && column < slot.end ? slot : undefined;
}
