import { dayNumber, instantOf, weekday } from './zone.ts';

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

/** From an instant up to another, which is no longer in it. */
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

/** The open times within a span, in order and apart. */
export function openSpans(hours: readonly OpenHours[], { from, to }: Span): Span[] {
  const spans: Span[] = [];
  for (let at = from; at < to;) {
    const opens = nextAvailable(hours, at);
    if (opens === undefined || opens >= to) break;
    at = Math.min(closesAt(hours, opens) ?? to, to);
    spans.push({ from: opens, to: at });
  }
  return spans;
}

/** The opening that holds the instant, or else the next one. An opening that a change of the clocks swallows is none. */
function nextSpan({ days, fromMinute, toMinute, zone }: OpenHours, at: number): Span | undefined {
  const today = dayNumber(zone, at);
  for (let day = today - 1; day <= today + 14; day += 1) {
    if (!days.includes(weekday(day))) continue;
    const lastDay = toMinute <= fromMinute ? day + 1 : day;
    const from = instantOf(zone, day * dayMs + fromMinute * minuteMs);
    const to = instantOf(zone, lastDay * dayMs + toMinute * minuteMs);
    if (at < to && from < to) return { from, to };
  }
  return undefined;
}
