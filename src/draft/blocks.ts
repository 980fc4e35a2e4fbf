import { type Document, type Element, isTag } from 'domhandler';
import { attributeOf, elementsIn, findFirst } from '../extract/tree/nodes.ts';
import type { Value } from '../extract/value/value.ts';
import { collapsedText } from '../extract/tree/text.ts';
import { foldedText, Tables } from '../extract/tree/table.ts';
import { type DraftField, type DraftRecord, fieldName, guessedType, isCounted, keysOf, maxFields } from './record.ts';

/** Elements of one page that look alike, and the selector that finds them. */
export interface Block {
  readonly css: string;
  readonly members: readonly Element[];
}

/** Elements that are looked at. */
const maxElements = 50_000;

/** How far up is looked. */
const maxAbove = 100;

/** Longest text of a record, in characters, on the mean. */
const maxText = 4_000;

/** Members of a block, at least, and how many of them it is judged by. */
const fewest = 3;
const sampled = 30;

const unseen: ReadonlySet<string> = new Set(['script', 'style', 'template', 'head', 'noscript', 'svg', 'option', 'br']);
/** Elements of a page that are beside its content. */
export const besides: ReadonlySet<string> = new Set(['nav', 'header', 'footer', 'aside', 'form', 'select']);

/**
 * Finds the repeated elements of a page that look most like records, with links, headings, prices and pictures of their own; or those
 * around them, one around each, where these say more.
 */
export function bestBlock(root: Document): Block | undefined {
  const blocks = candidates(root);
  const scored = blocks.map((block) => ({ block, score: scoreOf(block) })).filter(({ score }) => score > 0);
  const [best] = scored.toSorted((a, b) => b.score - a.score);
  if (best === undefined) return undefined;
  const around = blocks.filter((block) => holdsMoreOf(block, best.block));
  const [nearest] = around.toSorted((a, b) => textLength(a) - textLength(b));
  return nearest ?? best.block;
}

/** Whether each element of a block holds one of another block, and says more than that. */
function holdsMoreOf(outer: Block, inner: Block): boolean {
  if (outer.members.length !== inner.members.length) return false;
  const isAround = outer.members.slice(0, sampled).every((member, index) => {
    const within = inner.members[index];
    return within !== undefined && ancestor(within, (above) => above === member) !== undefined;
  });
  return isAround && textLength(outer) > textLength(inner) && textLength(outer) <= maxText;
}

/** The mean length of the texts of a block, in characters. */
function textLength({ members }: Block): number {
  const some = members.slice(0, sampled);
  return some.reduce((sum, member) => sum + collapsedText(member).trim().length, 0) / some.length;
}

function candidates(root: Document): Block[] {
  return blocksOf(root, selectorsOf).filter(({ members }) => !holdEachOther(members));
}

/**
 * Groups the elements of a page into blocks of at least three members.
 *
 * @param selectorsOf - the selectors of the blocks that an element is a member of.
 */
export function blocksOf(root: Document, selectorsOf: (element: Element) => readonly string[]): Block[] {
  const groups = new Map<string, Element[]>();
  let left = maxElements;
  for (const element of elementsIn(root)) {
    left -= 1;
    if (left < 0) break;
    if (unseen.has(element.name)) continue;
    for (const css of selectorsOf(element)) {
      const group = groups.get(css);
      if (group === undefined) groups.set(css, [element]);
      else group.push(element);
    }
  }
  return Array.from(groups, ([css, members]) => ({ css, members })).filter(({ members }) => members.length >= fewest);
}

/** Selectors for elements like this one: by one of its classes, or by its tag below an element with a class or an id. */
function selectorsOf(element: Element): string[] {
  const named = goodClasses(element).map((name) => `${element.name}.${name}`);
  if (element.name === 'tr') {
    const table = ancestor(element, ({ name }) => name === 'table');
    const above = table && nameOf(table);
    const isRow = element.children.some((child) => isTag(child) && child.name === 'td');
    return isRow ? [...named, `${above ?? 'table'} tr:has(td)`] : [];
  }
  if (!['li', 'article', 'div', 'section', 'dd'].includes(element.name)) return named;
  const parent = element.parent !== null && isTag(element.parent) ? nameOf(element.parent) : undefined;
  return [...named, ...(parent === undefined ? [] : [`${parent} > ${element.name}`])];
}

/** Returns a selector of an element by its class or id. */
export function nameOf(element: Element): string | undefined {
  const [first] = goodClasses(element);
  if (first !== undefined) return `${element.name}.${first}`;
  const id = attributeOf(element, 'id');
  return id !== undefined && isPlain(id) && isPlain(element.name) ? `${element.name}#${id}` : undefined;
}

/**
 * Returns the classes of an element that a person gave; none of an element whose name is no plain word, as what `<a<b>` begins. Classes that tools
 * generate change with every release.
 */
export function goodClasses(element: Element): string[] {
  if (!isPlain(element.name)) return [];
  const words = (attributeOf(element, 'class') ?? '').split(/\s+/);
  return words
    .filter((word) => isPlain(word) && !/\d{3}|^(?:css|sc|jsx|col|row|mt|mb|p|m|w|h)-/.test(word))
    .slice(0, 8);
}

/** Whether a name may stand in a selector as it is. */
export function isPlain(word: string): boolean {
  return /^[A-Za-z][\w-]{0,60}$/.test(word);
}

/** The nearest element around another one that is wanted, of up to 100. */
export function ancestor(element: Element, isWanted: (element: Element) => boolean): Element | undefined {
  let left = maxAbove;
  for (let node = element.parent; node !== null && left > 0; node = node.parent, left -= 1)
    if (isTag(node) && isWanted(node)) return node;
  return undefined;
}

function holdEachOther(members: readonly Element[]): boolean {
  const all = new Set(members);
  return members.slice(0, sampled).some((member) => ancestor(member, (above) => all.has(above)) !== undefined);
}

const priceForm = /(?:[$€£¥₹]|\b[A-Z]{3}\b)\s?\d|\d\s?(?:[$€£¥₹]|\b(?:EUR|USD|GBP|CHF|kr)\b)/;

/** How much more a class of its own says of a block than the place of its elements. */
const namedWeight = 1.2;

function scoreOf({ css, members }: Block): number {
  const some = members.slice(0, sampled);
  const texts = some.map((member) => collapsedText(member).trim());
  const length = texts.reduce((sum, text) => sum + text.length, 0) / some.length;
  if (length < 4 || length > maxText || new Set(texts).size < some.length / 2) return 0;
  const share = (has: (member: Element, text: string) => boolean): number =>
    some.filter((member, index) => has(member, texts[index] ?? '')).length / some.length;
  const links =
    new Set(some.map((member) => firstHref(member)).filter((href) => href !== undefined)).size / some.length;
  const cells = share((member) => member.children.filter((child) => isTag(child) && child.name === 'td').length > 1);
  const signs =
    2 * links +
    1.5 * share((member) => holds(member, /^h[1-6]$/)) +
    1.5 * share((_, text) => priceForm.test(text)) +
    share((member) => holds(member, /^(?:img|time)$/)) +
    1.5 * cells;
  if (signs < 1.5) return 0;
  const isBeside = share((member) => ancestor(member, ({ name }) => besides.has(name)) !== undefined) > 0.5;
  const weight = /\.[\w-]+$/.test(css) ? namedWeight : 1;
  return isBeside ? 0 : Math.sqrt(Math.min(members.length, 100)) * signs * weight;
}

/** The address of the first link below an element that leads to another page; undefined if there is none. */
export function firstHref(member: Element): string | undefined {
  const link = findFirst(member, (element) => {
    const href = element.name === 'a' ? attributeOf(element, 'href') : undefined;
    return href !== undefined && !/^(?:#|javascript:|mailto:|tel:)/i.test(href);
  });
  return link && attributeOf(link, 'href');
}

function holds(member: Element, name: RegExp): boolean {
  return findFirst(member, (element) => name.test(element.name)) !== undefined;
}

/** A field with what each member of a block has there. */
export interface Found {
  readonly name: string;
  readonly field: DraftField;
  readonly samples: readonly Value[];
}

/** Drafts the record of a page's repeated blocks; undefined if there are none, or no field tells them apart. */
export function blockRecord(root: Document, base: string): DraftRecord | undefined {
  const block = bestBlock(root);
  if (block === undefined) return undefined;
  const rows = block.css.endsWith('tr:has(td)') ? belowHead(block, base) : undefined;
  return rows === undefined
    ? recordOf(block, ofBlock(block, base))
    : recordOf(rows.block, ofCells(rows.block, rows.headings, base));
}

/** Drafts the record of a block by its fields; undefined if no field tells the members apart. */
export function recordOf(block: Block, all: readonly Found[]): DraftRecord | undefined {
  const found = distinct(all);
  const fields = Object.fromEntries(found.map(({ name, field }) => [name, field]));
  const [key, ...otherKeys] = keysOf(fields, (name) => found.find((each) => each.name === name)?.samples ?? []);
  if (key === undefined) return undefined;
  const type = typeOf(block.css);
  return {
    type,
    key,
    otherKeys,
    each: block.css,
    fields,
    isWhole: false,
    found: `${block.members.length} repeated blocks ${block.css}`,
  };
}

function typeOf(css: string): string {
  const [, last = ''] = /\.([\w-]+)$/.exec(css) ?? [];
  return fieldName(last) || 'item';
}

/** The fields of a block by headings, links, attributes and classes of its members. */
export function ofBlock({ members }: Block, base: string): Found[] {
  const [first] = members;
  if (first === undefined) return [];
  const mostly = (samples: readonly Value[]): boolean =>
    samples.filter((each) => each !== null).length >= members.length * 0.6;
  const taken = (name: string, field: DraftField, take: (member: Element) => string | undefined): Found[] => {
    const samples = members.map((member) => take(member) ?? null);
    return mostly(samples) ? [{ name, field: { ...field, ...typed(name, field, samples, base) }, samples }] : [];
  };
  const data = Object.keys(first.attribs).filter(
    (name) => /^data-[a-z][a-z-]*$/.test(name) && (first.attribs[name] ?? '').length < 100,
  );
  const isLink = first.name === 'a';
  const hasId =
    (first.attribs['id'] ?? '') !== '' && !isCounted(members.map((member) => attributeOf(member, 'id') ?? ''));
  return [
    ...(hasId ? taken('id', { attr: 'id' }, (member) => attributeOf(member, 'id')) : []),
    ...data.flatMap((name) => taken(fieldName(name.slice(5)), { attr: name }, (member) => attributeOf(member, name))),
    ...headingOf(first).flatMap((name) =>
      taken('title', { css: name }, (member) => textOf(member, (element) => element.name === name)),
    ),
    ...taken('link', isLink ? { attr: 'href', type: 'url' } : { css: 'a[href]', attr: 'href', type: 'url' }, firstHref),
    ...taken('image', { css: 'img[src]', attr: 'src', type: 'url' }, (member) => attributeIn(member, 'img', 'src')),
    ...taken('time', { css: 'time[datetime]', attr: 'datetime' }, (member) => attributeIn(member, 'time', 'datetime')),
    ...classesIn(members).flatMap((name) =>
      taken(fieldName(name), { css: `.${name}` }, (member) =>
        textOf(member, (element) => goodClasses(element).includes(name)),
      ),
    ),
    ...(isLink ? [] : taken('name', { css: 'a[href]' }, (member) => textOf(member, ({ name }) => name === 'a'))),
  ];
}

function typed(name: string, field: DraftField, samples: readonly Value[], base: string): DraftField {
  return field['type'] === undefined ? guessedType(name, samples, base) : {};
}

function headingOf(member: Element): string[] {
  const heading = findFirst(member, ({ name }) => /^h[1-6]$/.test(name));
  return heading === undefined ? [] : [heading.name];
}

/** Elements of one member that are looked at. */
const maxWithin = 500;

/** Classes of elements within that hold a short text, in the order of the first member that has them. */
function classesIn(members: readonly Element[]): string[] {
  const counts = new Map<string, number>();
  for (const member of members.slice(0, 30)) {
    const own = new Set<string>();
    let left = maxWithin;
    for (const element of elementsIn(member)) {
      left -= 1;
      if (left < 0) break;
      if (element === member || collapsedText(element).trim().length > 200) continue;
      for (const name of goodClasses(element)) own.add(name);
    }
    for (const name of own) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= Math.min(30, members.length) * 0.6).map(([name]) => name);
}

function cellsOf(row: Element): Element[] {
  return row.children.filter(isTag).filter(({ name }) => name === 'td' || name === 'th');
}

/** Longest heading of a column without `th`, in characters. */
const maxPlainHeading = 40;

/**
 * The rows of a table below its head, with the headings of their columns. Where no row has `th`, the first one is the head if all its cells are short
 * texts and what stands below one of them is of a type that its own text is not.
 */
function belowHead(block: Block, base: string): { readonly block: Block; readonly headings: readonly string[] } {
  const { css, members } = block;
  const named = headingsOf(members[0]);
  const [first, ...rows] = members;
  if (named.length > 0 || first === undefined || first.parent !== rows[0]?.parent) return { block, headings: named };
  const headings = cellsOf(first).map((cell) => collapsedText(cell).trim());
  const isHeading = (text: string): boolean => fieldName(text) !== '' && text.length <= maxPlainHeading;
  const isTyped = headings.some((heading, at) => {
    const samples = rows.map((row) => collapsedText(cellsOf(row)[at] ?? row).trim());
    const { type } = guessedType(heading, samples, base);
    return type !== undefined && guessedType(heading, [heading], base)['type'] !== type;
  });
  const isHead = rows.length >= fewest && new Set(headings).size === headings.length && headings.every(isHeading);
  if (!isHead || !isTyped) return { block, headings: [] };
  return { block: { css: css.replace(/tr:has\(td\)$/, 'tr + tr:has(td)'), members: rows }, headings };
}

function ofCells({ members }: Block, headings: readonly string[], base: string): Found[] {
  const tables = new Tables();
  const columns = Math.max(0, ...members.map((row) => cellsOf(row).length));
  const link = members.map((row) => firstHref(row) ?? null);
  const cells = Array.from({ length: Math.min(columns, maxFields) }, (_, at): Found => {
    const samples = members.map((row) => {
      const cell = cellsOf(row)[at];
      return cell === undefined ? null : collapsedText(cell).trim();
    });
    const name = fieldName(headings[at] ?? '') || `column_${'abcdefghijklmnop'[at] ?? 'z'}`;
    const heading = headings[at] ?? '';
    const folded = [foldedText(heading)];
    const isUnder = heading !== '' && members.every((row) => tables.cellUnder(row, folded) === cellsOf(row)[at]);
    const place = isUnder ? { from: { column: heading } } : { css: `td:nth-child(${at + 1})` };
    return { name, field: { ...place, ...guessedType(name, samples, base) }, samples };
  });
  const isLinked = link.every((href) => href !== null);
  return [
    ...cells,
    ...(isLinked ? [{ name: 'link', field: { css: 'a[href]', attr: 'href', type: 'url' }, samples: link }] : []),
  ];
}

/** Longest heading that is looked at, in characters. */
const maxHeading = 200;

/** The texts of the heads of a table's columns. */
function headingsOf(row: Element | undefined): string[] {
  for (let node = row?.parent ?? null; node !== null; node = node.parent) {
    if (!isTag(node) || node.name !== 'table') continue;
    for (const element of elementsIn(node)) {
      const heads = element.name === 'tr' ? element.children.filter(isTag).filter(({ name }) => name === 'th') : [];
      if (heads.length > 1) return heads.map((head) => collapsedText(head).trim().slice(0, maxHeading));
    }
  }
  return [];
}

/** Fields that differ in name and in what they hold; the first of two that are alike stays. */
function distinct(found: readonly Found[]): Found[] {
  const kept: Found[] = [];
  for (const each of found) {
    const text = JSON.stringify(each.samples);
    const isTwin = kept.some(({ name, samples }) => name === each.name || JSON.stringify(samples) === text);
    if (each.name !== '' && !isTwin && kept.length < maxFields) kept.push(each);
  }
  return kept;
}

function textOf(member: Element, isWanted: (element: Element) => boolean): string | undefined {
  const found = findFirst(member, (element) => element !== member && isWanted(element));
  const text = found === undefined ? '' : collapsedText(found).trim();
  return text === '' || text.length > 500 ? undefined : text;
}

function attributeIn(member: Element, tag: string, attribute: string): string | undefined {
  const found = findFirst(member, ({ name, attribs }) => name === tag && Object.hasOwn(attribs, attribute));
  return found && attributeOf(found, attribute);
}
