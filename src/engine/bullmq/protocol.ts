import * as z from 'zod';
import type { Step, StepOutcome } from '../step.ts';

// What is in a step and its outcome is of one version of the program, and sealed by it: that each is one is enough.
const StepShape = z.object({ request: z.object({ url: z.string() }) });
const OutcomeShape = z.object({ kind: z.string(), at: z.number() });
const SomeStep = z.custom<Step>((value) => StepShape.safeParse(value).success);
const SomeOutcome = z.custom<StepOutcome>((value) => OutcomeShape.safeParse(value).success);

/** Why a step has failed in its queue that its worker process could not open: it was not begun. */
export const unopened = 'the worker process could not open it';

/** A step for a worker process. */
export const StepJob = z.object({
  step: SomeStep,
  /** The key of the step, as `stepKey` makes it. */
  key: z.string(),
  /** The server's time after which its request may no longer be sent. */
  sendBy: z.number(),
  /** Set where it is to run in a process of its own. */
  isAlone: z.literal(true).exactOptional(),
  /** The server's time at which it was handed over. */
  dispatchedAt: z.number(),
});
export type StepJob = z.infer<typeof StepJob>;

/** What every result says. */
const SomeResult = z.object({
  /** The id of the worker process. */
  worker: z.string(),
  /** The key of the step. */
  key: z.string(),
  /** Whether its request was sent, as far as is known. */
  wasSent: z.boolean(),
});

/** What came of a step. */
export const StepResult = z.discriminatedUnion('kind', [
  SomeResult.extend({ kind: z.literal('ended'), outcome: SomeOutcome }),
  /** Its turn was not used: it came too late, or the worker process was to stop. */
  SomeResult.extend({ kind: z.literal('unused') }),
  /** An error of ours. */
  SomeResult.extend({ kind: z.literal('broke'), message: z.string(), stack: z.string().exactOptional() }),
]);
export type StepResult = z.infer<typeof StepResult>;

/** What a worker process says of itself, every few seconds. */
export const Presence = z.object({
  type: z.literal('present'),
  id: z.string(),
  host: z.string(),
  pid: z.int(),
  version: z.string(),
  startedAt: z.number(),
  /** The number of steps that it runs at a time. */
  concurrency: z.int().min(0),
  /** The ids of the steps that it runs. */
  active: z.array(z.string()),
  processed: z.int(),
  failed: z.int(),
  /** Set where it takes no further step. */
  isDraining: z.boolean(),
  /** Set where no daemon of its version has welcomed it yet, so that it takes no step. */
  isWaiting: z.literal(true).exactOptional(),
});
export type Presence = z.infer<typeof Presence>;

/** What a worker process tells: that it is there, that it leaves, that a request was sent. */
export const Report = z.discriminatedUnion('type', [
  Presence,
  z.object({ type: z.literal('left') }),
  z.object({ type: z.literal('sent'), step: z.string() }),
]);
export type Report = z.infer<typeof Report>;

/** Stands in the place of the id of a worker process in an order to all of them. */
export const allWorkers = 'all';

/** What a worker process is told. */
export const Order = z.discriminatedUnion('type', [
  /** That a daemon of this version has heard it: it may take steps. */
  z.object({ type: z.literal('welcome'), version: z.string() }),
  /** To say at once that it is there. */
  z.object({ type: z.literal('report') }),
  /** To end those of these steps that it runs. */
  z.object({ type: z.literal('cancel'), steps: z.array(z.string()) }),
  /** How many steps it is to run at a time. */
  z.object({ type: z.literal('resize'), concurrency: z.int().min(1) }),
  /** To take no further step. */
  z.object({ type: z.literal('drain') }),
  /** To end in order. */
  z.object({ type: z.literal('stop') }),
]);
export type Order = z.infer<typeof Order>;
