import type { OpenHours } from './available.ts';
import type { CronTimes } from './cron.ts';
import { type CronTurns, followCron } from './cron-turns.ts';
import type { MinuteHours } from './minute-hours.ts';
import type { ForecastSpan, MinuteSums } from './minute-sums.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Instants that are remembered, of all patterns: 16 MB. A pattern for every minute has 527,040 in a year. */
const maxKept = 2_000_000;
/** Instants that are looked at in a row: a few milliseconds of work. */
const atOnce = 25_000;

/**
 * The turns of patterns, which many targets share: each pattern is followed once, and what its targets ask for is laid down
 * once for all of a host.
 */
export class CronBook {
  readonly #span: ForecastSpan;
  readonly #sums: MinuteSums;
  readonly #hours: MinuteHours;
  readonly #turns = new Map<string, CronTurns>();
  /** Of these hours, once they were followed. */
  readonly #within = new Map<CronTurns, Map<readonly OpenHours[], CronTurns>>();
  #kept = 0;
  /** Requests that are to be laid down, by the first of the instants that they come at. */
  readonly #asked = new Map<CronTurns, Map<number, number>>();

  constructor(span: ForecastSpan, sums: MinuteSums, hours: MinuteHours) {
    this.#span = span;
    this.#sums = sums;
    this.#hours = hours;
  }

  /** The turns of a pattern, each put off until its hours begin, in steps. */
  *follow(times: CronTimes, hours: readonly OpenHours[]): Generator<undefined, CronTurns> {
    const { at, days } = this.#span;
    const key = `${times.zone} ${times.pattern}`;
    let turns = this.#turns.get(key);
    if (turns === undefined) {
      turns = yield* followCron(times, at, at + days * dayMs);
      yield* this.#keep(turns);
      this.#turns.set(key, turns);
    }
    if (hours.length === 0) return turns;
    let within = this.#within.get(turns)?.get(hours);
    if (within === undefined) {
      within = yield* this.#putOff(turns, hours);
      yield* this.#keep(within);
      this.#within.set(
        turns,
        (this.#within.get(turns) ?? new Map<readonly OpenHours[], CronTurns>()).set(hours, within),
      );
    }
    return within;
  }

  /** So many requests at each of the instants after one; tells how many instants that are. */
  ask(turns: CronTurns, after: number, requests: number): number {
    const { instants } = turns;
    const first = firstAfter(instants, after);
    const asked = this.#asked.get(turns) ?? new Map<number, number>();
    this.#asked.set(turns, asked.set(first, (asked.get(first) ?? 0) + requests));
    return instants.length - first;
  }

  /** Lays down what was asked for, in steps. */
  *settle(): Generator<undefined> {
    for (const [{ instants }, asked] of this.#asked) {
      const starts = [...asked].sort(([a], [b]) => a - b);
      let requests = 0;
      for (const [index, [start, more]] of starts.entries()) {
        requests += more;
        const end = starts[index + 1]?.[0] ?? instants.length;
        for (let each = start; each < end; each += 1)
          this.#sums.add(Math.floor(((instants[each] ?? 0) - this.#span.at) / minuteMs), requests);
      }
      yield;
    }
    this.#asked.clear();
  }

  /** What falls due while its hours are closed is one turn when they open. */
  *#putOff({ instants, gapMs }: CronTurns, hours: readonly OpenHours[]): Generator<undefined, CronTurns> {
    const { at } = this.#span;
    const found: number[] = [];
    let last = -Infinity;
    for (const [index, instant] of instants.entries()) {
      if (index % atOnce === 0) yield;
      if (instant <= last) continue;
      const due = Math.floor((instant - at) / minuteMs);
      const minute = this.#hours.opensAt(hours, due);
      if (minute < 0) break;
      last = minute === due ? instant : at + minute * minuteMs;
      found.push(last);
    }
    return { instants: Float64Array.from(found), gapMs };
  }

  *#keep({ instants }: CronTurns): Generator<undefined> {
    if (this.#kept > maxKept) {
      // What is asked for holds on to its instants as well.
      yield* this.settle();
      this.#turns.clear();
      this.#within.clear();
      this.#kept = 0;
    }
    this.#kept += instants.length + 1;
  }
}

/** The place of the first instant after one. */
function firstAfter(instants: Float64Array, after: number): number {
  let [low, high] = [0, instants.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((instants[middle] ?? 0) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
