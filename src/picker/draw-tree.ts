import { type AnyNode, type Element, isCDATA, isTag, isText, type ParentNode } from 'domhandler';
import { attributeOf, elementsIn, walk } from '../extract/tree/nodes.ts';
import { escaped, limited, textStart, type Drawing } from './drawing.ts';

/** Elements that are drawn by a name of their own; it says nothing but how they stand among others. Others are drawn as plain parts. */
const drawn: ReadonlySet<string> = new Set(
  'address article aside b bdi blockquote caption cite code dd del dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header i ins kbd li main nav ol p pre q s section small span strong sub sup table tbody td tfoot th thead tr u ul var'.split(
    ' ',
  ),
);

/** Elements that are drawn as a block, though not by their own names. */
const blocks: ReadonlySet<string> = new Set(
  'html body form fieldset details summary center option head noscript template'.split(' '),
);

/** Elements without an end. */
const lone: ReadonlySet<string> = new Set(['br', 'hr', 'wbr']);

/** Elements of which nothing is drawn: they run, load or draw something, or hold what no visitor reads. */
const left: ReadonlySet<string> = new Set(
  'script style iframe frame frameset object embed applet svg math link base canvas audio video source track param noframes noembed plaintext xmp portal fencedframe'.split(
    ' ',
  ),
);

/** Elements whose content is an attribute, which is drawn in place of it. */
const shown: Readonly<Record<string, readonly string[]>> = {
  img: ['alt', 'src'],
  input: ['value', 'name'],
  meta: ['content'],
};

/** How deep elements are drawn within each other; browsers go no deeper than 512. */
const deepest = 200;

/** The most elements that are drawn and can be chosen. */
export const mostElements = 50_000;

/** What is marked on a page: elements by the names of the fields that are read from them, and the one that was chosen. */
export interface TreeMarks {
  readonly fields: ReadonlyMap<AnyNode, readonly string[]>;
  readonly picked: Element | undefined;
}

/** Finds the element of a number, as `drawTree` counts. */
export function elementAt(root: ParentNode, number: number): Element | undefined {
  let at = 0;
  for (const element of elementsIn(root)) {
    if (at === number) return element;
    at += 1;
    if (at === mostElements) return undefined;
  }
  return undefined;
}

/**
 * Draws a tree anew, so that nothing of the page can run or load: elements of a list, by names of ours, with no attribute of the page but the
 * spans of cells; texts, escaped; and our links and marks.
 */
export function drawTree(root: ParentNode, { fields, picked }: TreeMarks, isXml: boolean): Drawing {
  const numbers = new Map<AnyNode, number>();
  for (const element of elementsIn(root)) {
    if (numbers.size === mostElements) break;
    numbers.set(element, numbers.size);
  }
  const out = limited();
  /** The elements that are open, with their ends, so that each is closed whatever has been drawn. */
  const open: { readonly element: Element; readonly end: string }[] = [];
  let depth = 0;
  walk(
    root,
    (node) => {
      depth += 1;
      if (isText(node)) drawText(node.data, node.parent);
      if (!isTag(node)) return depth <= deepest && (node === root || isCDATA(node));
      if (depth > deepest || out.isFull() || (left.has(node.name) && !isXml)) return false;
      drawStart(node);
      return true;
    },
    (node) => {
      depth -= 1;
      if (isTag(node) && open.at(-1)?.element === node) out.close(open.pop()?.end ?? '');
    },
  );
  return { html: out.text(), isCut: out.isFull() || numbers.size === mostElements };

  function drawText(data: string, parent: AnyNode | null): void {
    if (data.trim() === '') return out.add(' ');
    const number = parent === null ? undefined : numbers.get(parent);
    out.add(number === undefined ? textStart(data) : link(number, data));
  }

  function drawStart(element: Element): void {
    const number = numbers.get(element);
    const name = lone.has(element.name) ? element.name : nameOf(element, isXml);
    if (lone.has(name)) return out.add(`<${name}>`);
    const mark = markOf(element);
    const text = textOf(element, isXml);
    out.open(`<${name}${spansOf(element)}${mark}>`);
    open.push({ element, end: `</${name}>` });
    if (isXml) out.add(`<small>${textStart(element.name)}</small> `);
    if (text !== undefined && number !== undefined) out.add(link(number, text));
  }

  function markOf(element: Element): string {
    const names = fields.get(element);
    const classes = [...(names === undefined ? [] : ['read']), ...(element === picked ? ['picked'] : [])];
    if (classes.length === 0) return '';
    const told = names === undefined ? '' : ` data-fields="${escaped(names.slice(0, 6).join(', ').slice(0, 200))}"`;
    return ` class="${classes.join(' ')}"${told}${element === picked ? ' id="picked"' : ''}`;
  }
}

function link(number: number, text: string): string {
  return `<a href="#${number}">${textStart(text)}</a>`;
}

function nameOf({ name }: Element, isXml: boolean): string {
  if (isXml) return 'div';
  if (drawn.has(name)) return name;
  return blocks.has(name) || name === 'meta' || name === 'title' ? 'div' : 'span';
}

/** The content of an element that stands in an attribute. */
function textOf(element: Element, isXml: boolean): string | undefined {
  if (isXml)
    return element.children.length > 0
      ? undefined
      : Object.entries(element.attribs)
          .slice(0, 6)
          .map(([name, value]) => `${name}="${value.slice(0, 200)}"`)
          .join(' ') || undefined;
  const names = Object.hasOwn(shown, element.name) ? (shown[element.name] ?? []) : [];
  const found = names.map((name) => attributeOf(element, name)).find((text) => text !== undefined && text !== '');
  if (found === undefined) return element.name === 'img' ? '[image]' : undefined;
  const told = found.slice(0, 300);
  if (element.name !== 'meta') return `[${element.name === 'img' ? 'image' : element.name}: ${told}]`;
  const of = ['property', 'name', 'itemprop']
    .map((name) => attributeOf(element, name))
    .find((each) => each !== undefined);
  return of === undefined ? undefined : `${of.slice(0, 100)}: ${told}`;
}

/** The spans of a cell, which its table needs. */
function spansOf(element: Element): string {
  if (element.name !== 'td' && element.name !== 'th') return '';
  return ['colspan', 'rowspan']
    .flatMap((name) => {
      const value = attributeOf(element, name) ?? '';
      return /^[1-9]\d{0,2}$/.test(value) ? ` ${name}="${value}"` : [];
    })
    .join('');
}
