import type { LoopReport } from '../frontier/loop-guard.ts';
import { type CommonFailure, downReason } from './crawl-failures.ts';
import { failedEnd, type ScrapeEnd, type Visited } from './walk.ts';

/** The end of a crawl that has visited all places that it knows of. */
export function completeEnd(at: number, missingSince: number | undefined): ScrapeEnd {
  const end = { status: 'complete', reason: 'complete', finished: false, crawl: { at, reason: 'complete' } } as const;
  return missingSince === undefined ? end : { ...end, missingSince };
}

/** The end of a crawl that has visited all its places and found no record, though the target has some. */
export function emptyEnd(at: number, pages: number): ScrapeEnd {
  const message = `none of the ${pages} pages gave a record, where there were some before`;
  const failure = { code: 'no_record', message };
  return { status: 'failed', reason: 'empty', finished: false, failure, crawl: { at, reason: 'failed' } };
}

/** The end of a crawl whose budget of `maxPages` was too small for `left` of the places that it knows of. */
export function budgetEnd(at: number, maxPages: number, left: number): ScrapeEnd {
  const message = `the crawl has asked its ${maxPages} pages, and ${left} more were left out`;
  const failure = { code: 'page_budget', message };
  return { status: 'aborted', reason: 'budget', finished: false, failure, crawl: { at, reason: 'budget' } };
}

/** The end of a crawl with too many errors; `common` is their most frequent cause. */
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

/** The end of a crawl that the guard takes for endless. */
export function loopEnd(at: number, loop: LoopReport): ScrapeEnd {
  const { template, pages, samples } = loop;
  const message = `${pages} pages without a new record, most of them like ${template}, such as ${samples.join(', ')}`;
  const failure = { code: 'loop', message };
  return { status: 'aborted', reason: 'loop', finished: false, failure, crawl: { at, reason: 'loop', loop } };
}

/** The end of a scrape whose site is down, as `visited` found it; the next scrape goes on with the crawl. */
export function downEnd(visited: Visited): ScrapeEnd {
  return { ...failedEnd(visited), reason: downReason(visited) };
}

/** The end of a crawl that is given up because its site is down, as `visited` found it. */
export function lostEnd(at: number, visited: Visited): ScrapeEnd {
  return { ...downEnd(visited), crawl: { at, reason: 'failed' } };
}

/** The end of a crawl that could read no page at all; `visited` is its last page, if it asked for any. */
export function unreadEnd(at: number, visited: Visited | undefined): ScrapeEnd {
  const crawl = { at, reason: 'failed' } as const;
  const outcome = visited?.result.outcome;
  if (visited !== undefined && outcome?.kind === 'failed') return { ...failedEnd(visited), reason: 'failed', crawl };
  const unread = 'no page of the site could be read';
  const failure =
    visited !== undefined && outcome?.kind === 'redirect'
      ? { code: 'led_away', message: `${unread}: ${visited.url} leads to ${outcome.location}` }
      : { code: 'unread', message: unread };
  return { status: 'failed', reason: 'failed', finished: false, failure, crawl };
}
