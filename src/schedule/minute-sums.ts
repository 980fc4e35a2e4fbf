const minuteMs = 60_000;
export const dayMinutes = 1_440;
/** Minutes that are passed over together where nothing begins or ends; a power of two, of which a day is a multiple. */
const blockMinutes = 8;
const dayBlocks = dayMinutes / blockMinutes;
/** What is less is the rounding of sums. */
const dust = 1e-6;

/** The time that a forecast is of. */
export interface ForecastSpan {
  /** The present, of a virtual clock as well as of the machine's. */
  readonly at: number;
  /** Days of 24 hours from then on. */
  readonly days: number;
}

/** A minute and the requests that are made in it. */
export interface Peak {
  readonly at: number;
  readonly requests: number;
}

/** What the minutes of one host come to. */
export interface HostMinutes {
  /** Requests that fall due, by day, whether the host has turns for them or not. */
  readonly requests: readonly number[];
  /** Of those of each day, how many are not made by its end, as the host has no turns left. */
  readonly undone: readonly number[];
  /** The minute in which most are made. */
  readonly peak: Peak;
  /** The longest that a request waits for its turn. */
  readonly longestWaitMs: number;
}

/** What a host allows, and what waits for it at most. */
export interface HostTurns {
  /** Requests that it allows; what a minute does not get done waits for the next. */
  readonly perMinute: number;
  /** Requests of all its targets once: none waits for two turns of one target. */
  readonly atMost: number;
}

/** Adds up the requests of one host after the other, by minute. Its memory depends on the days alone. */
export class MinuteSums {
  readonly #span: ForecastSpan;
  /** Requests at a minute, from turns whose instants are known. */
  readonly #exact: Float64Array;
  /** What comes evenly from a minute on, less what ends there. */
  readonly #slope: Float64Array;
  /** By block, whether any of its minutes was written to. */
  readonly #isTouched: Uint8Array;

  constructor(span: ForecastSpan) {
    this.#span = span;
    this.#exact = new Float64Array(span.days * dayMinutes);
    this.#slope = new Float64Array(span.days * dayMinutes + 1);
    this.#isTouched = new Uint8Array(span.days * dayBlocks + 1);
  }

  get minutes(): number {
    return this.#exact.length;
  }

  /** Requests in one minute. */
  add(minute: number, requests: number): void {
    this.#exact[minute] = (this.#exact[minute] ?? 0) + requests;
    this.#isTouched[Math.floor(minute / blockMinutes)] = 1;
  }

  /** So many requests in each minute from one up to another. */
  addEvenly(from: number, to: number, perMinute: number): void {
    this.#slope[from] = (this.#slope[from] ?? 0) + perMinute;
    this.#slope[to] = (this.#slope[to] ?? 0) - perMinute;
    this.#isTouched[Math.floor(from / blockMinutes)] = 1;
    this.#isTouched[Math.floor(to / blockMinutes)] = 1;
  }

  /**
   * What was added up since the last host, which is forgotten.
   *
   * @param total - to which the requests that are made in each minute are added.
   */
  close({ perMinute, atMost }: HostTurns, total?: Float64Array): HostMinutes {
    const [exact, slope, isTouched] = [this.#exact, this.#slope, this.#isTouched];
    const requests = Array.from({ length: this.#span.days }, () => 0);
    const undone = Array.from({ length: this.#span.days }, () => 0);
    let [even, waiting, longest, most, busiest] = [0, 0, 0, 0, 0];
    for (let day = 0, block = 0; day < requests.length; day += 1) {
      let [dueInDay, madeInDay] = [0, 0];
      for (const end = block + dayBlocks; block < end; block += 1) {
        if (isTouched[block] === 0 && even < dust && waiting < dust) continue;
        isTouched[block] = 0;
        const first = block * blockMinutes;
        for (let minute = first; minute < first + blockMinutes; minute += 1) {
          even += slope[minute] ?? 0;
          const due = even + (exact[minute] ?? 0);
          exact[minute] = 0;
          slope[minute] = 0;
          const made = Math.min(perMinute, waiting + due);
          waiting = Math.min(atMost, Math.max(0, waiting + due - made));
          dueInDay += due;
          madeInDay += made;
          if (waiting > longest) longest = waiting;
          // Sums that are off by a rounding are equal, and of equals the first is told.
          if (made > most + dust) [most, busiest] = [made, minute];
          if (total !== undefined) total[minute] = (total[minute] ?? 0) + made;
        }
      }
      requests[day] = Math.round(dueInDay);
      undone[day] = Math.max(0, Math.round(dueInDay - madeInDay));
    }
    slope[exact.length] = 0;
    isTouched[dayBlocks * requests.length] = 0;
    return {
      requests,
      undone,
      peak: peakAt(this.#span, busiest, most),
      longestWaitMs: Math.round((longest / perMinute) * minuteMs),
    };
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

/** One that is made in some of the minutes only is one where it is made. */
function peakAt({ at }: ForecastSpan, minute: number, requests: number): Peak {
  return { at: at + minute * minuteMs, requests: Math.ceil(requests - dust) };
}
