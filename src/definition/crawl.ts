import * as z from 'zod';
import { patternFault } from '../extract/value/regex.ts';
import { checkedText } from '../schema/checked-text.ts';
import { expected } from '../schema/expected.ts';
import { Selector } from './selector.ts';
import { strict } from '../schema/strict.ts';
import { HttpUrl } from './url-pattern.ts';

/** A regular expression that is searched in whole URLs; its engine runs in linear time, and so knows no look-around and no back-references. */
export const Pattern = checkedText(z, 'a regular expression that runs in linear time', patternFault);

/** A list of regular expressions. It matches an URL in which at least one of them is found. */
export const Patterns = z.array(Pattern).min(1).max(100);

/** A host; those under it count as well. */
const Domain = z.string().max(253).refine(isHost, expected('a domain like "shop.example"'));

function isHost(text: string): boolean {
  if (/[\s/?#@\\]|:\d*$/.test(text) || text.startsWith('.')) return false;
  return URL.parse(`http://${text}/`) !== null;
}

/** The name of a query parameter; a `*` at the end stands for any ending. */
const ParamName = z
  .string()
  .regex(/^[^\s&=#*]{1,100}\*?$/, expected('the name of a query parameter, or the beginning of one like "utm_*"'));

const Urls = z.array(HttpUrl).min(1).max(1_000);
const Params = z.array(ParamName).max(100).default([]);

/** The share of failed pages at which a crawl ends. */
const ErrorCeiling = strict({
  /** Failed pages by pages asked, from 0 to 1. */
  share: z.number().min(0).max(1).default(0.2),
  /** Pages that are asked before the share counts. */
  pages: z.int().min(1).max(100_000).default(10),
});

/** How a site is walked through: where it begins, which links are followed, which pages are read for records, and when it ends. */
export const Crawl = strict({
  /** Default: the target's address. */
  start: Urls.exactOptional(),
  /** Sitemaps and indexes of sitemaps, whose addresses are judged as links are. */
  sitemaps: Urls.exactOptional(),
  /** A page is read for records if any of these is found in its URL. */
  detail: Patterns,
  /** Links to other pages are followed if any of these is found in them. Default: all of them. */
  follow: Patterns.exactOptional(),
  /** Links in which any of these is found are never followed, not even to pages with records. */
  deny: Patterns.exactOptional(),
  /** Links to other hosts are not followed. Default: the hosts of `start`. */
  domains: z.array(Domain).min(1).max(1_000).exactOptional(),
  /** The elements whose links count, or those within them. Default: all links of a page. */
  links: z.array(Selector).min(1).max(20).exactOptional(),
  /** How many links lead from a start to a page at most. */
  maxDepth: z.int().min(0).max(1_000_000).default(50),
  maxPages: z.int().min(1).max(10_000_000).default(100_000),
  /** The number of pages in a row without a new record from which the crawl counts as a loop. */
  maxWithoutNew: z.int().min(1).max(10_000_000).default(5_000),
  /** Whether links to pictures, archives, documents and the like are asked. */
  files: z.enum(['skip', 'follow']).default('skip'),
  /** Parameters that stay, though they usually only track visitors or name a session. */
  keepParams: Params,
  /** Further parameters that are dropped, since they do not change the page. */
  dropParams: Params,
  errorCeiling: ErrorCeiling.prefault({}),
});
export type Crawl = z.infer<typeof Crawl>;
