import { type Element, isTag, type ParentNode } from 'domhandler';
import { defined } from '../defined.ts';
import { latestChange } from './lastmod.ts';
import type { LinkPlan } from './plan.ts';
import { JsonSpot, type PageContext, type Spot } from './rule/spot.ts';
import { attributeOf, elementBehind, elementsIn, findUpTo, textContent } from './tree/nodes.ts';
import { compileSelector } from './tree/selector.ts';
import { spend } from '../work-budget.ts';

/** Finds the links of a page: absolute, without fragments, in page order, each once; 50,000 at most. */
export type FindLinks = (root: Spot, page: PageContext) => readonly string[];

/** Links of one page, at most. */
const maxLinks = 50_000;

/** The work of parsing an address. */
const linkSteps = 200;

/** Longest address that is followed, in characters. */
const maxUrlLength = 2_083;

/** Compiles the search for the links of pages, or for the addresses of sitemaps. Throws if a selector is not valid. */
export function compileLinks(plan: LinkPlan | 'sitemap', isXml: boolean): FindLinks {
  const texts =
    plan === 'sitemap' ? locations : plan.within === undefined ? usualLinks : linksWithin(plan.within, isXml);
  return (root, page) => {
    const seen = new Set<string>();
    const links = new Set<string>();
    for (const text of texts(root)) {
      // What a page repeats is not worth parsing again.
      if (seen.has(text)) continue;
      seen.add(text);
      spend(linkSteps);
      const url = linkOf(text, page.base);
      if (url !== undefined) links.add(url);
      if (links.size >= maxLinks) break;
    }
    return [...links];
  };
}

type FindTexts = (root: Spot) => readonly string[];

/** Finds links within matches of `selectors` in a single walk of the tree, even if the matches are nested. */
function linksWithin(selectors: readonly string[], isXml: boolean): FindTexts {
  const matches = compileSelector(selectors.join(', '), isXml);
  return (root) => {
    if (root instanceof JsonSpot) return [];
    const texts: string[] = [];
    let isWithin = false;
    let behind: Element | undefined;
    for (const element of elementsIn(root)) {
      if (element === behind) isWithin = false;
      if (!isWithin) {
        if (!matches(element)) continue;
        isWithin = true;
        behind = elementBehind(element, root);
      }
      const href = attributeOf(element, 'href');
      if (href !== undefined) texts.push(href);
    }
    return texts;
  };
}

/** The latest instants at which the pages of a sitemap have changed, by their addresses as links have them; none for a page without such a date. */
export function latestChanges({ urls }: Sitemap, base: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    urls.flatMap(({ loc, lastmod }) => {
      const changedBy = lastmod === undefined ? undefined : latestChange(lastmod);
      const url = changedBy === undefined ? undefined : linkOf(loc, base);
      return url === undefined || changedBy === undefined ? [] : [[url, changedBy] as const];
    }),
  );
}

function locations(root: Spot): string[] {
  return root instanceof JsonSpot ? [] : sitemapLinks(root).urls.map(({ loc }) => loc);
}

function usualLinks(root: Spot): string[] {
  if (root instanceof JsonSpot) return [];
  return findUpTo(root, isLink, Infinity).map((element) => attributeOf(element, 'href') ?? '');
}

function isLink({ name, attribs }: Element): boolean {
  if (!Object.hasOwn(attribs, 'href')) return false;
  if (name === 'a' || name === 'area') return true;
  return name === 'link' && /(?:^|\s)(?:next|canonical)(?:\s|$)/i.test(attribs['rel'] ?? '');
}

function linkOf(text: string, base: string): string | undefined {
  if (text.length > maxUrlLength) return undefined;
  const url = URL.parse(text, base);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  // Few have one, and it takes longer to be set than to be looked for.
  if (url.href.includes('#')) url.hash = '';
  return url.href.length > maxUrlLength ? undefined : url.href;
}

/** The entries of a sitemap: pages, or other sitemaps if it is an index. */
export interface Sitemap {
  readonly urls: readonly { readonly loc: string; readonly lastmod?: string }[];
  readonly sitemaps: readonly string[];
}

/** Entries of one file that are read: as many as the protocol allows. */
const maxEntries = 50_000;

/** Reads the entries of a sitemap, as they are written and in page order; 50,000 at most. Prefixes of element names make no difference. */
export function sitemapLinks(root: ParentNode): Sitemap {
  const top = root.children.find((node) => isTag(node) && /^(?:urlset|sitemapindex)$/.test(localName(node)));
  const entries = top !== undefined && isTag(top) ? top.children.filter(isTag).slice(0, maxEntries) : [];
  return {
    urls: entries.flatMap((entry) => {
      const loc = localName(entry) === 'url' ? childText(entry, 'loc') : undefined;
      const lastmod = childText(entry, 'lastmod');
      return loc === undefined ? [] : [{ loc, ...defined({ lastmod }) }];
    }),
    sitemaps: entries.flatMap((entry) => (localName(entry) === 'sitemap' ? (childText(entry, 'loc') ?? []) : [])),
  };
}

function childText(entry: Element, name: string): string | undefined {
  const child = entry.children.find((node) => isTag(node) && localName(node) === name);
  const text = child === undefined ? '' : textContent(child).trim();
  return text === '' ? undefined : text;
}

function localName({ name }: Element): string {
  return name.slice(name.indexOf(':') + 1);
}
