import * as z from 'zod';
import { ProjectId, SourceId } from '../../definition/slug.ts';
import { Instant, Serial } from '../fields.ts';
import type { MethodSpec } from '../method.ts';

/** How fresh things with an objective are. Quantiles are right within 1 %, all else exactly. */
export const FreshnessView = z.strictObject({
  count: z.int(),
  maxMs: z.number(),
  p50Ms: z.number(),
  p95Ms: z.number(),
  p99Ms: z.number(),
  /** The part that keeps its objective; 1 for none at all. */
  shareWithin: z.number(),
  breaches: z.int(),
  nextDeadlineAt: Instant.optional(),
});
export type FreshnessView = z.infer<typeof FreshnessView>;

/** An objective that a host does not allow to be kept. */
export const InfeasibleView = z.strictObject({
  source: z.string(),
  key: z.string(),
  targets: z.int(),
  objectiveMs: z.number(),
  /** What their hours leave of the time: the longest for which they are closed, and the part in which they are open. */
  hours: z.strictObject({ closedMs: z.number(), openPart: z.number() }).optional(),
  /** Once round all of them takes so long, with all turns of the host that their hours leave. */
  neededMs: z.number(),
  /** One scrape takes so long. */
  scrapeMs: z.number(),
  /** The usual time from one request to the next, by all that limits it. */
  delayMs: z.number(),
  /** The nearest that can be kept; missing where shorter ones have all the turns that re-checks are sure of. */
  nearestMs: z.number().optional(),
});
export type InfeasibleView = z.infer<typeof InfeasibleView>;

/** One that must be verified again soon, or is late. */
export const DeadlineView = z.strictObject({
  target: Serial,
  project: z.string(),
  source: z.string(),
  field: z.string().optional(),
  objectiveMs: z.number(),
  ageMs: z.number(),
  deadlineAt: Instant,
});
export type DeadlineView = z.infer<typeof DeadlineView>;

/** Methods on the freshness that is promised. */
export const objectiveMethods = {
  'objective.report': {
    params: z.strictObject({ source: SourceId.exactOptional(), project: ProjectId.exactOptional() }),
    result: z.strictObject({
      at: Instant,
      all: FreshnessView,
      sources: z.array(FreshnessView.extend({ source: z.string() })).readonly(),
      /** The nearest deadlines, those that are over first; 20 at most. */
      next: z.array(DeadlineView).readonly(),
      infeasible: z.array(InfeasibleView).readonly(),
    }),
    role: 'read',
    doc: 'Tells how fresh everything with an objective is: ages, the part that keeps it, breaches and the next deadlines.',
  },
} as const satisfies Record<string, MethodSpec>;
