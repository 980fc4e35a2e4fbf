import type { StartChildResult } from '../src/actor/management.ts';
import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, ExitReason, Reply, Self } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';

/** What is kept equal to the store, or to the configuration for `edge`: what faces the outside. */
export type Kind = 'edge' | 'source' | 'project';

export type ReconcilerMessage =
  /** Desired and running state may differ. */
  | { readonly type: 'reconcile' }
  | { readonly type: 'reconciled' }
  | { readonly type: 'gave-up'; readonly kind: Kind; readonly id: string; readonly reason: ExitReason }
  /** Tries again what was given up before its time; answers whether there was such a thing. */
  | { readonly type: 'release'; readonly kind: Kind; readonly id: string; readonly reply: Reply<boolean> }
  | { readonly type: 'status'; readonly reply: Reply<ReconcilerStatus> };

/** What its supervisor gave up on, until it is tried again. */
export interface GivenUp {
  readonly kind: Kind;
  readonly id: string;
  readonly reason: ExitReason;
  /** How often in a row; the pause before the next try doubles with it. */
  readonly times: number;
  readonly at: number;
  readonly retryAt: number;
}

/** The same while it waits, by the clock that nobody sets. */
interface Waiting extends Omit<GivenUp, 'retryAt'> {
  /** Monotonic. */
  readonly until: number;
}

export interface ReconcilerStatus {
  /** Actors that this pass has still to start. */
  readonly remaining: number;
  /** Whether a whole pass has been made. */
  readonly ready: boolean;
  readonly givenUp: readonly GivenUp[];
}

export interface ReconcilerDeps {
  readonly clock: Clock;
  readonly registry: Registry<'reconciler', ReconcilerMessage>;
  /** In `[0, 1)`. */
  random(): number;
  /** Ids of what should run. */
  desired(kind: Kind): AsyncIterable<readonly string[]>;
  /** Ids of what runs. */
  running(kind: Kind): Iterable<string>;
  /** Whether a comparison of both would find what the last one left, as nothing has changed since. */
  isSettled(kind: Kind): boolean;
  start(kind: Kind, id: string): Promise<StartChildResult>;
  stop(kind: Kind, id: string): Promise<void>;
  /** Done at the beginning of each pass: what is to be done now and then. */
  before(): Promise<void>;
  /** Told of everything given up, for the world to hear. */
  gaveUp(givenUp: GivenUp): void;
  /** The wall clock was set: what waits for an instant of it must look again. */
  wallJumped(): Promise<void>;
}

/** In the order in which they are started, so that control answers while projects are still being started. */
const kinds: readonly Kind[] = ['edge', 'source', 'project'];
/** The pause between two passes. */
export const passEveryMs = 30_000;
const batchSize = 500;
/** What has run for so long since it was last tried again starts with the shortest pause. */
const forgivenAfterMs = 3_600_000;
/** A smaller drift of the wall clock is none that anyone notices. */
const jumpMs = 2_000;

/**
 * The pause before what was given up `times` times is tried again: a minute doubled up to six hours, and half a minute
 * up to one hour for the edge; spread by a tenth.
 */
export function retryDelayMs(kind: Kind, times: number, random: number): number {
  const [firstMs, longestMs] = kind === 'edge' ? [30_000, 3_600_000] : [60_000, 21_600_000];
  return Math.min(firstMs * 2 ** (times - 1), longestMs) * (0.9 + 0.2 * random);
}

/** Keeps the tree equal to what the store says should run: starts the missing, stops the extra, parks what was given up. */
export function reconciler(self: Self<ReconcilerMessage>, deps: ReconcilerDeps): Behaviour<ReconcilerMessage> {
  self.register(deps.registry, 'reconciler');
  const givenUp = new Map<string, Waiting>();
  const drift = () => deps.clock.now() - deps.clock.monotonic();
  let state: 'idle' | 'running' | 'running-again' = 'idle';
  let ready = false;
  let remaining = 0;
  let lastDrift = drift();
  let timer: number | undefined;
  self.continue({ type: 'reconcile' });

  return {
    receive(message) {
      switch (message.type) {
        case 'reconcile':
          return reconcile();
        case 'reconciled':
          return reconciled();
        case 'gave-up':
          return park(message.kind, message.id, message.reason);
        case 'release':
          return release(message.kind, message.id, message.reply);
        case 'status':
          return message.reply({
            remaining,
            ready,
            givenUp: [...givenUp.values()].filter(isWaiting).map(told),
          });
        default:
          message satisfies never;
      }
    },
  };

  function reconcile(): void {
    if (state !== 'idle') {
      state = 'running-again';
      return;
    }
    state = 'running';
    if (timer !== undefined) self.cancel(timer);
    self.task(pass, () => ({ type: 'reconciled' }));
  }

  function reconciled(): void {
    ready = true;
    const again = state === 'running-again';
    state = 'idle';
    if (again) reconcile();
    else timer = self.after(passEveryMs, { type: 'reconcile' });
  }

  async function pass(): Promise<void> {
    await deps.before();
    if (Math.abs(drift() - lastDrift) > jumpMs) await deps.wallJumped();
    lastDrift = drift();
    for (const kind of kinds) {
      if (deps.isSettled(kind)) continue;
      const running = new Set(deps.running(kind));
      const missing: string[] = [];
      for await (const ids of deps.desired(kind))
        for (const id of ids) if (!running.delete(id) && !isParked(kind, id)) missing.push(id);
      remaining = missing.length;
      for (const id of running) await deps.stop(kind, id);
      for (let from = 0; from < missing.length; from += batchSize) {
        const batch = missing.slice(from, from + batchSize);
        await Promise.all(batch.map((id) => startOne(kind, id)));
        remaining = missing.length - from - batch.length;
      }
    }
  }

  async function startOne(kind: Kind, id: string): Promise<void> {
    const started = await deps.start(kind, id);
    if (started.ok === false && started.code === 'start_failed') park(kind, id, started.reason);
  }

  function isParked(kind: Kind, id: string): boolean {
    const waiting = givenUp.get(`${kind} ${id}`);
    return waiting !== undefined && isWaiting(waiting);
  }

  function isWaiting({ until }: Waiting): boolean {
    return until > deps.clock.monotonic();
  }

  /** By the wall clock as it is now, which may have been set meanwhile. */
  function told({ until, ...rest }: Waiting): GivenUp {
    return { ...rest, retryAt: Math.round(deps.clock.now() + until - deps.clock.monotonic()) };
  }

  function park(kind: Kind, id: string, reason: ExitReason): void {
    const now = deps.clock.monotonic();
    const before = givenUp.get(`${kind} ${id}`);
    const times = before !== undefined && now - before.until < forgivenAfterMs ? before.times + 1 : 1;
    const delayMs = retryDelayMs(kind, times, deps.random());
    const waiting: Waiting = { kind, id, reason, times, at: deps.clock.now(), until: now + delayMs };
    givenUp.set(`${kind} ${id}`, waiting);
    deps.gaveUp(told(waiting));
    self.after(delayMs, { type: 'reconcile' });
  }

  function release(kind: Kind, id: string, reply: Reply<boolean>): void {
    reply(givenUp.delete(`${kind} ${id}`));
    reconcile();
  }
}
