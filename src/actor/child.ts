import { isCleanEnd, shutdownOf, typeOf } from './child-spec.ts';
import type { Life } from './life.ts';
import { exit, unlink } from './link.ts';
import type { ChildView } from './management.ts';
import type { SupervisorContext } from './report.ts';
import type { RestartBudget } from './restart-budget.ts';
import { RingItem } from './ring.ts';
import type { ChildSpec, ExitReason } from './types.ts';
import { Watch } from './watch.ts';

/** What a supervisor keeps of a child. */
export class Child extends RingItem {
  readonly spec: ChildSpec;
  /** Its present life; of a child that is restarting, the last one; of a stopped one, none. */
  life: Life | undefined;
  state: 'running' | 'restarting' | 'stopped';
  restarts = 0;
  lastExit: ExitReason | undefined = undefined;
  /** Its own budget, once it was restarted under `per_child`. */
  budget: RestartBudget | undefined = undefined;

  constructor(spec: ChildSpec, life: Life | undefined) {
    super();
    this.spec = spec;
    this.life = life;
    this.state = life === undefined ? 'stopped' : 'running';
  }
}

/** Notes a new life, or that there is none. */
export function setLife(child: Child, life: Life | undefined): void {
  child.life = life;
  child.state = life === undefined ? 'stopped' : 'running';
}

/**
 * Signals a child to end, by its shutdown rule, and tells how it did: `kill` at once, or `shutdown` with `kill` after its
 * time. Most children end at once; only the others make wait. Of one that had unlinked itself and ended before, nobody
 * has told the supervisor how.
 */
export function shutDown(supervisor: Life, child: Child, life: Life): ExitReason | Promise<ExitReason> {
  if (life.hasEnded) return life.isLinkedToParent ? life.reason : 'noproc';
  const { clock } = life.kernel;
  const rule = shutdownOf(child.spec);
  unlink(supervisor, life);
  exit(life, supervisor, rule === 'brutal_kill' ? 'kill' : 'shutdown');
  if (rule === 0) life.end('killed');
  if (life.hasEnded) return life.reason;
  return new Promise((resolve) => {
    const timer = typeof rule === 'number' ? clock.at(clock.monotonic() + rule, () => life.end('killed')) : undefined;
    const watch = new Watch((reason) => {
      if (timer !== undefined) clock.cancel(timer);
      resolve(reason);
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
    const reason = await shutDown(supervisor, child, life);
    if (supervisor.hasEnded) return;
    child.lastExit = reason;
    if (!isCleanEnd(child.spec, reason)) reportChild(supervisor, 'shutdown_error', child.spec, reason);
    setLife(child, undefined);
  }
}

/** A child as `whichChildren` shows it. */
export function viewForCaller({ spec, life, state }: Child): ChildView {
  return { id: spec.id, type: typeOf(spec), child: state === 'running' ? (life ?? 'stopped') : state };
}
