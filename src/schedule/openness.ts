import type { OpenHours } from './available.ts';
import { dayNumber, instantOf, localMs, weekday } from './zone.ts';

/** What hours leave of the time: what is done in them begins `closedMs` late at worst, and goes on at `openPart` of its pace at least. */
export interface Openness {
  /** The longest time for which they are closed, also where the clocks are changed meanwhile. */
  readonly closedMs: number;
  /** In `(0, 1]`; of hours that are the same each day, the part of a day in which they are open. */
  readonly openPart: number;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** Hours repeat by the week; what is closed over its end is seen whole in three. */
const windowMs = 3 * weekMs;
/** Begin on Mondays of a winter and a summer. Any year does, as clocks are changed in each. */
const [winterAt, summerAt] = [Date.UTC(2026, 0, 5), Date.UTC(2026, 6, 6)];
/** Lists of hours that are remembered; many targets share few. */
const maxKept = 256;

const kept = new Map<string, Openness | undefined>();

/** What these hours leave of the time; nothing where they are always open. */
export function opennessOf(hours: readonly OpenHours[]): Openness | undefined {
  if (hours.length === 0) return undefined;
  const id = JSON.stringify(hours);
  if (kept.has(id)) return kept.get(id);
  const openness = worstOf(hours);
  if (kept.size >= maxKept) kept.clear();
  kept.set(id, openness);
  return openness;
}

function worstOf(hours: readonly OpenHours[]): Openness | undefined {
  const all = [...windows(hours)].map((from) => openIn(hours, { from, to: from + windowMs }));
  const closedMs = Math.max(...all.map(longestClosed));
  if (closedMs <= 0) return undefined;
  return { closedMs, openPart: Math.min(1, ...all.map((spans) => leastPart(spans, closedMs))) };
}

/** Usual weeks, and those in which the clocks are changed. */
function windows(hours: readonly OpenHours[]): Set<number> {
  const found = new Set([winterAt, summerAt]);
  for (const zone of new Set(hours.map((each) => each.zone)))
    for (let at = winterAt; at < winterAt + 53 * weekMs; at += weekMs)
      if (localMs(zone, at + weekMs) - localMs(zone, at) !== weekMs) found.add(at - weekMs);
  return found;
}

/** The open times within a window, in order and apart. */
function openIn(hours: readonly OpenHours[], { from, to }: Span): Span[] {
  const all = hours.flatMap(({ days, fromMinute, toMinute, zone }) => {
    const spans: Span[] = [];
    for (let day = dayNumber(zone, from) - 1; day <= dayNumber(zone, to); day += 1) {
      if (!days.includes(weekday(day))) continue;
      const lastDay = toMinute <= fromMinute ? day + 1 : day;
      const opens = Math.max(from, instantOf(zone, day * dayMs + fromMinute * minuteMs));
      const closes = Math.min(to, instantOf(zone, lastDay * dayMs + toMinute * minuteMs));
      if (opens < closes) spans.push({ from: opens, to: closes });
    }
    return spans;
  });
  const apart: Span[] = [];
  for (const span of all.sort((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last === undefined || last.to < span.from) apart.push(span);
    else if (last.to < span.to) apart[apart.length - 1] = { from: last.from, to: span.to };
  }
  return apart;
}

/** The longest time between two; what is closed at the ends of a window is seen whole within it. */
function longestClosed(spans: readonly Span[]): number {
  return spans.reduce((longest, { from }, place) => Math.max(longest, from - (spans[place - 1]?.to ?? from)), 0);
}

/** Of the time from when they close until they open again, less the longest closed time, the part in which they are open: the least. */
function leastPart(spans: readonly Span[], closedMs: number): number {
  let least = 1;
  for (const [place, { to: closesAt }] of spans.entries()) {
    let openMs = 0;
    for (const { from, to } of spans.slice(place + 1)) {
      const passedMs = from - closesAt - closedMs;
      if (passedMs > 0) least = Math.min(least, openMs / passedMs);
      openMs += to - from;
    }
  }
  return least;
}
