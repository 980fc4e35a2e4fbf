const minuteMs = 60_000;
const dayMinutes = 1_440;
/** Minutes that one word of the bitmap stands for; a day is a multiple of it. */
const wordMinutes = 32;
const dayWords = dayMinutes / wordMinutes;
/** Smaller sums are rounding errors. */
const dust = 1e-6;

/** The time that a forecast covers. */
export interface ForecastSpan {
  /** The present of the virtual clock, as wall time. */
  readonly at: number;
  /** Days of 24 hours from then on. */
  readonly days: number;
}

/** A minute and the requests that are made in it. */
export interface Peak {
  readonly at: number;
  readonly requests: number;
}

/** Turns in order; several in one minute may be one entry. */
export interface Turns {
  /** Milliseconds from the begin of the span. */
  readonly turnsMs: readonly number[];
  /** How many turns each entry stands for. */
  readonly times: readonly number[];
  /** Whether the entry stays where it is, however far the others are moved. */
  readonly isFixed: readonly boolean[];
}

/** The place of a target's turns in the span, and their weight. */
export interface TurnPlacement {
  /** When the first turn comes, in ms from the begin of the span. */
  readonly firstMs: number;
  /** How far later turns that are not fixed are moved. */
  readonly shiftMs: number;
  /** Requests of each turn. */
  readonly requests: number;
}

/** The totals of one host's minutes. */
export interface HostMinutes {
  /** Requests that fall due, by day, whether the host has turns for them or not. */
  readonly requests: readonly number[];
  /** By day, the requests that are not made by its end, as the host has no turns left. */
  readonly undone: readonly number[];
  /** The minute in which most requests are made. */
  readonly peak: Peak;
  /** The longest time for which a request waits for its turn. */
  readonly longestWaitMs: number;
}

/** How many requests a host takes, and how many can wait for it. */
export interface HostTurns {
  /** Requests that the host allows in a minute; the rest waits for the next minute. */
  readonly perMinute: number;
  /** The most requests that can wait: one scrape of each target. */
  readonly atMost: number;
}

/** Adds up the requests of one host after the other, by minute, and lets them wait for turns. Its memory depends on the days alone. */
export class MinuteQueue {
  readonly minutes: number;
  readonly #span: ForecastSpan;
  /** Requests that fall due in a minute. */
  readonly #due: Float64Array;
  /** Requests a minute that begin at a minute, less those that end there. */
  readonly #slope: Float64Array;
  /** Whether `#slope` holds any, since most hosts have none. */
  #isSloped = false;
  /** A bit for each minute that was written to, so that the others are passed over. */
  readonly #touched: Int32Array;

  constructor(span: ForecastSpan) {
    this.minutes = span.days * dayMinutes;
    this.#span = span;
    this.#due = new Float64Array(this.minutes);
    this.#slope = new Float64Array(this.minutes + 1);
    this.#touched = new Int32Array(span.days * dayWords + 1);
  }

  /** Adds requests to one minute; those outside the span are left out. */
  add(minute: number, requests: number): void {
    if (minute < 0 || minute >= this.minutes) return;
    this.#due[minute] = (this.#due[minute] ?? 0) + requests;
    this.#touch(minute);
  }

  /** Adds requests for each turn; returns the number of turns that lie in the span. */
  addTurns({ turnsMs, times, isFixed }: Turns, { firstMs, shiftMs, requests }: TurnPlacement): number {
    const endMs = this.minutes * minuteMs;
    const [due, touched] = [this.#due, this.#touched];
    let count = 0;
    for (let place = 0; place < turnsMs.length; place += 1) {
      const ms = place === 0 ? firstMs : (turnsMs[place] ?? 0) + (isFixed[place] === true ? 0 : shiftMs);
      // No turn comes before the first one.
      if (ms < firstMs || ms >= endMs) continue;
      const minute = (ms / minuteMs) | 0;
      const turns = times[place] ?? 1;
      count += turns;
      due[minute] = (due[minute] ?? 0) + requests * turns;
      touched[minute >>> 5] = (touched[minute >>> 5] ?? 0) | (1 << minute);
    }
    return count;
  }

  /** Adds so many requests to each minute from one up to another, both within the span. */
  addEvenly(from: number, to: number, perMinute: number): void {
    if (from >= to) return;
    this.#isSloped = true;
    this.#slope[from] = (this.#slope[from] ?? 0) + perMinute;
    this.#slope[to] = (this.#slope[to] ?? 0) - perMinute;
    this.#touch(from);
    this.#touch(to);
  }

  /**
   * Returns what was added since the last call, and forgets it.
   *
   * @param total - receives the requests that are made in each minute, added to what is in it.
   */
  close({ perMinute, atMost }: HostTurns, total?: Float64Array): HostMinutes {
    const [due, slope, isSloped, touched] = [this.#due, this.#slope, this.#isSloped, this.#touched];
    const requests = Array.from({ length: this.#span.days }, () => 0);
    const undone = Array.from({ length: this.#span.days }, () => 0);
    let [even, waiting, longest, most, busiest] = [0, 0, 0, 0, 0];
    for (let day = 0, word = 0; day < requests.length; day += 1) {
      let [dueInDay, madeInDay] = [0, 0];
      for (const end = word + dayWords; word < end; word += 1) {
        const bits = touched[word] ?? 0;
        if (bits === 0 && even < dust && waiting < dust) continue;
        touched[word] = 0;
        for (let minute = word * wordMinutes; minute < (word + 1) * wordMinutes; minute += 1) {
          if (even < dust && waiting < dust) {
            const rest = bits >>> minute;
            if (rest === 0) break;
            minute += 31 - Math.clz32(rest & -rest);
          }
          if (isSloped) {
            even += slope[minute] ?? 0;
            slope[minute] = 0;
          }
          const now = even + (due[minute] ?? 0);
          due[minute] = 0;
          const made = Math.min(perMinute, waiting + now);
          waiting = Math.min(atMost, Math.max(0, waiting + now - made));
          dueInDay += now;
          madeInDay += made;
          if (waiting > longest) longest = waiting;
          // Of minutes that differ by a rounding error alone, the first is told.
          if (made > most + dust) [most, busiest] = [made, minute];
          if (total !== undefined) total[minute] = (total[minute] ?? 0) + made;
        }
      }
      requests[day] = Math.round(dueInDay);
      undone[day] = Math.max(0, Math.round(dueInDay - madeInDay));
    }
    slope[this.minutes] = 0;
    this.#isSloped = false;
    touched[touched.length - 1] = 0;
    return {
      requests,
      undone,
      peak: peakAt(this.#span, busiest, most),
      longestWaitMs: Math.round((longest / perMinute) * minuteMs),
    };
  }

  #touch(minute: number): void {
    const word = minute >>> 5;
    this.#touched[word] = (this.#touched[word] ?? 0) | (1 << minute);
  }
}

/** The minute of a span in which most requests are made. */
export function peakOf(minutes: Float64Array, span: ForecastSpan): Peak {
  let [busiest, most] = [0, 0];
  for (let minute = 0; minute < minutes.length; minute += 1) {
    const count = minutes[minute] ?? 0;
    if (count > most + dust) [busiest, most] = [minute, count];
  }
  return peakAt(span, busiest, most);
}

/** A part of a request counts as one request. */
function peakAt({ at }: ForecastSpan, minute: number, requests: number): Peak {
  return { at: at + minute * minuteMs, requests: Math.ceil(requests - dust) };
}
