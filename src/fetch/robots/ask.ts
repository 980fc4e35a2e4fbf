import type { RobotsOutcome } from './entry.ts';
import { noRules, parseRobots } from './parse.ts';

/** As many as RFC 9309 (2.3.1.2) wants followed, to other hosts too. */
const maxRedirects = 5;

/** How one exchange went, as far as robots.txt goes. */
export type RobotsAnswer =
  | { readonly kind: 'body'; readonly status: number; readonly body: ArrayBuffer }
  | { readonly kind: 'redirect'; readonly url: string }
  /** No body was wanted by this status; `cause` says so to a person. */
  | { readonly kind: 'status'; readonly status: number; readonly cause: string; readonly retryAfterMs?: number }
  | { readonly kind: 'failed'; readonly cause: string };

/**
 * Asks an origin for its robots.txt.
 *
 * @param exchange - makes one exchange under a turn of its own; called once per redirect, too. Rejects when nothing was
 * learned, which is passed on.
 */
export async function askRobots(
  origin: string,
  productToken: string,
  exchange: (url: string) => Promise<RobotsAnswer>,
): Promise<RobotsOutcome> {
  let url = `${origin}/robots.txt`;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const answer = await exchange(url);
    if (answer.kind !== 'redirect') return robotsOutcome(answer, productToken);
    url = answer.url;
  }
  return { kind: 'failed', cause: `redirected more than ${maxRedirects} times` };
}

/** RFC 9309 (2.3.1.3, 2.3.1.4): a 4xx means that there are no rules; what is wrong with the server or the way there, that they are unknown. */
function robotsOutcome(answer: Exclude<RobotsAnswer, { kind: 'redirect' }>, productToken: string): RobotsOutcome {
  if (answer.kind === 'failed') return answer;
  const { status } = answer;
  if (answer.kind === 'body')
    return { kind: 'answered', status, rules: parseRobots(new Uint8Array(answer.body), productToken) };
  if (saysThereIsNone(status)) return { kind: 'answered', status, rules: noRules(productToken) };
  const { cause, retryAfterMs } = answer;
  return { kind: 'failed', cause, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** 429 is a 4xx, but it says "not now", not "nothing here". */
function saysThereIsNone(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429;
}
