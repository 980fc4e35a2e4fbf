import * as z from 'zod';
import { Instant, Serial } from '../fields.ts';
import { HoldView } from './host.ts';
import { RobotsVerdictView, SourceView } from './source.ts';
import { TargetView } from './target.ts';

/** One thing that has a say in when a target is due. */
export const ReasonView = z.strictObject({
  /**
   * `first`: the initial delay. `restart`: what fell due while the daemon was down is spread. `definition`: none of its source is
   * loaded.
   */
  by: z.enum([
    'interval',
    'cron',
    'tokens',
    'continuous',
    'objective',
    'first',
    'manual',
    'restart',
    'crash',
    'backoff',
    'circuit',
    'hours',
    'definition',
  ]),
  /** What it asks for, or until when it holds; missing where that is never. */
  at: Instant.optional(),
  effect: z.enum(['asks', 'holds', 'awaits']),
  /** Whether the target is due then because of it. */
  decides: z.boolean(),
});
export type ReasonView = z.infer<typeof ReasonView>;

/** When what a person asked for can begin, if that ever comes, and each thing that has a say in it. */
export const RequestedHold = z.strictObject({ dueAt: Instant.optional(), because: z.array(ReasonView).readonly() });
export type RequestedHold = z.infer<typeof RequestedHold>;

/** What makes a target due time and again, with its state. */
export const PaceView = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('interval'),
    everyMs: z.number(),
    /** Where its grid begins, shared with its host's other targets of the interval, and how far behind that its own turns lie. */
    originAt: Instant,
    phaseMs: z.number(),
  }),
  z.strictObject({ kind: z.literal('cron'), pattern: z.string(), zone: z.string() }),
  z.strictObject({
    kind: z.literal('tokens'),
    tokens: z.number(),
    /** Tokens that a day brings. */
    priority: z.number(),
    cap: z.number(),
    perDay: z.int(),
    zone: z.string(),
    /** What the results that count found, the newest first. */
    found: z.array(z.number()).readonly(),
    /** Turns of the day's plan that are to come. */
    planned: z.array(Instant).readonly(),
    /** The day that will pay for its next scrape, if its priority stays. */
    nextPaidAt: Instant.optional(),
  }),
  z.strictObject({
    kind: z.literal('continuous'),
    sleepMs: z.number(),
    longestMs: z.number(),
    endedAt: Instant.optional(),
    failures: z.int(),
  }),
  z.strictObject({
    kind: z.literal('objective'),
    warnAfterMs: z.number().optional(),
    errorAfterMs: z.number().optional(),
  }),
]);
export type PaceView = z.infer<typeof PaceView>;

/** A freshness that is promised, and how it stands. */
export const PromiseView = z.strictObject({
  /** Missing for the target as a whole. */
  field: z.string().optional(),
  warnAfterMs: z.number().optional(),
  errorAfterMs: z.number().optional(),
  /** Of what was never verified: the creation of its target. */
  lastVerifiedAt: Instant,
  isVerified: z.boolean(),
  ageMs: z.number(),
  /** By when it has to be verified again. */
  deadlineAt: Instant,
  level: z.enum(['fresh', 'warn', 'error']),
  /** Since when it is not fresh. */
  sinceAt: Instant.optional(),
  /** At level `error`: when it came to be older than `errorAfterMs`. */
  brokenAt: Instant.optional(),
});
export type PromiseView = z.infer<typeof PromiseView>;

/** When a target is next due, and everything that has a say in it. */
export const WhyView = z.strictObject({
  target: Serial,
  source: z.string(),
  url: z.string(),
  status: TargetView.shape.status,
  conditions: TargetView.shape.conditions,
  /** Set while parked: `retryAt` is when it is given another chance. */
  parked: TargetView.shape.parked,
  /** Set while a scrape of it runs. */
  running: Serial.optional(),
  /** Missing while nothing asks for a turn. */
  dueAt: Instant.optional(),
  because: z.array(ReasonView).readonly(),
  /** Missing while its source is not loaded. */
  pace: PaceView.optional(),
  promises: z.array(PromiseView).readonly(),
  /** The ledger that its requests take their turns from; missing while its source is not loaded. */
  host: z
    .strictObject({
      key: z.string(),
      /** When it can next be asked; missing while a turn must come back first. */
      nextAt: Instant.optional(),
      /** Missing when it can be asked now. */
      hold: HoldView.optional(),
      waiting: z.int(),
      delayMs: z.number(),
    })
    .optional(),
  circuit: SourceView.shape.circuit,
  session: SourceView.shape.session,
  userAgent: z.string(),
  robots: RobotsVerdictView,
});
export type WhyView = z.infer<typeof WhyView>;
