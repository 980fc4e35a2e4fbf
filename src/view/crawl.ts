import * as z from 'zod';
import { Instant, Serial } from './fields.ts';
import { Unfound } from './scrape.ts';

const Counts = z.record(z.string(), z.int()).readonly();

/** Why a crawl was taken for endless. */
export const LoopView = z.strictObject({
  /** The address template of most pages since the last new record. */
  template: z.string(),
  /** The number of pages since the last new record. */
  pages: z.int(),
  /** The first addresses of that template. */
  samples: z.array(z.string()).readonly(),
  /**
   * The template's part of the pages, and the part of its pages that showed nearly what another one had shown; from
   * 0 to 1.
   */
  share: z.number(),
  nearDuplicates: z.number(),
  /** The measures of the template's addresses that keep growing. */
  growing: z.array(z.string()).readonly(),
  /** The number of the template's pages with records, none of which was new. */
  knownDetails: z.int(),
});

/** How a crawl ended; `replaced` when the next crawl began before its end. */
export const CrawlEndReason = z.enum(['complete', 'loop', 'budget', 'errors', 'failed', 'cancelled', 'replaced']);
export type CrawlEndReason = z.infer<typeof CrawlEndReason>;

/** The number of records that have a field (`seen`), of all that were read (`total`). */
export const FieldFill = z.strictObject({ seen: z.int(), total: z.int() });
export type FieldFill = Readonly<z.infer<typeof FieldFill>>;

/** A crawl and what it did; the newest of a target may be under way. */
export const CrawlView = z.strictObject({
  target: Serial,
  source: z.string(),
  /** Counts up from 1 for each target. */
  crawl: Serial,
  /** The version of the definition that the crawl uses. */
  version: z.string(),
  startedAt: Instant,
  /** When the crawl ended; missing while it is under way. */
  endedAt: Instant.exactOptional(),
  /** The time from the crawl's start to its end, or to now, in ms. */
  durationMs: z.int(),
  endReason: CrawlEndReason.exactOptional(),
  loop: LoopView.exactOptional(),
  /** The number of pages that are done, read or not. */
  pages: z.int(),
  maxPages: z.int(),
  /** The number of pages that gave records. */
  recordPages: z.int(),
  records: z.int(),
  /**
   * Records that this crawl met for the first time, whether or not they were known before it, and those of which a
   * field changed.
   */
  newRecords: z.int(),
  changed: z.int(),
  errors: z.int(),
  /** The number of pages that may hold records and that robots.txt forbids; with any, no record is reported missing. */
  forbidden: z.int(),
  bytes: z.int(),
  /**
   * Answers by class, such as `2xx`; `304` for pages that have not changed since they were read, `listed` for those that were not asked, as their sitemap says so, `failed` for none, and `forbidden` for
   * pages that robots.txt asks to leave alone.
   */
  status: Counts,
  /** Links that were not followed, by reason. */
  refused: Counts,
  /** Other domains that were linked to, the most often linked first. */
  offsite: z.array(z.strictObject({ domain: z.string(), links: z.int() })).readonly(),
  /** The number of links that were not followed because they lie too deep. */
  tooDeep: z.int(),
  /** The number of links that were not kept because the budget of pages ends before their turn. */
  overBudget: z.int(),
  /** In how many of the records that were read each field was found, as `product.price`. */
  fieldFill: z.record(z.string(), FieldFill).readonly(),
  /** The fields that none of five or more records has, with the rules of the definition in use if that is the crawl's; missing where there are none. */
  unfound: z.array(Unfound).readonly().exactOptional(),
  /** Set where a page had changed though its sitemap said that it had not: until then no page is left out for its sitemap. */
  distrustedUntil: Instant.exactOptional(),
  /** The number of pages that are still to be fetched. */
  waiting: z.strictObject({ detail: z.int(), listing: z.int() }),
});
export type CrawlView = Readonly<z.infer<typeof CrawlView>>;
