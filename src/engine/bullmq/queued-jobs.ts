import type { BullQueue } from './queue-server.ts';

/** The number of steps in the queues, by what they wait for. */
export interface QueuedJobs {
  /** A worker process is to take them. */
  readonly waiting: number;
  /** Worker processes run them. */
  readonly active: number;
  /** Their worker processes were lost, which is to be noticed. */
  readonly failed: number;
  /** Their results are kept until what they brought is written. */
  readonly ended: number;
}

export const nothingQueued: QueuedJobs = { waiting: 0, active: 0, failed: 0, ended: 0 };

/** Counts the steps in the queues. */
export async function queuedIn(steps: BullQueue, results: BullQueue): Promise<QueuedJobs> {
  const { waiting = 0, active = 0, failed = 0 } = await steps.getJobCounts('waiting', 'active', 'failed');
  const { waiting: ended = 0, active: read = 0 } = await results.getJobCounts('waiting', 'active');
  return { waiting, active, failed, ended: ended + read };
}
