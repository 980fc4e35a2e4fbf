import { crc32 } from 'node:zlib';
import { findPlacesInTurns } from '../frontier/links.ts';
import type { Fill } from '../health/field-fill.ts';
import { type KnownPage, type Led, unpackLed } from '../store/copies.ts';
import type { StepOps } from '../store/ops.ts';
import type { CopyRow } from '../store/tables/copies.ts';
import type { CrawlRow } from '../store/tables/crawls.ts';
import type { FrontierPlace } from '../store/tables/frontier.ts';
import type { OpenProvider, Reading } from '../provider/provider.ts';
import type { PageContent, PageRules } from './crawl-page.ts';
import type { Visited } from './walk.ts';

/** The content of a page that has not changed since it was read, as its copy has it. */
export interface KnownContent extends Pick<PageContent, 'links'> {
  readonly sitemaps: readonly string[];
  readonly fill: Fill;
}

/** The content that a page gave to its crawl. */
export interface PageGave extends PageContent, KnownContent {
  /** The number of its records. */
  readonly records: number;
  readonly fingerprint?: string;
}

/** The kind of page as which a place is read. */
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
  const { links = [], sitemaps = [], changedBy, fill } = await unpackLed(led);
  return { links: await findPlacesInTurns(rules, links, { depth: place.depth, maxDepth, changedBy }), sitemaps, fill };
}

/**
 * The copy that is kept of a page that was read. `undefined` for a page of which neither its site nor a sitemap will tell whether it has
 * changed, that a limit has cut, or that a redirect led to, since that may lead elsewhere today.
 */
export function copyOfPage(
  place: FrontierPlace,
  { url, result: { outcome } }: Visited,
  led: Led,
  version: string,
): StepOps['copy'] {
  if (outcome.kind !== 'read' || outcome.extraction.isCut === true || url !== place.url) return undefined;
  if (outcome.validators === undefined && place.changedBy === undefined) return undefined;
  return { url, version, as: readAs(place), ...outcome.validators, led };
}

const hourMs = 3_600_000;

/** How much older the content of a page may be than its sitemap says; clocks may differ, too. */
const marginMs = hourMs;

/** A page is requested in one of so many crawls, and after so long, even if its sitemap says that it has not changed. */
const askedEach = 10;
const askedAfterMs = 7 * 24 * hourMs;

/** The verdict of a sitemap on a page: it has not changed since it was read; `left out`: nor does this crawl request it. */
export type SitemapVerdict = 'unchanged' | 'left out';

/** The verdict of the sitemap that lists a place; `undefined` if the page may have changed, or if no earlier crawl has read it. */
export function sitemapVerdict(
  { url, changedBy }: FrontierPlace,
  known: KnownPage | undefined,
  { crawl, distrustedUntil = 0 }: Pick<CrawlRow, 'crawl' | 'distrustedUntil'>,
  now: number,
): SitemapVerdict | undefined {
  if (changedBy === undefined || known === undefined || changedBy + marginMs >= known.readAt) return undefined;
  const { readAt } = known;
  const isTurn = (crc32(url) + crawl) % askedEach === 0;
  const isLeftOut = !isTurn && readAt <= now && now - readAt < askedAfterMs && distrustedUntil <= now;
  return isLeftOut ? 'left out' : 'unchanged';
}
