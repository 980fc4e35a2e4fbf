import * as z from 'zod';
import { cutOf, HostKey, Limit, nextOfBefore } from './fields.ts';
import { Instant } from '../../view/fields.ts';
import { CircuitView, HoldView, RobotsView } from '../../view/host.ts';
import type { MethodSpec } from './method.ts';

/** The ledger of a politeness key: when it can be asked, and the requests that wait for it. */
export const HostView = z.strictObject({
  /** The politeness key: an origin, unless a source names another key. */
  key: z.string(),
  /** The sources of the host, by their definitions, requests since the start, and tracked targets; at most ten. */
  sources: z
    .array(
      z.strictObject({
        id: z.string(),
        /** The source's own `User-Agent`, if it has one. */
        userAgent: z.string().optional(),
        /** The usual pause and the requests under way at once that its definition allows. */
        delayMs: z.number(),
        concurrency: z.int(),
        robots: z.enum(['obey', 'ignore']),
        /** Missing where the origin is not known. */
        robotsTxt: RobotsView.optional(),
        /** Missing while the circuit is closed. */
        circuit: CircuitView.optional(),
      }),
    )
    .readonly(),
  /** Whether the host has more sources. */
  cut: cutOf(['sources']),
  /** The number of requests that wait for a turn. */
  waiting: z.int(),
  /** The first waiting requests, in the order of their turns; a re-check for an objective has a deadline. */
  next: z
    .array(z.strictObject({ source: z.string().optional(), dueAt: Instant, deadlineAt: Instant.optional() }))
    .readonly(),
  /** The number of turns that were granted and have not ended. */
  open: z.int(),
  /** When the host can next be asked; missing while a turn must end first. */
  nextAt: Instant.optional(),
  /** The hold that delays the next request; missing if the host can be asked now. */
  hold: HoldView.optional(),
  /**
   * The present pause between requests; before the first request since the start, that of the slowest definition,
   * if any is loaded.
   */
  delayMs: z.number().optional(),
  /** The latency of the last response. */
  latencyMs: z.number().optional(),
  /** The number of failures and refusals in a row. */
  failures: z.int(),
  backOffStep: z.int(),
  /** The last `Retry-After` that is still in force. */
  retryAfter: z.strictObject({ until: Instant, capped: z.boolean() }).optional(),
});
export type HostView = z.infer<typeof HostView>;

/** Methods on hosts. */
export const hostMethods = {
  'host.list': {
    params: z.strictObject({
      key: HostKey.describe('Only the host of this politeness key, such as `https://shop.example`.').exactOptional(),
      after: HostKey.describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      hosts: z.array(HostView).readonly(),
      /** Set when there are more. */
      next: z.string().optional(),
      /** Whether targets may be tracked on further hosts that were not asked yet. */
      cut: cutOf(['hosts']),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists hosts that were asked or that targets are tracked on, in the order of their keys: when each can next be asked, and why not sooner. Of the hosts of one source that were not asked yet, only the first are listed.',
  },
} as const satisfies Record<string, MethodSpec>;
