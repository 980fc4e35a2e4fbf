import * as z from 'zod';
import { ageText } from '../time-text.ts';
import { Instant } from './fields.ts';
import { plainText } from './text.ts';

/** Worker processes that were heard of and take no step, by why that is so. */
const Idle = z.strictObject({
  /** The versions of worker processes that are there, where these are not of the daemon's version. */
  versions: z.array(z.string()).readonly(),
  /** The number of those that were told to take none. */
  draining: z.int(),
  /** The number of those that have been silent for 15 s. */
  away: z.int(),
});

/** Whether the daemon can have steps run by worker processes. */
export const QueuesView = z.strictObject({
  state: z
    .enum(['ready', 'opening', 'unreached', 'leased', 'unattended', 'idle'])
    .describe(
      '`ready`: worker processes take steps. `opening`: the queues are being opened, and nothing has failed yet. `unreached`: their server does not answer, or its address is not known. `leased`: another daemon has the lease on them. `unattended`: no worker process takes steps. `idle`: none does, as no turn waits, and some are started once turns do.',
    ),
  since: Instant.describe('Since when it is so; missing for `ready` and `opening`.').exactOptional(),
  why: z.string().describe('For `unreached`: why the last attempt failed.').exactOptional(),
  holder: z
    .string()
    .describe('For `leased`: the machine and pid of the other daemon; missing where these are not known.')
    .exactOptional(),
  taking: z.int().describe('The number of worker processes that take steps.'),
  idle: Idle.describe('The other worker processes that were heard of.'),
});
export type QueuesView = z.infer<typeof QueuesView>;

/** What is told of the queues once it has lasted for so long, in ms: a restart of their server takes less. */
const momentaryMs = 15_000;

/** Returns whether nothing is asked as the queues, or their worker processes, keep it from being asked. */
export function isHeldUp({ state }: QueuesView): boolean {
  return state === 'unreached' || state === 'leased' || state === 'unattended';
}

/** Returns whether that has lasted for so long that a person should know. */
export function isHeldUpForLong(queues: QueuesView, now: number): boolean {
  return isHeldUp(queues) && now - (queues.since ?? now) >= momentaryMs;
}

/** Says what the queues are like, behind the word "queues": `cannot be reached since 20s ago: WHY`. */
export function queuesText(
  { state, since, why, holder, taking, idle }: QueuesView,
  version: string,
  now: number,
): string {
  const ago = since === undefined ? '' : ` since ${ageText(since, now)}`;
  switch (state) {
    case 'ready':
      return `ready, ${taking} worker ${taking === 1 ? 'process takes' : 'processes take'} steps`;
    case 'opening':
      return 'are being opened';
    case 'unreached':
      return `cannot be reached${ago}: ${plainText(why ?? '')}`;
    case 'leased':
      return `wait for another daemon${holder === undefined ? '' : ` (${plainText(holder)})`}, which has the lease${ago}`;
    case 'unattended':
      return `no worker process of version ${plainText(version)} takes steps${ago}: ${idleText(idle)}`;
    case 'idle':
      return 'no worker process is needed, as no turn waits for one';
    default:
      return state satisfies never;
  }
}

function idleText({ versions, draining, away }: QueuesView['idle']): string {
  const counts = [
    ...[...Map.groupBy(versions, (each) => each)].map(([each, all]) => `${all.length} of version ${plainText(each)}`),
    ...(draining > 0 ? [`${draining} draining`] : []),
    ...(away > 0 ? [`${away} away`] : []),
  ];
  return counts.length === 0 ? 'none is there' : `there is ${counts.join(', ')}`;
}
