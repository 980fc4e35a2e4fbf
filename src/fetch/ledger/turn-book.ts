import { HostLine, type LedgerOffer, lineOf, type OfferId } from './host-line.ts';
import { type LedgerRow, ledgerRow, isForgettable, isUrgent, isWorthARow, restEndsAt, restored } from './ledger-row.ts';
import {
  type Backlog,
  holdOf,
  type ExpectedWait,
  type KeySlice,
  keysOf,
  type LedgerView,
  addWaiting,
  type OfferPlace,
  type WaitingOffers,
  viewOf,
  withOfferSource,
} from './ledger-view.ts';
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
} from './ledger.ts';
import type { Policy } from './policy.ts';
import { PriorityMap } from './priority-map.ts';
import { ReadyKeys } from './ready-keys.ts';
import { type LineHold, type LineHoldKind, type ShutLine, ShutLines } from './shut-lines.ts';
import { type CarriedTurn, type Lease, TurnLeases } from './turn-leases.ts';
import type { TurnOutcome } from './turn-outcome.ts';

/** How a book grants turns. Durations are milliseconds. */
export interface TurnBookOptions {
  /** A number in `[0, 1)`. */
  readonly random: () => number;
  /** The largest number of open turns over all keys. */
  readonly maxInFlight: number;
  /** How long a turn may last before its request is reported sent. */
  readonly unsentMs: number;
  /** How long it may last from then, where the offer does not say. */
  readonly sentMs: number;
  /** A turn that is open for longer is stored. Default 10 s, so that most turns write nothing. */
  readonly longMs?: number;
  readonly startedAt: number;
  /** Higher than the numbers of all turns of earlier books, so that no lease of theirs is taken for one of this book. */
  readonly firstNumber?: number;
  /** The share of a key's turns that re-checks get while others wait for it too. Default 0.5. */
  readonly recheckShare?: number;
  /** Called when a `Retry-After` is longer than is honoured. */
  readonly onRetryAfterCapped?: (key: string, askedMs: number) => void;
}

const noSources: readonly string[] = [];

interface Host<W extends LedgerOffer> {
  readonly key: string;
  ledger: Ledger;
  /** Missing while no offer waits: most hosts are idle. */
  waiting: HostLine<W> | undefined;
  /** The policy and the source of the last offer, and the first sources of all offers. */
  policy: Policy | undefined;
  source: string | undefined;
  sources: readonly string[];
  hasRow: boolean;
}

/**
 * All ledgers, and all offers that wait for a turn. A key with offers is in `#later` until it may be asked, then in `#ready` until
 * one of them gets a turn; in neither while an open turn must be done first, or while all of its lines are shut. To offer, to grant and to
 * end a turn are logarithmic in the number of offers; a withdrawal looks at the offers of one line.
 *
 * The book keeps the state. The rules are in the other files of this folder: `policy.ts` and `backoff.ts` compute gaps and pauses;
 * `ledger.ts` says when one key may be asked and what it learns from a `turn-outcome.ts`; `host-line.ts` orders the offers for one key;
 * `turn-leases.ts` expires open turns; `ledger-row.ts` and `ledger-view.ts` are a ledger as it is stored and as people see it. The
 * circuits of sources, in `circuit.ts`, are counted apart.
 *
 * @typeParam W - an offer, with whatever its owner wants to find in it again.
 */
export class TurnBook<W extends LedgerOffer> {
  readonly #options: TurnBookOptions;
  readonly #admit: (offer: W, now: number) => LineHold | undefined;
  readonly #hosts = new Map<string, Host<W>>();
  readonly #waiting = new Set<Host<W>>();
  readonly #offers = new Map<OfferId, W>();
  /** Hosts that cannot be asked yet, by the instant at which their first offer may get a turn. */
  readonly #later = new PriorityMap<Host<W>>();
  /** Hosts that can be asked. */
  readonly #ready = new ReadyKeys<Host<W>>();
  readonly #shut = new ShutLines<Host<W>>();
  readonly #leases: TurnLeases;
  /** Keys whose rows changed since `takeRows`. */
  readonly #changed = new Set<string>();
  #turns: number;

  /**
   * @param admit - called as an offer is about to be granted; the turn is granted in the same step unless it returns why the line of the
   *   offer is to be shut. Default: every offer is admitted.
   */
  constructor(options: TurnBookOptions, admit: (offer: W, now: number) => LineHold | undefined = () => undefined) {
    this.#options = options;
    this.#admit = admit;
    this.#leases = new TurnLeases(options.longMs);
    this.#turns = options.firstNumber ?? 0;
  }

  get inFlight(): number {
    return this.#leases.size;
  }

  /** When `advance` is to be called next; `Infinity` for never. */
  get wakeAt(): number {
    return Math.min(this.#later.lowest, this.#leases.wakeAt, this.#shut.wakeAt);
  }

  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  /** Restores the row of a key. Called before the first offer. */
  restore(key: string, row: LedgerRow, now: number, wallOffset: number): void {
    const host = this.#host(key);
    host.ledger = restored(host.ledger, row, now, wallOffset);
    host.hasRow = true;
    for (const { number, endsAt } of host.ledger.open) {
      this.#turns = Math.max(this.#turns, number);
      this.#leases.restore({ key, number, endsAt, sentMs: this.#options.sentMs });
    }
    if (!ledgerRow(host.ledger, now, wallOffset)) this.#changed.add(key);
  }

  /** Adds an offer to its line. It replaces an offer with the same id. */
  offer(offer: W): void {
    this.withdraw(offer.id);
    const host = this.#host(offer.key);
    this.#offers.set(offer.id, offer);
    host.policy = offer.policy;
    host.source = offer.source;
    host.sources = withOfferSource(host.sources, offer.source);
    host.waiting ??= new HostLine(
      this.#options.recheckShare ?? 0.5,
      (name) => this.#shut.holdOf(host, name) !== undefined,
    );
    host.waiting.add(offer);
    this.#waiting.add(host);
    this.#queue(host);
  }

  /** Removes an offer and returns it; `undefined` if it got a turn or was withdrawn before. */
  withdraw(id: OfferId): W | undefined {
    const offer = this.#offers.get(id);
    if (offer === undefined) return undefined;
    const host = this.#host(offer.key);
    host.waiting?.delete(offer);
    this.#removed(offer, host);
    return offer;
  }

  /** Expires turns and makes keys ready up to `now`. Call it before `give`, and whenever `wakeAt` has come. */
  advance(now: number): void {
    this.#expire(now);
    for (const line of this.#shut.due(now)) this.#reopen(line);
    this.#makeReady(now);
  }

  /** Opens the lines of a name that were shut for one cause before their instant has come: those of one key, or of all. */
  open(name: string, why: LineHoldKind, key?: string): void {
    for (const line of this.#shut.named(name, why)) if (key === undefined || line.host.key === key) this.#reopen(line);
  }

  /** Opens all lines that were shut for one cause. */
  openAll(why: LineHoldKind): void {
    for (const line of this.#shut.of(why)) this.#reopen(line);
  }

  /**
   * Grants the next turn, if one can be granted: among the keys that may be asked now, to the offer that is due first. Manual offers come
   * before, though not for two turns in a row while others wait.
   */
  give(now: number): { readonly offer: W; readonly lease: Lease } | undefined {
    if (this.inFlight >= this.#options.maxInFlight) return undefined;
    for (let host = this.#ready.first; host; host = this.#ready.first) {
      const offer = host.waiting?.first;
      if (!offer) throw new Error(`${host.key} is ready, but nobody waits for it`);
      const hold = this.#admit(offer, now);
      if (hold === undefined) return this.#grant(host, now);
      this.#shutLine(host, lineOf(offer), hold, now);
    }
    return undefined;
  }

  #grant(host: Host<W>, now: number): { readonly offer: W; readonly lease: Lease } {
    const offer = host.waiting?.serve();
    if (!offer) throw new Error(`${host.key} is ready, but nobody waits for it`);
    this.#ready.granted(offer);
    this.#turns += 1;
    const lease = { key: host.key, number: this.#turns };
    const endsAt = now + this.#options.unsentMs;
    this.#leases.add({ ...lease, endsAt, sentMs: offer.sentMs ?? this.#options.sentMs }, now);
    host.ledger = withTurn(host.ledger, { number: lease.number, policy: offer.policy, givenAt: now, endsAt });
    this.#removed(offer, host);
    return { offer, lease };
  }

  /** Opens a turn that an earlier life granted and whose request is still under way; it counts as sent now. */
  adopt({ key, number, policy, sentMs }: CarriedTurn, now: number): void {
    const endsAt = now + sentMs;
    if (this.#host(key).ledger.open.some((turn) => turn.number === number)) return;
    this.#leases.restore({ key, number, endsAt, sentMs });
    this.#update(key, (ledger) => withTurn(ledger, { number, policy, givenAt: now, endsAt }));
    this.sent({ key, number }, now);
  }

  /** Records that the request of a turn was sent now. */
  sent({ key, number }: Lease, now: number): void {
    const endsAt = this.#leases.sent(number, now) ?? now;
    if (this.#leases.isLong(number)) this.#changed.add(key);
    this.#update(key, (ledger) => withSent(ledger, { number, endsAt }, now, this.#options.random()));
  }

  /** Ends a turn; its outcome counts even if the turn has expired. Returns whether rows must be written at once. */
  done({ key, number }: Lease, outcome: TurnOutcome, now: number): boolean {
    if (this.#leases.isLong(number)) this.#changed.add(key);
    this.#leases.delete(number);
    const before = this.#host(key).ledger;
    this.#update(key, (ledger) => withDone(ledger, { number, outcome }, now, this.#options.random()));
    const askedMs = outcome.kind === 'refused' ? (outcome.retryAfterMs ?? 0) : 0;
    if (askedMs > longestRetryAfterMs) this.#options.onRetryAfterCapped?.(key, askedMs);
    return isUrgent(before, this.#host(key).ledger, now);
  }

  /** Drops the ledgers that know no more than new ones. */
  forget(now: number): void {
    for (const [key, host] of this.#hosts) {
      const { ledger, waiting, hasRow } = host;
      if (waiting || this.#shut.hasAny(host) || !isForgettable(ledger, now)) continue;
      this.#hosts.delete(key);
      if (hasRow) this.#changed.add(key);
    }
  }

  /** Marks all rows as changed, such as after the wall clock was set, so that they are written again. */
  rewrite(): void {
    for (const [key, { hasRow }] of this.#hosts) if (hasRow) this.#changed.add(key);
  }

  /** The rows that changed since the last call, by key; `undefined` where the row is to be removed. */
  takeRows(now: number, wallOffset: number): (readonly [string, LedgerRow | undefined])[] {
    const rows: (readonly [string, LedgerRow | undefined])[] = [];
    for (const key of this.#changed) {
      const host = this.#hosts.get(key);
      const row = host && ledgerRow(host.ledger, now, wallOffset, (number) => this.#leases.isLong(number));
      if (row || host?.hasRow !== false) rows.push([key, row]);
      if (host) host.hasRow = row !== undefined;
    }
    this.#changed.clear();
    return rows;
  }

  /** How slowly the site of a key wants to be asked; `undefined` before it has answered. */
  slowness(key: string): Slowness | undefined {
    const { ledger, policy = ledger.policy } = this.#host(key);
    return slownessOf(ledger, policy);
  }

  /** Until when keys are left alone for a `Retry-After` or a back-off, wall time by key: of all keys that are, or of one. */
  restingUntil(now: number, wallOffset: number, key?: string): ReadonlyMap<string, number> {
    const one = key === undefined ? undefined : this.#hosts.get(key);
    const hosts = key === undefined ? this.#hosts.values() : one ? [one] : [];
    const untils = new Map<string, number>();
    for (const { key: each, ledger } of hosts) {
      const until = restEndsAt(ledger);
      if (until > now) untils.set(each, until + wallOffset);
    }
    return untils;
  }

  /** The views of a slice of the keys, in alphabetical order. */
  views(now: number, slice: KeySlice): LedgerView[] {
    return keysOf(this.#hosts.keys(), slice).map((key) => viewOf(this.#host(key), now));
  }

  view(key: string, now: number): LedgerView | undefined {
    const host = this.#hosts.get(key);
    return host && viewOf(host, now);
  }

  /** The wait of an offer of `policy` if it were made now. */
  expectedWait(key: string, policy: Policy, now: number): ExpectedWait {
    const { ledger, waiting } = this.#host(key);
    return { hold: holdOf(ledger, policy, now), waiting: waiting?.size ?? 0 };
  }

  /** Puts what `change` makes of each offer in a line of a key into its place; nothing but the policy may differ. */
  renew(key: string, name: string, change: (offer: W) => W): void {
    const host = this.#hosts.get(key);
    host?.waiting?.renew(name, (offer) => {
      const renewed = change(offer);
      this.#offers.set(renewed.id, renewed);
      return renewed;
    });
    if (host) this.#queue(host);
  }

  /** What the offers of all keys wait for. Looks at each key that has offers. */
  waits(now: number): readonly WaitingOffers[] {
    const waits = new Map<WaitingOffers['why'], WaitingOffers>();
    for (const host of this.#waiting) {
      const { ledger, waiting, policy = ledger.policy } = host;
      const hold = holdOf(ledger, waiting?.first?.policy ?? policy, now)?.kind ?? 'room';
      for (const { name, size, oldestAt } of waiting?.lines() ?? [])
        addWaiting(waits, { why: this.#shut.holdOf(host, name)?.why ?? hold, offers: size, oldestAt });
    }
    return [...waits.values()];
  }

  /** The turns that are granted as soon as open ones end. What an offer needs besides its host is only looked at as its turn is granted. */
  get backlog(): Backlog {
    return this.#ready.backlog;
  }

  /** The place of an offer; `undefined` for one that does not wait. */
  place(id: OfferId): OfferPlace | undefined {
    const offer = this.#offers.get(id);
    const host = offer && this.#hosts.get(offer.key);
    if (offer === undefined || host === undefined) return undefined;
    return { before: host.waiting?.before(offer) ?? 0, shut: this.#shut.holdOf(host, lineOf(offer)) };
  }

  #host(key: string): Host<W> {
    const known = this.#hosts.get(key);
    if (known) return known;
    const ledger = newLedger(this.#options.startedAt, this.#options.random());
    const unasked = {
      waiting: undefined,
      policy: undefined,
      source: undefined,
      sources: noSources,
      hasRow: false,
    };
    const host = { key, ledger, ...unasked };
    this.#hosts.set(key, host);
    return host;
  }

  #removed(offer: W, host: Host<W>): void {
    this.#offers.delete(offer.id);
    if (host.waiting?.size === 0) {
      host.waiting = undefined;
      this.#waiting.delete(host);
    }
    this.#queue(host);
  }

  #shutLine(host: Host<W>, name: string, hold: LineHold, now: number): void {
    this.#shut.add({ ...hold, host, name });
    this.#queue(host);
    this.#makeReady(now);
  }

  #reopen(line: ShutLine<Host<W>>): void {
    this.#shut.delete(line);
    this.#queue(line.host);
  }

  #update(key: string, change: (ledger: Ledger) => Ledger): void {
    const host = this.#host(key);
    const before = host.ledger;
    host.ledger = change(before);
    if (isWorthARow(before, host.ledger)) this.#changed.add(key);
    this.#queue(host);
  }

  /** Puts a key into `#later` or into neither, by its ledger and its first offer. */
  #queue(host: Host<W>): void {
    const offer = host.waiting?.first;
    const nextAt = offer && earliestAt(host.ledger, offer.policy);
    this.#ready.delete(host, nextAt);
    if (nextAt === undefined) this.#later.delete(host);
    else this.#later.set(host, nextAt);
  }

  #makeReady(now: number): void {
    for (let host = this.#later.first; host && this.#later.lowest <= now; host = this.#later.first) {
      this.#later.delete(host);
      this.#ready.add(host, host.waiting?.first, now);
    }
  }

  #expire(now: number): void {
    for (const { key, number, isOver } of this.#leases.due(now)) {
      this.#changed.add(key);
      if (isOver) this.#update(key, (ledger) => withExpired(ledger, number, now, this.#options.random()));
    }
  }
}
