import type { Source } from '../definition/source.ts';
import type { StepFailure } from '../engine/step.ts';
import type { Advice } from '../provider/define.ts';
import { nextRetry, type RetryPolicy } from '../fetch/retry.ts';
import { mayPass } from '../request/failure.ts';
import type { RequestResult } from '../request/intent.ts';
import { redirectAfter, type Redirect } from '../request/redirects.ts';

/** The decision after one step of a scrape. */
export type Decision =
  | ({ readonly do: 'follow' } & Redirect)
  | { readonly do: 'complete'; readonly finished: boolean }
  /** Makes the request again after a pause of `delayMs`. It must have ended by `endsBy`, wall time; `Infinity` for no bound. */
  | { readonly do: 'retry'; readonly delayMs: number; readonly endsBy: number }
  /** Makes the request again with new credentials. */
  | { readonly do: 'authenticate' }
  | { readonly do: 'fail'; readonly failure: StepFailure };

/** The redirects, tries and log-ins so far of a visit. */
export interface Efforts {
  /** Redirects that led to the present request. */
  readonly redirects: number;
  readonly tries: number;
  readonly logins: number;
  /** When the visit began, wall time. */
  readonly startedAt: number;
}

/** The bounds of what a visit may spend. Instants are wall time. */
export interface Allowance {
  readonly retry: RetryPolicy;
  /** 0 for a source without a log-in. */
  readonly logins: number;
  readonly now: number;
  /** No retry is made after this instant: for a scrape of one page, when its target is due again. */
  readonly nextDueAt: number;
  /** Random, in `[0, 1)`. */
  readonly draw: number;
}

/** The largest number of log-ins for one visit. The session counts log-ins over all requests. */
const maxLogins = 4;

/** The bounds that a source's definition sets for a visit. */
export function allowanceOf(
  { retry: { times, first, longest, within }, auth }: Source,
  at: Pick<Allowance, 'now' | 'nextDueAt' | 'draw'>,
): Allowance {
  return {
    retry: { retries: times, initialMs: first, capMs: longest, spread: 0.1, budgetMs: within, lastTryMs: 100 },
    logins: auth === undefined ? 0 : maxLogins,
    ...at,
  };
}

/** The efforts before the first request of a visit. */
export function noEfforts(startedAt: number): Efforts {
  return { redirects: 0, tries: 0, logins: 0, startedAt };
}

/**
 * Decides what a scrape does after a step.
 *
 * @param advice - of a plug-in on a failure; it counts within the same bounds.
 */
export function decide(result: RequestResult, efforts: Efforts, allowance: Allowance, advice?: Advice): Decision {
  const { outcome, trouble } = result;
  if (advice !== undefined && outcome.kind === 'failed') return advised(outcome, advice, efforts, allowance);
  if (trouble?.cause === 'login_expired' && efforts.logins < allowance.logins) return { do: 'authenticate' };
  switch (outcome.kind) {
    case 'read':
      return { do: 'complete', finished: outcome.extraction.finished };
    case 'unmodified':
      return { do: 'complete', finished: false };
    case 'redirect':
      // No page of the target's lies behind a log-in that cannot be made.
      if (trouble?.cause === 'login_expired') return fail({ code: 'login_required', message: trouble.message });
      return followed(redirectAfter(outcome, efforts.redirects));
    case 'page':
      return fail({ code: 'unexpected', message: 'a page came that nobody reads' });
    case 'failed':
      return mayPass(result) ? again(outcome, efforts, allowance) : fail(outcome.failure);
    default:
      return outcome satisfies never;
  }
}

type Failed = Extract<RequestResult['outcome'], { kind: 'failed' }>;

function advised(outcome: Failed, advice: Advice, efforts: Efforts, allowance: Allowance): Decision {
  switch (advice) {
    case 'stop':
      return fail(outcome.failure);
    case 'authenticate':
      return efforts.logins < allowance.logins ? { do: 'authenticate' } : fail(outcome.failure);
    case 'retry':
      return again(outcome, efforts, allowance, true);
    default:
      return advice satisfies never;
  }
}

function followed(redirect: Redirect | StepFailure): Decision {
  return 'code' in redirect ? fail(redirect) : { do: 'follow', ...redirect };
}

function again(
  { failure, status }: Failed,
  { tries, startedAt }: Efforts,
  { retry, now, nextDueAt, draw }: Allowance,
  isAdvised = false,
): Decision {
  const { retryAfterMs } = failure;
  const next = nextRetry({
    // A failure that is retried on advice counts as one that may pass, whatever its code.
    trouble: isAdvised ? { code: 'timeout', status, retryAfterMs } : { code: failure.code, status, retryAfterMs },
    attempt: tries,
    startedAt,
    now,
    nextDueAt,
    draw,
    policy: retry,
  });
  return next.do === 'wait' ? { do: 'retry', delayMs: next.delayMs, endsBy: next.endsBy } : fail(failure);
}

function fail(failure: StepFailure): Decision {
  return { do: 'fail', failure };
}
