import type { Source } from '../definition/source.ts';
import type { Step, StepOutcome } from '../engine/step.ts';
import type { HoldUp } from '../fetch/hold.ts';
import type { Trouble } from '../fetch/triage.ts';

/** One step that is to be made for a source, in order of `deadlineAt` or else of `dueAt`. */
export interface Wish {
  readonly step: Step;
  readonly source: Source;
  /** Wall time. */
  readonly dueAt: number;
  /** By when what is promised has to be verified, of what is asked for the sake of that; wall time. */
  readonly deadlineAt?: number;
  /** Set when credentials of this generation were refused: others are got first. */
  readonly stale?: number;
  /** The target that it is for: it waits on while the source's circuit has opened since it had leave. */
  readonly target?: number;
  /** Not made while the source's circuit is not closed; what had leave of the circuit needs none. */
  readonly unlessOpen?: true;
  /** Bounds the step itself, once its turn has come. */
  readonly within?: Within;
  /** Told when the request begins to wait for leave of any kind, and when it has it or is over. */
  waits?(isWaiting: boolean): void;
  /** Told the headers of credentials that go out, values and all, so that they can be kept out of what is shown. */
  sends?(credentials: Readonly<Record<string, string>>): void;
  /** Told, for people, what the request is about to wait for. */
  explain?(holdUp: HoldUp): void;
}

/** Runs a step within limits of its own; the signal that the step is given fires with the one given here. */
export type Within = (run: (signal: AbortSignal) => Promise<StepOutcome>, signal: AbortSignal) => Promise<StepOutcome>;

/** How a step went, and what is to be made of it. */
export interface Asked {
  readonly outcome: StepOutcome;
  /** Missing when nothing is wrong. */
  readonly trouble?: Trouble;
  /** Which credentials were sent. */
  readonly generation: number;
  /** Whether a request was sent; not where robots.txt or a missing log-in forbade it. */
  readonly wasAsked: boolean;
  /** How long it waited for its turn, in milliseconds. */
  readonly waitedMs: number;
  /** The names of the headers that its session added. */
  readonly sessionHeaders?: readonly string[];
}

/** Failures of steps for which nobody was asked. */
export const unaskedFailures: ReadonlySet<string> = new Set(['refused_address', 'url_too_long', 'not_initialised']);

/** Of what was not asked, or not any more, as the hours of its source are over; it is asked when they begin again. */
export const hoursOver = 'unavailable';

/** Whether a request went out, as far as is known: not where its target was left, or its hours were over, before its turn came. */
export function wasSent({ wasAsked, outcome }: Pick<Asked, 'wasAsked' | 'outcome'>): boolean {
  if (!wasAsked) return false;
  return outcome.kind !== 'failed' || (outcome.failure.code !== hoursOver && outcome.failure.code !== 'cancelled');
}

/** Has everything that must agree do so, makes the step, and tells what came of it to all who learn from it. */
export type Ask = (wish: Wish, signal: AbortSignal) => Promise<Asked>;
