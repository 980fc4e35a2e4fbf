import { isCleanEnd, shutdownOf, typeOf } from './child-spec.ts';
import type { Life } from './life.ts';
import { exit, unlink } from './link.ts';
import type { ChildView } from './management.ts';
import type { SupervisorContext } from './report.ts';
import type { RestartBudget } from './restart-budget.ts';
import type { ChildSpec, ExitReason } from './types.ts';
import { Watch } from './watch.ts';

/** What a supervisor keeps of a child. */
export interface Child {
  readonly spec: ChildSpec;
  /** Its present life; of a child that is restarting, the last one; of a stopped one, none. */
  life: Life | undefined;
  state: 'running' | 'restarting' | 'stopped';
  restarts: number;
  lastExit: ExitReason | undefined;
  /** Its own budget, once it was restarted under `per_child`. */
  budget: RestartBudget | undefined;
}

export function newChild(spec: ChildSpec, life: Life | undefined): Child {
  const state = life === undefined ? 'stopped' : 'running';
  return { spec, life, state, restarts: 0, lastExit: undefined, budget: undefined };
}

/** Notes a new life, or that there is none. */
export function setLife(child: Child, life: Life | undefined): void {
  child.life = life;
  child.state = life === undefined ? 'stopped' : 'running';
}

/**
 * Signals a child to end, by its shutdown rule, and resolves when it has: `kill` at once, or `shutdown` with `kill` after
 * its time. Most children end at once; `undefined` says so.
 */
export function shutDown(supervisor: Life, child: Child): Promise<void> | undefined {
  const { life } = child;
  if (life === undefined || child.state !== 'running') return undefined;
  const { clock } = life.kernel;
  const rule = shutdownOf(child.spec);
  unlink(supervisor, life);
  exit(life, supervisor, rule === 'brutal_kill' ? 'kill' : 'shutdown');
  if (life.hasEnded) return undefined;
  return new Promise((resolve) => {
    const timer = typeof rule === 'number' ? clock.at(clock.monotonic() + rule, () => life.end('killed')) : undefined;
    const watch = new Watch(() => {
      if (timer !== undefined) clock.cancel(timer);
      resolve();
    });
    watch.set(life);
  });
}

/** Says something of a child on the supervisor's behalf. */
export function reportChild(supervisor: Life, context: SupervisorContext, spec: ChildSpec, reason: ExitReason): void {
  supervisor.kernel.report?.({ type: 'supervisor', id: supervisor.id, context, child: spec.id, reason });
}

/** Ends the children one after the other, the last started first; resolves when all have ended. */
export async function shutDownInTurn(supervisor: Life, children: readonly Child[]): Promise<void> {
  for (const child of children.toReversed()) {
    const { life } = child;
    if (life === undefined || child.state !== 'running') {
      setLife(child, undefined);
      continue;
    }
    await shutDown(supervisor, child);
    if (supervisor.hasEnded) return;
    child.lastExit = life.reason;
    if (!isCleanEnd(child.spec, life.reason)) reportChild(supervisor, 'shutdown_error', child.spec, life.reason);
    setLife(child, undefined);
  }
}

/** A child as `whichChildren` shows it. */
export function viewForCaller({ spec, life, state }: Child): ChildView {
  return { id: spec.id, type: typeOf(spec), child: state === 'running' ? (life ?? 'stopped') : state };
}
