import { CallError, ExitError } from '../../../src/actor/errors.ts';
import type { ExitReason } from '../../../src/actor/types.ts';
import { plain } from './diary.ts';
import type { Json } from './scenario.ts';

/** Code that runs at once as far as it can, and goes on later where it yields a promise. */
export type Script<T> = Generator<Promise<unknown>, T, unknown>;

/** Plays a script; the answer is a promise only if it had to wait. */
export function play<T>(script: Script<T>): T | Promise<T> {
  const { done, value } = script.next();
  return done ? value : playOn(script, value);
}

async function playOn<T>(script: Script<T>, first: Promise<unknown>): Promise<T> {
  let waiting = first;
  for (;;) {
    const { done, value } = await waiting.then(
      (outcome) => script.next(outcome),
      (error: unknown) => script.throw(error),
    );
    if (done) return value;
    waiting = value;
  }
}

/** Ends a life, or fails its start, with any reason a scenario can think of. */
export function exitWith(reason: Json): ExitError {
  return new ExitError(asReason(reason));
}

/** The kernel's type names the reasons that it gives itself; it passes on any other. */
export function asReason(reason: Json): ExitReason {
  return reason as ExitReason;
}

/** Why a call failed, as the exit reason of its caller has it. */
export function whyOf(error: unknown): Json {
  if (!(error instanceof CallError)) throw error;
  return error.code === 'ended' ? plain(error.reason) : error.code;
}
