import { nextAvailable, type OpenHours, openSpans, type Span } from '../time/open-hours.ts';
import { evenlyWithin, orderApart, type Repeats } from '../time/evenly.ts';
import { type Bucket, type Day, defaultTokens, spendDay, type TokenLimits, type TokensRow } from './bucket.ts';
import { dayNumber, dayStart } from '../time/zone.ts';
import type { PlannedRow, PlannedSpan } from './pace.ts';

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
export function planDay(inputs: DayInputs): DayPlan {
  const steps = planDaySteps(inputs);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does the work of `planDay` in steps of a few milliseconds. */
function* planDaySteps({
  day,
  window,
  targets,
  hours = [],
  limits = defaultTokens,
}: DayInputs): Generator<undefined, DayPlan> {
  const spans = openSpans(hours, window);
  const isOpen = spans.some(({ from, to }) => from < to);
  const buckets: { target: number; bucket: Bucket }[] = [];
  const pages: Repeats[] = [];
  let seen = 0;
  for (const { target, bucket: before, priority, state = 'active' } of targets) {
    const spending = state === 'active' && !isOpen ? 'waiting' : state;
    const { bucket, scrapes } = spendDay(before, { day, priority, state: spending }, limits);
    if (bucket !== before) buckets.push({ target, bucket });
    if (scrapes > 0) pages.push({ id: target, times: scrapes });
    seen += 1;
    if (seen % atOnce === 0) yield;
  }
  const order = orderApart(pages);
  if (pages.length > atOnce) yield;
  const instants = evenlyWithin(order.length, spans);
  const turns: PlannedTurn[] = [];
  for (const [place, target] of order.entries()) {
    turns.push({ target, dueAt: instants[place] ?? window.from });
    if (turns.length % atOnce === 0) yield;
  }
  return { turns, buckets };
}

/**
 * The turns of targets of one host and schedule in a span, as far as they are planned and as `planDay` plans the days to come; in steps of
 * a few milliseconds. What a target saves before its first scrape stays in its bucket.
 */
export function* planDays(
  targets: readonly PlannedRow<TokenLimits & { readonly zone: string }, TokensRow>[],
  { from, to, hours }: PlannedSpan,
): Generator<undefined, readonly number[][]> {
  const { given: limits = { ...defaultTokens, zone: 'UTC' } } = targets[0] ?? {};
  const turns = targets.map(({ row: { planned }, since }) => planned.filter((at) => at > since));
  const firstAts = targets.map(({ firstAt }) =>
    firstAt === undefined ? -Infinity : (nextAvailable(hours, Math.max(from, firstAt)) ?? Infinity),
  );
  const held = targets.map(({ row: { bucket }, priority }, target) => ({
    target,
    bucket,
    priority,
    state: 'active' as NonNullable<Day['state']>,
  }));
  for (let day = dayNumber(limits.zone, from); ; day += 1) {
    const window = dayWindow(limits.zone, day, from);
    if (window.from >= to) return turns;
    for (const each of held) each.state = (firstAts[each.target] ?? 0) >= window.from - startMs ? 'waiting' : 'active';
    const plan = yield* planDaySteps({ day, window, targets: held, hours, limits });
    for (const { target, bucket } of plan.buckets) {
      const own = held[target];
      if (own !== undefined) own.bucket = bucket;
    }
    for (const { target, dueAt } of plan.turns) turns[target]?.push(dueAt);
    yield;
  }
}
