import { Exact } from '../expression/exact.ts';

/** The columns of a table of rates, and the fields of a record that is a rate. */
export const rateFields = ['base', 'quote', 'day', 'rate'] as const;

/** What one unit of a currency cost in another on a day. */
export interface Rate {
  readonly base: string;
  readonly quote: string;
  /** Counted from 1 January 1970. */
  readonly day: number;
  /** Units of `quote` for one of `base`; more than 0. */
  readonly rate: Exact;
  /** Who gave the rate: a source, a file, or what the file says. */
  readonly source: string;
}

/** The factor by which an amount is converted. */
export interface FoundRate {
  readonly factor: Exact;
  /** The day of the rate; of two rates, the older one. */
  readonly day: number;
  /** The currency over which the amount is converted, where there is no rate of the pair itself. */
  readonly over?: string;
  /** Who gave the rate; of two rates, both. Missing where none is needed. */
  readonly source?: string;
}

interface DatedFactor {
  readonly day: number;
  readonly factor: Exact;
  readonly source: string;
}

/** Dated rates of currencies. A rate also serves the other way round, and two rates with a currency in common serve as one. */
export class RateTable {
  /** The factors from one currency to another, by day. */
  readonly #factors = new Map<string, Map<string, DatedFactor[]>>();

  /** Of two rates of a pair and a day the last one counts; one of the pair itself goes before one of the other way round. */
  constructor(rates: Iterable<Rate>) {
    const sorted = [...rates].sort((one, other) => one.day - other.day);
    for (let first = 0; first < sorted.length;) {
      let next = first;
      while (next < sorted.length && sorted[next]?.day === sorted[first]?.day) next += 1;
      const ofDay = sorted.slice(first, next);
      for (const { base, quote, day, rate, source } of ofDay)
        this.#add(quote, base, { day, factor: rate.inverted(), source });
      for (const { base, quote, day, rate, source } of ofDay) this.#add(base, quote, { day, factor: rate, source });
      first = next;
    }
  }

  #add(from: string, to: string, factor: DatedFactor): void {
    const ofBase = this.#factors.get(from) ?? new Map<string, DatedFactor[]>();
    this.#factors.set(from, ofBase);
    const list = ofBase.get(to) ?? [];
    ofBase.set(to, list);
    if (list.at(-1)?.day === factor.day) list.pop();
    list.push(factor);
  }

  /**
   * The factor of a day: that of the newest day not after it, and at most `maxAgeDays` before it. A rate of the pair goes before two
   * rates over another currency; of several such, the newest counts, then the first by name.
   */
  find(from: string, to: string, day: number, maxAgeDays: number): FoundRate | undefined {
    if (from === to) return { factor: new Exact(1n), day };
    const oldest = day - maxAgeDays;
    const own = this.#newest(from, to, day, oldest);
    if (own !== undefined) return own;
    let best: FoundRate | undefined;
    for (const over of [...(this.#factors.get(from)?.keys() ?? [])].sort()) {
      const first = this.#newest(from, over, day, oldest);
      const second = first && this.#newest(over, to, day, oldest);
      if (first === undefined || second === undefined) continue;
      const source = first.source === second.source ? first.source : `${first.source}, ${second.source}`;
      const found = { factor: first.factor.times(second.factor), day: Math.min(first.day, second.day), over, source };
      if (best === undefined || found.day > best.day) best = found;
    }
    return best;
  }

  #newest(from: string, to: string, day: number, oldest: number): DatedFactor | undefined {
    const list = this.#factors.get(from)?.get(to) ?? [];
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((list[middle]?.day ?? Infinity) <= day) low = middle + 1;
      else high = middle;
    }
    const found = list[low - 1];
    return found !== undefined && found.day >= oldest ? found : undefined;
  }
}
