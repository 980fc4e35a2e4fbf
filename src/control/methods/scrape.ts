import * as z from 'zod';
import { ProjectId, SourceId } from '../../definition/slug.ts';
import type { MethodSpec } from '../method.ts';
import { CountsView, FailureView, Instant, Limit, Serial, UnparsedView } from '../fields.ts';

const ScrapeStatus = z.enum(['waiting', 'running', 'complete', 'failed', 'aborted', 'cancelled']);

/** How a person wants a scrape to go, besides what its definition says. */
export const ScrapeWishView = z.strictObject({
  /** Goes on past what is known, to the end of a list; a crawl begins anew. */
  full: z.boolean().exactOptional(),
  /** The first and the last day of a collector's windows, as `YYYY-MM-DD`. */
  from: z.iso.date().exactOptional(),
  to: z.iso.date().exactOptional(),
  /** Handed to a plug-in's `collect`, in this order. */
  args: z.array(z.string().max(1_000)).max(100).readonly().exactOptional(),
});

/** One run over one target. `aborted`: ended before its end by a guard of its definition; what it found stays. */
export const ScrapeView = z.strictObject({
  scrape: Serial,
  target: Serial,
  project: z.string(),
  source: z.string(),
  reason: z.enum(['due', 'manual']),
  wish: ScrapeWishView.optional(),
  /** The definition's version that it reads by; empty while waiting. */
  version: z.string(),
  status: ScrapeStatus,
  /** While waiting: when it was asked for. */
  startedAt: Instant,
  endedAt: Instant.optional(),
  failure: FailureView.optional(),
  /** Why it ended where it did, such as `known`, `end` or `loop`. */
  endReason: z.string().optional(),
  steps: z.int(),
  bytes: z.int(),
  counts: CountsView,
  /** Places that should have been records and were none. */
  errors: z.int().optional(),
  /** Records that were left out, as others on their pages have their keys and say something else. */
  repeated: z.int().optional(),
});
export type ScrapeView = z.infer<typeof ScrapeView>;

/** One line of a scrape's run log. */
export const StepView = z.strictObject({
  step: Serial,
  url: z.string(),
  /** The number of its page within its list, from 1. */
  page: Serial.optional(),
  at: Instant,
  elapsedMs: z.number(),
  bytes: z.int(),
  status: z.int().optional(),
  failure: FailureView.optional(),
  counts: CountsView,
  /** Fields that no selector matched, as `record.field`. */
  absent: z.array(z.string()).readonly(),
  unparsed: z.array(UnparsedView).readonly(),
  errors: z.int().optional(),
  repeated: z.int().optional(),
  /** Of a step that is no exchange: so many drafts and failed items of a collector. */
  batch: z.int().optional(),
  /** What else was noticed, as sentences. */
  notes: z.array(z.string()).readonly().optional(),
});
export type StepView = z.infer<typeof StepView>;

/** Methods on single runs. */
export const scrapeMethods = {
  'scrape.list': {
    params: z.strictObject({
      project: ProjectId.exactOptional(),
      source: SourceId.exactOptional(),
      status: ScrapeStatus.exactOptional(),
      /** The `next` of the slice before. */
      before: Serial.exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ scrapes: z.array(ScrapeView).readonly(), next: Serial.optional() }),
    role: 'read',
    doc: 'Lists scrapes, the newest first.',
  },
  'scrape.get': {
    params: z.strictObject({
      scrape: Serial,
      /** Leaves out the steps up to this one. */
      afterStep: z.int().min(0).default(0),
      limit: Limit,
    }),
    result: z.strictObject({ scrape: ScrapeView, steps: z.array(StepView).readonly() }),
    role: 'read',
    doc: 'Shows one scrape and its steps.',
  },
  'scrape.cancel': {
    params: z.strictObject({ scrape: Serial }),
    result: ScrapeView,
    role: 'operate',
    doc: 'Ends a waiting or running scrape; nothing of it is written after that. One that has ended is left as it is.',
  },
} as const satisfies Record<string, MethodSpec>;
