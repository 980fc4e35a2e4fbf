import { type Child, newChild, reportChild, setLife, shutDown, viewForCaller } from './child.ts';
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
  /** By the present life, or the last one of a child that is restarting. */
  const children = new Map<Life, Child>();
  self.trapExit((exit) => ({ type: 'exited', exit }));
  life.viewChildren = () => [...children.values()].map(viewChild);

  return {
    receive(message) {
      switch (message.type) {
        case 'exited':
          return exited(message.exit);
        case 'retry':
          return retry(message.child);
        case 'start_child':
          return start(message.spec, message.reply);
        case 'terminate_child':
          return terminate(message.child).then(message.reply);
        case 'which_children':
          return message.reply([...children.values()].map(viewForCaller));
        case 'count_children':
          return message.reply(count());
        default:
          message satisfies never;
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
    if (started.ok === true) children.set(started.ref, newChild(spec, started.ref));
    return started;
  }

  function exited({ from, reason }: Exit): void | Promise<void> {
    const ended = lifeAt(from);
    const child = ended && children.get(ended);
    if (ended === undefined || child?.state !== 'running') return;
    child.lastExit = reason;
    if (isReported(child.spec, reason)) reportChild(life, 'child_terminated', child.spec, reason);
    if (mustRestart(child.spec, reason)) return restart(child, ended, reason);
    children.delete(ended);
  }

  function retry(last: Ref<never>): void | Promise<void> {
    const ended = lifeAt(last);
    const child = ended && children.get(ended);
    if (ended !== undefined && child?.state === 'restarting') return restart(child, ended, child.lastExit ?? 'normal');
  }

  function restart(child: Child, ended: Life, reason: ExitReason): void | Promise<void> {
    if (!budgetOf(child).spend(life.kernel.clock.monotonic())) {
      giveUp(child, ended, reason);
      return;
    }
    const started = spawnLink(life, child.spec, child.spec.id);
    if (started instanceof Promise) return started.then((late) => restarted(child, ended, late));
    restarted(child, ended, started);
  }

  function restarted(child: Child, ended: Life, started: Started): void {
    if (started.ok === false) {
      reportChild(life, 'start_error', child.spec, started.reason);
      child.state = 'restarting';
      child.lastExit = started.reason;
      self.send({ type: 'retry', child: ended });
      return;
    }
    children.delete(ended);
    if (started.ok === 'ignore') return;
    setLife(child, started.ref);
    child.restarts += 1;
    children.set(started.ref, child);
  }

  function budgetOf(child: Child): RestartBudget {
    if (budget === 'shared') return shared;
    child.budget ??= new RestartBudget(intensity, periodMs);
    return child.budget;
  }

  function giveUp(child: Child, ended: Life, reason: ExitReason): void {
    children.delete(ended);
    reportChild(life, budget === 'shared' ? 'intensity_reached' : 'gave_up', child.spec, reason);
    if (budget === 'shared') self.stop('shutdown');
    else options.gaveUp?.(child.spec, reason);
  }

  async function terminate(ref: Ref<never>): Promise<EndChildResult> {
    const ending = lifeAt(ref);
    const child = ending && children.get(ending);
    if (ending === undefined || child === undefined) return { ok: false, code: 'not_found' };
    await end(child);
    children.delete(ending);
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

  /** Signals all children, then waits for all, each within its own time. */
  async function stopAll(): Promise<void> {
    const waiting: Promise<void>[] = [];
    for (const child of children.values()) {
      const ending = end(child);
      if (ending !== undefined) waiting.push(ending);
    }
    await Promise.all(waiting);
  }

  function count(): ChildCounts {
    let [active, supervisors] = [0, 0];
    for (const { spec, state } of children.values()) {
      if (state === 'running') active += 1;
      if (typeOf(spec) === 'supervisor') supervisors += 1;
    }
    return { specs: children.size, active, supervisors, workers: children.size - supervisors };
  }
}
