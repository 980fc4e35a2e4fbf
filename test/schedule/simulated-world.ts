/** A part of true time; `from` is in it, `to` is not. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The wall clock is set. */
export interface ClockStep {
  /** When, in true time, which goes on evenly. */
  readonly at: number;
  readonly byMs: number;
}

/** What happens to a daemon and to the hosts that it asks, in true time: milliseconds that begin as those of the wall clock. */
export interface World extends Span {
  /** Times in which the daemon is down, as it was killed. */
  readonly down: readonly Span[];
  readonly steps: readonly ClockStep[];
  /** By host, the times in which it refuses everything. */
  readonly outages: readonly (readonly Span[])[];
}

/** What the wall clock shows. */
export function wallAt({ steps }: Pick<World, 'steps'>, at: number): number {
  let wall = at;
  for (const step of steps) if (step.at <= at) wall += step.byMs;
  return wall;
}

/** The first true instant, from `since` on, at which the wall clock shows `wall` or more. */
export function firstAt({ steps }: Pick<World, 'steps'>, wall: number, since: number): number {
  const turns = [since, ...steps.map(({ at }) => at).filter((at) => at > since)];
  for (const [place, begin] of turns.entries()) {
    const reached = Math.max(begin, begin + wall - wallAt({ steps }, begin));
    if (reached < (turns[place + 1] ?? Infinity)) return reached;
  }
  return Infinity;
}

/** Times that explain why something came late: sums of them are looked up. */
export class Excuses {
  readonly #spans: readonly Span[];
  /** How much of the spans lies before each. */
  readonly #before: readonly number[];

  constructor(spans: readonly Span[]) {
    const merged: { from: number; to: number }[] = [];
    for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
      const last = merged.at(-1);
      if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
      else merged.push({ from, to });
    }
    let sum = 0;
    this.#before = merged.map(({ from, to }) => (sum += to - from) - (to - from));
    this.#spans = merged;
  }

  /** How much of the time between two instants is explained, in milliseconds. */
  between(from: number, to: number): number {
    return to <= from ? 0 : this.#upTo(to) - this.#upTo(from);
  }

  #upTo(at: number): number {
    let [low, high] = [0, this.#spans.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#spans[middle]?.from ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    const span = this.#spans[low - 1];
    return span === undefined ? 0 : (this.#before[low - 1] ?? 0) + Math.min(at, span.to) - span.from;
  }
}
