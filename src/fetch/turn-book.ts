import { type HostRow, hostRow, isForgettable, isUrgent, isWorthARow, restored } from './host-row.ts';
import { type HoldUp, holdOf } from './hold.ts';
import { HostLine } from './host-line.ts';
import { type KeySlice, keysOf } from './key-slice.ts';
import { type KeyView, viewOf, withSource } from './key-view.ts';
import { type Lease, OutTurns } from './out-turns.ts';
import type { Policy } from './policy.ts';
import {
  earliestAt,
  type Ledger,
  longestRetryAfterMs,
  newLedger,
  type Slowness,
  slownessOf,
  withDone,
  withExpired,
  withSent,
  withTurn,
} from './politeness.ts';
import { PriorityMap } from './priority-map.ts';
import type { TurnBookOptions } from './turn-book-options.ts';
import type { TurnOutcome } from './turn-outcome.ts';
import type { Wish } from './wish.ts';

const noSources: readonly string[] = [];

interface Host<W extends Wish> {
  readonly key: string;
  ledger: Ledger;
  /** Missing while nobody waits: most hosts are idle. */
  waiting: HostLine<W> | undefined;
  /** The policy and the source of the last wish, and the sources of all, as far as they are counted. */
  policy: Policy | undefined;
  source: string | undefined;
  sources: readonly string[];
  hasRow: boolean;
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
  readonly #later = new PriorityMap<Host<W>>();
  /** By the due instant of their first waiter. */
  readonly #ready = new PriorityMap<Host<W>>();
  readonly #out: OutTurns;
  /** Keys of which something durable changed since rows were taken. */
  readonly #changed = new Set<string>();
  #turns: number;

  constructor(options: TurnBookOptions) {
    this.#options = options;
    this.#out = new OutTurns(options.longOutMs);
    this.#turns = options.firstNumber ?? 0;
  }

  get inFlight(): number {
    return this.#out.size;
  }

  /** The next instant at which time alone changes something; `Infinity` when there is none. */
  get wakeAt(): number {
    return Math.min(this.#later.lowest, this.#out.wakeAt);
  }

  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  /** Takes up what an earlier book knew: to be called before anything is asked. */
  restore(key: string, row: HostRow, now: number, wallOffset: number): void {
    const host = this.#host(key);
    host.ledger = restored(host.ledger, row, now, wallOffset);
    host.hasRow = true;
    for (const { number, endsAt } of host.ledger.open) {
      this.#turns = Math.max(this.#turns, number);
      this.#out.restore({ key, number, endsAt, sentMs: this.#options.sentMs });
    }
    if (!hostRow(host.ledger, now, wallOffset)) this.#changed.add(key);
  }

  ask(wish: W): void {
    const host = this.#host(wish.key);
    this.#wishes.set(wish.id, wish);
    host.policy = wish.policy;
    host.source = wish.source;
    host.sources = withSource(host.sources, wish.source);
    host.waiting ??= new HostLine(this.#options.recheckShare ?? 0.5);
    host.waiting.add(wish);
    this.#place(host);
  }

  /** The wish that will not be served, or `undefined` when it was served or withdrawn before. */
  withdraw(id: symbol): W | undefined {
    const wish = this.#wishes.get(id);
    if (wish === undefined) return undefined;
    const host = this.#host(wish.key);
    host.waiting?.delete(wish);
    this.#left(wish, host);
    return wish;
  }

  /** Lets turns expire and keys come up to `now`. Call it before `give`, and whether or not anything is to be given. */
  advance(now: number): void {
    this.#watch(now);
    this.#promote(now);
  }

  /** Gives the next turn that can be given, if any: of the keys that may be asked now, to that whose first in line is due first. */
  give(now: number): { readonly wish: W; readonly lease: Lease } | undefined {
    const host = this.#ready.first;
    if (!host || this.inFlight >= this.#options.maxInFlight) return undefined;
    const wish = host.waiting?.serve();
    if (!wish) throw new Error(`${host.key} is ready, but nobody waits for it`);
    this.#turns += 1;
    const lease = { key: host.key, number: this.#turns };
    const endsAt = now + this.#options.unsentMs;
    this.#out.add({ ...lease, endsAt, sentMs: wish.sentMs ?? this.#options.sentMs }, now);
    host.ledger = withTurn(host.ledger, { number: lease.number, policy: wish.policy, givenAt: now, endsAt });
    this.#left(wish, host);
    return { wish, lease };
  }

  sent({ key, number }: Lease, now: number): void {
    const endsAt = this.#out.sent(number, now) ?? now;
    if (this.#out.isLong(number)) this.#changed.add(key);
    this.#update(key, (ledger) => withSent(ledger, { number, endsAt }, now, this.#options.random()));
  }

  /** Takes a turn back, and says whether rows must be written at once. Once it has expired, only what came of it counts. */
  done({ key, number }: Lease, outcome: TurnOutcome, now: number): boolean {
    if (this.#out.isLong(number)) this.#changed.add(key);
    this.#out.delete(number);
    const before = this.#host(key).ledger;
    this.#update(key, (ledger) => withDone(ledger, { number, outcome }, now, this.#options.random()));
    const askedMs = outcome.kind === 'refused' ? (outcome.retryAfterMs ?? 0) : 0;
    if (askedMs > longestRetryAfterMs) this.#options.capped?.(key, askedMs);
    return isUrgent(before, this.#host(key).ledger, now);
  }

  /** Lets go of keys that a new ledger would serve as well. */
  forget(now: number): void {
    for (const [key, { ledger, waiting, hasRow }] of this.#hosts) {
      if (waiting || !isForgettable(ledger, now)) continue;
      this.#hosts.delete(key);
      if (hasRow) this.#changed.add(key);
    }
  }

  /** Has all rows written again, as after the wall clock was set. */
  rewrite(): void {
    for (const [key, { hasRow }] of this.#hosts) if (hasRow) this.#changed.add(key);
  }

  /** What to write, by key, since this was last called; `undefined` stands for nothing to keep. */
  takeRows(now: number, wallOffset: number): (readonly [string, HostRow | undefined])[] {
    const rows: (readonly [string, HostRow | undefined])[] = [];
    for (const key of this.#changed) {
      const host = this.#hosts.get(key);
      const row = host && hostRow(host.ledger, now, wallOffset, (number) => this.#out.isLong(number));
      if (row || host?.hasRow !== false) rows.push([key, row]);
      if (host) host.hasRow = row !== undefined;
    }
    this.#changed.clear();
    return rows;
  }

  /** How slow a key is; nothing before it has answered. */
  slowness(key: string): Slowness | undefined {
    const { ledger, policy = ledger.policy } = this.#host(key);
    return slownessOf(ledger, policy);
  }

  /** What is known of all keys, or of one. */
  *ledgers(key?: string): Generator<readonly [key: string, ledger: Ledger]> {
    const one = key === undefined ? undefined : this.#hosts.get(key);
    const hosts = key === undefined ? this.#hosts.values() : one ? [one] : [];
    for (const { key: each, ledger } of hosts) yield [each, ledger];
  }

  /** In the order of the keys. */
  views(now: number, slice: KeySlice): KeyView[] {
    return keysOf(this.#hosts.keys(), slice).map((key) => viewOf(this.#host(key), now));
  }

  view(key: string, now: number): KeyView | undefined {
    const host = this.#hosts.get(key);
    return host && viewOf(host, now);
  }

  /** What would hold up a request of `policy` that is wished for now, and how many wait for the key already. */
  holdUp(key: string, policy: Policy, now: number): HoldUp {
    const { ledger, waiting } = this.#host(key);
    return { hold: holdOf(ledger, policy, now), waiting: waiting?.size ?? 0 };
  }

  #host(key: string): Host<W> {
    const known = this.#hosts.get(key);
    if (known) return known;
    const ledger = newLedger(this.#options.startedAt, this.#options.random());
    const unasked = { waiting: undefined, policy: undefined, source: undefined, sources: noSources, hasRow: false };
    const host = { key, ledger, ...unasked };
    this.#hosts.set(key, host);
    return host;
  }

  #left(wish: W, host: Host<W>): void {
    this.#wishes.delete(wish.id);
    if (host.waiting?.size === 0) host.waiting = undefined;
    this.#place(host);
  }

  #update(key: string, change: (ledger: Ledger) => Ledger): void {
    const host = this.#host(key);
    const before = host.ledger;
    host.ledger = change(before);
    if (isWorthARow(before, host.ledger)) this.#changed.add(key);
    this.#place(host);
  }

  /** Puts a key where its ledger and its first waiter now want it. */
  #place(host: Host<W>): void {
    const wish = host.waiting?.first;
    const nextAt = wish && earliestAt(host.ledger, wish.policy);
    this.#ready.delete(host);
    if (nextAt === undefined) this.#later.delete(host);
    else this.#later.set(host, nextAt);
  }

  #promote(now: number): void {
    for (let host = this.#later.first; host && this.#later.lowest <= now; host = this.#later.first) {
      this.#later.delete(host);
      this.#ready.set(host, host.waiting?.first?.dueAt ?? Infinity);
    }
  }

  #watch(now: number): void {
    for (const { key, number, isOver } of this.#out.come(now)) {
      this.#changed.add(key);
      if (isOver) this.#update(key, (ledger) => withExpired(ledger, number, now, this.#options.random()));
    }
  }
}
