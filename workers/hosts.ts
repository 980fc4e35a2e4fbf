import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Reply, Self } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';
import type { Circuit, Leave, TargetOutcome } from '../src/fetch/circuit.ts';
import { CircuitBook, type CircuitView } from '../src/fetch/circuit-book.ts';
import { type HostRow, leftAlone } from '../src/fetch/host-row.ts';
import type { HoldUp } from '../src/fetch/hold.ts';
import type { KeySlice } from '../src/fetch/key-slice.ts';
import { type KeyView, shiftedView } from '../src/fetch/key-view.ts';
import { type Lease, turnMs } from '../src/fetch/out-turns.ts';
import type { Policy } from '../src/fetch/policy.ts';
import type { Slowness } from '../src/fetch/politeness.ts';
import { recheckShare } from '../src/schedule/objective.ts';
import { TurnBook } from '../src/fetch/turn-book.ts';
import type { TurnOutcome } from '../src/fetch/turn-outcome.ts';
import type { Wish } from '../src/fetch/wish.ts';

export type HostsMessage =
  | ({ readonly type: 'ask-turn'; readonly reply: Reply<Lease | 'withdrawn'> } & Wish)
  | { readonly type: 'withdraw'; readonly id: symbol }
  /** The request of a turn went out just now. */
  | { readonly type: 'sent'; readonly lease: Lease }
  | { readonly type: 'done'; readonly lease: Lease; readonly outcome: TurnOutcome }
  /** `hasRoom` may have become true again. */
  | { readonly type: 'room' }
  /** Asks whether a target of a source may be asked now, as far as the source's circuit goes; it counts as asked if so. */
  | { readonly type: 'ask-leave'; readonly source: string; readonly target: number; readonly reply: Reply<Leave> }
  /** What came of a target that had leave. */
  | ({ readonly type: 'target-done'; readonly source: string } & TargetOutcome)
  /** Keys in their order, or one. */
  | ({ readonly type: 'list'; readonly reply: Reply<readonly HostView[]> } & (KeySlice | { readonly key: string }))
  /** What a wish would wait for now. */
  | {
      readonly type: 'hold-up';
      readonly key: string;
      readonly policy: Policy;
      readonly reply: Reply<HoldUp>;
    }
  /** Until when hosts are left alone for their `Retry-After` or back-off, wall time, by key: all that are, or one. */
  | {
      readonly type: 'left-alone';
      readonly key?: string | undefined;
      readonly reply: Reply<ReadonlyMap<string, number>>;
    }
  /** The circuits that are not closed. */
  | { readonly type: 'circuits'; readonly reply: Reply<readonly CircuitView[]> }
  /** The circuit of one source, if anything is known of it. */
  | { readonly type: 'circuit'; readonly source: string; readonly reply: Reply<CircuitView | undefined> }
  | { readonly type: 'wake' }
  | { readonly type: 'save' }
  | { readonly type: 'forget' };

/** What is known of one key, by the wall clock, with the circuit of the source that wished for it last. */
export interface HostView extends KeyView {
  readonly circuit: CircuitView | undefined;
}

export interface HostsDeps {
  readonly clock: Clock;
  readonly registry: Registry<'hosts', HostsMessage>;
  /** A number in `[0, 1)`. */
  random(): number;
  /** What the last life saved, by key. */
  loadHosts(): Iterable<readonly [string, HostRow]>;
  /** Keeps rows by key, and drops those that are `undefined`. */
  saveHosts(rows: readonly (readonly [string, HostRow | undefined])[]): void;
  /** The same of circuits, by source; without it they are forgotten at a restart. */
  readonly circuits?: {
    load(): Iterable<readonly [string, Circuit]>;
    save(rows: readonly (readonly [string, Circuit | undefined])[]): void;
  };
  /** Told when a host asks to be left alone for longer than is honoured. */
  capped?(key: string, askedMs: number): void;
  /** Told after an answer how slow its host is. */
  answered?(key: string, slowness: Slowness): void;
  /** Whether a page could be taken in now; when that turns true again, `room` is told. */
  hasRoom(): boolean;
  /** Turns out at a time over all keys, normally 256. */
  readonly maxInFlight: number;
}

/** A connection is refused or stands well within this; then a fetch that sets no limit ends well within the other. */
const unsentMs = 60_000;
const sentMs = turnMs(180_000);
const saveEveryMs = 1_000;
const forgetEveryMs = 60_000;

/** The wall clock was set, rather than slewed. */
const jumpMs = 2_000;

/** Keeps the ledgers of all hosts, and gives turns. Nothing waits after its turn: one is given only when all else is free. */
export function hosts(self: Self<HostsMessage>, deps: HostsDeps): Behaviour<HostsMessage> {
  const { clock } = deps;
  const book = new TurnBook<Extract<HostsMessage, { type: 'ask-turn' }>>({
    random: () => deps.random(),
    maxInFlight: deps.maxInFlight,
    unsentMs,
    sentMs,
    recheckShare,
    startedAt: clock.monotonic(),
    // More than a life ever gives in the time that it lasts.
    firstNumber: Math.floor(clock.now()) * 1_000,
    capped: (key, askedMs) => deps.capped?.(key, askedMs),
  });
  const circuits = new CircuitBook();
  /** What makes wall time of monotonic time, as the rows have it. */
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
      case 'ask-turn':
        return book.ask(message);
      case 'withdraw':
        return book.withdraw(message.id)?.reply('withdrawn');
      case 'sent':
        return book.sent(message.lease, clock.monotonic());
      case 'done':
        return done(message);
      case 'ask-leave':
        return message.reply(leaveOf(message.source, message.target));
      case 'target-done':
        return circuits.told(message.source, message, clock.monotonic());
      case 'list':
        return message.reply(listed(message).map(hostView));
      case 'hold-up':
        return message.reply(book.holdUp(message.key, message.policy, clock.monotonic()));
      case 'left-alone':
        return message.reply(leftAlone(book.ledgers(message.key), clock.monotonic(), wallOffset()));
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
      given.wish.reply(given.lease);
    }
  }

  /** A timer that comes too early costs one message; moving it at each change would cost more. */
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

  /** The books run on time that never jumps; what leaves them, for the store or for people, is wall time. */
  function wallOffset(): number {
    return clock.now() - clock.monotonic();
  }

  /** After the wall clock was set, what the rows say of instants is wrong. */
  function noticeJump(): void {
    if (Math.abs(wallOffset() - savedOffset) <= jumpMs) return;
    savedOffset = wallOffset();
    book.rewrite();
    circuits.rewrite();
  }

  function leaveOf(source: string, target: number): Leave {
    const leave = circuits.ask(source, target, clock.monotonic());
    return leave.mayAsk ? leave : { mayAsk: false, nextAt: leave.nextAt + wallOffset() };
  }

  function listed(asked: KeySlice | { readonly key: string }): readonly KeyView[] {
    if (!('key' in asked)) return book.views(clock.monotonic(), asked);
    const view = book.view(asked.key, clock.monotonic());
    return view ? [view] : [];
  }

  function hostView(view: KeyView): HostView {
    const circuit = view.source === undefined ? undefined : circuitView(view.source);
    return { ...shiftedView(view, wallOffset()), circuit };
  }

  function circuitView(source: string): CircuitView | undefined {
    const view = circuits.view(source, clock.monotonic());
    return view && onTheWall(view);
  }

  function onTheWall(view: CircuitView): CircuitView {
    return { ...view, nextAt: view.nextAt === undefined ? undefined : view.nextAt + wallOffset() };
  }
}
