import type { Policy } from './policy.ts';
import { PriorityMap } from './priority-map.ts';

/** A granted turn, as its holder names it. Plain data: it may cross threads and outlive a restart. */
export interface Lease {
  readonly key: string;
  readonly number: number;
}

/** A turn with what is needed to hold its host, taken along to where its request is made: that may go on when the daemon has ended. */
export interface CarriedTurn extends Lease {
  readonly policy: Policy;
  /** How long it may last once its request is sent, in milliseconds. */
  readonly sentMs: number;
}

/** How long the turn of a request with a limit of `totalMs` may last, in milliseconds, with a margin for reading the page. */
export function turnLimitMs(totalMs: number): number {
  return totalMs + readingMarginMs;
}

const readingMarginMs = 60_000;

/** A turn that is open. */
interface OpenLease extends Lease {
  /** How long it may last once its request is sent. */
  readonly sentMs: number;
  endsAt: number;
  /** Whether the turn has been open so long that it is stored. */
  isLong: boolean;
}

/** The open turns. Each is reported once when it has been open for long, and once when it expires. */
export class TurnLeases {
  readonly #turns = new Map<number, OpenLease>();
  /** By the instant at which a turn has been open for long, and from then by the instant at which it expires. */
  readonly #watched = new PriorityMap<number>();
  readonly #longMs: number;

  constructor(longMs = 10_000) {
    this.#longMs = longMs;
  }

  get size(): number {
    return this.#turns.size;
  }

  /** The next instant at which a turn is to be reported; `Infinity` for none. */
  get wakeAt(): number {
    return this.#watched.lowest;
  }

  isLong(number: number): boolean {
    return this.#turns.get(number)?.isLong === true;
  }

  add(turn: Omit<OpenLease, 'isLong'>, now: number): void {
    this.#turns.set(turn.number, { ...turn, isLong: false });
    this.#watched.set(turn.number, Math.min(now + this.#longMs, turn.endsAt));
  }

  /** Adds a turn that an earlier life of the daemon granted. */
  restore(turn: Omit<OpenLease, 'isLong'>): void {
    this.#turns.set(turn.number, { ...turn, isLong: true });
    this.#watched.set(turn.number, turn.endsAt);
  }

  /** Records that the request of a turn was sent now. Returns when the turn expires, or `undefined` if it is not open. */
  sent(number: number, now: number): number | undefined {
    const turn = this.#turns.get(number);
    if (!turn) return undefined;
    turn.endsAt = now + turn.sentMs;
    this.#watched.set(number, turn.isLong ? turn.endsAt : Math.min(now + this.#longMs, turn.endsAt));
    return turn.endsAt;
  }

  /** Ends a turn. */
  delete(number: number): void {
    this.#turns.delete(number);
    this.#watched.delete(number);
  }

  /** Yields the turns that have been open for long by `now`, and removes and yields those that have expired. */
  *due(now: number): Generator<Lease & { readonly isOver: boolean }> {
    for (
      let number = this.#watched.first;
      number !== undefined && this.#watched.lowest <= now;
      number = this.#watched.first
    ) {
      const turn = this.#turns.get(number);
      if (!turn) throw new Error(`turn ${number} is watched, but it is not open`);
      const { key, endsAt } = turn;
      turn.isLong = true;
      if (endsAt > now) this.#watched.set(number, endsAt);
      else this.delete(number);
      yield { key, number, isOver: endsAt <= now };
    }
  }
}
