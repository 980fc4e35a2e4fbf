import * as z from 'zod';
import { Instant, Value } from '../../view/fields.ts';
import { ProjectId } from '../../schema/slug.ts';
import { Limit } from './fields.ts';
import type { MethodSpec } from './method.ts';

const Reason = z.strictObject({
  /**
   * `missing`: a record or its value; `ambiguous`: several records where one was expected; `refused`: a value beyond `min` or `max`; `currencies`:
   * amounts in several, and none to convert them to; `no_rate`: none of the day; `division_by_zero`; `no_result`.
   */
  code: z.string(),
  message: z.string(),
});

/** A metric as it is now. */
export const MetricView = z.strictObject({
  name: z.string(),
  value: Value,
  /** Why there is no value. */
  reason: Reason.exactOptional(),
  /** Why the value may be out of date; missing where it is not. */
  stale: z.string().exactOptional(),
  /** The oldest verification of what it is made of. */
  verifiedAt: Instant.exactOptional(),
  /** The number of records that it is taken from. */
  records: z.int(),
  /** The values that it is made of, up to 20: those whose verification is oldest; of the last record its own alone. */
  inputs: z
    .array(
      z.strictObject({
        source: z.string(),
        type: z.string(),
        key: z.string(),
        /** Missing where the record has no such field. */
        value: Value.optional(),
        observedAt: Instant,
        verifiedAt: Instant,
        stale: z.string().exactOptional(),
      }),
    )
    .readonly(),
  /** The rates by which amounts were converted. */
  rates: z
    .array(
      z.strictObject({
        from: z.string(),
        to: z.string(),
        factor: z.string(),
        day: z.string(),
        /** The currency over which they were, where there is no rate of the pair. */
        over: z.string().exactOptional(),
        /** Who gave the rate: a source, or the file of rates or its column `source`. */
        source: z.string(),
      }),
    )
    .readonly(),
});
export type MetricView = z.infer<typeof MetricView>;

/** A metric from an instant on. */
export const MetricPoint = z.strictObject({
  metric: z.string(),
  at: Instant,
  value: Value,
  reason: Reason.exactOptional(),
  stale: z.string().exactOptional(),
  verifiedAt: Instant.exactOptional(),
});
export type MetricPoint = z.infer<typeof MetricPoint>;

/** Methods on metrics. */
export const metricMethods = {
  'metric.list': {
    params: z.strictObject({ project: ProjectId }),
    result: z.strictObject({
      metrics: z.array(MetricView).readonly(),
      /** What keeps metrics from being computed, as sentences. */
      problems: z.array(z.string()).readonly(),
    }),
    role: 'read',
    scope: { project: 'project' },
    doc: 'Computes the metrics of a project as they are now.',
  },
  'metric.series': {
    params: z.strictObject({
      project: ProjectId,
      metric: z.string().describe('The name of the metric.'),
      since: Instant.describe('Only points at this instant or later.').exactOptional(),
      until: Instant.describe('Only points before this instant.').exactOptional(),
      limit: Limit,
      thin: z
        .boolean()
        .default(false)
        .describe(
          'Gives the whole range in at most `limit` points, and no `next`: first the point that held at `since`, then, where there are more than `limit`, the last one of each of `limit` equal spans.',
        ),
    }),
    result: z.strictObject({
      points: z.array(MetricPoint).readonly(),
      /** Set when there are more: the `since` of the next slice. */
      next: Instant.optional(),
    }),
    role: 'read',
    scope: { project: 'project' },
    doc: 'Shows what a metric was over time: a point where its value or its state changed, which holds until the next. Points are kept for 800 days.',
  },
} as const satisfies Record<string, MethodSpec>;
