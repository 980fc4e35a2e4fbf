import * as z from 'zod';
import { SourceId } from '../../schema/slug.ts';
import { Instant, Serial } from '../../view/fields.ts';
import { RunView } from '../../view/pipeline.ts';
import { Limit } from './fields.ts';
import type { MethodSpec } from './method.ts';

/** A pipeline, as its file has it and as it stands. */
export const PipelineView = z.strictObject({
  id: z.string(),
  /** When it runs by itself; missing where only a person has it run. */
  schedule: z.strictObject({ cron: z.string(), zone: z.string() }).exactOptional(),
  jobs: z
    .array(
      z.strictObject({
        name: z.string(),
        kind: z.enum(['scrape', 'call', 'export']),
        after: z.array(z.string()).readonly(),
      }),
    )
    .readonly(),
  /** Set while a person has paused it: nothing of it begins. */
  paused: z.strictObject({ at: Instant, reason: z.string().exactOptional() }).exactOptional(),
  /** When it next runs by its schedule. An instant that is past waits for the end of the run under way. */
  nextAt: Instant.exactOptional(),
  /** The last run. */
  last: RunView.exactOptional(),
});
export type PipelineView = z.infer<typeof PipelineView>;

const id = SourceId.describe('The id of the pipeline.');
const OneRun = z.strictObject({ id, run: Serial.describe('The number of the run.') });

/** Methods on pipelines: jobs that run after each other. */
export const pipelineMethods = {
  'pipeline.list': {
    params: z.strictObject({}),
    result: z.strictObject({ pipelines: z.array(PipelineView).readonly() }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists the pipelines that are loaded, with their last runs.',
  },
  'pipeline.get': {
    params: z.strictObject({ id }),
    result: PipelineView,
    role: 'read',
    scope: 'daemon',
    doc: 'Shows a pipeline with its jobs and its last run.',
  },
  'pipeline.runs': {
    params: z.strictObject({
      id,
      before: Serial.describe('The `next` of the slice before. Default: begins with the newest run.').exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      runs: z.array(RunView).readonly(),
      /** The `before` of the next slice; missing at the end. */
      next: Serial.exactOptional(),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists the runs of a pipeline with state and duration, the newest first; the last 1,000 are kept.',
  },
  'pipeline.run': {
    params: z.strictObject({ id }),
    result: RunView,
    role: 'operate',
    scope: 'daemon',
    doc: 'Begins a run of a pipeline now, whatever its schedule. A conflict while the pipeline is paused or a run of it is under way.',
  },
  'pipeline.pause': {
    params: z.strictObject({
      id,
      reason: z.string().min(1).max(500).describe('Why, for people.').exactOptional(),
    }),
    result: PipelineView,
    role: 'operate',
    scope: 'daemon',
    doc: 'Has nothing of a pipeline begin, neither a run nor a job of the run under way, until it is resumed, also over a restart. Jobs that are running go on.',
  },
  'pipeline.resume': {
    params: z.strictObject({ id }),
    result: PipelineView,
    role: 'operate',
    scope: 'daemon',
    doc: 'Ends the pause of a pipeline: the run under way goes on, and the schedule counts from now on. What was due meanwhile is left out.',
  },
  'pipeline.clear': {
    params: OneRun.extend({
      job: z
        .string()
        .max(64)
        .describe('The job that is run again, with all that come after it. Default: all that failed or were cancelled.')
        .exactOptional(),
    }),
    result: RunView.extend({
      /** The jobs that are run again. */
      cleared: z.array(z.string()).readonly(),
    }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Has jobs of a run run again, as the file of the pipeline says by then, and all that come after them; the other jobs stay as they are. A conflict while another run of the pipeline is under way, or one of these jobs runs.',
  },
  'pipeline.cancel': {
    params: OneRun,
    result: RunView,
    role: 'operate',
    scope: 'daemon',
    doc: 'Ends a run under way. Jobs that run are cut; scrapes that they have asked for go on.',
  },
} as const satisfies Record<string, MethodSpec>;
