import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { spend } from '../../work-budget.ts';
import { absoluteAttribute } from '../tree/attribute.ts';
import { attributeOf, findFirst, walk } from '../tree/nodes.ts';
import { rowsOf, slotsOf } from '../tree/table.ts';
import { blocks, rawText, unseen } from '../tree/text.ts';
import { Blocks } from './blocks.ts';
import { destination, escapedText, longestRun } from './escape.ts';
import { Line, type Mark } from './line.ts';

/** The work of an element or a text, without that of its characters, and of each character. */
const [nodeSteps, unitSteps] = [40, 10];

/** Elements whose text is no part of the page, or stands for what a browser shows instead. */
const leftOut: ReadonlySet<string> = new Set([...unseen, 'iframe', 'noembed', 'noframes']);

const emphasis: ReadonlyMap<string, Mark> = new Map([
  ...['em', 'i', 'cite', 'dfn', 'var'].map((name) => [name, '*'] as const),
  ...['strong', 'b'].map((name) => [name, '**'] as const),
  ...['del', 's', 'strike'].map((name) => [name, '~~'] as const),
]);

const lists: ReadonlySet<string> = new Set(['ul', 'ol', 'menu']);

const codes: ReadonlySet<string> = new Set(['code', 'kbd', 'samp', 'tt']);

/** Elements that are a block as a whole: what they hold means little without them. */
const wholes: ReadonlySet<string> = new Set([...lists, 'table', 'pre']);

/** Elements that no cell of a table can hold. */
const unfitForCells: ReadonlySet<string> = new Set([
  ...lists,
  ...['table', 'pre', 'blockquote', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
]);

/** Columns of a table that is written as one, at most. */
const mostColumns = 100;

/** Where an element stands: the address that its links are resolved against, and the characters that may be written. */
export interface MarkdownOptions {
  readonly base: string;
  readonly room: number;
}

/**
 * Writes what an element holds as CommonMark, with the tables and deletions of GitHub; of a list, a table or a `pre` the element itself.
 * Not recursive, however deep a page is nested. Where there is more than `room` characters, what is returned is longer than that and not whole.
 */
export function markdownOf(root: Element, options: MarkdownOptions): string {
  const writer = new Writer(options);
  writer.add(root);
  return writer.finish();
}

/** A list that is open. */
interface List {
  readonly marker: string;
  /** The number of its next item; missing where items have none. */
  number?: number;
  /** Whether an item of it was written. */
  isBegun?: true;
}

class Writer {
  readonly #options: MarkdownOptions;
  readonly #blocks: Blocks;
  readonly #lists: List[] = [];
  /** Marks that are open, the innermost last. */
  readonly #marks: { readonly mark: Mark; readonly element: Element }[] = [];
  /** Whether each item that is open has a container. */
  readonly #items: boolean[] = [];
  /** Quotations that have a container. */
  readonly #quotes = new Set<Element>();
  #line = new Line();
  /** Whether the last block is a paragraph of the item that is open. */
  #endsInText = false;
  /** The element within which all is one line. */
  #flat: Element | undefined;
  #isCell = false;
  /** The list that ended last, to tell the next one from it. */
  #ended: { readonly marker: string; readonly length: number; readonly depth: number } | undefined;

  constructor(options: MarkdownOptions) {
    this.#options = options;
    this.#blocks = new Blocks(options.room);
  }

  add(root: Element): void {
    walk(
      root,
      (node) => (node === root && !wholes.has(root.name) ? true : this.#enter(node)),
      (node) => {
        if (node !== root || wholes.has(root.name)) this.#leave(node);
      },
    );
  }

  /** Adds a cell, all of which is one line. */
  addFlat(cell: Element): string {
    this.#flat = cell;
    this.#isCell = true;
    this.#line = new Line(true);
    this.add(cell);
    return this.#line.finish().replaceAll('|', String.raw`\|`);
  }

  finish(): string {
    this.#endLine();
    return this.#blocks.toString();
  }

  #enter(node: AnyNode): boolean {
    spend(isText(node) ? nodeSteps + node.data.length * unitSteps : nodeSteps);
    if (this.#blocks.isFull) return false;
    if (isText(node)) this.#line.text(node.data);
    if (!isTag(node) || leftOut.has(node.name)) return false;
    const { name } = node;
    const mark = this.#markOf(node);
    if (mark !== undefined) {
      this.#marks.push({ mark, element: node });
      this.#line.open(mark);
      return true;
    }
    if (codes.has(name)) return this.#code(node);
    if (name === 'img') return this.#image(node);
    if (name === 'br') return this.#break();
    if (!blocks.has(name) && !lists.has(name)) return true;
    if (this.#flat !== undefined) {
      this.#line.blank();
      return true;
    }
    this.#endLine();
    if (!lists.has(name)) this.#endsInText = false;
    return this.#block(node);
  }

  #leave(node: AnyNode): void {
    if (!isTag(node) || node.name === 'br') return;
    const open = this.#marks.at(-1);
    if (open?.element === node) {
      this.#marks.pop();
      return this.#line.close(open.mark);
    }
    if (this.#flat !== undefined && this.#flat !== node) {
      if (blocks.has(node.name)) this.#line.blank();
      return;
    }
    if (!blocks.has(node.name) && !lists.has(node.name)) return;
    if (this.#flat === node) this.#heading(node);
    else this.#endLine();
    this.#endBlock(node);
  }

  /** Begins a block. Returns whether what it holds is gone through. */
  #block(element: Element): boolean {
    switch (element.name) {
      case 'ul':
      case 'ol':
      case 'menu':
        this.#lists.push(this.#listOf(element));
        return true;
      case 'li':
        this.#item();
        return true;
      case 'blockquote':
        if (this.#blocks.enter('> ', '> ')) this.#quotes.add(element);
        return true;
      case 'pre':
        this.#fence(element);
        return false;
      case 'hr':
        this.#blocks.write(['___']);
        return false;
      case 'table':
        return !this.#table(element);
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6':
        this.#flat = element;
        return true;
      default:
        return true;
    }
  }

  #endBlock(element: Element): void {
    const { name } = element;
    if (name === 'blockquote' && this.#quotes.delete(element)) this.#blocks.leave();
    if (name === 'li' && this.#items.pop() === true) this.#blocks.leave();
    if (!lists.has(name)) return;
    const { marker } = this.#lists.pop() ?? { marker: '' };
    this.#ended = { marker, length: this.#blocks.length, depth: this.#blocks.depth };
  }

  #listOf(element: Element): List {
    const { length, depth } = this.#blocks;
    const isBeside = this.#ended?.length === length && this.#ended.depth === depth ? this.#ended.marker : '';
    const start = /^\s*\d{1,8}/.exec(attributeOf(element, 'start') ?? '')?.[0] ?? '1';
    // A list of an item stands right below its text, which only a list from 1 ends.
    if (this.#items.at(-1) === true && this.#endsInText && (element.name !== 'ol' || Number(start) === 1))
      this.#blocks.follow();
    if (element.name !== 'ol') return { marker: isBeside === '-' ? '+' : '-' };
    return { marker: isBeside === '.' ? ')' : '.', number: Number(start) };
  }

  #item(): void {
    const list = this.#lists.at(-1) ?? { marker: '-' };
    const { number, marker, isBegun } = list;
    const first = number === undefined ? `${marker} ` : `${number}${marker} `;
    if (number !== undefined) list.number = Math.min(number + 1, 999_999_999);
    const isInside = this.#blocks.enter(first, ' '.repeat(first.length));
    this.#items.push(isInside);
    if (isInside && isBegun === true) this.#blocks.follow();
    list.isBegun = true;
    this.#endsInText = false;
  }

  #markOf(element: Element): Mark | undefined {
    const known = emphasis.get(element.name);
    if (known !== undefined) return this.#marks.some(({ mark }) => mark === known) ? undefined : known;
    if (element.name !== 'a' || this.#marks.some(({ mark }) => typeof mark !== 'string')) return undefined;
    const url = absoluteAttribute(element, 'href', this.#options.base)?.trim() ?? '';
    return url === '' || /^(?:javascript|data|vbscript):/i.test(url) ? undefined : { url };
  }

  #code(element: Element): boolean {
    const text = rawText(element).replaceAll(/\s+/g, ' ').trim();
    spend(text.length * unitSteps);
    // In a cell, a line that is escaped there would part it.
    if (this.#isCell && text.includes('\\|')) this.#line.text(text);
    else if (text !== '') this.#line.code(text);
    return false;
  }

  #image(element: Element): boolean {
    const alt = (attributeOf(element, 'alt') ?? '').replaceAll(/\s+/g, ' ').trim();
    const url = absoluteAttribute(element, 'src', this.#options.base)?.trim() ?? '';
    if (url === '' || /^data:/i.test(url)) this.#line.text(alt);
    else this.#line.image(`![${escapedText(alt, false)}](${destination(url)})`);
    return false;
  }

  #break(): boolean {
    if (this.#flat !== undefined) this.#line.blank();
    // A line that is left out parts two paragraphs.
    else if (this.#line.lineBreak()) this.#endLine();
    return false;
  }

  #fence(element: Element): void {
    const text = preText(element).replaceAll(/\r\n?/g, '\n').replace(/^\n/, '').replace(/\s+$/, '');
    spend(text.length * unitSteps);
    if (text === '') return;
    const fence = '`'.repeat(Math.max(3, longestRun(text, '`') + 1));
    this.#blocks.write([`${fence}${languageOf(element)}`, ...text.split('\n'), fence]);
  }

  #heading(element: Element): void {
    this.#flat = undefined;
    const text = this.#takeLine().replace(/(^|\s)(#+)$/, String.raw`$1\$2`);
    if (text !== '') this.#blocks.write([`${'#'.repeat(Number(element.name.slice(1)))} ${text}`]);
  }

  /** Writes a table. Returns false for one that lays out a page, or whose cells hold more than lines. */
  #table(table: Element): boolean {
    if (findFirst(table, (element) => element !== table && unfitForCells.has(element.name)) !== undefined) return false;
    const rows = rowsOf(table);
    const slots = slotsOf(rows, mostColumns * (rows.length + 1))?.rows;
    const columns = Math.max(0, ...(slots ?? []).map((row) => row.at(-1)?.end ?? 0));
    if (slots === undefined || columns < 2 || columns > mostColumns) return false;
    const known = new Set<Element>();
    const lines = slots.map((row) => {
      const cells = Array.from({ length: columns }, () => '');
      for (const { cell, start } of row) {
        if (known.has(cell)) continue;
        known.add(cell);
        cells[start] = new Writer(this.#options).addFlat(cell);
      }
      return `| ${cells.join(' | ')} |`;
    });
    const caption = findFirst(table, ({ name }) => name === 'caption');
    if (caption !== undefined)
      this.#blocks.write([new Writer(this.#options).addFlat(caption)].filter((text) => text !== ''));
    const [head = '', ...others] = lines;
    this.#blocks.write([head, `|${' --- |'.repeat(columns)}`, ...others]);
    return true;
  }

  /** Writes the paragraph that is open, and begins another one with the same marks. */
  #endLine(): void {
    const text = this.#takeLine();
    if (text === '') return;
    this.#blocks.write(text.split('\n'));
    this.#endsInText = true;
  }

  #takeLine(): string {
    const line = this.#line;
    if (!line.isEmpty) for (const { mark } of this.#marks.toReversed()) line.close(mark);
    const text = line.isEmpty ? '' : line.finish();
    this.#line = new Line();
    for (const { mark } of this.#marks) this.#line.open(mark);
    return text;
  }
}

/** The text of a `pre`, whose line breaks may be elements. */
function preText(element: Element): string {
  let text = '';
  walk(
    element,
    (node) => {
      spend(isText(node) ? nodeSteps + node.data.length : nodeSteps);
      if (isText(node)) text += node.data;
      else if (isTag(node) && node.name === 'br') text += '\n';
      return !isTag(node) || !leftOut.has(node.name);
    },
    () => undefined,
  );
  return text;
}

/** The language of a `pre`, by the class that most highlighters set. */
function languageOf(element: Element): string {
  const code = findFirst(element, ({ name }) => name === 'code');
  const classes = [element, code].map((each) => (each && attributeOf(each, 'class')) ?? '').join(' ');
  return /(?:^|\s)lang(?:uage)?-([\w+#.-]{1,40})(?:\s|$)/.exec(classes.slice(0, 1_000))?.[1] ?? '';
}
