import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Reply, Self } from '../src/actor/types.ts';
import { type Clock, jumpMs } from '../src/clock.ts';
import { type Circuit, CircuitBook, type SourceCircuit, type TargetOutcome } from '../src/fetch/ledger/circuit.ts';
import type { LedgerRow } from '../src/fetch/ledger/ledger-row.ts';
import {
  type Backlog,
  type ExpectedWait,
  type KeySlice,
  type LedgersWaiting,
  type LedgerView,
  noBacklog,
  type OfferPlace,
  shiftedView,
  type WaitingOffers,
} from '../src/fetch/ledger/ledger-view.ts';
import { type CarriedTurn, type Lease, turnLimitMs } from '../src/fetch/ledger/turn-leases.ts';
import type { Policy } from '../src/fetch/ledger/policy.ts';
import type { Slowness } from '../src/fetch/ledger/ledger.ts';
import type { TargetOffer } from '../src/request/target-offer.ts';
import { recheckShare } from '../src/schedule/feasibility.ts';
import type { LineHold } from '../src/fetch/ledger/shut-lines.ts';
import { linesOf, passingLine, underWayLine } from '../src/fetch/ledger/source-lines.ts';
import { TurnBook } from '../src/fetch/ledger/turn-book.ts';
import type { TurnOutcome } from '../src/fetch/ledger/turn-outcome.ts';
import { type LedgerOffer, lineOf, type OfferId } from '../src/fetch/ledger/host-line.ts';

/** A request that waits for its turn. */
export interface RequestOffer extends LedgerOffer {
  readonly id: symbol;
  readonly reply: Reply<Lease | 'withdrawn'>;
  /** Whether other offers of its source wait for it, as for a robots.txt or a log-in. It passes them. */
  readonly isPrerequisite?: boolean | undefined;
  /** Called as the turn is about to be granted. Where it returns a promise, the line waits until that has settled. */
  prepare?(): Promise<unknown> | undefined;
}

/** What waits for turns. */
export type HostsOffer = RequestOffer | TargetOffer;

/** The messages of the ledgers: offers, turns, circuits and questions. */
export type HostsMessage =
  | { readonly type: 'offer'; readonly offer: HostsOffer }
  /** Takes an offer out of its line; that of a target only where it is the project's own. */
  | { readonly type: 'withdraw'; readonly id: OfferId; readonly project?: string }
  /** What the first offer of a line had to wait for is over, whatever came of it. */
  | { readonly type: 'prepared'; readonly offer: HostsOffer }
  /** Reports that the request of a turn was sent just now. */
  | { readonly type: 'sent'; readonly lease: Lease }
  | { readonly type: 'done'; readonly lease: Lease; readonly outcome: TurnOutcome }
  /** Holds the host of a request that an earlier life of the daemon has under way, until its turn is done. */
  | { readonly type: 'adopt'; readonly turn: CarriedTurn }
  /** Gives back a turn that its target makes no use of, and the place that the target has taken up in its circuit. */
  | { readonly type: 'declined'; readonly lease: Lease; readonly of: Pick<LedgerOffer, 'source' | 'target'> }
  /** `hasRoom` may have become true again. */
  | { readonly type: 'room' }
  /** `pausedUntil` says something else than before. */
  | { readonly type: 'pauses-changed' }
  /** Reports the outcome of a target that its source's circuit let through. */
  | ({ readonly type: 'target-done'; readonly source: string } & TargetOutcome)
  /** Asks for the ledgers of a slice of the keys, in their order, or of one key. */
  | ({ readonly type: 'list'; readonly reply: Reply<readonly LedgerView[]> } & (KeySlice | { readonly key: string }))
  /** Asks what an offer made now would wait for. */
  | {
      readonly type: 'expected-wait';
      readonly key: string;
      readonly policy: Policy;
      readonly reply: Reply<ExpectedWait>;
    }
  /** Asks until when hosts are left alone for `Retry-After` or back-off, wall time by key: of all hosts that are, or of one. */
  | {
      readonly type: 'resting-until';
      readonly key?: string | undefined;
      readonly reply: Reply<ReadonlyMap<string, number>>;
    }
  /** Asks for the circuits that are not closed. */
  | { readonly type: 'circuits'; readonly reply: Reply<readonly SourceCircuit[]> }
  /** Asks for the circuit of one source; `undefined` where nothing is known of it. */
  | { readonly type: 'circuit'; readonly source: string; readonly reply: Reply<SourceCircuit | undefined> }
  /** Asks for the place of a target that is due; `undefined` where it is not offered. Instants are wall time. */
  | { readonly type: 'place'; readonly target: number; readonly reply: Reply<OfferPlace | undefined> }
  | { readonly type: 'wake' }
  | { readonly type: 'save' }
  | { readonly type: 'forget' };

/** The rows of ledgers and circuits, the limits of turns, and who is told of answers. */
export interface HostsDeps {
  readonly clock: Clock;
  readonly registry: Registry<'hosts', HostsMessage>;
  /** A number in `[0, 1)`. */
  random(): number;
  /** Loads the rows that the last life saved, by key. */
  loadHosts(): Iterable<readonly [string, LedgerRow]>;
  /** Saves rows by key; a row that is `undefined` is removed. */
  saveHosts(rows: readonly (readonly [string, LedgerRow | undefined])[]): void;
  /** Loads and saves circuits by source. Default: circuits are forgotten at a restart. */
  readonly circuits?: {
    load(): Iterable<readonly [string, Circuit]>;
    save(rows: readonly (readonly [string, Circuit | undefined])[]): void;
  };
  /** Called when a host asks to be left alone for longer than is honoured. */
  onRetryAfterCapped?(key: string, askedMs: number): void;
  /** Called after each answer with how slow its host is. */
  answered?(key: string, slowness: Slowness): void;
  /** Whether all projects have been started, and there is room for a further page and for what is read from it; when there is again, the message `room` is sent. */
  hasRoom(): boolean;
  /**
   * Until when nothing may be asked of the host of an offer, or for its source, as an operator has paused it, wall time; `undefined` where nothing is
   * paused. Default: nothing ever is. When that changes, the message
   * `pauses-changed` is sent.
   */
  pausedUntil?(offer: Pick<LedgerOffer, 'key' | 'source'>): number | undefined;
  /** Hands the turn of a target to its project. Returns whether there was one to take it. */
  granted(offer: TargetOffer, lease: Lease): boolean;
  /**
   * Brings about what must be known before the target may be asked: its robots.txt, or a log-in; `undefined` where nothing is missing.
   * Default: nothing ever is.
   */
  prepare?(offer: TargetOffer, signal: AbortSignal): Promise<unknown> | undefined;
  /** Called at the start with functions that say what offers wait for, to be called while this life lasts. Instants are wall time. */
  started?(waiting: LedgersWaiting): void;
  /** The policy of a target by what is known of its site now. Default: that of its offer. */
  policyOf?(offer: TargetOffer): Policy;
  /** The largest number of turns at a time over all keys, normally 256. It is read anew for each turn; when it has risen, the message `room` is sent. */
  readonly maxInFlight: number;
}

/** Time for a connection to succeed or fail; bounds an unsent turn, in ms. */
const unsentMs = 60_000;

/** How long a turn may be on its way to its target, in ms: at high load a project may be long in looking at its messages. */
export const handOverMs = unsentMs / 2;
const sentMs = turnLimitMs(180_000);
const saveEveryMs = 1_000;

/** A look at all offers that took longer than this serves fifty times as long as it took, in ms: very many hosts may have offers. */
const longLookMs = 5;
const looksApart = 50;
const forgetEveryMs = 60_000;

/** Keeps the ledgers of all hosts, and grants turns. A turn is granted only when everything else that its request needs is free. */
export function hosts(self: Self<HostsMessage>, deps: HostsDeps): Behaviour<HostsMessage> {
  const { clock } = deps;
  const options = {
    random: () => deps.random(),
    get maxInFlight() {
      return deps.maxInFlight;
    },
    unsentMs,
    sentMs,
    recheckShare,
    startedAt: clock.monotonic(),
    // No life gives more turns than a thousand in each millisecond, so that numbers of different lives differ.
    firstNumber: Math.floor(clock.now()) * 1_000,
    onRetryAfterCapped: (key: string, askedMs: number) => deps.onRetryAfterCapped?.(key, askedMs),
  };
  const book = new TurnBook<HostsOffer>(options, admit);
  const circuits = new CircuitBook();
  /** Offers that were prepared and have not got their turns yet. */
  const prepared = new WeakSet<HostsOffer>();
  /** The difference between wall time and monotonic time by which the rows were last written. */
  let savedOffset = wallOffset();
  let wake: { readonly at: number; readonly timer: number } | undefined;
  let saving: number | undefined;
  let seen: { readonly waits: readonly WaitingOffers[]; readonly until: number } | undefined;

  self.trapExit();
  // Each scrape waits for its turns, and control asks here.
  self.prioritise();
  for (const [key, row] of deps.loadHosts()) book.restore(key, row, clock.monotonic(), wallOffset());
  for (const [source, row] of deps.circuits?.load() ?? [])
    circuits.restore(source, row, clock.monotonic(), wallOffset());
  self.register(deps.registry, 'hosts');
  deps.started?.({ waits, backlog });
  self.after(forgetEveryMs, { type: 'forget' });

  return {
    receive(message) {
      noticeJump();
      handle(message);
      giveTurns();
      armWake();
      armSave();
    },
    stop: save,
  };

  function handle(message: HostsMessage): void {
    switch (message.type) {
      case 'offer':
        return book.offer(inLine(message.offer));
      case 'withdraw':
        return withdraw(message.id, message.project);
      case 'prepared':
        return goOn(message.offer);
      case 'sent':
        return book.sent(message.lease, clock.monotonic());
      case 'done':
        return done(message);
      case 'adopt':
        return book.adopt(message.turn, clock.monotonic());
      case 'declined':
        return decline(message.lease, message.of);
      case 'target-done':
        return report(message.source, message);
      case 'place':
        return message.reply(placeOf(message.target));
      case 'list':
        return message.reply(listed(message));
      case 'expected-wait':
        return message.reply(book.expectedWait(message.key, message.policy, clock.monotonic()));
      case 'resting-until':
        return message.reply(book.restingUntil(clock.monotonic(), wallOffset(), message.key));
      case 'circuits':
        return message.reply(circuits.views(clock.monotonic()).map(onTheWall));
      case 'circuit':
        return message.reply(circuitView(message.source));
      case 'save':
        return save();
      case 'forget':
        return forget();
      case 'wake':
        wake = undefined;
        return undefined;
      case 'pauses-changed':
        return book.openAll('pause');
      case 'room':
        return undefined;
      default:
        return message satisfies never;
    }
  }

  function done({ lease, outcome }: Omit<Extract<HostsMessage, { type: 'done' }>, 'type'>): void {
    if (book.done(lease, outcome, clock.monotonic())) save();
    const slowness = outcome.kind === 'answered' ? book.slowness(lease.key) : undefined;
    if (slowness) deps.answered?.(lease.key, slowness);
  }

  function withdraw(id: OfferId, project?: string): void {
    const offer = book.withdraw(id);
    if (offer === undefined) return;
    if ('reply' in offer) offer.reply('withdrawn');
    else if (offer.project !== project) book.offer(offer);
  }

  /** Opens a line whose first offer is prepared. Its robots.txt may ask for longer gaps than the offers of the line know of. */
  function goOn(offer: HostsOffer): void {
    const name = lineOf(offer);
    book.renew(offer.key, name, (each) => {
      const policy = 'project' in each ? deps.policyOf?.(each) : undefined;
      const renewed = policy === undefined || policy === each.policy ? each : { ...each, policy };
      if (each === offer) prepared.add(renewed);
      return renewed;
    });
    book.open(name, 'preparation', offer.key);
  }

  function decline(lease: Lease, { source, target }: Pick<LedgerOffer, 'source' | 'target'>): void {
    done({ lease, outcome: { kind: 'unused' } });
    if (source !== undefined && target !== undefined) report(source, { target, verdict: 'unused' });
  }

  /** Records the verdict on a target. What its circuit holds back is looked at again. */
  function report(source: string, outcome: TargetOutcome): void {
    if (!circuits.report(source, outcome, clock.monotonic())) return;
    for (const name of linesOf(source)) book.open(name, 'circuit');
  }

  function giveTurns(): void {
    const now = clock.monotonic();
    book.advance(now);
    while (deps.hasRoom()) {
      const given = book.give(now);
      if (!given) return;
      const { offer, lease } = given;
      if ('reply' in offer) offer.reply(lease);
      else if (!deps.granted(offer, lease)) decline(lease, { source: offer.source, target: offer.id });
    }
  }

  /**
   * Looks at what an offer needs besides its host, as its turn is about to be granted. The circuit comes last, as a target that it lets
   * through takes up its probe.
   */
  function admit(offer: HostsOffer, now: number): LineHold | undefined {
    const pausedUntil = deps.pausedUntil?.(offer);
    if (pausedUntil !== undefined) return { why: 'pause', until: pausedUntil - wallOffset() };
    const isTarget = 'project' in offer;
    if (!prepared.has(offer)) {
      const preparing = isTarget ? deps.prepare?.(offer, self.signal) : offer.prepare?.();
      if (preparing !== undefined) {
        const isOver = (): void => self.send({ type: 'prepared', offer });
        preparing.then(isOver, isOver);
        return { why: 'preparation', until: Infinity };
      }
    }
    const { source, target = isTarget ? offer.id : undefined } = offer;
    if (source === undefined || target === undefined) return undefined;
    const answer = circuits.ask(source, target, now);
    return answer.mayAsk ? undefined : { why: 'circuit', until: answer.nextAt };
  }

  /**
   * Puts the requests of a source in lines apart from its due targets, since what holds these back may let a scrape under way go on.
   * What a target that the circuit has let through still has to ask passes what the circuit holds back.
   */
  function inLine(offer: HostsOffer): HostsOffer {
    if ('project' in offer || offer.source === undefined) return offer;
    const { source, target, isPrerequisite } = offer;
    const passes = isPrerequisite === true || (target !== undefined && circuits.isLetThrough(source, target));
    return { ...offer, line: passes ? passingLine(source) : underWayLine(source) };
  }

  function waits(): readonly WaitingOffers[] {
    const now = clock.monotonic();
    if (seen !== undefined && now < seen.until) return seen.waits;
    const beganAt = performance.now();
    const found = book.waits(now);
    const tookMs = performance.now() - beganAt;
    seen = tookMs > longLookMs ? { waits: found, until: now + tookMs * looksApart } : undefined;
    return found;
  }

  function backlog(): Backlog {
    const { turns, oldestAt } = deps.hasRoom() ? book.backlog : noBacklog;
    return { turns, oldestAt: oldestAt === undefined ? undefined : oldestAt + wallOffset() };
  }

  function placeOf(target: number): OfferPlace | undefined {
    const place = book.place(target);
    const { shut } = place ?? {};
    return place && { before: place.before, shut: shut && { why: shut.why, until: shut.until + wallOffset() } };
  }

  /** Sets the timer for the next turn. An early timer stays: it costs one message, and moving it at each change would cost more. */
  function armWake(): void {
    const at = book.wakeAt;
    if (at === Infinity || (wake && wake.at <= at)) return;
    if (wake) self.cancel(wake.timer);
    wake = { at, timer: self.after(Math.max(0, at - clock.monotonic()), { type: 'wake' }) };
  }

  function armSave(): void {
    if (saving !== undefined || !(book.hasChanges || circuits.hasChanges)) return;
    saving = self.after(saveEveryMs, { type: 'save' });
  }

  function save(): void {
    if (saving !== undefined) self.cancel(saving);
    saving = undefined;
    const now = clock.monotonic();
    if (book.hasChanges) deps.saveHosts(book.takeRows(now, wallOffset()));
    if (!circuits.hasChanges) return;
    const rows = circuits.takeRows(now, wallOffset());
    deps.circuits?.save(rows);
  }

  function forget(): void {
    book.forget(clock.monotonic());
    circuits.forget(clock.monotonic());
    self.after(forgetEveryMs, { type: 'forget' });
  }

  /** Wall time minus monotonic time, in milliseconds. The books count in monotonic time; the store and people get wall time. */
  function wallOffset(): number {
    return clock.now() - clock.monotonic();
  }

  /** Saves all rows again after the wall clock was set, since their instants are wrong then. */
  function noticeJump(): void {
    if (Math.abs(wallOffset() - savedOffset) <= jumpMs) return;
    savedOffset = wallOffset();
    book.rewrite();
    circuits.rewrite();
    // Their ends are wall time; lines that are still paused are shut again.
    book.openAll('pause');
  }

  /** The views that are asked for, in wall time. */
  function listed(asked: KeySlice | { readonly key: string }): readonly LedgerView[] {
    const now = clock.monotonic();
    const views =
      'key' in asked ? [book.view(asked.key, now)].filter((view) => view !== undefined) : book.views(now, asked);
    return views.map((view) => shiftedView(view, wallOffset()));
  }

  function circuitView(source: string): SourceCircuit | undefined {
    const view = circuits.view(source, clock.monotonic());
    return view && onTheWall(view);
  }

  function onTheWall(view: SourceCircuit): SourceCircuit {
    return { ...view, nextAt: view.nextAt === undefined ? undefined : view.nextAt + wallOffset() };
  }
}
