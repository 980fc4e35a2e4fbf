import type { Source } from '../definition/source.ts';
import { canonicalUrl } from '../frontier/canonical.ts';
import { linkRules } from '../frontier/links.ts';

/** Whether the crawl of a source reads a page for links alone. */
export function isListing({ crawl }: Source, url: string): boolean {
  if (crawl === undefined) return false;
  const rules = linkRules(crawl, []);
  return rules.kindOf(canonicalUrl(url, rules.canonical) ?? url) === 'listing';
}
