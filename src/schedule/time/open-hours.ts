import { LRUCache } from 'lru-cache';
import { dayNumber, instantOf, localMs, weekday } from './zone.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Hours of some days of the week in which a source may be asked, by the clocks of a zone. */
export interface OpenHours {
  /** 1 for Monday to 7 for Sunday, the days on which it opens. */
  readonly days: readonly number[];
  /** Minutes after midnight; up to 1440. */
  readonly fromMinute: number;
  /** At `fromMinute` or before it stands for the next day. */
  readonly toMinute: number;
  readonly zone: string;
}

/** A span of time from one instant up to another, which is not part of it. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Whether any of the hours hold the instant; without any it is always open. */
export function isAvailable(hours: readonly OpenHours[], at: number): boolean {
  return nextAvailable(hours, at) === at;
}

/** The instant itself when it is open then, or else when it opens next; nothing for hours that never come. */
export function nextAvailable(hours: readonly OpenHours[], at: number): number | undefined {
  if (hours.length === 0) return at;
  let next: number | undefined;
  for (const each of hours) {
    const span = nextSpan(each, at);
    if (span === undefined) continue;
    if (span.from <= at) return at;
    if (next === undefined || span.from < next) next = span.from;
  }
  return next;
}

/** When what is open at an instant closes; the instant itself when it is closed, nothing when it never closes. */
export function closesAt(hours: readonly OpenHours[], at: number): number | undefined {
  if (hours.length === 0) return undefined;
  let end = at;
  // Hours that touch or overlap are one opening; ten days of them are taken for always.
  for (let grew = true; grew && end - at < 10 * dayMs;) {
    grew = false;
    for (const each of hours) {
      const span = nextSpan(each, end);
      if (span === undefined || span.from > end) continue;
      end = span.to;
      grew = true;
    }
  }
  return end - at < 10 * dayMs ? end : undefined;
}

/** The open times within a span, in order and apart; the whole span without any hours. */
export function openSpans(hours: readonly OpenHours[], { from, to }: Span): Span[] {
  if (hours.length === 0) return [{ from, to }];
  const all = hours.flatMap((each) => {
    const spans: Span[] = [];
    for (let day = dayNumber(each.zone, from) - 1; day <= dayNumber(each.zone, to); day += 1) {
      const opening = openingOn(each, day);
      if (opening === undefined) continue;
      const span = { from: Math.max(from, opening.from), to: Math.min(to, opening.to) };
      if (span.from < span.to) spans.push(span);
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

/** The opening that holds the instant, or else the next one. */
function nextSpan(hours: OpenHours, at: number): Span | undefined {
  const today = dayNumber(hours.zone, at);
  for (let day = today - 1; day <= today + 14; day += 1) {
    const opening = openingOn(hours, day);
    if (opening !== undefined && at < opening.to) return opening;
  }
  return undefined;
}

/** The opening that begins on a day of the zone's calendar; `undefined` on other days, and where a change of the clocks swallows it. */
function openingOn({ days, fromMinute, toMinute, zone }: OpenHours, day: number): Span | undefined {
  if (!days.includes(weekday(day))) return undefined;
  const lastDay = toMinute <= fromMinute ? day + 1 : day;
  const from = instantOf(zone, day * dayMs + fromMinute * minuteMs);
  const to = instantOf(zone, lastDay * dayMs + toMinute * minuteMs);
  return from < to ? { from, to } : undefined;
}

/** How opening hours slow work down: it begins up to `closedMs` late, and then goes on at `openPart` of its pace or faster. */
export interface Openness {
  /** The longest time for which they are closed, also where the clocks are changed meanwhile. */
  readonly closedMs: number;
  /** In `(0, 1]`; of hours that are the same each day, the part of a day in which they are open. */
  readonly openPart: number;
}

const weekMs = 7 * dayMs;
/** Hours repeat by the week; what is closed over its end is seen whole in three. */
const windowMs = 3 * weekMs;
/** Begin on Mondays of a winter and a summer. Any year does, as clocks are changed in each. */
const [winterAt, summerAt] = [Date.UTC(2026, 0, 5), Date.UTC(2026, 6, 6)];
/** By list of hours; many targets share few. */
const kept = new LRUCache<string, { readonly openness: Openness | undefined }>({ max: 256 });

/** How these opening hours slow work down; `undefined` where they are always open. */
export function opennessOf(hours: readonly OpenHours[]): Openness | undefined {
  if (hours.length === 0) return undefined;
  const id = JSON.stringify(hours);
  const { openness } = kept.get(id) ?? { openness: worstOf(hours) };
  kept.set(id, { openness });
  return openness;
}

function worstOf(hours: readonly OpenHours[]): Openness | undefined {
  const all = [...windowsOf(hours)].map((from) => openSpans(hours, { from, to: from + windowMs }));
  const closedMs = Math.max(...all.map(longestClosed));
  if (closedMs <= 0) return undefined;
  return { closedMs, openPart: Math.min(1, ...all.map((spans) => leastPart(spans, closedMs))) };
}

/** Begins of the windows to look at: usual weeks, and those in which the clocks are changed. */
function windowsOf(hours: readonly OpenHours[]): Set<number> {
  const found = new Set([winterAt, summerAt]);
  for (const zone of new Set(hours.map((each) => each.zone)))
    for (let at = winterAt; at < winterAt + 53 * weekMs; at += weekMs)
      if (localMs(zone, at + weekMs) - localMs(zone, at) !== weekMs) found.add(at - weekMs);
  return found;
}

/** The longest time between two; what is closed at the ends of a window is seen whole within it. */
function longestClosed(spans: readonly Span[]): number {
  return spans.reduce((longest, { from }, place) => Math.max(longest, from - (spans[place - 1]?.to ?? from)), 0);
}

/** The least open part of the time from a closing to any later opening, after the longest closed stretch is taken off. */
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
