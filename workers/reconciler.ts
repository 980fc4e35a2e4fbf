import type { StartChildResult } from '../src/actor/management.ts';
import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, ExitReason, Reply, Self } from '../src/actor/types.ts';
import { type Clock, jumpMs } from '../src/clock.ts';
import { retryDelayMs } from './retry-delay.ts';

/** The kinds of actors that the reconciler keeps running: sources and projects as the store has them, `edge` as the configuration has it. */
export type Kind = 'edge' | 'source' | 'project';

/** The messages of the reconciler. */
export type ReconcilerMessage =
  /** Desired and running state may differ: those of these projects alone, or of anything. */
  | { readonly type: 'reconcile'; readonly projects?: readonly string[] }
  | { readonly type: 'reconciled' }
  | { readonly type: 'gave-up'; readonly kind: Kind; readonly id: string; readonly reason: ExitReason }
  /** Starts a given-up child before its pause is over. Answers whether the child was given up. */
  | { readonly type: 'release'; readonly kind: Kind; readonly id: string; readonly reply: Reply<boolean> };

/** A child that its supervisor gave up. */
export interface GivenUp {
  readonly kind: Kind;
  readonly id: string;
  readonly reason: ExitReason;
  /** How often the child was given up in a row; the pause before the next try doubles each time. */
  readonly times: number;
  readonly at: number;
  readonly retryAt: number;
}

/** A given-up child while it waits. */
interface Waiting {
  readonly times: number;
  /** Monotonic. */
  readonly until: number;
}

/** How far the reconciler is. */
export interface Progress {
  /** The number of actors that this pass has still to start. */
  readonly remaining: number;
  /** Whether the first whole pass was made. */
  readonly ready: boolean;
}

/** The actors that should run and those that do, and how they are started and stopped. */
export interface ReconcilerDeps {
  readonly clock: Clock;
  readonly registry: Registry<'reconciler', ReconcilerMessage>;
  /** In `[0, 1)`. */
  random(): number;
  /** The ids of the actors that should run, in slices: all, or those among some. */
  desired(kind: Kind, among?: ReadonlySet<string>): AsyncIterable<readonly string[]>;
  /** The ids of the actors that run. */
  running(kind: Kind): Iterable<string>;
  isRunning(kind: Kind, id: string): boolean;
  /** Whether nothing has changed since the last comparison of desired and running actors, so that the pass skips it. */
  isSettled(kind: Kind): boolean;
  start(kind: Kind, id: string): Promise<StartChildResult>;
  stop(kind: Kind, id: string): Promise<void>;
  /** Called at the start, and whenever the progress has changed. */
  progressed(progress: Progress): void;
  /** Called at the beginning of each pass, for periodic work of the store. */
  before(): Promise<void>;
  /** Called for each child that is given up; writes the event. */
  gaveUp(givenUp: GivenUp): void;
  /** Called when the wall clock was set: whoever waits for an instant of it must look again. */
  wallJumped(): Promise<void>;
}

/** The kinds in the order in which they are started: control answers while projects are still being started. */
const kinds: readonly Kind[] = ['edge', 'source', 'project'];
/** The pause between two passes. */
export const passEveryMs = 30_000;
const batchSize = 500;
/** The time in milliseconds that a child must run after its restart for its next pause to be the shortest again. */
const forgivenAfterMs = 3_600_000;

/** Keeps the running actors equal to the desired ones: starts missing ones, stops others, and starts given-up ones after a pause. */
export function reconciler(self: Self<ReconcilerMessage>, deps: ReconcilerDeps): Behaviour<ReconcilerMessage> {
  self.register(deps.registry, 'reconciler');
  const givenUp = new Map<string, Waiting>();
  const drift = () => deps.clock.now() - deps.clock.monotonic();
  /** What is to be compared next, besides what a pass compares now. */
  let next: 'nothing' | 'all' | Set<string> = 'nothing';
  let isPassing = false;
  let ready = false;
  told(0);
  let lastDrift = drift();
  let timer: number | undefined;
  self.continue({ type: 'reconcile' });

  return {
    receive(message) {
      switch (message.type) {
        case 'reconcile':
          return reconcile(message.projects);
        case 'reconciled':
          return reconciled();
        case 'gave-up':
          return giveUp(message.kind, message.id, message.reason);
        case 'release':
          return release(message.kind, message.id, message.reply);
        default:
          message satisfies never;
      }
    },
  };

  function reconcile(projects?: readonly string[]): void {
    if (projects === undefined) next = 'all';
    else if (next === 'nothing') next = new Set(projects);
    else if (next !== 'all') for (const id of projects) next.add(id);
    if (!isPassing) begin();
  }

  /** Begins the next pass, if there is anything to compare. */
  function begin(): void {
    const among = next;
    next = 'nothing';
    isPassing = among !== 'nothing';
    if (among === 'nothing') return;
    if (among !== 'all') {
      self.task(
        () => compare('project', among),
        () => ({ type: 'reconciled' }),
      );
      return;
    }
    if (timer !== undefined) self.cancel(timer);
    timer = self.after(passEveryMs, { type: 'reconcile' });
    self.task(pass, () => ({ type: 'reconciled' }));
  }

  function reconciled(): void {
    ready = true;
    told(0);
    begin();
  }

  async function pass(): Promise<void> {
    await deps.before();
    if (Math.abs(drift() - lastDrift) > jumpMs) await deps.wallJumped();
    lastDrift = drift();
    for (const kind of kinds) if (!deps.isSettled(kind)) await compare(kind);
  }

  /** Starts the actors of a kind that should run and do not, and stops the others: all, or those among some. */
  async function compare(kind: Kind, among?: ReadonlySet<string>): Promise<void> {
    const running =
      among === undefined ? new Set(deps.running(kind)) : new Set([...among].filter((id) => deps.isRunning(kind, id)));
    const missing: string[] = [];
    for await (const ids of deps.desired(kind, among))
      for (const id of ids) if (!running.delete(id) && !isGivenUp(kind, id)) missing.push(id);
    told(missing.length);
    for (const id of running) await deps.stop(kind, id);
    for (let from = 0; from < missing.length; from += batchSize) {
      const batch = missing.slice(from, from + batchSize);
      await Promise.all(batch.map((id) => startOne(kind, id)));
      told(missing.length - from - batch.length);
    }
  }

  function told(remaining: number): void {
    deps.progressed({ ready, remaining });
  }

  async function startOne(kind: Kind, id: string): Promise<void> {
    const started = await deps.start(kind, id);
    if (started.ok === false && started.code === 'start_failed') giveUp(kind, id, started.reason);
  }

  function isGivenUp(kind: Kind, id: string): boolean {
    const waiting = givenUp.get(`${kind} ${id}`);
    return waiting !== undefined && waiting.until > deps.clock.monotonic();
  }

  function giveUp(kind: Kind, id: string, reason: ExitReason): void {
    const now = deps.clock.monotonic();
    const before = givenUp.get(`${kind} ${id}`);
    const times = before !== undefined && now - before.until < forgivenAfterMs ? before.times + 1 : 1;
    const delayMs = retryDelayMs(kind, times, deps.random());
    givenUp.set(`${kind} ${id}`, { times, until: now + delayMs });
    const at = deps.clock.now();
    deps.gaveUp({ kind, id, reason, times, at, retryAt: Math.round(at + delayMs) });
    self.after(delayMs, { type: 'reconcile', ...(kind === 'project' && { projects: [id] }) });
  }

  function release(kind: Kind, id: string, reply: Reply<boolean>): void {
    reply(givenUp.delete(`${kind} ${id}`));
    reconcile(kind === 'project' ? [id] : undefined);
  }
}
