import * as z from 'zod';

/** What events say of an objective that is missed or met again. */
export const lateFacts = {
  at: z.number(),
  /** Time since the last verified observation. */
  ageMs: z.number(),
  /** When the objective was first exceeded. */
  sinceAt: z.number(),
  /** The field that the objective is on; missing for the whole target, or whole records. */
  field: z.string().exactOptional(),
  /** Set where the objective holds for each record: how many are older, and the oldest of them, up to 100. The age is that of the oldest record. */
  records: z
    .strictObject({ count: z.int(), oldest: z.array(z.strictObject({ type: z.string(), key: z.string() })).readonly() })
    .exactOptional(),
};
