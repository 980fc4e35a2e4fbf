import * as z from 'zod';
import { SourceId } from '../../schema/slug.ts';
import { ChangeCounts, Instant, Serial } from '../../view/fields.ts';
import { StepView } from '../../view/scrape.ts';
import { EndedState, StepEntry, StepState, StepType } from '../../view/step-entry.ts';
import { Limit, nextOfBefore, OfSource } from './fields.ts';
import type { MethodSpec } from './method.ts';

/** All that is known of one step. */
const StepDetailView = StepEntry.extend({
  /** The projects that watch its target. */
  projects: z.array(z.string()).readonly(),
  /** The version of the definition by which its scrape reads. */
  version: z.string().exactOptional(),
  /** The stack of an error of the program. */
  stack: z.string().exactOptional(),
  /** How far its scrape is, or was at its end. */
  progress: z.strictObject({ status: z.string(), steps: z.int(), counts: ChangeCounts }).exactOptional(),
  /** The last 50 lines that its scrape has logged, for as long as the daemon runs and the scrape is among the last 1,000 with lines. */
  log: z.array(z.strictObject({ at: Instant, level: z.string(), text: z.string() })).readonly(),
  /** The steps of its scrape at the same address, with what was noted of each, as its run log has them; the first 100. */
  tries: z.array(StepView).readonly(),
});
export type StepDetailView = z.infer<typeof StepDetailView>;

const id = z
  .string()
  .regex(/^t?[1-9]\d{0,14}$/)
  .describe('The id of the step; `t` and the number of a target for the first step of its next scrape.');

/** The numbers of steps by state. */
const liveCounts = { waiting: z.int(), delayed: z.int(), running: z.int() };

const ofTargets = z.strictObject({
  /** The numbers of the scrapes that are asked for. */
  scrapes: z.array(Serial).readonly(),
  /** The number of steps for which nothing could be asked for, as their targets are not scraped any more. */
  idle: z.int(),
});

/** Methods on single steps. */
export const stepMethods = {
  'step.list': {
    params: z.strictObject({
      state: StepState.describe(
        'Only steps in this state. `delayed` are the targets that are due later.',
      ).exactOptional(),
      type: StepType.describe('Only steps of this type.').exactOptional(),
      source: OfSource,
      target: Serial.describe('The number of a target: only its steps.').exactOptional(),
      worker: z
        .string()
        .max(64)
        .describe('Only steps that this worker process runs or ran; `daemon` for those of the daemon itself.')
        .exactOptional(),
      text: z
        .string()
        .min(1)
        .max(200)
        .describe('Only steps with this text in their address, source or failure, in any case.')
        .exactOptional(),
      queuedFrom: Instant.describe('Only steps that began to wait at this instant or later.').exactOptional(),
      queuedTo: Instant.describe('Only steps that began to wait before this instant.').exactOptional(),
      startedFrom: Instant.describe('Only steps whose turn came at this instant or later.').exactOptional(),
      startedTo: Instant.describe('Only steps whose turn came before this instant.').exactOptional(),
      before: z.string().max(200).describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ steps: z.array(StepEntry).readonly(), next: z.string().optional() }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists steps, each one HTTP exchange and what was read from it, the newest first. With the state `waiting` or `delayed` also the targets whose scrapes have not begun, by their due times. Of ended steps the newest 100,000 are kept, or as many as `steps.keep` of the configuration says.',
  },
  'step.get': {
    params: z.strictObject({ id }),
    result: StepDetailView,
    role: 'read',
    scope: 'daemon',
    doc: 'Shows one step, with the tries at its address and the progress of its scrape.',
  },
  'step.counts': {
    params: z.strictObject({}),
    result: z.strictObject({
      ...liveCounts,
      /** The steps that wait or run, by source, those with the most first; the first 100. */
      sources: z.array(z.strictObject({ source: z.string(), waiting: z.int(), running: z.int() })).readonly(),
      /** The number of ended steps that are kept. */
      ended: z.int(),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Counts steps by state. `waiting` has the targets that are due, and `delayed` those that are due later; `sources` has only steps of scrapes that have begun and of what is asked beside scrapes.',
  },
  'step.retry': {
    params: z
      .strictObject({
        id: id.exactOptional(),
        state: EndedState.extract(['failed', 'lost', 'revoked'])
          .describe('All steps that ended so. Targets whose newest step has succeeded since are left out.')
          .exactOptional(),
        source: OfSource,
      })
      .refine(({ id: one, state }) => (one === undefined) !== (state === undefined), {
        error: 'expected either "id" or "state"',
      }),
    result: ofTargets,
    role: 'operate',
    scope: 'daemon',
    doc: 'Scrapes the target of a step again now, or the targets of all steps that failed, each once. A step of a pulse has the pulse asked again. What a robots.txt or a log-in was asked for asks again by itself: those steps cannot be tried again.',
  },
  'step.promote': {
    params: z.strictObject({ id }),
    result: ofTargets,
    role: 'operate',
    scope: 'daemon',
    doc: 'Has a target that waits or is due later take the next turn of its host, before all that no person asked for. Its id is that of the first step of its next scrape, such as `t17`.',
  },
  'step.revoke': {
    params: z.strictObject({ id }),
    result: z.strictObject({ revoked: z.boolean() }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Ends a step: one that waits is never made, one that runs is cut, and its scrape is cancelled. A target that is due, such as `t17`, is passed over until it is due again. `revoked` is false for a step that has ended.',
  },
  'step.clean': {
    params: z.strictObject({
      state: EndedState.describe('Steps that ended so.'),
      source: SourceId.describe('Only steps of this source. Default: of all.').exactOptional(),
    }),
    result: z.strictObject({ removed: z.int() }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Removes ended steps from the list. Scrapes, records and their history stay.',
  },
} as const satisfies Record<string, MethodSpec>;
