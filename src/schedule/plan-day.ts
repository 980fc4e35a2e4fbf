import { type OpenHours, openSpans, type Span } from './available.ts';
import { evenlyWithin, orderApart, type Repeats } from './spread.ts';
import { type Bucket, type Day, defaultTokens, spendDay, type TokenLimits } from './tokens.ts';
import { dayStart } from './zone.ts';

/** Nothing of a day is planned sooner than this after it began, or after it was planned. */
const startMs = 30_000;

/** A target that is scraped by tokens. */
export interface PlanTarget {
  readonly target: number;
  readonly bucket: Bucket;
  /** Scrapes a day that it deserves. */
  readonly priority: number;
  /** Default: `active`. */
  readonly state?: NonNullable<Day['state']>;
}

/** The targets of one politeness key, and the day to plan for them. */
export interface DayInputs {
  /** The number of the day, counted from 1970 by the clocks that the days are those of. */
  readonly day: number;
  readonly window: Span;
  readonly targets: Iterable<PlanTarget>;
  /** When the key may be asked; without any, always. */
  readonly hours?: readonly OpenHours[];
  readonly limits?: TokenLimits;
}

/** One scrape of the day. */
export interface PlannedTurn {
  readonly target: number;
  readonly dueAt: number;
}

/** What to write, in one transaction, so that neither is there without the other. */
export interface DayPlan {
  /** In the order of their instants. */
  readonly turns: readonly PlannedTurn[];
  /** The buckets that the day changed. */
  readonly buckets: readonly { readonly target: number; readonly bucket: Bucket }[];
}

/** What is left of a day at an instant: from 30 s after its begin, or after the instant, to its end. */
export function dayWindow(zone: string, day: number, at: number): Span {
  const to = dayStart(zone, day + 1);
  return { from: Math.min(to, Math.max(dayStart(zone, day), at) + startMs), to };
}

/**
 * The scrapes of one politeness key on one day: all that the tokens pay for, evenly over the open part of the window, with
 * the repeats of a target as far apart as can be. A day without an open hour, and one that was planned before, costs nobody
 * a token.
 */
export function planDay({ day, window, targets, hours = [], limits = defaultTokens }: DayInputs): DayPlan {
  const spans = hours.length === 0 ? [window] : openSpans(hours, window);
  const isOpen = spans.some(({ from, to }) => from < to);
  const buckets: { target: number; bucket: Bucket }[] = [];
  const pages: Repeats[] = [];
  for (const { target, bucket: before, priority, state = 'active' } of targets) {
    const spending = state === 'active' && !isOpen ? 'waiting' : state;
    const { bucket, scrapes } = spendDay(before, { day, priority, state: spending }, limits);
    if (bucket !== before) buckets.push({ target, bucket });
    if (scrapes > 0) pages.push({ id: target, times: scrapes });
  }
  const order = orderApart(pages);
  const instants = evenlyWithin(order.length, spans);
  const turns = Array.from(order, (target, place) => ({ target, dueAt: instants[place] ?? window.from }));
  return { turns, buckets };
}
