import type { Close } from '../store/ops.ts';
import type { Taken, Walk } from './walk.ts';

/**
 * Records that one scrape stores, and that a walk to the end of a list stores over all its scrapes: one without an end would fill the
 * disk. The page or batch that reaches it is the last.
 */
export const mostRecords = 1_000_000;

/**
 * What a page means of which `count` drafts are written, behind `before` others of its scrape: it is the last one where that is all
 * that may be stored.
 */
export function withinRecords(
  walk: Pick<Walk, 'limited'>,
  taken: Taken,
  { before, count, most }: { readonly before: number; readonly count: number; readonly most: number },
): Taken {
  const stored = (taken.ops?.draftsBefore ?? before) + count;
  if (taken.end !== undefined || count === 0 || stored < most) return taken;
  const whole = walk.limited?.();
  if (whole === undefined) return { ...taken, end: recordLimitEnd(most) };
  const { ops, gap } = whole;
  return { ...taken, ops: { ...taken.ops, ...ops }, end: { ...recordLimitEnd(most, 'visit of the list'), gap } };
}

/** The end of a scrape that has stored all that it may; it does not settle, as what is behind was not seen. */
export function recordLimitEnd(
  most: number,
  what: 'scrape' | 'visit of the list' = 'scrape',
): Pick<Close, 'status' | 'reason' | 'failure' | 'finished'> {
  const [who, one] = what === 'scrape' ? ['the scrape', 'scrape'] : ['this visit of the list', 'visit'];
  const message = `${who} has stored ${most} records, and one ${one} may store no more: what comes behind them was left out`;
  return { status: 'aborted', reason: 'record_limit', finished: false, failure: { code: 'record_limit', message } };
}
