import * as z from 'zod';
import { Instant, Limit } from '../fields.ts';
import type { MethodSpec } from '../method.ts';

/** Why the next request to a host has to wait. */
export const HoldView = z.strictObject({
  /**
   * `concurrency`: as many requests are under way as may be. `unsent`: one has its turn and was not reported sent yet.
   * `circuit`: all sources that ask it are stopped.
   */
  kind: z.enum(['gap', 'crawl_delay', 'throttle', 'retry_after', 'back_off', 'concurrency', 'unsent', 'circuit']),
  /** Of a gap of any kind: the pause as it was drawn. */
  delayMs: z.number().optional(),
  /** Of `retry_after`: whether the host asked for more than the 24 h that are honoured. */
  capped: z.boolean().optional(),
  /** Of `back_off`: how often it was doubled. */
  step: z.int().optional(),
});
export type HoldView = z.infer<typeof HoldView>;

/** How a source stands that is stopped as a whole, because most of its targets failed. */
export const CircuitView = z.strictObject({
  /** `resuming`: it is asked again, a few targets at first. */
  state: z.enum(['open', 'resuming']),
  /** When its next target may be asked, if not now. */
  nextAt: Instant.optional(),
  /** Openings and failed probes in a row. */
  times: z.int(),
});
export type CircuitView = z.infer<typeof CircuitView>;

/** What is known of the robots.txt of one origin. */
export const RobotsView = z.strictObject({
  origin: z.string(),
  /** Missing when it was never asked for. */
  askedAt: Instant.optional(),
  /** When it is asked for again, once somebody wants something of the origin. */
  askAt: Instant.optional(),
  /** Of the answer in use; a 4xx means that there are no rules. */
  status: z.int().optional(),
  /** Rules in it that concern this daemon. */
  rules: z.int().optional(),
  crawlDelayMs: z.number().optional(),
  /** Why it could not be had the last times; without an answer nothing may be asked meanwhile. */
  unreachable: z.strictObject({ cause: z.string(), times: z.int() }).optional(),
});
export type RobotsView = z.infer<typeof RobotsView>;

/** One host ledger: what is known of a politeness key, and who wants to ask it. */
export const HostView = z.strictObject({
  /** An origin, unless a source names another key. */
  key: z.string(),
  /** Those that ask it, as their definitions say and as they have asked since the start or track targets there; the first ten. */
  sources: z
    .array(
      z.strictObject({
        id: z.string(),
        /** Where it has one of its own. */
        userAgent: z.string().optional(),
        /** The usual pause and the requests under way at once that its definition allows. */
        delayMs: z.number(),
        concurrency: z.int(),
        robots: z.enum(['obey', 'ignore']),
        /** Missing where it is not known which origin to look at. */
        robotsTxt: RobotsView.optional(),
        /** Missing while it is closed, as it should be. */
        circuit: CircuitView.optional(),
      }),
    )
    .readonly(),
  /** How many wait for a turn. */
  waiting: z.int(),
  /** The first of them, in the order of their turns; what re-checks something that is promised says by when. */
  next: z
    .array(z.strictObject({ source: z.string().optional(), dueAt: Instant, deadlineAt: Instant.optional() }))
    .readonly(),
  /** Turns that were given and have not come back. */
  open: z.int(),
  /** When it can next be asked; missing while a turn must come back first. */
  nextAt: Instant.optional(),
  /** Missing when it can be asked now. */
  hold: HoldView.optional(),
  /** The usual pause at present; before it was asked since the start, that of the slowest definition, and missing where none is loaded. */
  delayMs: z.number().optional(),
  /** Of its last response. */
  latencyMs: z.number().optional(),
  /** Times in a row that it failed or refused. */
  failures: z.int(),
  backOffStep: z.int(),
  /** What it asked for in its last `Retry-After` that still counts. */
  retryAfter: z.strictObject({ until: Instant, capped: z.boolean() }).optional(),
});
export type HostView = z.infer<typeof HostView>;

/** Methods on the hosts that are asked. */
export const hostMethods = {
  'host.list': {
    params: z.strictObject({
      /** This one alone. */
      key: z.string().max(2_083).exactOptional(),
      /** The `next` of the slice before. */
      after: z.string().max(2_083).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      hosts: z.array(HostView).readonly(),
      /** Set when there are more. */
      next: z.string().optional(),
    }),
    role: 'read',
    doc: 'Lists hosts that were asked or that targets are tracked on, in the order of their keys: when each can next be asked, and why not sooner. Of a source whose targets are on many hosts that were not asked yet, the first of them.',
  },
} as const satisfies Record<string, MethodSpec>;
