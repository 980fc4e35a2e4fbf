import { Child, reportChild, reportUnexpected, setLife, shutDownInTurn, startResult, viewForCaller } from './child.ts';
import {
  type AutoShutdown,
  childProblem,
  copyOfSpec,
  fullSpecOf,
  isReported,
  mustRestart,
  refuseBadChildren,
  restartOf,
  refuseFlag,
  typeOf,
} from './child-spec.ts';
import { ExitError } from './errors.ts';
import { viewChild } from './inspect.ts';
import type {
  ChildCounts,
  ChildSpecResult,
  ChildMessage,
  EndChildResult,
  ManagementMessage,
  StartChildResult,
} from './management.ts';
import { RestartBudget, refuseBadIntensity } from './restart-budget.ts';
import { lifeOf } from './self.ts';
import { spawnLink } from './spawn.ts';
import type { Actor, Behaviour, ChildSpec, Exit, ExitReason, Self } from './types.ts';

/** The messages of a static supervisor. */
export type SupervisorMessage =
  | ManagementMessage
  | ChildMessage
  | { readonly type: 'exited'; readonly exit: Exit }
  | { readonly type: 'retry'; readonly child: string };

/** The children of a static supervisor, and how they are restarted. */
export interface SupervisorSpec {
  /**
   * Which children are restarted when one is: only that child, all children, or that child and those after it in the
   * list. The others of the group are first ended in reverse order.
   */
  readonly strategy: 'one_for_one' | 'one_for_all' | 'rest_for_one';
  /** Restarts allowed within `periodMs`; the next one ends the supervisor instead. Default 3, Elixir's (Erlang's is 1). */
  readonly intensity?: number;
  /** Default 5,000, as in Erlang and Elixir. */
  readonly periodMs?: number;
  /** Whether the supervisor ends when any, or the last, of its significant children has ended by itself. Default `never`. */
  readonly autoShutdown?: AutoShutdown;
  /** In start order; they are stopped in reverse. */
  readonly children: readonly ChildSpec[];
}

const strategies = ['one_for_one', 'one_for_all', 'rest_for_one'];
const autoShutdowns = ['never', 'any_significant', 'all_significant'];

/**
 * Keeps a list of children alive. Its start ends when all of them have started; while a child starts or stops, everything
 * else waits. A restart that fails is tried again behind the messages that wait already, and each try is counted. The spec
 * is copied at once; its faults fail each start of the supervisor.
 */
export function supervisor(spec: SupervisorSpec): Actor<SupervisorMessage> {
  const own = { ...spec, children: spec.children.map(copyOfSpec) };
  return (self) => superviseStatic(self, own);
}

async function superviseStatic(
  self: Self<SupervisorMessage>,
  spec: SupervisorSpec,
): Promise<Behaviour<SupervisorMessage>> {
  const { strategy, intensity = 3, periodMs = 5_000, autoShutdown = 'never' } = spec;
  const life = lifeOf(self);
  const budget = new RestartBudget(intensity, periodMs);
  /** The children by id, in start order. */
  const children = new Map<string, Child>();
  self.trapExit((exit) => ({ type: 'exited', exit }));
  life.viewChildren = () => [...children.values()].map((child) => viewChild(life, child));

  if (!strategies.includes(strategy)) refuseFlag('invalid_strategy', strategy);
  if (!autoShutdowns.includes(autoShutdown)) refuseFlag('invalid_auto_shutdown', autoShutdown);
  refuseBadIntensity(intensity, periodMs);
  refuseBadChildren(spec.children, autoShutdown);
  for (const childSpec of spec.children) children.set(childSpec.id, new Child(childSpec, undefined));
  await emptyStack();
  const failed = await startInTurn([...children.values()]);
  if (failed !== undefined) {
    await shutDownInTurn(life, [...children.values()]);
    throw new ExitError(['shutdown', ['failed_to_start_child', failed.child.spec.id, failed.reason]]);
  }

  return {
    receive(message: SupervisorMessage | null | undefined): void | Promise<void> {
      switch (message?.type) {
        case 'exited':
          return exited(message.exit);
        case 'retry':
          return retry(message.child);
        case 'start_child':
          return add(message.spec).then(message.reply);
        case 'restart_child':
          return restartStopped(message.child).then(message.reply);
        case 'terminate_child':
          return terminate(message.child).then(message.reply);
        case 'delete_child':
          return message.reply(forget(message.child));
        case 'get_child_spec':
          return message.reply(specOf(message.child));
        case 'which_children':
          return message.reply([...children.values()].reverse().map(viewForCaller));
        case 'count_children':
          return message.reply(count());
        default:
          message satisfies null | undefined;
          return reportUnexpected(life, message);
      }
    },
    stop: () => shutDownInTurn(life, [...children.values()]),
  };

  /** Starts children in order up to the first that fails, which is reported and returned. */
  async function startInTurn(group: readonly Child[]): Promise<{ child: Child; reason: ExitReason } | undefined> {
    for (const child of group) {
      const started = await spawnLink(life, child.spec, child.spec.id);
      if (started.ok === false) {
        reportChild(life, 'start_error', child.spec, started.reason);
        return { child, reason: started.reason };
      }
      if (started.ok === true) setLife(child, started.life);
      else forgetLife(child);
    }
    return undefined;
  }

  async function exited({ from, reason }: Exit): Promise<void> {
    const child = [...children.values()].find((each) => each.life?.ref === from && each.state === 'running');
    if (child?.life?.hasEnded !== true) return;
    child.lastExit = reason;
    if (isReported(child.spec, reason)) reportChild(life, 'child_terminated', child.spec, reason);
    if (mustRestart(child.spec, reason)) {
      await restart(child, reason);
      return;
    }
    forgetLife(child);
    if (child.spec.significant && isTimeToEnd()) self.stop('shutdown');
  }

  async function restart(cause: Child, reason: ExitReason): Promise<void> {
    if (!budget.spend(life.kernel.clock.monotonic())) {
      reportChild(life, 'intensity_reached', cause.spec, reason);
      forgetLife(cause);
      self.stop('shutdown');
      return;
    }
    const group = groupOf(cause);
    const others = group.filter((child) => child !== cause);
    await shutDownInTurn(life, others);
    setLife(cause, undefined);
    for (const child of others) forgetLife(child);
    const failed = await startInTurn(group.filter(({ spec: { id } }) => children.has(id)));
    for (const child of group) if (child.state === 'running') child.restarts += 1;
    if (failed === undefined) return;
    failed.child.state = 'restarting';
    failed.child.lastExit = failed.reason;
    self.send({ type: 'retry', child: failed.child.spec.id });
  }

  async function retry(id: string): Promise<void> {
    const child = children.get(id);
    if (child?.state === 'restarting') await restart(child, child.lastExit ?? 'normal');
  }

  /** The child that ended and those that the strategy restarts with it, in start order. */
  function groupOf(cause: Child): readonly Child[] {
    const all = [...children.values()];
    if (strategy === 'one_for_all') return all;
    return strategy === 'rest_for_one' ? all.slice(all.indexOf(cause)) : [cause];
  }

  /** Records that a child has no life; a temporary child is forgotten. */
  function forgetLife(child: Child): void {
    setLife(child, undefined);
    if (restartOf(child.spec) === 'temporary') children.delete(child.spec.id);
  }

  /** Whether the end of a significant child is to end the supervisor. */
  function isTimeToEnd(): boolean {
    if (autoShutdown !== 'all_significant') return autoShutdown === 'any_significant';
    return ![...children.values()].some(({ spec: { significant }, state }) => significant && state !== 'stopped');
  }

  async function add(given: ChildSpec): Promise<StartChildResult> {
    const childSpec = copyOfSpec(given);
    const problem = childProblem(childSpec, autoShutdown);
    if (problem !== undefined) return { ok: false, code: 'bad_spec', problem };
    const present = children.get(childSpec.id);
    if (present?.state === 'running' && present.life)
      return { ok: false, code: 'already_started', ref: present.life.ref };
    if (present !== undefined) return { ok: false, code: 'already_present' };
    const started = await spawnLink(life, childSpec, childSpec.id);
    if (started.ok !== false) {
      const child = new Child(childSpec, started.ok === true ? started.life : undefined);
      if (started.ok === true || restartOf(childSpec) !== 'temporary') children.set(childSpec.id, child);
    }
    return startResult(started);
  }

  async function restartStopped(id: string): Promise<StartChildResult> {
    const child = children.get(id);
    if (child === undefined) return { ok: false, code: 'not_found' };
    if (child.state !== 'stopped') return { ok: false, code: child.state };
    const started = await spawnLink(life, child.spec, id);
    if (started.ok === true) setLife(child, started.life);
    return startResult(started);
  }

  async function terminate(id: string): Promise<EndChildResult> {
    const child = children.get(id);
    if (child === undefined) return { ok: false, code: 'not_found' };
    await shutDownInTurn(life, [child]);
    forgetLife(child);
    return { ok: true };
  }

  function forget(id: string): EndChildResult {
    const child = children.get(id);
    if (child === undefined) return { ok: false, code: 'not_found' };
    if (child.state !== 'stopped') return { ok: false, code: child.state };
    children.delete(id);
    return { ok: true };
  }

  function specOf(id: string): ChildSpecResult {
    const child = children.get(id);
    return child === undefined ? { ok: false, code: 'not_found' } : { ok: true, spec: fullSpecOf(child.spec) };
  }

  function count(): ChildCounts {
    const all = [...children.values()];
    const supervisors = all.filter(({ spec: childSpec }) => typeOf(childSpec) === 'supervisor').length;
    const active = all.filter(({ life: child, state }) => state === 'running' && child?.hasEnded === false).length;
    return { specs: all.length, active, supervisors, workers: all.length - supervisors };
  }
}

/** Resolves in a later microtask: a supervisor awaits it before it starts its children, so that a tree may be of any depth. */
function emptyStack(): Promise<void> {
  return Promise.resolve();
}
