import type { Close } from '../store/ops.ts';

/** Records that one scrape stores: a list or a collector without an end would fill the disk. The page or batch that reaches it is the last. */
export const mostRecords = 1_000_000;

/** The end of a scrape that has stored all that it may; it does not settle, as what is behind was not seen. */
export function recordLimitEnd(most: number): Pick<Close, 'status' | 'reason' | 'failure' | 'finished'> {
  const message = `the scrape has stored ${most} records, and one scrape may store no more: what comes behind them was left out`;
  return { status: 'aborted', reason: 'record_limit', finished: false, failure: { code: 'record_limit', message } };
}
