import { canonicalUrl } from '../frontier/canonical.ts';
import { requestKey } from '../frontier/key.ts';
import { findPlaces, type FoundLinks, type LinkRules } from '../frontier/links.ts';
import type { NewPlace } from '../store/crawl.ts';
import type { Place } from '../store/tables/frontier.ts';

/** Places that a page leads to besides by its links, or by links alone. */
export interface Elsewhere {
  readonly places?: readonly NewPlace[];
  readonly links?: FoundLinks;
}

/** Where a crawl begins, or where such a place has led to. */
export function isStart({ depth }: Place): boolean {
  return depth === 0;
}

/** A place as deep as the one that names it; none where a link leads off the site. */
export function placesAt(
  rules: LinkRules,
  link: string,
  { from, sitemap }: { readonly from: Place; readonly sitemap: true | undefined },
): NewPlace[] {
  const url = canonicalUrl(link, rules.canonical);
  if (url === undefined || rules.isOffsite(url)) return [];
  const kind = sitemap === true ? 'listing' : rules.kindOf(url);
  return [
    { url, depth: from.depth, from: from.url, kind, ...(sitemap === true && { sitemap }), key: requestKey({ url }) },
  ];
}

/** Where a redirect led that was not followed: a place of its own, no deeper than the one that led there. */
export function elsewhere(rules: LinkRules, location: string, from: Place, maxDepth: number): Elsewhere {
  if (isStart(from)) {
    const places = placesAt(rules, location, { from, sitemap: from.sitemap });
    if (places.length > 0) return { places };
  }
  return { links: findPlaces(rules, [location], { depth: from.depth - 1, maxDepth }) };
}
