import { type AnyNode, type Element, isTag } from 'domhandler';
import { sitemapLinks } from './document/sitemap.ts';
import type { Value } from './draft.ts';
import type { BranchPlan, LinkPlan } from './plan.ts';
import { attributeOf } from './rule/attribute.ts';
import { compilePlace, type Dialect } from './rule/place.ts';
import { compileSelector } from './rule/selector.ts';
import { JsonSpot, type PageContext, type Spot } from './rule/spot.ts';
import { taken } from './rule/take.ts';
import { findUpTo, following } from './tree.ts';

/** The links of a page: absolute, without fragments, in page order, each once. */
export type FindLinks = (root: Spot, page: PageContext) => readonly string[];

/** Of one page, at most. */
const maxLinks = 50_000;

/** What is longer is not followed by anyone. */
const maxUrlLength = 2_083;

/** Makes the search for links ready. */
export function compileLinks(plan: LinkPlan | 'sitemap', dialect: Dialect): FindLinks {
  const texts = plan === 'sitemap' ? locations : textsBy(plan, dialect);
  return (root, page) => {
    const seen = new Set<string>();
    const links = new Set<string>();
    for (const text of texts(root, page)) {
      // What a page repeats is not worth parsing again.
      if (seen.has(text)) continue;
      seen.add(text);
      const url = linkOf(text, page.base);
      if (url !== undefined) links.add(url);
      if (links.size >= maxLinks) break;
    }
    return [...links];
  };
}

type FindTexts = (root: Spot, page: PageContext) => Iterable<string>;

function textsBy({ places, within }: LinkPlan, dialect: Dialect): FindTexts {
  if (within !== undefined) return linksWithin(within, dialect);
  return places === undefined ? usualLinks : placedLinks(places, dialect);
}

/** One way through the tree, however many selectors there are and however their matches are nested. */
function linksWithin(selectors: readonly string[], { isXml }: Dialect): FindTexts {
  const matches = compileSelector(selectors.join(', '), isXml);
  return function* (root) {
    if (root instanceof JsonSpot) return;
    let node: AnyNode | undefined = root;
    while (node !== undefined) {
      if (!isTag(node) || !matches(node)) {
        node = following(node, root);
        continue;
      }
      for (const element of findUpTo(node, hasHref, Infinity)) yield attributeOf(element, 'href', '') ?? '';
      node = beside(node, root);
    }
  };
}

function hasHref({ attribs }: Element): boolean {
  return Object.hasOwn(attribs, 'href');
}

/** The node after all that `node` holds. */
function beside(node: AnyNode, root: AnyNode): AnyNode | undefined {
  let at: AnyNode | null = node;
  while (at !== null && at !== root && at.next === null) at = at.parent;
  return at === null || at === root ? undefined : (at.next ?? undefined);
}

function placedLinks(places: readonly BranchPlan[], dialect: Dialect): FindTexts {
  const compiled = places.map((plan) => ({ plan, find: compilePlace(plan.place, dialect) }));
  return function* (root, page) {
    for (const { plan, find } of compiled) {
      for (const match of find(root, page, Infinity)) yield* textsOf(taken(match, plan, page));
    }
  };
}

function textsOf(value: Value): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each: Value) => textsOf(each));
  return typeof value === 'string' ? [value] : [];
}

function locations(root: Spot): string[] {
  return root instanceof JsonSpot ? [] : sitemapLinks(root).urls.map(({ loc }) => loc);
}

function* usualLinks(root: Spot): Generator<string> {
  if (root instanceof JsonSpot) return;
  for (const element of findUpTo(root, isLink, Infinity)) yield attributeOf(element, 'href', '') ?? '';
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
  url.hash = '';
  return url.href.length > maxUrlLength ? undefined : url.href;
}
