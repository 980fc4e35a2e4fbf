import type { HostRow, Ledger, Policy, TurnOutcome } from './politeness.ts';
import {
  earliestAt,
  hostRow,
  isForgettable,
  newLedger,
  restored,
  withDone,
  withExpired,
  withSent,
  withTurn,
} from './politeness.ts';
import { PriorityMap } from './priority-map.ts';

/** Somebody's wish to send one request. */
export interface Wish {
  /** The politeness key to ask. */
  readonly key: string;
  readonly policy: Policy;
  /** Of two wishes for one key, the one due earlier comes first. */
  readonly dueAt: number;
  readonly id: symbol;
}

/** A turn on loan: plain data, so that it can be told across threads. */
export interface Lease {
  readonly key: string;
  readonly number: number;
}

/** How turns are given. */
export interface TurnBookOptions {
  /** A number in `[0, 1)`. */
  readonly random: () => number;
  /** Turns out at a time, over all keys. */
  readonly maxInFlight: number;
  /** How long a turn may stay out before its request is reported sent, and from then until it is given back. */
  readonly unsentMs: number;
  readonly sentMs: number;
  readonly startedAt: number;
}

/** What is known of one key, for people. Instants are the book's. */
export interface KeyView {
  readonly key: string;
  readonly waiting: number;
  readonly open: number;
  readonly failures: number;
  readonly refusedUntil: number | undefined;
  /** When its next turn can be given; missing when nobody waits, or while a turn must come back first. */
  readonly nextAt: number | undefined;
}

interface Host<W extends Wish> {
  ledger: Ledger;
  readonly waiting: PriorityMap<W>;
}

/**
 * All ledgers, and all who wait for a turn. A key with waiters is in `#later` until its next instant, then in `#ready`
 * until it is served; in neither while it waits for a turn to come back. Every operation is logarithmic.
 *
 * @typeParam W - a wish, with whatever its owner wants to find in it again.
 */
export class TurnBook<W extends Wish> {
  readonly #options: TurnBookOptions;
  readonly #hosts = new Map<string, Host<W>>();
  readonly #wishes = new Map<symbol, W>();
  /** By the instant at which their first waiter may be served. */
  readonly #later = new PriorityMap<string>();
  /** By the due instant of their first waiter. */
  readonly #ready = new PriorityMap<string>();
  /** Turns that are out, by number, until they expire. */
  readonly #expiring = new PriorityMap<number>();
  readonly #leases = new Map<number, Lease>();
  /** Keys of which something durable changed since rows were taken. */
  readonly #changed = new Set<string>();
  #turns = 0;

  constructor(options: TurnBookOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#leases.size;
  }

  /** The next instant at which time alone changes something; `Infinity` when there is none.. */
  get wakeAt(): number {
    return Math.min(this.#later.lowest, this.#expiring.lowest);
  }

  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  /** Takes up what an earlier book knew. */
  restore(key: string, row: HostRow, now: number, wallOffset: number): void {
    const host = this.#host(key);
    host.ledger = restored(host.ledger, row, now, wallOffset);
    if (!hostRow(host.ledger, now, wallOffset)) this.#changed.add(key);
  }

  ask(wish: W): void {
    const host = this.#host(wish.key);
    this.#wishes.set(wish.id, wish);
    host.waiting.set(wish, wish.dueAt);
    this.#place(wish.key, host);
  }

  /** The wish that will not be served, or `undefined` when it was served or withdrawn before. */
  withdraw(id: symbol): W | undefined {
    const wish = this.#wishes.get(id);
    if (wish) this.#drop(wish);
    return wish;
  }

  /** Lets turns expire and keys come up to `now`. Call it before `give`, and whether or not anything is to be given. */
  advance(now: number): void {
    this.#expire(now);
    this.#promote(now);
  }

  /** Gives the next turn that can be given, if any: among the keys that may be asked now, to whoever is due first. */
  give(now: number): { readonly wish: W; readonly lease: Lease } | undefined {
    const key = this.#ready.first;
    if (key === undefined || this.inFlight >= this.#options.maxInFlight) return undefined;
    const host = this.#host(key);
    const wish = host.waiting.first;
    if (!wish) throw new Error(`${key} is ready, but nobody waits for it`);
    this.#turns += 1;
    const lease = { key, number: this.#turns };
    this.#leases.set(lease.number, lease);
    this.#expiring.set(lease.number, now + this.#options.unsentMs);
    host.ledger = withTurn(host.ledger, lease.number, wish.policy);
    this.#drop(wish);
    return { wish, lease };
  }

  sent({ key, number }: Lease, now: number): void {
    if (this.#leases.has(number)) this.#expiring.set(number, now + this.#options.sentMs);
    this.#update(key, (ledger) => withSent(ledger, number, now, this.#options.random()));
  }

  /** Takes a turn back. Once it has expired, only what came of it counts. */
  done({ key, number }: Lease, outcome: TurnOutcome, now: number): void {
    this.#leases.delete(number);
    this.#expiring.delete(number);
    this.#update(key, (ledger) => withDone(ledger, number, outcome, now, this.#options.random()));
  }

  /** Lets go of keys that a new ledger would serve as well. */
  forget(now: number): void {
    for (const [key, { ledger, waiting }] of this.#hosts) {
      if (waiting.size > 0 || !isForgettable(ledger, now)) continue;
      this.#hosts.delete(key);
      if (Number.isFinite(ledger.refusedUntil)) this.#changed.add(key);
    }
  }

  /** What to write, by key, since this was last called; `undefined` stands for nothing to keep. */
  takeRows(now: number, wallOffset: number): (readonly [string, HostRow | undefined])[] {
    const rows = Array.from(this.#changed, (key) => {
      const host = this.#hosts.get(key);
      return [key, host && hostRow(host.ledger, now, wallOffset)] as const;
    });
    this.#changed.clear();
    return rows;
  }

  views(now: number): KeyView[] {
    return Array.from(this.#hosts, ([key, { ledger, waiting }]) => ({
      key,
      waiting: waiting.size,
      open: ledger.open.length,
      failures: ledger.failures,
      refusedUntil: ledger.refusedUntil > now ? ledger.refusedUntil : undefined,
      nextAt: waiting.first && earliestAt(ledger, waiting.first.policy),
    }));
  }

  #host(key: string): Host<W> {
    const known = this.#hosts.get(key);
    if (known) return known;
    const ledger = newLedger(this.#options.startedAt, this.#options.random());
    const host: Host<W> = { ledger, waiting: new PriorityMap() };
    this.#hosts.set(key, host);
    return host;
  }

  #drop(wish: W): void {
    const host = this.#host(wish.key);
    this.#wishes.delete(wish.id);
    host.waiting.delete(wish);
    this.#place(wish.key, host);
  }

  #update(key: string, change: (ledger: Ledger) => Ledger): void {
    const host = this.#host(key);
    const { failures, refusedUntil } = host.ledger;
    host.ledger = change(host.ledger);
    if (host.ledger.failures !== failures || host.ledger.refusedUntil !== refusedUntil) this.#changed.add(key);
    this.#place(key, host);
  }

  /** Puts a key where its ledger and its first waiter now want it. */
  #place(key: string, { ledger, waiting }: Host<W>): void {
    const nextAt = waiting.first && earliestAt(ledger, waiting.first.policy);
    this.#ready.delete(key);
    if (nextAt === undefined) this.#later.delete(key);
    else this.#later.set(key, nextAt);
  }

  #promote(now: number): void {
    for (let key = this.#later.first; key !== undefined && this.#later.lowest <= now; key = this.#later.first) {
      this.#later.delete(key);
      this.#ready.set(key, this.#host(key).waiting.lowest);
    }
  }

  #expire(now: number): void {
    for (
      let number = this.#expiring.first;
      number !== undefined && this.#expiring.lowest <= now;
      number = this.#expiring.first
    ) {
      const lease = this.#leases.get(number);
      this.#expiring.delete(number);
      this.#leases.delete(number);
      if (lease) this.#update(lease.key, (ledger) => withExpired(ledger, lease.number, now, this.#options.random()));
    }
  }
}
