import * as z from 'zod';
import { cutOf, HostKey, Limit } from './fields.ts';
import { Instant } from '../../view/fields.ts';
import type { MethodSpec } from './method.ts';

/** Why the next request to a host has to wait. */
export const HoldView = z.strictObject({
  /**
   * `concurrency`: as many requests are under way as may be. `unsent`: one has its turn and was not reported sent yet.
   * `circuit`: all sources that ask it are stopped.
   */
  kind: z.enum(['gap', 'crawl_delay', 'throttle', 'retry_after', 'back_off', 'concurrency', 'unsent', 'circuit']),
  /** The pause that was drawn, for a gap of any kind. */
  delayMs: z.number().optional(),
  /** For `retry_after`: true if the host asked for more than the 24 h that are honoured. */
  capped: z.boolean().optional(),
  /** The number of times that the pause was doubled, for `back_off`. */
  step: z.int().optional(),
});
export type HoldView = z.infer<typeof HoldView>;

/** The circuit of a source that is stopped as a whole, because most of its targets failed. */
export const CircuitView = z.strictObject({
  /** `resuming`: requests begin again, for a few targets at first. */
  state: z.enum(['open', 'resuming']),
  /** The instant at which the source's next target may be asked; missing if it may be asked now. */
  nextAt: Instant.optional(),
  /** Openings and failed probes in a row. */
  times: z.int(),
});
export type CircuitView = z.infer<typeof CircuitView>;

/** The state of the robots.txt of one origin. */
export const RobotsView = z.strictObject({
  origin: z.string(),
  /** The instant of the last request for robots.txt; missing if there was none. */
  askedAt: Instant.optional(),
  /** From when on robots.txt is requested again, before the next request to the origin. */
  askAt: Instant.optional(),
  /** The status of the answer in use; a 4xx means that there are no rules. */
  status: z.int().optional(),
  /** The number of rules that concern this daemon. */
  rules: z.int().optional(),
  crawlDelayMs: z.number().optional(),
  /**
   * Why robots.txt could not be read the last `times`; without an earlier answer, nothing else is requested
   * meanwhile.
   */
  unreachable: z.strictObject({ cause: z.string(), times: z.int() }).optional(),
});
export type RobotsView = z.infer<typeof RobotsView>;

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
      /** Only the host of this key. */
      key: HostKey.exactOptional(),
      /** The `next` of the slice before. */
      after: HostKey.exactOptional(),
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
    doc: 'Lists hosts that were asked or that targets are tracked on, in the order of their keys: when each can next be asked, and why not sooner. Of the hosts of one source that were not asked yet, only the first are listed.',
  },
} as const satisfies Record<string, MethodSpec>;
