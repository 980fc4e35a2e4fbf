import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Reply, Self } from '../src/actor/types.ts';
import { type Clock, jumpMs } from '../src/clock.ts';
import {
  type Circuit,
  type CircuitAnswer,
  CircuitBook,
  type SourceCircuit,
  type TargetOutcome,
} from '../src/fetch/ledger/circuit.ts';
import type { LedgerRow } from '../src/fetch/ledger/ledger-row.ts';
import { type ExpectedWait, type KeySlice, type LedgerView, shiftedView } from '../src/fetch/ledger/ledger-view.ts';
import { type Lease, turnLimitMs } from '../src/fetch/ledger/turn-leases.ts';
import type { Policy } from '../src/fetch/ledger/policy.ts';
import type { Slowness } from '../src/fetch/ledger/ledger.ts';
import { recheckShare } from '../src/schedule/feasibility.ts';
import { TurnBook } from '../src/fetch/ledger/turn-book.ts';
import type { TurnOutcome } from '../src/fetch/ledger/turn-outcome.ts';
import type { LedgerOffer } from '../src/fetch/ledger/host-line.ts';

/** The messages of the ledgers: offers, turns, circuits and questions. */
export type HostsMessage =
  | ({ readonly type: 'offer'; readonly reply: Reply<Lease | 'withdrawn'> } & LedgerOffer)
  | { readonly type: 'withdraw'; readonly id: symbol }
  /** Reports that the request of a turn was sent just now. */
  | { readonly type: 'sent'; readonly lease: Lease }
  | { readonly type: 'done'; readonly lease: Lease; readonly outcome: TurnOutcome }
  /** `hasRoom` may have become true again. */
  | { readonly type: 'room' }
  /** Asks whether the circuit of a source lets a target through now; if so, the target takes up a probe of an open circuit. */
  | {
      readonly type: 'may-ask';
      readonly source: string;
      readonly target: number;
      readonly reply: Reply<CircuitAnswer>;
    }
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
  /** Whether there is room for a further page; when there is again, the message `room` is sent. */
  hasRoom(): boolean;
  /** The largest number of turns at a time over all keys, normally 256. */
  readonly maxInFlight: number;
}

/** Time for a connection to succeed or fail; bounds an unsent turn, in ms. */
const unsentMs = 60_000;
const sentMs = turnLimitMs(180_000);
const saveEveryMs = 1_000;
const forgetEveryMs = 60_000;

/** Keeps the ledgers of all hosts, and grants turns. A turn is granted only when everything else that its request needs is free. */
export function hosts(self: Self<HostsMessage>, deps: HostsDeps): Behaviour<HostsMessage> {
  const { clock } = deps;
  const book = new TurnBook<Extract<HostsMessage, { type: 'offer' }>>({
    random: () => deps.random(),
    maxInFlight: deps.maxInFlight,
    unsentMs,
    sentMs,
    recheckShare,
    startedAt: clock.monotonic(),
    // No life gives more turns than a thousand in each millisecond, so that numbers of different lives differ.
    firstNumber: Math.floor(clock.now()) * 1_000,
    onRetryAfterCapped: (key, askedMs) => deps.onRetryAfterCapped?.(key, askedMs),
  });
  const circuits = new CircuitBook();
  /** The difference between wall time and monotonic time by which the rows were last written. */
  let savedOffset = wallOffset();
  let wake: { readonly at: number; readonly timer: number } | undefined;
  let saving: number | undefined;

  self.trapExit();
  for (const [key, row] of deps.loadHosts()) book.restore(key, row, clock.monotonic(), wallOffset());
  for (const [source, row] of deps.circuits?.load() ?? [])
    circuits.restore(source, row, clock.monotonic(), wallOffset());
  self.register(deps.registry, 'hosts');
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
        return book.offer(message);
      case 'withdraw':
        return book.withdraw(message.id)?.reply('withdrawn');
      case 'sent':
        return book.sent(message.lease, clock.monotonic());
      case 'done':
        return done(message);
      case 'may-ask':
        return message.reply(circuitAnswer(message.source, message.target));
      case 'target-done':
        return circuits.report(message.source, message, clock.monotonic());
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
      case 'room':
        return undefined;
      default:
        return message satisfies never;
    }
  }

  function done({ lease, outcome }: Extract<HostsMessage, { type: 'done' }>): void {
    if (book.done(lease, outcome, clock.monotonic())) save();
    const slowness = outcome.kind === 'answered' ? book.slowness(lease.key) : undefined;
    if (slowness) deps.answered?.(lease.key, slowness);
  }

  function giveTurns(): void {
    const now = clock.monotonic();
    book.advance(now);
    while (deps.hasRoom()) {
      const given = book.give(now);
      if (!given) return;
      given.offer.reply(given.lease);
    }
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
  }

  function circuitAnswer(source: string, target: number): CircuitAnswer {
    const answer = circuits.ask(source, target, clock.monotonic());
    return answer.mayAsk ? answer : { mayAsk: false, nextAt: answer.nextAt + wallOffset() };
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
