import { type FailedExchange, networkFailures } from './failure.ts';

/** How often, how soon and for how long a failed request is tried again. Durations are milliseconds. */
export interface RetryPolicy {
  /** Tries after the first. */
  readonly retries: number;
  /** The pause before the first retry. It doubles with each further one. */
  readonly initialMs: number;
  /** The longest pause. */
  readonly capMs: number;
  /** Each pause varies at random by up to this share of it, either way. */
  readonly spread: number;
  /** The time from the first try within which all others begin. */
  readonly budgetMs: number;
  /**
   * The least time that must be left of the budget for a last try: a pause that would exceed the budget is then
   * shortened to what is left.
   */
  readonly lastTryMs: number;
}

const retriedStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Failures that may pass: those of the way to the site, or to its robots.txt, without which the site is not asked, and a worker process that was lost. */
const retriedFailures: ReadonlySet<string> = new Set([...networkFailures, 'robots_unreachable', 'worker_lost']);

/** Whether the same request may succeed in a moment. */
export function isTransient({ code, status }: FailedExchange): boolean {
  return code === 'status' ? status !== undefined && retriedStatuses.has(status) : retriedFailures.has(code);
}

/**
 * The pause before retry `number`, counted from 1, in milliseconds.
 *
 * @param draw - random, in `[0, 1)`; 0.5 is the middle.
 */
function retryMs(number: number, { initialMs, capMs, spread }: RetryPolicy, draw: number): number {
  const base = Math.min(initialMs * 2 ** (number - 1), capMs);
  return Math.min(base * (1 - spread + 2 * spread * draw), capMs);
}

/** A try that failed, and the bounds of the next one. All instants are of one clock. */
export interface FailedTry {
  readonly trouble: FailedExchange;
  /** Tries so far. */
  readonly attempt: number;
  /** When the first began. */
  readonly startedAt: number;
  readonly now: number;
  /** When the target is due again. The chain of tries ends before. */
  readonly nextDueAt: number;
  /** Random, in `[0, 1)`. */
  readonly draw: number;
  readonly policy: RetryPolicy;
}

/** The decision after a failed try. */
export type NextRetry =
  | {
      readonly do: 'wait';
      readonly delayMs: number;
      /** When the next try must have ended. */
      readonly endsBy: number;
    }
  | { readonly do: 'give-up'; readonly reason: 'not_transient' | 'attempts' | 'budget' | 'due' };

/** Decides whether a failed try is followed by another one, and when. */
export function nextRetry(failed: FailedTry): NextRetry {
  const { trouble, attempt, startedAt, now, nextDueAt, draw, policy } = failed;
  if (!isTransient(trouble)) return { do: 'give-up', reason: 'not_transient' };
  if (attempt > policy.retries) return { do: 'give-up', reason: 'attempts' };
  const leftMs = startedAt + policy.budgetMs - now;
  const ownMs = withinBudget(retryMs(attempt, policy, draw), leftMs, policy.lastTryMs);
  const hostMs = trouble.retryAfterMs ?? 0;
  if (ownMs === undefined || hostMs > leftMs) return { do: 'give-up', reason: 'budget' };
  const delayMs = Math.max(ownMs, hostMs);
  if (now + delayMs >= nextDueAt) return { do: 'give-up', reason: 'due' };
  return { do: 'wait', delayMs, endsBy: nextDueAt };
}

function withinBudget(delayMs: number, leftMs: number, lastTryMs: number): number | undefined {
  if (delayMs <= leftMs) return delayMs;
  return leftMs >= lastTryMs ? leftMs : undefined;
}
