import { lifeAt } from './address.ts';
import {
  type Child,
  type ChildPast,
  reportChild,
  reportUnexpected,
  shutDown,
  startResult,
  viewForCaller,
} from './child.ts';
import {
  childProblem,
  copyOfSpec,
  isCleanDynamicEnd,
  isCount,
  isReported,
  mustRestart,
  refuseFlag,
  typeOf,
} from './child-spec.ts';
import { reasonOf } from './errors.ts';
import { viewChild } from './inspect.ts';
import { isThenable, type Life } from './life.ts';
import type { ChildCounts, EndChildResult, ManagementMessage, StartChildResult, TerminateByRef } from './management.ts';
import { RestartBudget, refuseBadIntensity } from './restart-budget.ts';
import { Ring } from './ring.ts';
import { turnMs } from './run-queue.ts';
import { lifeOf } from './self.ts';
import { spawnLink, type Started } from './spawn.ts';
import type { Actor, Behaviour, ChildSpec, Exit, ExitReason, Ref, Reply, Self } from './types.ts';

/** The messages of a dynamic supervisor. */
export type DynamicSupervisorMessage =
  | ManagementMessage
  | TerminateByRef
  | { readonly type: 'exited'; readonly exit: Exit }
  | { readonly type: 'retry'; readonly child: Ref<never> };

/** A child: its present life, or its last one while it is restarting. */
type KeptLife = Life & { readonly keptAs: ChildSpec };

/** How a dynamic supervisor restarts its children, and how many it may have. */
export interface DynamicSupervisorOptions {
  /** How many children there may be at a time, those being restarted included. Default no limit. */
  readonly maxChildren?: number;
  /** Restarts allowed within `periodMs`; the next one is refused. Default 3, as in Elixir. */
  readonly intensity?: number;
  /** Default 5,000, as in Elixir. */
  readonly periodMs?: number;
  /**
   * What `intensity` applies to. `shared`, the default and OTP's: all children together, and the supervisor ends when it is
   * exceeded. `per_child`, an extension: each child by itself; a child that exceeds it is given up, and the supervisor lives on.
   */
  readonly budget?: 'shared' | 'per_child';
  /**
   * Called in the supervisor's turn when a child exceeds its own intensity and is given up, with the reason of its last end.
   * What it throws, or rejects with, is reported as `stray` and harms nobody.
   */
  gaveUp?(spec: ChildSpec, reason: ExitReason): void;
}

/**
 * Starts children on demand, any number of them and with any ids, and stops them all at the same time. Children have no
 * order. The options, and each child's spec, are copied at once; invalid options fail each start of the supervisor.
 */
export function dynamicSupervisor(options: DynamicSupervisorOptions = {}): Actor<DynamicSupervisorMessage> {
  const own = { ...options };
  return (self) => superviseDynamic(self, own);
}

function superviseDynamic(
  self: Self<DynamicSupervisorMessage>,
  options: DynamicSupervisorOptions,
): Behaviour<DynamicSupervisorMessage> {
  const { maxChildren = Infinity, intensity = 3, periodMs = 5_000, budget = 'shared' } = options;
  refuseBadIntensity(intensity, periodMs);
  if (maxChildren !== Infinity && !isCount(maxChildren)) refuseFlag('invalid_max_children', maxChildren);
  const life = lifeOf(self);
  const shared = new RestartBudget(intensity, periodMs);
  const lives = new Ring<Life>();
  let kept = 0;
  life.children = lives;
  self.trapExit((exit) => ({ type: 'exited', exit }));
  life.viewChildren = () => children().map((child) => viewChild(life, child));

  return {
    receive(message: DynamicSupervisorMessage | null | undefined): void | Promise<void> {
      switch (message?.type) {
        case 'exited':
          return exited(message.exit);
        case 'retry':
          return retry(message.child);
        case 'start_child':
          return start(message.spec, message.reply);
        case 'terminate_child':
          return terminate(message.child).then(message.reply);
        case 'which_children':
          return message.reply(children().map(viewForCaller));
        case 'count_children':
          return message.reply(count());
        default:
          message satisfies null | undefined;
          return reportUnexpected(life, message);
      }
    },
    stop: stopAll,
  };

  function start(given: ChildSpec, reply: Reply<StartChildResult>): void | Promise<void> {
    const spec = copyOfSpec(given);
    const problem = childProblem(spec, 'never');
    if (problem !== undefined) return reply({ ok: false, code: 'bad_spec', problem });
    if (kept >= maxChildren) return reply({ ok: false, code: 'max_children' });
    const started = spawnLink(life, spec, spec.id);
    return started instanceof Promise ? started.then((late) => reply(added(spec, late))) : reply(added(spec, started));
  }

  function added(spec: ChildSpec, started: Started): StartChildResult {
    if (started.ok === true) keep(started.life, spec, undefined);
    return startResult(started);
  }

  function keep(child: Life, spec: ChildSpec, past: ChildPast | undefined): void {
    child.keptAs = spec;
    child.past = past;
    kept += 1;
    // A life that ended before it was kept is among them no more.
    if (child.hasEnded) lives.add(child);
  }

  function forget(child: Life): void {
    child.keptAs = undefined;
    child.past = undefined;
    kept -= 1;
    lives.delete(child);
  }

  function childAt(ref: Ref<never>): KeptLife | undefined {
    const found = lifeAt(ref);
    return found?.parent === life && isKept(found) ? found : undefined;
  }

  function exited({ from, reason }: Exit): void | Promise<void> {
    const child = childAt(from);
    if (child?.hasEnded !== true || child.past?.state === 'restarting') return;
    if (isReported(child.keptAs, reason)) reportChild(life, 'child_terminated', child.keptAs, reason);
    if (!mustRestart(child.keptAs, reason)) {
      forget(child);
      return;
    }
    child.past ??= { state: 'running', restarts: 0, lastExit: reason, budget: budgetOfOne() };
    child.past.lastExit = reason;
    return restart(child, child.past);
  }

  function retry(last: Ref<never>): void | Promise<void> {
    const child = childAt(last);
    if (child?.past?.state === 'restarting') return restart(child, child.past);
  }

  function restart(child: KeptLife, past: ChildPast): void | Promise<void> {
    const spec = child.keptAs;
    if (!past.budget.spend(life.kernel.clock.monotonic())) {
      giveUp(child, spec, past.lastExit);
      return;
    }
    const started = spawnLink(life, spec, spec.id);
    if (started instanceof Promise) return started.then((late) => restarted(child, spec, past, late));
    restarted(child, spec, past, started);
  }

  function restarted(child: Life, spec: ChildSpec, past: ChildPast, started: Started): void {
    if (started.ok === false) {
      reportChild(life, 'start_error', spec, started.reason);
      past.state = 'restarting';
      past.lastExit = started.reason;
      self.send({ type: 'retry', child: child.ref });
      return;
    }
    forget(child);
    if (started.ok === 'ignore') return;
    past.state = 'running';
    past.restarts += 1;
    keep(started.life, spec, past);
  }

  function budgetOfOne(): RestartBudget {
    return budget === 'shared' ? shared : new RestartBudget(intensity, periodMs);
  }

  function giveUp(child: Life, spec: ChildSpec, reason: ExitReason): void {
    forget(child);
    reportChild(life, budget === 'shared' ? 'intensity_reached' : 'gave_up', spec, reason);
    if (budget === 'shared') self.stop('shutdown');
    else announce(spec, reason);
  }

  function announce(spec: ChildSpec, reason: ExitReason): void {
    const failed = (error: unknown): void =>
      life.kernel.report?.({ type: 'stray', id: life.id, reason: reasonOf(error) });
    try {
      const announced: unknown = options.gaveUp?.(spec, reason);
      if (isThenable(announced)) Promise.resolve(announced).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  async function terminate(ref: Ref<never>): Promise<EndChildResult> {
    const child = childAt(ref);
    if (child === undefined) return { ok: false, code: 'not_found' };
    await end(child);
    forget(child);
    return { ok: true };
  }

  /** Ends a child and reports an end that is not clean. Returns `undefined` if the child ended at once, as most do. */
  function end(child: KeptLife): Promise<void> | undefined {
    if (child.past?.state === 'restarting') return undefined;
    const spec = child.keptAs;
    const when = child.hasEnded ? 'before' : 'after';
    const ended = shutDown(life, spec, child);
    if (ended instanceof Promise) return ended.then((reason) => reportEnd(spec, reason, when));
    reportEnd(spec, ended, when);
    return undefined;
  }

  function reportEnd(spec: ChildSpec, reason: ExitReason, when: 'before' | 'after'): void {
    if (!isCleanDynamicEnd(spec, reason, when)) reportChild(life, 'shutdown_error', spec, reason);
  }

  /**
   * Signals all children, then waits for all, each within its own time. Signalling a million takes about a second, so waiting
   * I/O has its turn in between; the supervisor may be killed then.
   */
  async function stopAll(): Promise<void> {
    const waiting: Promise<void>[] = [];
    let turnEndsAt = performance.now() + turnMs;
    for (const child of lives) {
      if (!isKept(child)) continue;
      const ending = end(child);
      if (ending === undefined) forget(child);
      else waiting.push(ending.then(() => forget(child)));
      if (performance.now() < turnEndsAt) continue;
      await new Promise(setImmediate);
      if (life.hasEnded) return;
      turnEndsAt = performance.now() + turnMs;
    }
    await Promise.all(waiting);
  }

  function count(): ChildCounts {
    let [active, supervisors] = [0, 0];
    for (const child of lives) {
      if (!isKept(child)) continue;
      if (child.past?.state !== 'restarting') active += 1;
      if (typeOf(child.keptAs) === 'supervisor') supervisors += 1;
    }
    return { specs: kept, active, supervisors, workers: kept - supervisors };
  }

  function children(): readonly Child[] {
    return [...lives].filter(isKept).map(asChild);
  }
}

function isKept(life: Life): life is KeptLife {
  return life.keptAs !== undefined;
}

/** What is known of a child. */
function asChild(child: KeptLife): Child {
  const { state = 'running', restarts = 0, lastExit } = child.past ?? {};
  return { spec: child.keptAs, life: child, state, restarts, lastExit };
}
