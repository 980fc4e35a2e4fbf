import type { StepFailure } from '../engine/step.ts';
import { nextRetry, type RetryPolicy } from '../fetch/retry.ts';
import { passing } from '../fetch/triage.ts';
import type { Asked } from './ask.ts';

/** What a scrape does after a step. */
export type Decision =
  | { readonly do: 'follow'; readonly url: string; readonly keepsMethod: boolean }
  | { readonly do: 'complete'; readonly finished: boolean }
  /** The same request again, after a pause; it must have ended by `endsBy`, wall time. */
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
  /** When the target is due again: no retry is made beyond that. */
  readonly nextDueAt: number;
  /** Random, in `[0, 1)`. */
  readonly draw: number;
}

/** Decides from the latest step. */
export function decide({ outcome, trouble }: Asked, spent: Spent, allowance: Allowance): Decision {
  if (trouble?.cause === 'login_expired' && spent.logins < allowance.logins) return { do: 'authenticate' };
  switch (outcome.kind) {
    case 'read':
      return { do: 'complete', finished: outcome.extraction.finished };
    case 'unmodified':
      return { do: 'complete', finished: false };
    case 'redirect':
      return followed(outcome.location, outcome.status, spent.redirects);
    case 'page':
      return fail({ code: 'unexpected', message: 'a page came that nobody reads' });
    case 'failed':
      return passing.has(trouble?.cause ?? 'unexpected') ? again(outcome, spent, allowance) : fail(outcome.failure);
    default:
      return outcome satisfies never;
  }
}

function followed(location: string, status: number | undefined, redirects: number): Decision {
  const url = withoutUser(location);
  if (redirects < maxRedirects) return { do: 'follow', url, keepsMethod: status === 307 || status === 308 };
  return fail({ code: 'redirect_loop', message: `more than ${maxRedirects} redirects, the last to ${url}` });
}

function again(
  { failure, status }: Extract<Asked['outcome'], { kind: 'failed' }>,
  { tries, startedAt }: Spent,
  { retry, now, nextDueAt, draw }: Allowance,
): Decision {
  const { retryAfterMs } = failure;
  // Where no request was made, as robots.txt was out of reach, the network is to blame all the same.
  const code = failure.code === 'robots_unreachable' ? 'unreachable' : failure.code;
  const next = nextRetry({
    trouble: { code, status, retryAfterMs },
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
