import * as z from 'zod';

/** An objective that a host does not allow to be kept. */
export const Infeasible = z.strictObject({
  source: z.string(),
  /** The politeness key. */
  key: z.string(),
  /** The number of targets with the objective and these hours. */
  targets: z.int(),
  objectiveMs: z.number(),
  /** The longest closed stretch and the open part of the targets' hours; missing if they are always open. */
  hours: z.strictObject({ closedMs: z.number(), openPart: z.number() }).exactOptional(),
  /** The time to request every target once, using all open turns of the host. */
  neededMs: z.number(),
  /** The time that one scrape takes, in ms. */
  scrapeMs: z.number(),
  /** The usual time from one request to the next, by all that limits it. */
  delayMs: z.number(),
  /** The nearest feasible objective; missing if shorter objectives take all turns reserved for re-checks. */
  nearestMs: z.number().exactOptional(),
});
export type Infeasible = Readonly<z.infer<typeof Infeasible>>;
