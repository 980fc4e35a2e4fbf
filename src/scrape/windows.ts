/** The first and the last day of a window, both in it, as `YYYY-MM-DD`. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

const dayMs = 86_400_000;

/** Windows from one day to another, each `days` long between its first and its last day, with no day in two of them. */
export function* windowsBetween(from: string, to: string, days: number): Generator<Window> {
  for (let first = from; first <= to;) {
    const last = earlier(plusDays(first, days), to);
    yield { from: first, to: last };
    first = plusDays(last, 1);
  }
}

/**
 * The day that a collector goes on from: the least of its fields' newest days, as a record may have been brought up to date
 * after it was published, less the overlap; where nothing is known, its start.
 */
export function resumeDay(
  newest: Readonly<Record<string, string>>,
  { start, overlap }: { readonly start: string; readonly overlap: number },
): string {
  const days = Object.values(newest).map((value) => value.slice(0, 10));
  const least = days.reduce<string | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
  return least === undefined ? start : plusDays(least, -overlap);
}

/** A day of the calendar at an instant, in UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The day of the calendar that lies `days` after another, before it where `days` is negative. */
export function plusDays(day: string, days: number): string {
  return dayOf(Date.parse(`${day}T00:00:00Z`) + days * dayMs);
}

function earlier(one: string, other: string): string {
  return one < other ? one : other;
}
