import { type Document, type Element, isTag } from 'domhandler';
import { attributeOf, elementsIn, findFirst, namesIn } from '../extract/tree/nodes.ts';
import { collapsedText } from '../extract/tree/text.ts';
import type { Value } from '../extract/value/value.ts';
import { goodClasses } from './blocks.ts';
import { isObject } from './described.ts';

/** How a list goes on behind its page, as a definition says it, and what on the page says so. */
export interface DraftFeed {
  readonly feed: Readonly<Record<string, Value>>;
  /** The end of a sentence for people. */
  readonly found: string;
}

/** Links of a page that are looked at. */
const maxLinks = 5_000;

/** A link to another page of the same site. */
interface Link {
  readonly element: Element;
  readonly url: URL;
}

/** Finds how a list goes on: by `rel=next`, by a link that is called so, or by numbers in addresses; undefined if nothing on its page says so. */
export function pagingOf(root: Document, url: string): DraftFeed | undefined {
  const links = linksOf(root, url);
  return byRelation(links) ?? byName(root, links) ?? byNumber(links, url);
}

function linksOf(root: Document, base: string): readonly Link[] {
  const links: Link[] = [];
  const here = new URL(base);
  here.hash = '';
  for (const element of elementsIn(root)) {
    if (element.name !== 'a' && element.name !== 'link') continue;
    const href = attributeOf(element, 'href');
    const url = href === undefined ? null : URL.parse(href.trim(), base);
    if (url === null || url.origin !== here.origin || href?.trim().startsWith('#')) continue;
    url.hash = '';
    if (url.href !== here.href) links.push({ element, url });
    if (links.length === maxLinks) break;
  }
  return links;
}

function byRelation(links: readonly Link[]): DraftFeed | undefined {
  const isNext = ({ element }: Link): boolean => namesIn(attributeOf(element, 'rel')?.toLowerCase()).includes('next');
  return links.some(isNext) ? { feed: { by: 'link' }, found: 'a link to the next page by rel=next' } : undefined;
}

/** What links to the next page are called, with arrows behind. */
const nextText =
  /^(?:(?:next|older|weiter|nächste|suivante?s?|siguientes?|próxima|seguinte|successiv[ao]|volgende|nästa|næste|neste|następna|dalej|следующая|далее|вперед|次へ|次|下一页|다음)(?: (?:page|posts|entries|results|seite|página|pagina|sida|side|strona|страница))?)?[\s›»→>⟩]*$/iu;
const nextClass = /(?:^|[-_])(?:next|older)(?:$|[-_])/i;

function byName(root: Document, links: readonly Link[]): DraftFeed | undefined {
  const found = links.filter(({ element }) => element.name === 'a' && isCalledNext(element));
  const [link] = found;
  // Where several lead to different pages, they are steps of something else.
  if (link === undefined || found.some(({ url }) => url.href !== link.url.href)) return undefined;
  const next = selectorOf(root, link.element);
  return next === undefined ? undefined : { feed: { by: 'link', next }, found: `a link to the next page at ${next}` };
}

function isCalledNext(element: Element): boolean {
  const texts = [labelOf(element), attributeOf(element, 'aria-label') ?? '', attributeOf(element, 'title') ?? ''];
  const isNamed = texts.some((text) => text.trim() !== '' && nextText.test(text.trim()));
  const { parent } = element;
  const classes = [element, ...(parent !== null && isTag(parent) && parent.name === 'li' ? [parent] : [])].flatMap(
    goodClasses,
  );
  return isNamed || classes.some((name) => nextClass.test(name));
}

function labelOf(element: Element): string {
  return collapsedText(element).trim();
}

/** Returns the rule that finds the address of a link first of all that it finds; undefined if there is none. */
function selectorOf(root: Document, element: Element): string | undefined {
  const { parent } = element;
  const above = parent !== null && isTag(parent) ? parent : undefined;
  const isFirst = (isWanted: (each: Element) => boolean): boolean =>
    findFirst(root, (each) => each.name === 'a' && isWanted(each)) === element;
  const has = (each: Element | null | undefined, name: string): boolean =>
    each !== null && each !== undefined && namesIn(attributeOf(each, 'class')).includes(name);
  for (const name of goodClasses(element))
    if (nextClass.test(name) && isFirst((each) => has(each, name))) return `a.${name} @href`;
  for (const name of above === undefined ? [] : goodClasses(above))
    if (nextClass.test(name) && isFirst((each) => isBelow(each, above?.name, (outer) => has(outer, name))))
      return `${above?.name}.${name} > a @href`;
  for (const attribute of ['aria-label', 'title']) {
    const value = attributeOf(element, attribute);
    if (value === undefined || !/^[\p{L} ]+$/u.test(value)) continue;
    if (isFirst((each) => attributeOf(each, attribute) === value)) return `a[${attribute}="${value}"] @href`;
  }
  const text = labelOf(element);
  if (text === '' || text.includes("'") || !isFirst((each) => labelOf(each) === text)) return undefined;
  return `//a[normalize-space(.)='${text}']/@href`;
}

function isBelow(element: Element, name: string | undefined, isWanted: (outer: Element) => boolean): boolean {
  const { parent } = element;
  return parent !== null && isTag(parent) && parent.name === name && isWanted(parent);
}

/** Pages of a list that links lead to by number. */
interface Numbered {
  /** What stands before and behind the number in their addresses. */
  readonly before: string;
  readonly behind: string;
  /** The number in an address, less the one that people see. */
  readonly shift: number;
  readonly pages: Set<number>;
}

/** Finds links that are called by a number which stands in their addresses as well. */
function byNumber(links: readonly Link[], base: string): DraftFeed | undefined {
  const groups = new Map<string, Numbered>();
  for (const { element, url } of links) {
    const text = element.name === 'a' ? labelOf(element) : '';
    if (!/^[1-9]\d{0,3}$/.test(text)) continue;
    const page = Number(text);
    for (const shift of [0, -1])
      for (const [before, behind] of splits(url.href, url.origin.length, page + shift)) {
        const key = JSON.stringify([before, behind, shift]);
        const group = groups.get(key) ?? { before, behind, shift, pages: new Set<number>() };
        group.pages.add(page);
        groups.set(key, group);
      }
  }
  const [best] = [...groups.values()].toSorted((a, b) => b.pages.size - a.pages.size || b.shift - a.shift);
  // A single number may be a year or a count.
  if (best === undefined || !(best.pages.size > 1 || best.pages.has(2))) return undefined;
  return feedOf(best, base);
}

/** What stands before and behind a number, wherever it stands in an address as a whole. */
function* splits(href: string, from: number, number: number): Generator<readonly [before: string, behind: string]> {
  const digits = String(number);
  for (let at = href.indexOf(digits, from); at >= 0; at = href.indexOf(digits, at + 1)) {
    const [before, behind] = [href.slice(0, at), href.slice(at + digits.length)];
    if (!/\d$/.test(before) && !/^\d/.test(behind)) yield [before, behind];
  }
}

function feedOf({ before, behind, shift }: Numbered, base: string): DraftFeed | undefined {
  const start = shift === 0 ? {} : { start: 0 };
  const param = /[?&]([\w.-]+)=$/.exec(before)?.[1];
  if (param !== undefined && (behind === '' || behind.startsWith('&')) && isSameBut(`${before}1${behind}`, base, param))
    return {
      feed: { by: 'page', ...(param !== 'page' && { param }), ...start },
      found: `numbers of pages in the parameter ${param}`,
    };
  if (/[{}]/.test(before + behind)) return undefined;
  const url = `${before}{page}${behind}`;
  return { feed: { by: 'page', url, ...start }, found: `numbers of pages in addresses as ${url}` };
}

/** Whether two addresses differ in one parameter at most. */
function isSameBut(one: string, other: string, param: string): boolean {
  const [first, second] = [new URL(one), new URL(other)].map((url) => {
    url.hash = '';
    url.searchParams.delete(param);
    url.searchParams.sort();
    return url.href;
  });
  return first === second;
}

/** Where documents of JSON say the address of the next page. */
const nextPaths: readonly (readonly string[])[] = [
  ['next'],
  ['next_page'],
  ['nextPage'],
  ['next_url'],
  ['links', 'next'],
  ['_links', 'next', 'href'],
  ['paging', 'next'],
  ['pagination', 'next'],
  ['meta', 'next'],
];

/**
 * Finds the address of the next page in a document of JSON; undefined if it says none.
 *
 * @param outer - the names that lead from the document to the object which holds its list.
 */
export function linkedList(document: Value, url: string, outer: readonly string[]): DraftFeed | undefined {
  // The objects around the list may say it, the outermost first.
  const places = Array.from({ length: outer.length + 1 }, (_, depth) => outer.slice(0, depth));
  for (const names of places.flatMap((place) => nextPaths.map((path) => [...place, ...path]))) {
    const next = names.reduce<Value | undefined>(
      (value, name) => (isObject(value) ? value[name] : undefined),
      document,
    );
    if (typeof next !== 'string' || !/^(?:https?:\/\/|\/|\?)/.test(next)) continue;
    if (URL.parse(next, url)?.origin !== new URL(url).origin) continue;
    const path = `$.${names.join('.')}`;
    return { feed: { by: 'link', next: path }, found: `the address of the next page at ${path}` };
  }
  return undefined;
}
