import { findPlacesInTurns } from '../frontier/links.ts';
import type { Fill } from '../health/field-fill.ts';
import { type KnownPage, type Led, unpackLed } from '../store/copies.ts';
import type { StepOps } from '../store/ops.ts';
import type { CopyRow } from '../store/tables/copies.ts';
import type { FrontierPlace } from '../store/tables/frontier.ts';
import type { OpenProvider, Reading } from '../provider/provider.ts';
import type { PageContent, PageRules } from './crawl-page.ts';
import type { Visited } from './walk.ts';

/** What a page gave when it was read that is known by a copy and has not changed since. */
export interface KnownContent extends Pick<PageContent, 'links'> {
  readonly sitemaps: readonly string[];
  readonly fill: Fill;
}

/** As what a place is read. */
export function readAs({ kind, sitemap }: Pick<FrontierPlace, 'kind' | 'sitemap'>): CopyRow['as'] {
  return sitemap === true ? 'sitemap' : kind;
}

/** How the pages of a crawl are read, by their kind. Throws where the provider does not say how. */
export function readingsOf({ page, crawl }: OpenProvider): Record<CopyRow['as'], Reading> {
  if (crawl === undefined)
    throw new Error('expected the provider of a source that is crawled to say how its listings are read');
  return { detail: page, ...crawl };
}

/** Judges what an unchanged page led to when it was read, with breaks in which other work gets its turn. */
export async function lookThroughKnown(
  place: FrontierPlace,
  { led }: KnownPage,
  { rules, maxDepth }: Pick<PageRules, 'rules' | 'maxDepth'>,
): Promise<KnownContent> {
  const { links = [], sitemaps = [], fill } = await unpackLed(led);
  return { links: await findPlacesInTurns(rules, links, { depth: place.depth, maxDepth }), sitemaps, fill };
}

/**
 * The copy that is kept of a page that was read. `undefined` for a page that the site gives no validators for, or that a redirect led to,
 * since that may lead elsewhere today.
 */
export function copyOfPage(
  place: FrontierPlace,
  { url, result: { outcome } }: Visited,
  led: Led,
  version: string,
): StepOps['copy'] {
  if (outcome.kind !== 'read' || outcome.validators === undefined || url !== place.url) return undefined;
  return { url, version, as: readAs(place), ...outcome.validators, led };
}
