import type { Clock } from '../clock.ts';
import type { StepOutcome } from '../engine/step.ts';
import type { Extraction } from '../extract/draft.ts';
import type { Within } from '../request/intent.ts';
import type { Close } from '../store/ops.ts';
import type { Failure } from '../view/fields.ts';
import type { PageResult, Walk } from './walk.ts';

/** The number of items from which on their share of errors counts. */
const fewest = 10;

/** Counts the items of a scrape, and among them the items that should have been records but could not be read. */
export class ErrorTally {
  readonly #ceiling: number;
  #items = 0;
  #errors = 0;

  /** @param ceiling - the share of errors that a scrape may have, from 0 to 1. */
  constructor(ceiling: number) {
    this.#ceiling = ceiling;
  }

  /** Adds the items of a page. Returns the failure with which the scrape ends if too many items are errors by now. */
  add({ items, refused }: Pick<Extraction, 'items' | 'refused'>): Failure | undefined {
    this.#items += items;
    this.#errors += refused;
    if (this.#items < fewest || this.#errors <= this.#ceiling * this.#items) return undefined;
    const share = `${this.#errors} of ${this.#items} items`;
    return {
      code: 'too_many_errors',
      message: `${share} could not be read: expected at most ${this.#ceiling * 100} %`,
    };
  }
}

/**
 * The largest number of records that one scrape stores, or that a walk to the end of a list stores over all its
 * scrapes. Without a bound an endless list would fill the disk. The page or batch that reaches it is the last.
 */
export const mostRecords = 1_000_000;

/**
 * The result of a page, with the end of the scrape if its records reach the limit.
 *
 * @param before - the number of drafts that the scrape has stored before the page.
 * @param count - the number of drafts of the page.
 * @param most - the limit.
 */
export function withinRecords(
  walk: Pick<Walk, 'limited'>,
  page: PageResult,
  { before, count, most }: { readonly before: number; readonly count: number; readonly most: number },
): PageResult {
  const stored = (page.ops?.draftsBefore ?? before) + count;
  if (page.end !== undefined || count === 0 || stored < most) return page;
  const whole = walk.limited?.();
  if (whole === undefined) return { ...page, end: recordLimitEnd(most) };
  const { ops, gap } = whole;
  return { ...page, ops: { ...page.ops, ...ops }, end: { ...recordLimitEnd(most, 'visit of the list'), gap } };
}

/**
 * The end of a scrape that has stored as many records as it may. The scrape does not settle, since the pages behind
 * were not seen.
 */
export function recordLimitEnd(
  most: number,
  what: 'scrape' | 'visit of the list' = 'scrape',
): Pick<Close, 'status' | 'reason' | 'failure' | 'finished'> {
  const [who, one] = what === 'scrape' ? ['the scrape', 'scrape'] : ['this visit of the list', 'visit'];
  const message = `${who} has stored ${most} records, and one ${one} may store no more: what comes behind them was left out`;
  return { status: 'aborted', reason: 'record_limit', finished: false, failure: { code: 'record_limit', message } };
}

/** Bounds the time that several steps, one after the other, take together. */
export class TimeLimit {
  readonly #clock: Clock;
  readonly #limitMs: number;
  #leftMs: number;
  /** The step that time counts for. */
  #counted: { readonly startedAt: number; readonly timer: number } | undefined;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#leftMs = limitMs;
  }

  /**
   * Returns a function that runs a step and ends it when the limit is used up, at `endsBy` (wall time), or when the
   * signal fires, whichever comes first. What the step still computes afterwards is dropped. The function rejects with
   * the signal's reason, or with what the step rejects with.
   */
  until(endsBy: number): Within {
    return async (run, signal) => {
      const clock = this.#clock;
      const startedAt = clock.monotonic();
      const controller = new AbortController();
      const { promise: ended, resolve, reject } = Promise.withResolvers<StepOutcome>();
      const timer = clock.at(startedAt + Math.min(this.#leftMs, Math.max(0, endsBy - clock.now())), () => {
        resolve(this.#expired(startedAt));
        controller.abort();
      });
      this.#counted = { startedAt, timer };
      const cut = (): void => {
        reject(signal.reason);
        controller.abort(signal.reason);
      };
      signal.addEventListener('abort', cut);
      try {
        return await Promise.race([run(controller.signal), ended]);
      } finally {
        // The signal outlives the scrape, so that a listener that stayed would hold it in memory.
        signal.removeEventListener('abort', cut);
        this.rest();
      }
    };
  }

  /**
   * Stops the count until the next step. Called when a response has come: its page may wait long for a thread under load, and its
   * reading has a limit of its own.
   */
  rest(): void {
    if (this.#counted === undefined) return;
    const { startedAt, timer } = this.#counted;
    this.#counted = undefined;
    this.#clock.cancel(timer);
    this.#leftMs -= this.#clock.monotonic() - startedAt;
  }

  #expired(startedAt: number): StepOutcome {
    const elapsedMs = this.#clock.monotonic() - startedAt;
    const message =
      elapsedMs >= this.#leftMs
        ? `the page took longer than its limit of ${this.#limitMs} ms`
        : 'the target is due again, so that this try of it ends';
    return { kind: 'failed', failure: { code: 'time_limit', message }, at: this.#clock.now(), elapsedMs, bytes: 0 };
  }
}

/** Bounds the time of a whole run. Time does not count while anything of the run waits (`hold`). */
export class RunLimit {
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  #leftMs: number;
  /** When time began to count, monotonic; missing while it does not count. */
  #since: number | undefined;
  #timer: number | undefined;
  #phase: 'new' | 'running' | 'over' = 'new';
  #holdUps = 0;

  /** @param onEnd - called once, when the time is up. */
  constructor(clock: Clock, limitMs: number, onEnd: () => void) {
    this.#clock = clock;
    this.#leftMs = limitMs;
    this.#onEnd = onEnd;
  }

  /** Starts to count. */
  start(): void {
    if (this.#phase !== 'new') return;
    this.#phase = 'running';
    this.#go();
  }

  /** Stops the count until the returned function is called; further calls of that function do nothing. */
  hold(): () => void {
    this.#holdUps += 1;
    this.#stand();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holdUps -= 1;
      this.#go();
    };
  }

  /** Ends the count for good. */
  stop(): void {
    this.#stand();
    this.#phase = 'over';
  }

  #go(): void {
    if (this.#phase !== 'running' || this.#holdUps > 0) return;
    this.#since = this.#clock.monotonic();
    this.#timer = this.#clock.at(this.#since + this.#leftMs, () => {
      this.stop();
      this.#onEnd();
    });
  }

  #stand(): void {
    if (this.#since === undefined || this.#timer === undefined) return;
    this.#clock.cancel(this.#timer);
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonic() - this.#since));
    this.#since = undefined;
  }
}
