import * as z from 'zod';
import { ProjectId } from '../../definition/slug.ts';
import { Instant, Limit, Serial } from '../fields.ts';
import type { MethodSpec } from '../method.ts';

const Counts = z.record(z.string(), z.int()).readonly();

/** Why a crawl was taken for endless. */
export const LoopView = z.strictObject({
  /** Of most of the pages since the last new record. */
  template: z.string(),
  /** All pages since the last new record. */
  pages: z.int(),
  /** The first addresses of that template. */
  samples: z.array(z.string()).readonly(),
  /** The template's part of the pages, and the part of its pages that showed nearly what another one had shown; from 0 to 1. */
  share: z.number(),
  nearDuplicates: z.number(),
  /** What of the template's addresses keeps growing. */
  growing: z.array(z.string()).readonly(),
  /** Pages of the template with records, of which none was new. */
  knownDetails: z.int(),
});

/** What a crawl did; the newest of a target may be under way. */
export const CrawlView = z.strictObject({
  target: Serial,
  source: z.string(),
  /** Counts up from 1 for each target. */
  crawl: Serial,
  /** The definition's version that it walks by. */
  version: z.string(),
  startedAt: Instant,
  /** Missing while it is under way. */
  endedAt: Instant.optional(),
  /** From its start to its end, or to now. */
  durationMs: z.int(),
  endReason: z.enum(['complete', 'loop', 'budget', 'errors', 'failed', 'cancelled', 'replaced']).optional(),
  loop: LoopView.optional(),
  pages: z.int(),
  maxPages: z.int(),
  detailPages: z.int(),
  records: z.int(),
  /** Records that this crawl met for the first time, whether or not they were known before it, and those of which a field changed. */
  newRecords: z.int(),
  changed: z.int(),
  errors: z.int(),
  /** Pages that may hold records and that robots.txt asks to leave alone; with any, nothing is told to be missing. */
  forbidden: z.int(),
  bytes: z.int(),
  /** Answers by class, such as `2xx`; `failed` for none, and `forbidden` for pages that robots.txt asks to leave alone. */
  status: Counts,
  /** Links that were not followed, by reason. */
  refused: Counts,
  /** Other domains that were linked to, the most often linked first. */
  offsite: z.array(z.strictObject({ domain: z.string(), links: z.int() })).readonly(),
  tooDeep: z.int(),
  overBudget: z.int(),
  /** In how many of the records that were read each field was found, as `product.price`. */
  fieldFill: z.record(z.string(), z.strictObject({ seen: z.int(), total: z.int() })).readonly(),
  /** Pages that are not asked yet. */
  waiting: z.strictObject({ detail: z.int(), listing: z.int() }),
});
export type CrawlView = z.infer<typeof CrawlView>;

/** Methods on crawls. */
export const crawlMethods = {
  'crawl.list': {
    params: z.strictObject({
      project: ProjectId,
      target: Serial.exactOptional(),
      /** The `next` of the slice before. */
      before: z.string().max(100).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ crawls: z.array(CrawlView).readonly(), next: z.string().optional() }),
    role: 'read',
    doc: "Lists the crawls of a project's targets, each target's newest first, with what they found and what they did not follow.",
  },
} as const satisfies Record<string, MethodSpec>;
