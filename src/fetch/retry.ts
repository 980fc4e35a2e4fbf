import { networkFailures, type Trouble } from './turn-outcome.ts';

/** How often, how soon and how long something that failed is tried again. */
export interface RetryPolicy {
  /** Tries after the first. */
  readonly retries: number;
  /** The pause before the first retry; each further one is twice as long. */
  readonly initialMs: number;
  /** No pause is longer. */
  readonly capMs: number;
  /** Each pause is varied by up to this share of it, either way. */
  readonly spread: number;
  /** No try begins later than this after the first. */
  readonly budgetMs: number;
  /** A pause that the budget does not hold is cut to what is left of it for one last try, unless less than this is left. */
  readonly lastTryMs: number;
}

/** Two retries. Their pauses are short because each waits for its turn as well, and the host's back-off is in that. */
export const defaultRetry: RetryPolicy = {
  retries: 2,
  initialMs: 10,
  capMs: 60_000,
  spread: 0.1,
  budgetMs: 600_000,
  lastTryMs: 100,
};

const retriedStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** What is wrong with the way to a site passes; so does what is wrong with the way to its robots.txt, without which it is not asked. */
const retriedFailures: ReadonlySet<string> = new Set([...networkFailures, 'robots_unreachable']);

/** Whether the same request may well be answered in a moment. */
export function isTransient({ code, status }: Trouble): boolean {
  return code === 'status' ? status !== undefined && retriedStatuses.has(status) : retriedFailures.has(code);
}

/**
 * The pause before retry `number`, counted from 1, varied and capped.
 *
 * @param draw - random, in `[0, 1)`; 0.5 is the middle.
 */
export function retryMs(number: number, { initialMs, capMs, spread }: RetryPolicy, draw: number): number {
  const base = Math.min(initialMs * 2 ** (number - 1), capMs);
  return Math.min(base * (1 - spread + 2 * spread * draw), capMs);
}

/**
 * The pauses before each try, the first of which is 0, until tries or budget are spent.
 *
 * @param elapsedMs - since the first pause was asked for, tries included.
 */
export function* retryDelays(
  policy: RetryPolicy,
  { draw, elapsedMs }: { draw(): number; elapsedMs(): number },
): Generator<number, void> {
  yield 0;
  for (let number = 1; number <= policy.retries; number += 1) {
    const delayMs = withinBudget(retryMs(number, policy, draw()), policy.budgetMs - elapsedMs(), policy.lastTryMs);
    if (delayMs === undefined) return;
    yield delayMs;
  }
}

/** A try that failed, and what bounds the next one. All instants are of one clock. */
export interface FailedTry {
  readonly trouble: Trouble;
  /** Tries so far. */
  readonly attempt: number;
  /** When the first began. */
  readonly startedAt: number;
  readonly now: number;
  /** When the target has its next turn anyway; the chain ends before. */
  readonly nextDueAt: number;
  /** The host is not asked before this, as far as is known; such as the end of its `Retry-After`. */
  readonly notBeforeAt?: number;
  /** Random, in `[0, 1)`. */
  readonly draw: number;
  readonly policy?: RetryPolicy;
}

/** What to do after a try that failed. */
export type NextRetry =
  | {
      readonly do: 'wait';
      readonly delayMs: number;
      /** By then the try must have ended, however it is going. */
      readonly endsBy: number;
    }
  | { readonly do: 'give-up'; readonly reason: 'not_transient' | 'attempts' | 'budget' | 'due' };

/** Decides whether a try that failed is followed by another, and when. */
export function nextRetry(failed: FailedTry): NextRetry {
  const { trouble, attempt, startedAt, now, nextDueAt, notBeforeAt = now, draw, policy = defaultRetry } = failed;
  if (!isTransient(trouble)) return { do: 'give-up', reason: 'not_transient' };
  if (attempt > policy.retries) return { do: 'give-up', reason: 'attempts' };
  const leftMs = startedAt + policy.budgetMs - now;
  const ownMs = withinBudget(retryMs(attempt, policy, draw), leftMs, policy.lastTryMs);
  const hostMs = Math.max(notBeforeAt - now, trouble.retryAfterMs ?? 0);
  if (ownMs === undefined || hostMs > leftMs) return { do: 'give-up', reason: 'budget' };
  const delayMs = Math.max(ownMs, hostMs);
  if (now + delayMs >= nextDueAt) return { do: 'give-up', reason: 'due' };
  return { do: 'wait', delayMs, endsBy: nextDueAt };
}

function withinBudget(delayMs: number, leftMs: number, lastTryMs: number): number | undefined {
  if (delayMs <= leftMs) return delayMs;
  return leftMs >= lastTryMs ? leftMs : undefined;
}
