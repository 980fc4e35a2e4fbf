import { nextAvailable, type OpenHours, openSpans, type Span } from '../time/open-hours.ts';
import { evenlyWithin, orderApart, type Repeats } from '../time/evenly.ts';
import {
  type Bucket,
  type Day,
  defaultTokens,
  newBucket,
  spendDay,
  type TokenLimits,
  type TokensRow,
} from './bucket.ts';
import { dayNumber, dayStart } from '../time/zone.ts';
import type { PlannedRow, PlannedSpan, Planner } from './pace.ts';

/** Nothing of a day is planned sooner than this after it began, or after it was planned. */
const startMs = 30_000;
/** Targets or turns that are looked at without a break: a few milliseconds of work. */
const atOnce = 5_000;

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

/** A scrape that the plan of the day contains. */
export interface PlannedTurn {
  readonly target: number;
  readonly dueAt: number;
}

/** The plan of a day. Turns and buckets are written in one transaction, so that no turn is unpaid and no token is lost. */
export interface DayPlan {
  /** Scrapes of the day, earliest first. */
  readonly turns: readonly PlannedTurn[];
  /** The buckets that the day changed. */
  readonly buckets: readonly { readonly target: number; readonly bucket: Bucket }[];
}

/** The part of a day that can still be planned at an instant: from 30 s after the later of the day's begin and the instant to the day's end. */
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
  const spans = openSpans(hours, window);
  const buckets: { target: number; bucket: Bucket }[] = [];
  const pages: Repeats[] = [];
  for (const { target, bucket: before, ...own } of targets) {
    const { bucket, scrapes } = spendDay(before, { day, ...own, state: stateOn(spans, own.state) }, limits);
    if (bucket !== before) buckets.push({ target, bucket });
    if (scrapes > 0) pages.push({ id: target, times: scrapes });
  }
  const order = orderApart(pages);
  const instants = evenlyWithin(order.length, spans);
  return { turns: Array.from(order, (target, place) => ({ target, dueAt: instants[place] ?? window.from })), buckets };
}

/** A target waits on a day without an open hour. */
function stateOn(spans: readonly Span[], state: Day['state'] = 'active'): NonNullable<Day['state']> {
  return state === 'active' && !spans.some(({ from, to }) => from < to) ? 'waiting' : state;
}

/**
 * Plans the turns of targets in a span: those that are planned already, and those that `planDay` plans for the days to come. What a target
 * saves before its first scrape stays in its bucket.
 */
export function planDays(
  { zone, ...limits }: TokenLimits & { readonly zone: string },
  { from, to, hours }: PlannedSpan,
): Planner<TokensRow> {
  const days: { readonly day: number; readonly window: Span; readonly spans: readonly Span[] }[] = [];
  for (let day = dayNumber(zone, from); ; day += 1) {
    const window = dayWindow(zone, day, from);
    if (window.from >= to) break;
    days.push({ day, window, spans: openSpans(hours, window) });
  }
  return { turnsOf };

  function* turnsOf(targets: readonly PlannedRow<TokensRow>[]): Generator<undefined, readonly number[][]> {
    const turns = targets.map(({ row: { planned }, since }) => planned.filter((at) => at > since));
    const buckets = targets.map(({ row: { bucket } }) => bucket);
    const firstAts = targets.map(({ firstAt }) =>
      firstAt === undefined ? -Infinity : (nextAvailable(hours, Math.max(from, firstAt)) ?? Infinity),
    );
    let looked = 0;
    for (const { day, window, spans } of days) {
      const state = stateOn(spans);
      const pages: Repeats[] = [];
      for (const [id, { priority }] of targets.entries()) {
        const isWaiting = (firstAts[id] ?? 0) >= window.from - startMs;
        const before = buckets[id] ?? newBucket(day, limits);
        const spent = spendDay(before, { day, priority, state: isWaiting ? 'waiting' : state }, limits);
        buckets[id] = spent.bucket;
        if (spent.scrapes > 0) pages.push({ id, times: spent.scrapes });
        looked += 1;
        if (looked % atOnce === 0) yield;
      }
      const order = orderApart(pages);
      const instants = evenlyWithin(order.length, spans);
      for (const [place, id] of order.entries()) {
        turns[id]?.push(instants[place] ?? window.from);
        if ((place + 1) % atOnce === 0) yield;
      }
    }
    return turns;
  }
}
