import type { StepFailure } from '../engine/step.ts';
import type { Advice } from '../provider/define.ts';
import { nextRetry, type RetryPolicy } from '../fetch/retry.ts';
import { passing } from '../fetch/triage.ts';
import type { Asked } from './ask.ts';

/** What a scrape does after a step. */
export type Decision =
  | { readonly do: 'follow'; readonly url: string; readonly keepsMethod: boolean }
  | { readonly do: 'complete'; readonly finished: boolean }
  /** The same request again, after a pause; it must have ended by `endsBy`, wall time, `Infinity` where nothing says so. */
  | { readonly do: 'retry'; readonly delayMs: number; readonly endsBy: number }
  /** The same request again, with new credentials. */
  | { readonly do: 'authenticate' }
  | { readonly do: 'fail'; readonly failure: StepFailure };

/** More hops than an honest page needs; as many as Scrapy follows. */
export const maxRedirects = 20;

/** What a scrape has spent on its present request. */
export interface Spent {
  /** Hops that led to it. */
  readonly redirects: number;
  /** Tries of it so far. */
  readonly tries: number;
  /** Log-ins for it. */
  readonly logins: number;
  /** When it was first tried, wall time. */
  readonly startedAt: number;
}

/** What a scrape may spend. Instants are wall time. */
export interface Allowance {
  readonly retry: RetryPolicy;
  /** 0 for a source without a log-in. */
  readonly logins: number;
  readonly now: number;
  /** No retry is made beyond that; for a scrape of one page, when its target is due again. */
  readonly nextDueAt: number;
  /** Random, in `[0, 1)`. */
  readonly draw: number;
}

/** Decides from the latest step; what a plug-in advises for a failure counts within the same bounds. */
export function decide(asked: Asked, spent: Spent, allowance: Allowance, advice?: Advice): Decision {
  const { outcome, trouble } = asked;
  if (advice !== undefined && outcome.kind === 'failed') return advised(outcome, advice, spent, allowance);
  if (trouble?.cause === 'login_expired' && spent.logins < allowance.logins) return { do: 'authenticate' };
  switch (outcome.kind) {
    case 'read':
      return { do: 'complete', finished: outcome.extraction.finished };
    case 'unmodified':
      return { do: 'complete', finished: false };
    case 'redirect':
      // No page of the target's lies behind a log-in that cannot be made.
      if (trouble?.cause === 'login_expired') return fail({ code: 'login_required', message: trouble.message });
      return followed(outcome.location, outcome.status, spent.redirects);
    case 'page':
      return fail({ code: 'unexpected', message: 'a page came that nobody reads' });
    case 'failed':
      return passing.has(trouble?.cause ?? 'unexpected') ? again(outcome, spent, allowance) : fail(outcome.failure);
    default:
      return outcome satisfies never;
  }
}

type Failed = Extract<Asked['outcome'], { kind: 'failed' }>;

function advised(outcome: Failed, advice: Advice, spent: Spent, allowance: Allowance): Decision {
  switch (advice) {
    case 'stop':
      return fail(outcome.failure);
    case 'authenticate':
      return spent.logins < allowance.logins ? { do: 'authenticate' } : fail(outcome.failure);
    case 'retry':
      return again(outcome, spent, allowance, true);
    default:
      return advice satisfies never;
  }
}

function followed(location: string, status: number | undefined, redirects: number): Decision {
  const url = withoutUser(location);
  if (redirects < maxRedirects) return { do: 'follow', url, keepsMethod: status === 307 || status === 308 };
  return fail({ code: 'redirect_loop', message: `more than ${maxRedirects} redirects, the last to ${url}` });
}

function again(
  { failure, status }: Failed,
  { tries, startedAt }: Spent,
  { retry, now, nextDueAt, draw }: Allowance,
  isAdvised = false,
): Decision {
  const { retryAfterMs } = failure;
  const next = nextRetry({
    // What is advised to pass counts as what may.
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

/** A user name in an address is a credential, which is kept nowhere and comes from nobody but the definition. */
function withoutUser(location: string): string {
  const url = URL.parse(location);
  if (url === null || (url.username === '' && url.password === '')) return location;
  url.username = '';
  url.password = '';
  return url.href;
}

function fail(failure: StepFailure): Decision {
  return { do: 'fail', failure };
}
