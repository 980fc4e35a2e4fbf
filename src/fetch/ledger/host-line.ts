import type { Policy } from './policy.ts';

/** A request that waits for a turn of its host, as data. */
export interface Offer {
  /** The politeness key to ask; several sources may share one. */
  readonly key: string;
  readonly policy: Policy;
  /** When the request was due. Of two offers for one key without deadlines, the one due earlier comes first. */
  readonly dueAt: number;
  /**
   * The deadline of an objective that a re-check is for; missing for any other request. Re-checks are ordered by their deadlines and
   * have a share of the key's turns.
   */
  readonly deadlineAt?: number | undefined;
  /**
   * How long the turn may last after its request was sent, in milliseconds, as `turnLimitMs` computes it. Default: that
   * of the book.
   */
  readonly sentMs?: number | undefined;
  /** The source of the request, for people and for its circuit. */
  readonly source?: string | undefined;
  /** The target of the request. No turn is granted while the circuit of the source holds the target back. */
  readonly target?: number | undefined;
}

/** Identifies an offer while it waits. */
export type OfferId = symbol;

/** An offer in the line of its host. */
export interface LedgerOffer extends Offer {
  readonly id: OfferId;
}

/** The part of an offer by which a line is ordered. */
type Waiting = Pick<Offer, 'dueAt' | 'deadlineAt'>;

/**
 * The offers that wait for one host. Re-checks are ordered by deadline, all others by due instant. While both wait, re-checks get
 * their share of the turns, counted without randomness: equal offers always come in the same order.
 */
export class HostLine<W extends Waiting> {
  /** Each queue is made when its first offer comes: most hosts have one offer waiting. */
  #rechecks: RankedQueue<W> | undefined;
  #others: RankedQueue<W> | undefined;
  readonly #recheckShare: number;
  /** The part of a turn that re-checks have saved up, in `[0, 1)`. In a new line the first turn is for a re-check. */
  #credit: number;

  /** @param recheckShare - the share of the turns that re-checks get while other offers wait, in `(0, 1)`. */
  constructor(recheckShare: number) {
    this.#recheckShare = recheckShare;
    this.#credit = 1 - recheckShare;
  }

  get size(): number {
    return (this.#rechecks?.size ?? 0) + (this.#others?.size ?? 0);
  }

  get first(): W | undefined {
    const recheck = this.#rechecks?.first;
    const other = this.#others?.first;
    return recheck && (other === undefined || isRecheckTurn(this.#credit + this.#recheckShare)) ? recheck : other;
  }

  add(offer: W): void {
    if (offer.deadlineAt === undefined) (this.#others ??= new RankedQueue<W>(dueAtOf)).add(offer);
    else (this.#rechecks ??= new RankedQueue<W>(deadlineOf)).add(offer);
  }

  /** Removes and returns the first offer, which gets its turn. */
  serve(): W | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    // Shares count only while both kinds wait.
    if (this.#rechecks?.first && this.#others?.first) this.#credit = creditAfter(this.#credit + this.#recheckShare);
    this.delete(first);
    return first;
  }

  /** Removes an offer that gets no turn. */
  delete(offer: W): void {
    (offer.deadlineAt === undefined ? this.#others : this.#rechecks)?.delete(offer);
  }

  /** The first `count` offers in the order in which they will get turns if no other offer comes. */
  front(count: number): W[] {
    const [rechecks, others] = [this.#rechecks?.front(count) ?? [], this.#others?.front(count) ?? []];
    const all: W[] = [];
    let credit = this.#credit;
    for (let [recheck, other] = [0, 0]; all.length < count;) {
      const [first, second] = [rechecks[recheck], others[other]];
      if (first === undefined) return [...all, ...others.slice(other, other + count - all.length)];
      if (second === undefined) return [...all, ...rechecks.slice(recheck, recheck + count - all.length)];
      const isRecheck = isRecheckTurn(credit + this.#recheckShare);
      credit = creditAfter(credit + this.#recheckShare);
      all.push(isRecheck ? first : second);
      if (isRecheck) recheck += 1;
      else other += 1;
    }
    return all;
  }
}

function deadlineOf({ deadlineAt = Infinity }: Waiting): number {
  return deadlineAt;
}

function dueAtOf({ dueAt }: Waiting): number {
  return dueAt;
}

/** Whether the credit amounts to a whole turn. Sums of fractions are off by a rounding. */
function isRecheckTurn(credit: number): boolean {
  return credit > 1 - 1e-9;
}

function creditAfter(credit: number): number {
  return isRecheckTurn(credit) ? credit - 1 : credit;
}

/**
 * A queue with the lowest rank in front and equal ranks in order of arrival. Kept from back to front, so that taking the front moves
 * nothing: hosts are many and their queues short, and a long one is moved in one piece.
 */
export class RankedQueue<W> {
  readonly #backToFront: W[] = [];
  readonly #rankOf: (offer: W) => number;

  /** @param rankOf - the rank of an item; must not change while the item is in the queue. */
  constructor(rankOf: (offer: W) => number) {
    this.#rankOf = rankOf;
  }

  get size(): number {
    return this.#backToFront.length;
  }

  get first(): W | undefined {
    return this.#backToFront.at(-1);
  }

  add(offer: W): void {
    this.#backToFront.splice(this.#placeOf(this.#rankOf(offer)), 0, offer);
  }

  delete(offer: W): void {
    const place = this.#backToFront.lastIndexOf(offer);
    if (place === this.#backToFront.length - 1) this.#backToFront.pop();
    else if (place !== -1) this.#backToFront.splice(place, 1);
  }

  /** The first `count` items. */
  front(count: number): W[] {
    return this.#backToFront.slice(-count).reverse();
  }

  /** The index behind all items of at most this rank. */
  #placeOf(rank: number): number {
    let low = 0;
    let high = this.#backToFront.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#backToFront[middle];
      if (other !== undefined && this.#rankOf(other) > rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
