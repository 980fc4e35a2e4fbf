import type { Catalogue } from '../definition/catalogue.ts';
import type { Clock } from '../clock.ts';
import { hoursOver, isLack } from '../request/failure.ts';
import type { MakeRequest, RequestResult } from '../request/intent.ts';
import type { DueTimes } from '../schedule/due-times.ts';
import type { KeepDeps } from './keep-page.ts';

/** The dependencies of the rounds of requests that a source makes besides its scrapes: re-checks of records, and fetches of files. */
export interface RoundDeps extends KeepDeps {
  readonly clock: Clock;
  /** A number in `[0, 1)`. */
  random(): number;
  /** Runs what writes to the store; resolves with `undefined` when the store is full. */
  unlessFull<T>(write: () => Promise<T>): Promise<T | undefined>;
  catalogue(): Catalogue;
  /** Why scraping is paused, while it is. */
  paused(): string | undefined;
  settings(): { readonly timeLimitMs: number };
  readonly dues: Pick<DueTimes, 'scheduleOf'>;
  readonly makeRequest: MakeRequest;
}

/** The pause before the next round of a source where nobody could be asked: the circuit is open, the store full or a log-in missing. */
export const heldMs = 15_000;

/** The time after which a source that has nothing due is looked at again, in milliseconds. */
export const idleMs = 60_000;

/** Codes of failures for which nobody was asked, whatever was requested. */
const held: ReadonlySet<string> = new Set(['circuit_open', 'cancelled', hoursOver]);

/** Whether nobody can be asked now, so that the outcome says nothing of what was requested. */
export function isHeld(outcome: RequestResult['outcome']): boolean {
  return isLack(outcome) || (outcome.kind === 'failed' && held.has(outcome.failure.code));
}
