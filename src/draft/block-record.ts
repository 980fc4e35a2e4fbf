import { type Document, type Element, isTag } from 'domhandler';
import { attributeOf, elementsIn } from '../extract/document/node.ts';
import type { Value } from '../extract/draft.ts';
import { collapsedText } from '../extract/rule/text.ts';
import { bestBlock, type Block, firstHref, goodClasses } from './block.ts';
import { type DraftField, type DraftRecord, fieldName, guessedType, keyOf, maxFields } from './record.ts';

/** A field with what each member of a block has there. */
interface Found {
  readonly name: string;
  readonly field: DraftField;
  readonly samples: readonly Value[];
}

/** Records of a page that stand in repeated blocks. */
export function blockRecord(root: Document, base: string): DraftRecord | undefined {
  const block = bestBlock(root);
  if (block === undefined) return undefined;
  const found = distinct(block.css.endsWith('tr:has(td)') ? ofCells(block, base) : ofBlock(block, base));
  const fields = Object.fromEntries(found.map(({ name, field }) => [name, field]));
  const key = keyOf(fields, (name) => found.find((each) => each.name === name)?.samples ?? []);
  if (key === undefined) return undefined;
  const type = typeOf(block.css);
  return {
    type,
    key,
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

function ofBlock({ members }: Block, base: string): Found[] {
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
  return [
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
  for (const { name } of elementsIn(member)) if (/^h[1-6]$/.test(name)) return [name];
  return [];
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

function ofCells({ members }: Block, base: string): Found[] {
  const cellsOf = (row: Element): Element[] =>
    row.children.filter(isTag).filter(({ name }) => name === 'td' || name === 'th');
  const headings = headingsOf(members[0]);
  const columns = Math.max(0, ...members.map((row) => cellsOf(row).length));
  const link = members.map((row) => firstHref(row) ?? null);
  const cells = Array.from({ length: Math.min(columns, maxFields) }, (_, at): Found => {
    const samples = members.map((row) => {
      const cell = cellsOf(row)[at];
      return cell === undefined ? null : collapsedText(cell).trim();
    });
    const name = fieldName(headings[at] ?? '') || `column_${'abcdefghijklmnop'[at] ?? 'z'}`;
    return { name, field: { css: `td:nth-child(${at + 1})`, ...guessedType(name, samples, base) }, samples };
  });
  const isLinked = link.every((href) => href !== null);
  return [
    ...cells,
    ...(isLinked ? [{ name: 'link', field: { css: 'a[href]', attr: 'href', type: 'url' }, samples: link }] : []),
  ];
}

/** What the heads of a table's columns say. */
function headingsOf(row: Element | undefined): string[] {
  for (let node = row?.parent ?? null; node !== null; node = node.parent) {
    if (!isTag(node) || node.name !== 'table') continue;
    for (const element of elementsIn(node)) {
      const heads = element.name === 'tr' ? element.children.filter(isTag).filter(({ name }) => name === 'th') : [];
      if (heads.length > 1) return heads.map((head) => collapsedText(head));
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
  for (const element of elementsIn(member)) {
    if (element === member || !isWanted(element)) continue;
    const text = collapsedText(element).trim();
    return text === '' || text.length > 500 ? undefined : text;
  }
  return undefined;
}

function attributeIn(member: Element, tag: string, attribute: string): string | undefined {
  for (const element of elementsIn(member)) {
    const value = element.name === tag ? attributeOf(element, attribute) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}
