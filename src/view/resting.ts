import * as z from 'zod';
import { Instant } from './fields.ts';

/** An objective that does not hold now, as it is not its season: it asks nothing and nothing breaks it. */
export const RestingView = z.strictObject({
  /** Missing for targets as a whole. */
  field: z.string().optional(),
  warnAfterMs: z.number().optional(),
  errorAfterMs: z.number().optional(),
  /** The first and the last day of its season, by the clocks of `zone`; without a year, of each year. */
  from: z.string(),
  to: z.string(),
  zone: z.string(),
  /** When its last season ended; missing before the first. */
  endedAt: Instant.optional(),
  /** When its next season begins; missing when there is none. */
  beginsAt: Instant.optional(),
});
export type RestingView = Readonly<z.infer<typeof RestingView>>;

/** How many targets of a source have an objective that does not hold now. */
export const RestingShare = RestingView.extend({ source: z.string(), targets: z.int() });
export type RestingShare = Readonly<z.infer<typeof RestingShare>>;
