import * as z from 'zod';
import { Instant, Serial } from './fields.ts';

/**
 * `waiting`: it waits for its turn. `delayed`: its target is due later. `revoked`: it was cut, by a person or with its scrape. `lost`: its worker
 * process was lost.
 */
export const StepState = z.enum(['waiting', 'delayed', 'running', 'done', 'failed', 'revoked', 'lost']);
export type StepState = z.infer<typeof StepState>;

/** The states in which a step is over. */
export const EndedState = StepState.extract(['done', 'failed', 'revoked', 'lost']);
export type EndedState = z.infer<typeof EndedState>;

/** What a step is for: a page of a scrape, what comes before it, or what is asked beside scrapes; `resolve` finds out for a plug-in whose an address is. */
export const StepType = z.enum(['page', 'robots', 'login', 'pulse', 'recheck', 'file', 'trial', 'resolve']);
export type StepType = z.infer<typeof StepType>;

/** The worker of a step that the daemon itself ran. */
export const ownWorker = 'daemon';

/** One step, as the index of steps has it. */
export const StepEntry = z.strictObject({
  /** The number of the step, later ones have higher numbers; `t` and the number of a target for the first step of its next scrape. */
  id: z.string(),
  state: StepState,
  type: StepType,
  source: z.string(),
  target: Serial.exactOptional(),
  scrape: Serial.exactOptional(),
  method: z.string(),
  /** The address, without secrets. */
  url: z.string(),
  /** When it began to wait for its turn. Missing for one that is not due yet. */
  queuedAt: Instant.exactOptional(),
  /** When its target is due; set for the first step of a scrape that has not begun. */
  dueAt: Instant.exactOptional(),
  /** When its turn came, of several the last. */
  startedAt: Instant.exactOptional(),
  endedAt: Instant.exactOptional(),
  /** The number of turns that it was given: more than one where a turn was not used in time. */
  turns: z.int(),
  /** Who runs or ran it: `daemon`, or the id of a worker process. */
  worker: z.string().exactOptional(),
  /** The status of the response. */
  status: z.int().exactOptional(),
  /** The size of the body as it was sent. */
  bytes: z.int().exactOptional(),
  /** The number of records that were read. */
  records: z.int().exactOptional(),
  failure: z.strictObject({ code: z.string(), message: z.string() }).exactOptional(),
});
export type StepEntry = Readonly<z.infer<typeof StepEntry>>;

/** A step with the stack of an error of the program. */
export type StepDetail = StepEntry & { readonly stack?: string };

/** An ended step. */
export type EndedStep = StepDetail & {
  readonly state: EndedState;
  readonly queuedAt: number;
  readonly endedAt: number;
};
