import type { StepFailure } from '../engine/step.ts';
import type { Hop } from '../provider/provider.ts';

/** A redirect that is followed by a further request. */
export interface Redirect {
  /** The address that it leads to. */
  readonly url: string;
  /** Whether the further request has the method and the body of the one before, as after the status 307 or 308. */
  readonly keepsMethod: boolean;
}

/** The largest number of redirects that are followed for one page; the same as Scrapy's. */
const maxRedirects = 20;

/**
 * Decides on one redirect of a chain. Returns a failure `redirect_loop` where the chain is too long.
 *
 * @param before - the number of redirects that were followed for the page so far.
 */
export function redirectAfter(
  { location: url, status }: { readonly location: string; readonly status?: number },
  before: number,
): Redirect | StepFailure {
  if (before < maxRedirects) return { url, keepsMethod: status === 307 || status === 308 };
  return { code: 'redirect_loop', message: `more than ${maxRedirects} redirects, the last to ${url}` };
}

/**
 * The state of a chain of redirects after one more. A method or an origin that was left once is not taken up again.
 *
 * @param hop - the state so far; `undefined` before the first redirect.
 * @param startUrl - the address of the first request.
 */
export function nextHop(hop: Hop | undefined, { url, keepsMethod }: Redirect, startUrl: string): Hop {
  const isHome = (hop?.isHome ?? true) && URL.parse(url)?.origin === URL.parse(startUrl)?.origin;
  return { keepsMethod: (hop?.keepsMethod ?? true) && keepsMethod, isHome };
}
