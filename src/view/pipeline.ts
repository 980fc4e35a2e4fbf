import * as z from 'zod';
import { Instant, Serial, Value } from './fields.ts';

/** What a job of a run did or waits for. */
const JobView = z.strictObject({
  name: z.string(),
  kind: z.enum(['scrape', 'call', 'export']),
  /** The jobs that must be done before it begins. */
  after: z.array(z.string()).readonly(),
  /** `skipped`: a job before it was not done. `cancelled`: a person ended the run. */
  state: z.enum(['waiting', 'running', 'done', 'failed', 'skipped', 'cancelled']),
  /** How often it has begun: more than once where it was cleared. */
  tries: z.int(),
  /** When its last try began, and when it ended. */
  beganAt: Instant.exactOptional(),
  endedAt: Instant.exactOptional(),
  failure: z.string().exactOptional(),
  /** What came of it, as far as it is: the counts of scrapes or of rows, or what the function returned. */
  result: Value.exactOptional(),
});
export type JobView = Readonly<z.infer<typeof JobView>>;

/** One run of a pipeline. */
export const RunView = z.strictObject({
  pipeline: z.string(),
  /** Counts up from 1 in each pipeline. */
  run: Serial,
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  /** Why it began: its schedule, or a person who asked for it. */
  reason: z.enum(['schedule', 'manual']),
  /** When it began, or was last cleared. */
  beganAt: Instant,
  endedAt: Instant.exactOptional(),
  /** From `beganAt` to its end, or until now. */
  durationMs: z.number(),
  jobs: z.array(JobView).readonly(),
});
export type RunView = Readonly<z.infer<typeof RunView>>;

/** The result of a run, as the event of its end has it. */
export const runEnd = {
  pipeline: z.string(),
  run: Serial,
  state: z.enum(['done', 'failed', 'cancelled']),
  durationMs: z.number(),
  /** The names of the jobs that failed. */
  failed: z.array(z.string()).readonly(),
};
