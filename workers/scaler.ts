import { CallError } from '../src/actor/errors.ts';
import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Exit, Reply, Self } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';
import type { WorkersSettings } from '../src/definition/engine.ts';
import type { RemoteState } from '../src/engine/bullmq/remote-steps.ts';
import { firstScale, type Load, nextScale, type ScaleLimits } from '../src/engine/scale.ts';
import type { Backlog } from '../src/fetch/ledger/ledger-view.ts';

/** A worker process that the daemon has started. */
export interface WorkerChild {
  readonly pid: number;
  /** Resolves with how it ended, as the end of a sentence. */
  readonly ended: Promise<string>;
  /** Has it end in order, and at once when it takes too long; resolves when it has ended. */
  stop(): Promise<unknown>;
}

/** How many worker processes are wanted, and may be. */
export interface ScaleStatus extends ScaleLimits {
  /** The limits of the configuration, where an operator has set others. */
  readonly configured?: ScaleLimits;
  readonly wanted: number;
  /** The number of worker processes that the daemon has started and has not told to end. */
  readonly own: number;
}

/** What of the scale outlives the daemon. */
export interface KeptScale {
  readonly wanted: number;
  /** The limits that an operator has set. */
  readonly limits?: ScaleLimits;
}

/** The messages of the scaler. */
export type ScalerMessage =
  | { readonly type: 'look' }
  | { readonly type: 'seen'; readonly state: RemoteState | undefined }
  /** Worker processes may be started again that ended by themselves. */
  | { readonly type: 'adjust' }
  | { readonly type: 'started'; readonly begun: Begun; readonly child: WorkerChild | Error }
  | { readonly type: 'ended'; readonly child: WorkerChild; readonly how: string }
  | { readonly type: 'kept' }
  | { readonly type: 'status'; readonly reply: Reply<ScaleStatus> }
  /** Sets limits, which are kept over a restart, or goes back to those of the configuration. Answers once that is kept. */
  | { readonly type: 'limit'; readonly limits: ScaleLimits | undefined; readonly reply: Reply<ScaleStatus> }
  | { readonly type: 'limited'; readonly reply: Reply<ScaleStatus> }
  | { readonly type: 'exited'; readonly exit: Exit };

/** A worker process that is being started; resolves with why it cannot be. */
type Begun = Promise<WorkerChild | Error>;

/** The dependencies of the scaler. */
export interface ScalerDeps {
  readonly clock: Clock;
  readonly registry: Registry<'scaler', ScalerMessage>;
  readonly settings: WorkersSettings;
  /** The name of this machine, as worker processes tell theirs. */
  readonly host: string;
  load(): KeptScale | undefined;
  /** Keeps the scale, and tells that another number is wanted. */
  keep(scale: KeptScale, wanted?: ScaleLimits & { readonly wanted: number }): Promise<unknown>;
  /** Instants are wall time. */
  backlog(): Backlog;
  /** Resolves with the worker processes that there are. Rejects with a `CallError` while no engine runs. */
  seen(): Promise<RemoteState | undefined>;
  /** Starts a worker process that runs so many steps at a time. */
  start(concurrency: number): Promise<WorkerChild>;
  log(level: 'info' | 'warn', what: string, data: Readonly<Record<string, unknown>>): void;
}

/** How often the load is looked at, in ms. */
const lookEveryMs = 2_000;

/** The pauses before another one is started in place of one that ended by itself, in ms: the first, and the longest. */
const [firstPauseMs, longestPauseMs] = [1_000, 60_000];

/** One that ran for so long had nothing wrong from its start, in ms. */
const soundMs = 60_000;

/** A worker process of this daemon. */
interface Child extends WorkerChild {
  readonly startedAt: number;
  /** Whether it has been told to end. */
  isEnding: boolean;
}

/**
 * Wants as many worker processes as the backlog asks for, starts and ends them, and replaces those that end by themselves. While another daemon has the lease on
 * the queues it wants none, and tells nobody: they would work for the other one.
 */
export function scaler(self: Self<ScalerMessage>, deps: ScalerDeps): Behaviour<ScalerMessage> {
  // Without `trapExit` the supervisor's shutdown would end this life before `stop` has run.
  self.trapExit((exit) => ({ type: 'exited', exit }));
  self.register(deps.registry, 'scaler');
  const { clock, settings } = deps;
  const { late: lateMs, addAfter: addAfterMs, removeAfter: removeAfterMs, concurrency, by } = settings;
  const configured = { min: settings.min, max: settings.max };
  const pace = { lateMs, addAfterMs, removeAfterMs, concurrency };
  const kept = deps.load();
  let set = kept?.limits;
  let scale = firstScale(kept?.wanted ?? settings.min, limits());
  let toldWanted: number | undefined;
  let state: RemoteState | undefined;
  const isStandby = (): boolean => state?.queues.kind === 'leased';
  /** Until it is known who has the lease, nothing is started or told. */
  const isHeld = (): boolean => isStandby() || state?.queues.kind === 'opening';
  const children = new Map<number, Child>();
  const starting = new Set<Begun>();
  /** How many ended by themselves in a row, each soon after its start, and when the next may be started. */
  let failures = 0;
  let startsAt = -Infinity;
  self.send({ type: 'look' });

  return {
    receive(message) {
      switch (message.type) {
        case 'look':
          return self.task(seen, (found) => ({ type: 'seen', state: found }));
        case 'seen':
          return look(message.state);
        case 'adjust':
          return adjust();
        case 'started':
          starting.delete(message.begun);
          return started(message.child);
        case 'ended':
          return ended(message.child, message.how);
        case 'kept':
          return undefined;
        case 'status':
          return message.reply(status());
        case 'limit':
          return limit(message.limits, message.reply);
        case 'limited':
          return message.reply(status());
        case 'exited':
          return self.stop(message.exit.reason);
        default:
          return message satisfies never;
      }
    },
    async stop() {
      const late = Array.from(starting, async (begun) => {
        const child = await begun;
        if (!(child instanceof Error)) await child.stop();
      });
      await Promise.all([...late, ...Array.from(children.values(), (child) => child.stop())]);
    },
  };

  async function seen(): Promise<RemoteState | undefined> {
    try {
      return await deps.seen();
    } catch (error) {
      if (error instanceof CallError) return undefined;
      throw error;
    }
  }

  function look(found: RemoteState | undefined): void {
    state = found;
    // The load says nothing while the queues cannot be used: worker processes that are there are not heard of.
    if (found === undefined || found.queues.kind === 'open')
      scale = nextScale(scale, loadOf(found), clock.monotonic(), { pace, limits: limits() });
    else scale = firstScale(scale.wanted, limits());
    tellWanted();
    adjust();
    self.after(lookEveryMs, { type: 'look' });
  }

  function loadOf(found: RemoteState | undefined): Load {
    const { turns, oldestAt } = deps.backlog();
    const taking = found?.workers.filter(({ takesSteps }) => takesSteps) ?? [];
    return {
      turns,
      oldestMs: oldestAt === undefined ? undefined : clock.now() - oldestAt,
      workers: taking.length,
      running: taking.reduce((sum, { active }) => sum + active.length, 0),
      slots: taking.reduce((sum, each) => sum + each.concurrency, 0),
    };
  }

  function limit(next: ScaleLimits | undefined, reply: Reply<ScaleStatus>): void {
    set = next;
    scale = firstScale(scale.wanted, limits());
    self.task(
      () => deps.keep(outliving()),
      () => ({ type: 'limited', reply }),
    );
    tellWanted();
    adjust();
  }

  /** Tells the number that is wanted where that is another one than before, once in each life, and once each time that this daemon has the lease again. */
  function tellWanted(): void {
    if (isHeld()) {
      toldWanted = undefined;
      return;
    }
    if (scale.wanted === toldWanted) return;
    toldWanted = scale.wanted;
    const told = { wanted: scale.wanted, ...limits() };
    self.task(
      () => deps.keep(outliving(), told),
      () => ({ type: 'kept' }),
    );
  }

  function adjust(): void {
    if (by !== 'daemon') return;
    const own = staying();
    if (isHeld() && !isStandby()) return;
    const missing = wanted() - own.length - starting.size;
    if (clock.monotonic() >= startsAt) for (let count = 0; count < missing; count += 1) start();
    for (const child of leastBusy(own).slice(0, Math.max(0, -missing))) end(child);
  }

  function start(): void {
    const begun = deps
      .start(concurrency)
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
    starting.add(begun);
    self.task(
      () => begun,
      (child) => ({ type: 'started', begun, child }),
    );
  }

  function started(child: WorkerChild | Error): void {
    if (child instanceof Error) return failed('a worker process could not be started', { err: child });
    children.set(child.pid, { ...child, startedAt: clock.monotonic(), isEnding: false });
    deps.log('info', 'a worker process was started', { pid: child.pid });
    self.task(
      () => child.ended,
      (how) => ({ type: 'ended', child, how }),
    );
    adjust();
  }

  function end(child: Child): void {
    child.isEnding = true;
    deps.log('info', 'a worker process is not needed any more, and is to end', { pid: child.pid });
    void child.stop();
  }

  function ended({ pid }: WorkerChild, how: string): void {
    const child = children.get(pid);
    children.delete(pid);
    if (child === undefined || child.isEnding) return adjust();
    if (clock.monotonic() - child.startedAt >= soundMs) failures = 0;
    failed(`a worker process ${how}`, { pid });
  }

  /** Starts another one after a pause. */
  function failed(what: string, data: Readonly<Record<string, unknown>>): void {
    failures += 1;
    const pauseMs = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
    startsAt = clock.monotonic() + pauseMs;
    deps.log('warn', `${what}: another one is started in ${pauseMs / 1_000} s`, data);
    self.after(pauseMs, { type: 'adjust' });
  }

  /** Worker processes in the order in which they are ended: those with the fewest running steps first, and of these the newest. */
  function leastBusy(own: readonly Child[]): Child[] {
    const ofHere = state?.workers.filter(({ host }) => host === deps.host) ?? [];
    const running = new Map(ofHere.map(({ pid, active }) => [pid, active.length]));
    return own.toReversed().toSorted((one, other) => (running.get(one.pid) ?? 0) - (running.get(other.pid) ?? 0));
  }

  function staying(): Child[] {
    return [...children.values()].filter(({ isEnding }) => !isEnding);
  }

  function wanted(): number {
    return isStandby() ? 0 : scale.wanted;
  }

  function limits(): ScaleLimits {
    return set ?? configured;
  }

  function outliving(): KeptScale {
    return { wanted: scale.wanted, ...(set !== undefined && { limits: set }) };
  }

  function status(): ScaleStatus {
    return { ...limits(), wanted: wanted(), own: staying().length, ...(set !== undefined && { configured }) };
  }
}
