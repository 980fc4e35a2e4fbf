import { PriorityMap } from './priority-map.ts';

/** A turn on loan: plain data, so that it can be told across threads and outlives a restart. */
export interface Lease {
  readonly key: string;
  readonly number: number;
}

/** The lease that a request needs which ends within `totalMs`: a margin is left for reading the page. */
export function turnMs(totalMs: number): number {
  return totalMs + readingMarginMs;
}

const readingMarginMs = 60_000;

/** A turn that is out. */
interface Out extends Lease {
  /** How long it may stay out once its request is sent. */
  readonly sentMs: number;
  endsAt: number;
  /** Whether it is out for long, so that its row says so. */
  isLong: boolean;
}

/** The turns that are out: each is told of once when it has been out for long, and once when it expires. */
export class OutTurns {
  readonly #turns = new Map<number, Out>();
  /** By when they are out for long, and from then by when they expire. */
  readonly #watched = new PriorityMap<number>();
  readonly #longMs: number;

  constructor(longMs = 10_000) {
    this.#longMs = longMs;
  }

  get size(): number {
    return this.#turns.size;
  }

  /** When time alone next changes something; `Infinity` when it does not. */
  get wakeAt(): number {
    return this.#watched.lowest;
  }

  isLong(number: number): boolean {
    return this.#turns.get(number)?.isLong === true;
  }

  add(turn: Omit<Out, 'isLong'>, now: number): void {
    this.#turns.set(turn.number, { ...turn, isLong: false });
    this.#watched.set(turn.number, Math.min(now + this.#longMs, turn.endsAt));
  }

  /** One that an earlier life gave. */
  restore(turn: Omit<Out, 'isLong'>): void {
    this.#turns.set(turn.number, { ...turn, isLong: true });
    this.#watched.set(turn.number, turn.endsAt);
  }

  /** Its request was sent now: until when it may stay out, or `undefined` when it is not out. */
  sent(number: number, now: number): number | undefined {
    const turn = this.#turns.get(number);
    if (!turn) return undefined;
    turn.endsAt = now + turn.sentMs;
    this.#watched.set(number, turn.isLong ? turn.endsAt : Math.min(now + this.#longMs, turn.endsAt));
    return turn.endsAt;
  }

  /** It is out no more. */
  delete(number: number): void {
    this.#turns.delete(number);
    this.#watched.delete(number);
  }

  /** Those that have been out for long, or too long, by `now`; the latter are out no more. */
  *come(now: number): Generator<Lease & { readonly isOver: boolean }> {
    for (
      let number = this.#watched.first;
      number !== undefined && this.#watched.lowest <= now;
      number = this.#watched.first
    ) {
      const turn = this.#turns.get(number);
      if (!turn) throw new Error(`turn ${number} is watched, but it is not out`);
      const { key, endsAt } = turn;
      turn.isLong = true;
      if (endsAt > now) this.#watched.set(number, endsAt);
      else this.delete(number);
      yield { key, number, isOver: endsAt <= now };
    }
  }
}
