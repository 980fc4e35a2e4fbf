import { describeFailure } from '../describe.ts';
import type { FetchFailure } from '../failure.ts';
import type { FetchOutcome } from '../request.ts';
import type { RobotsOutcome } from './entry.ts';
import { noRules, parseRobots } from './parse.ts';

/** As many as RFC 9309 (2.3.1.2) wants followed, to other hosts too. */
const maxRedirects = 5;

/**
 * Asks an origin for its robots.txt. Rejects when an exchange was cancelled: then nothing was learned.
 *
 * @param exchange - makes one exchange under a turn of its own; called once per redirect, too.
 */
export async function askRobots(
  origin: string,
  productToken: string,
  exchange: (url: string) => Promise<FetchOutcome>,
): Promise<RobotsOutcome> {
  let url = `${origin}/robots.txt`;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const outcome = await exchange(url);
    if (outcome.kind !== 'redirect') return robotsOutcome(outcome, productToken);
    url = outcome.url;
  }
  return { kind: 'failed', cause: `redirected more than ${maxRedirects} times` };
}

function robotsOutcome(outcome: Exclude<FetchOutcome, { kind: 'redirect' }>, productToken: string): RobotsOutcome {
  if (outcome.kind === 'failure') return failedOutcome(outcome.failure, productToken);
  if (outcome.kind === 'unmodified')
    return { kind: 'failed', cause: 'answered "not modified" to a request without conditions' };
  const { status, body } = outcome.page;
  return { kind: 'answered', status, rules: parseRobots(new Uint8Array(body), productToken) };
}

/** RFC 9309 (2.3.1.3, 2.3.1.4): a 4xx means that there are no rules; what is wrong with the server or the way there, that they are unknown. */
function failedOutcome(failure: FetchFailure, productToken: string): RobotsOutcome {
  if (failure.code === 'cancelled') throw new Error('asking for robots.txt was cancelled');
  if (failure.code === 'unreachable') return { kind: 'failed', cause: failure.cause };
  if (failure.code !== 'status') return { kind: 'failed', cause: describeFailure(failure) };
  const { status, retryAfterMs } = failure;
  if (saysThereIsNone(status)) return { kind: 'answered', status, rules: noRules(productToken) };
  return { kind: 'failed', cause: describeFailure(failure), ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** 429 is a 4xx, but it says "not now", not "nothing here". */
function saysThereIsNone(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429;
}
