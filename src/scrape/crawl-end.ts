import type { LoopReport } from '../frontier/guard.ts';
import type { Close } from '../store/ops.ts';
import { type CommonFailure, downReason } from './page-failures.ts';
import { failedEnd, type Visited } from './walk.ts';

type End = Omit<Close, 'copy'>;

/** The end of a crawl that has visited all that it knows of. */
export function completeEnd(at: number, missingSince: number | undefined): End {
  const end = { status: 'complete', reason: 'complete', finished: false, crawl: { at, reason: 'complete' } } as const;
  return missingSince === undefined ? end : { ...end, missingSince };
}

/** The end of a crawl whose budget was too small for `left` of the places that it knows of. */
export function budgetEnd(at: number, maxPages: number, left: number): End {
  const message = `the crawl has asked its ${maxPages} pages, and ${left} more were left out`;
  const failure = { code: 'page_budget', message };
  return { status: 'aborted', reason: 'budget', finished: false, failure, crawl: { at, reason: 'budget' } };
}

/** The end of a crawl with too many errors; `common` is what most of them are. */
export function errorsEnd(
  at: number,
  { errors, pages, share }: Record<'errors' | 'pages' | 'share', number>,
  common: CommonFailure | undefined,
): End {
  const counted = `${errors} of ${pages} pages could not be read: expected at most ${share * 100} %`;
  const most = common && `; most often: ${common.cause} (${common.times}), such as ${common.url}`;
  const failure = { code: 'too_many_errors', message: `${counted}${most ?? ''}` };
  return { status: 'failed', reason: 'errors', finished: false, failure, crawl: { at, reason: 'errors' } };
}

export function loopEnd(at: number, loop: LoopReport): End {
  const { template, pages, samples } = loop;
  const message = `${pages} pages without a new record, most of them like ${template}, such as ${samples.join(', ')}`;
  const failure = { code: 'loop', message };
  return { status: 'aborted', reason: 'loop', finished: false, failure, crawl: { at, reason: 'loop', loop } };
}

/** The end of a scrape that the site gives no page any more; the crawl goes on with the next one. */
export function downEnd(visited: Visited): End {
  return { ...failedEnd(visited), reason: downReason(visited) };
}

/** The end of a crawl that could read no page at all, the last of which is `visited`: nothing is known of any record. */
export function unreadEnd(at: number, visited: Visited): End {
  const { asked, url } = visited;
  const { outcome } = asked;
  const crawl = { at, reason: 'failed' } as const;
  if (outcome.kind !== 'redirect') return { ...failedEnd(visited), reason: 'failed', crawl };
  const message = `no page of the site could be read: ${url} leads to ${outcome.location}`;
  return { status: 'failed', reason: 'failed', finished: false, failure: { code: 'led_away', message }, crawl };
}
