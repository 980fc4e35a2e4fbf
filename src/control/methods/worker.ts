import * as z from 'zod';
import { mostWorkers } from '../../definition/engine.ts';
import { Instant } from '../../view/fields.ts';
import { QueuesView } from '../../view/queues.ts';
import { StepEntry } from '../../view/step-entry.ts';
import type { MethodSpec } from './method.ts';

/** A worker process, as it last told. */
export const WorkerView = z.strictObject({
  id: z.string(),
  /** The name of its machine. */
  host: z.string(),
  pid: z.int(),
  /** Its version of the program; one that is not the daemon's takes no step of it. */
  version: z.string(),
  startedAt: Instant,
  /** When it last told. */
  heardAt: Instant,
  /** Whether that is less than 15 s ago. */
  online: z.boolean(),
  /** Whether it takes no further step. */
  draining: z.boolean(),
  /** The names of the queues from which it takes steps, as the server of the queues has them. */
  queues: z.array(z.string()).readonly(),
  /** The number of steps that it runs at a time. */
  concurrency: z.int(),
  /** The number of steps that it runs. */
  active: z.int(),
  /** Which these are: those that have run longest, the first 50. One that an earlier life of the daemon began is among them once it is asked for again. */
  steps: z.array(StepEntry).readonly(),
  /** The number of steps that it has run since its start, and of those that failed. */
  processed: z.int(),
  failed: z.int(),
  /** The steps that it ended in a minute, and those of them that failed, in the mean of the last 5 min. Missing where it is away, or has been there for a few seconds only. */
  perMinute: z.strictObject({ processed: z.number(), failed: z.number() }).exactOptional(),
});
export type WorkerView = z.infer<typeof WorkerView>;

/** How many worker processes are wanted. */
export const WorkerScale = z.strictObject({
  /** How many are wanted at least and at most. */
  min: z.int(),
  max: z.int(),
  /** How many are wanted now, by the backlog; none while another daemon has the lease on the queues. */
  wanted: z.int(),
  /** Who starts and ends them: the daemon itself, on its own machine, or others. */
  by: z.enum(['daemon', 'others']),
  /** The number of worker processes that the daemon has started, without those that were told to end. */
  own: z.int(),
  configured: z
    .strictObject({ min: z.int(), max: z.int() })
    .describe(
      'The limits of the configuration, which do not hold as others were set by `worker.scale`; missing while they hold.',
    )
    .exactOptional(),
});
export type WorkerScale = z.infer<typeof WorkerScale>;

const id = z.string().min(1).max(64).describe('The id of the worker process.');
const count = z.int().min(0).max(mostWorkers);
/** The worker process that was told. */
const Told = z.strictObject({ id: z.string() });

/** Methods on the worker processes that run the daemon's steps. */
export const workerMethods = {
  'worker.list': {
    params: z.strictObject({}),
    result: z.strictObject({
      /** Where steps run: in the daemon itself, or on worker processes. */
      engine: z.enum(['local', 'bullmq']),
      workers: z.array(WorkerView).readonly(),
      /** Missing where the daemon runs steps itself, or scrapes nothing. */
      scale: WorkerScale.exactOptional(),
      queues: QueuesView.describe(
        'Whether the daemon can have steps run by worker processes; missing where it runs steps itself.',
      ).exactOptional(),
      /** The steps in the queues; missing where the daemon runs steps itself. */
      queued: z
        .strictObject({
          /** The number of steps that no worker process has taken yet. */
          waiting: z.int(),
          /** The number of steps that worker processes run. */
          active: z.int(),
          /** The number of steps whose worker process was lost and that the daemon has not yet ended. */
          failed: z.int(),
          /** The number of steps whose results are kept until the daemon has written them. */
          ended: z.int(),
        })
        .exactOptional(),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists the worker processes that the daemon has heard of. One that went away without a word is forgotten after the time that `engine.bullmq.workers.forgetAfter` of the configuration says, by default an hour.',
  },
  'worker.resize': {
    params: z.strictObject({
      id,
      concurrency: z.int().min(1).max(9_999).describe('The number of steps that it is to run at a time.'),
    }),
    result: Told,
    role: 'operate',
    scope: 'daemon',
    doc: 'Tells a worker process how many steps to run at a time, until it ends. One that drains is refused as a `conflict`.',
  },
  'worker.scale': {
    params: z.strictObject({
      min: count.describe('The least number of worker processes that are wanted. Default: as it is.').exactOptional(),
      max: count.describe('The largest number of worker processes that are wanted. Default: as it is.').exactOptional(),
      reset: z
        .literal(true)
        .describe('Goes back to the limits of the configuration. Only without `min` and `max`.')
        .exactOptional(),
    }),
    result: WorkerScale,
    role: 'operate',
    scope: 'daemon',
    doc: 'Sets how many worker processes are wanted at least and at most. It applies at once, and is kept over a restart, whatever the configuration says then, until it is reset. Without parameters it changes nothing, and shows them.',
  },
  'worker.drain': {
    params: z.strictObject({ id }),
    result: Told,
    role: 'operate',
    scope: 'daemon',
    doc: 'Tells a worker process to take no further step until it ends; those that it runs go on. No method undoes it.',
  },
  'worker.stop': {
    params: z.strictObject({ id }),
    result: Told,
    role: 'operate',
    scope: 'daemon',
    doc: 'Tells a worker process to end in order: the steps that it runs have 20 s, and those that are not sent by then are handed back.',
  },
} as const satisfies Record<string, MethodSpec>;
