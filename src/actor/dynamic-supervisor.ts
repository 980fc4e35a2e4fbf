import { Child, reportChild, setLife, shutDown, viewForCaller } from './child.ts';
import {
  childProblem,
  isCleanDynamicEnd,
  isCount,
  isReported,
  mustRestart,
  refuseBadIntensity,
  refuseFlag,
  typeOf,
} from './child-spec.ts';
import { lifeAt } from './address.ts';
import { viewChild } from './inspect.ts';
import type { Life } from './life.ts';
import type { ChildCounts, EndChildResult, ManagementMessage, StartChildResult, TerminateByRef } from './management.ts';
import { RestartBudget } from './restart-budget.ts';
import { Ring } from './ring.ts';
import { turnMs } from './run-queue.ts';
import { lifeOf } from './self.ts';
import { spawnLink, type Started } from './spawn.ts';
import type { Actor, Behaviour, ChildSpec, Exit, ExitReason, Ref, Reply, Self } from './types.ts';

export type DynamicSupervisorMessage =
  | ManagementMessage
  | TerminateByRef
  | { readonly type: 'exited'; readonly exit: Exit }
  | { readonly type: 'retry'; readonly child: Ref<never> };

export interface DynamicSupervisorOptions {
  /** Children at the same time, those being restarted included. Default no limit. */
  readonly maxChildren?: number;
  /** Restarts allowed within `periodMs`; the next one is refused. Default 3, as in Elixir. */
  readonly intensity?: number;
  /** Default 5,000, as in Elixir. */
  readonly periodMs?: number;
  /**
   * Whose budget the restarts are counted on. `shared`, the default and OTP's: the supervisor ends when it is used up.
   * `per_child`, an extension: the child that used up its own is given up, and the supervisor lives on.
   */
  readonly budget?: 'shared' | 'per_child';
  /** Told of each child given up, with the reason of its last end. Runs in the supervisor's turn. */
  gaveUp?(spec: ChildSpec, reason: ExitReason): void;
}

/** Starts children on demand, any number of them and with any ids, and stops them all at the same time. They have no order. */
export function dynamicSupervisor(options: DynamicSupervisorOptions = {}): Actor<DynamicSupervisorMessage> {
  return (self) => superviseDynamic(self, options);
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
  /** Each is found by its present life, or the last one of a child that is restarting. */
  const children = new Ring<Child>();
  self.trapExit((exit) => ({ type: 'exited', exit }));
  life.viewChildren = () => [...children].map((child) => viewChild(life, child));

  return {
    receive(message: DynamicSupervisorMessage | null | undefined) {
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
          return message.reply([...children].map(viewForCaller));
        case 'count_children':
          return message.reply(count());
        default:
          message satisfies null | undefined;
      }
    },
    stop: stopAll,
  };

  function start(spec: ChildSpec, reply: Reply<StartChildResult>): void | Promise<void> {
    const problem = childProblem(spec, 'never');
    if (problem !== undefined) return reply({ ok: false, code: 'bad_spec', problem });
    if (children.size >= maxChildren) return reply({ ok: false, code: 'max_children' });
    const started = spawnLink(life, spec, spec.id);
    return started instanceof Promise ? started.then((late) => reply(added(spec, late))) : reply(added(spec, started));
  }

  function added(spec: ChildSpec, started: Started): StartChildResult {
    if (started.ok === false) return { ...started, code: 'start_failed' };
    if (started.ok === true) remember(new Child(spec, started.ref), started.ref);
    return started;
  }

  function remember(child: Child, living: Life): void {
    setLife(child, living);
    living.child = child;
    children.add(child);
  }

  function forget(child: Child): void {
    if (child.life !== undefined) child.life.child = undefined;
    children.delete(child);
  }

  function childAt(ref: Ref<never>): Child | undefined {
    const found = lifeAt(ref);
    return found?.parent === life ? found.child : undefined;
  }

  function exited({ from, reason }: Exit): void | Promise<void> {
    const child = childAt(from);
    if (child?.state !== 'running' || child.life?.hasEnded !== true) return;
    child.lastExit = reason;
    if (isReported(child.spec, reason)) reportChild(life, 'child_terminated', child.spec, reason);
    if (mustRestart(child.spec, reason)) return restart(child, reason);
    forget(child);
  }

  function retry(last: Ref<never>): void | Promise<void> {
    const child = childAt(last);
    if (child?.state === 'restarting') return restart(child, child.lastExit ?? 'normal');
  }

  function restart(child: Child, reason: ExitReason): void | Promise<void> {
    if (!budgetOf(child).spend(life.kernel.clock.monotonic())) {
      giveUp(child, reason);
      return;
    }
    const started = spawnLink(life, child.spec, child.spec.id);
    if (started instanceof Promise) return started.then((late) => restarted(child, late));
    restarted(child, started);
  }

  function restarted(child: Child, started: Started): void {
    if (started.ok === false) {
      reportChild(life, 'start_error', child.spec, started.reason);
      child.state = 'restarting';
      child.lastExit = started.reason;
      if (child.life !== undefined) self.send({ type: 'retry', child: child.life });
      return;
    }
    forget(child);
    if (started.ok === 'ignore') return;
    child.restarts += 1;
    remember(child, started.ref);
  }

  function budgetOf(child: Child): RestartBudget {
    if (budget === 'shared') return shared;
    child.budget ??= new RestartBudget(intensity, periodMs);
    return child.budget;
  }

  function giveUp(child: Child, reason: ExitReason): void {
    forget(child);
    reportChild(life, budget === 'shared' ? 'intensity_reached' : 'gave_up', child.spec, reason);
    if (budget === 'shared') self.stop('shutdown');
    else options.gaveUp?.(child.spec, reason);
  }

  async function terminate(ref: Ref<never>): Promise<EndChildResult> {
    const child = childAt(ref);
    if (child === undefined) return { ok: false, code: 'not_found' };
    await end(child);
    forget(child);
    return { ok: true };
  }

  /** Ends a child and reports an end that is not clean. Most end at once; `undefined` says so. */
  function end(child: Child): Promise<void> | undefined {
    const ending = child.life;
    if (ending === undefined || child.state !== 'running') return undefined;
    const when = ending.hasEnded ? 'before' : 'after';
    const ended = shutDown(life, child, ending);
    if (ended instanceof Promise) return ended.then((reason) => reportEnd(child.spec, reason, when));
    reportEnd(child.spec, ended, when);
    return undefined;
  }

  function reportEnd(spec: ChildSpec, reason: ExitReason, when: 'before' | 'after'): void {
    if (!isCleanDynamicEnd(spec, reason, when)) reportChild(life, 'shutdown_error', spec, reason);
  }

  /**
   * Signals all children, then waits for all, each within its own time. A million take about a second to signal, so that
   * waiting I/O has its turn in between; the supervisor may be killed then.
   */
  async function stopAll(): Promise<void> {
    const waiting: Promise<void>[] = [];
    let turnEndsAt = performance.now() + turnMs;
    for (const child of children) {
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
    for (const { spec, state } of children) {
      if (state === 'running') active += 1;
      if (typeOf(spec) === 'supervisor') supervisors += 1;
    }
    return { specs: children.size, active, supervisors, workers: children.size - supervisors };
  }
}
