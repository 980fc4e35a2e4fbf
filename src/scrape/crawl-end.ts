import type { LoopReport } from '../frontier/guard.ts';
import { type CommonFailure, downReason } from './page-failures.ts';
import type { ScrapeEnd } from './scrape-end.ts';
import { failedEnd, type Visited } from './walk.ts';

/** The end of a crawl that has visited all that it knows of. */
export function completeEnd(at: number, missingSince: number | undefined): ScrapeEnd {
  const end = { status: 'complete', reason: 'complete', finished: false, crawl: { at, reason: 'complete' } } as const;
  return missingSince === undefined ? end : { ...end, missingSince };
}

/** The end of a crawl whose budget was too small for `left` of the places that it knows of. */
export function budgetEnd(at: number, maxPages: number, left: number): ScrapeEnd {
  const message = `the crawl has asked its ${maxPages} pages, and ${left} more were left out`;
  const failure = { code: 'page_budget', message };
  return { status: 'aborted', reason: 'budget', finished: false, failure, crawl: { at, reason: 'budget' } };
}

/** The end of a crawl with too many errors; `common` is what most of them are. */
export function errorsEnd(
  at: number,
  { errors, pages, share }: Record<'errors' | 'pages' | 'share', number>,
  common: CommonFailure | undefined,
): ScrapeEnd {
  const counted = `${errors} of ${pages} pages could not be read: expected at most ${share * 100} %`;
  const most = common && `; most often: ${common.cause} (${common.times}), such as ${common.url}`;
  const failure = { code: 'too_many_errors', message: `${counted}${most ?? ''}` };
  return { status: 'failed', reason: 'errors', finished: false, failure, crawl: { at, reason: 'errors' } };
}

export function loopEnd(at: number, loop: LoopReport): ScrapeEnd {
  const { template, pages, samples } = loop;
  const message = `${pages} pages without a new record, most of them like ${template}, such as ${samples.join(', ')}`;
  const failure = { code: 'loop', message };
  return { status: 'aborted', reason: 'loop', finished: false, failure, crawl: { at, reason: 'loop', loop } };
}

/** The end of a scrape that the site gives no page any more, as it was with `visited`; the crawl goes on with the next one. */
export function downEnd(visited: Visited): ScrapeEnd {
  return { ...failedEnd(visited), reason: downReason(visited) };
}

/** The same, when the crawl is given up as well. */
export function lostEnd(at: number, visited: Visited): ScrapeEnd {
  return { ...downEnd(visited), crawl: { at, reason: 'failed' } };
}

/** The end of a crawl that could read no page at all, the last of which is `visited`, if it asked any: nothing is known of any record. */
export function unreadEnd(at: number, visited: Visited | undefined): ScrapeEnd {
  const crawl = { at, reason: 'failed' } as const;
  const outcome = visited?.asked.outcome;
  if (visited !== undefined && outcome?.kind === 'failed') return { ...failedEnd(visited), reason: 'failed', crawl };
  const unread = 'no page of the site could be read';
  const failure =
    visited !== undefined && outcome?.kind === 'redirect'
      ? { code: 'led_away', message: `${unread}: ${visited.url} leads to ${outcome.location}` }
      : { code: 'unread', message: unread };
  return { status: 'failed', reason: 'failed', finished: false, failure, crawl };
}
