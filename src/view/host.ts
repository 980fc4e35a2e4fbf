import * as z from 'zod';
import { Instant } from './fields.ts';

/** Why the next request to a host has to wait. */
export const HoldView = z.strictObject({
  /**
   * `concurrency`: as many requests are under way as may be. `unsent`: one has its turn and was not reported sent yet.
   * `circuit`: all sources that ask it are stopped. `pause`: an operator has paused it, or everything.
   */
  kind: z.enum([
    'gap',
    'crawl_delay',
    'throttle',
    'retry_after',
    'back_off',
    'concurrency',
    'unsent',
    'circuit',
    'pause',
  ]),
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
