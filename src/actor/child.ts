import { isCleanEnd, shutdownOf, typeOf } from './child-spec.ts';
import type { Life } from './life.ts';
import { exit, unlink } from './links.ts';
import type { ChildView, StartChildResult } from './management.ts';
import type { SupervisorContext } from './report.ts';
import type { RestartBudget } from './restart-budget.ts';
import type { Started } from './spawn.ts';
import type { ChildSpec, ExitReason } from './types.ts';
import { Watch } from './watch.ts';

/** What a supervisor knows of a child. */
export class Child {
  readonly spec: ChildSpec;
  /** The child's present life; the last one while the child is restarting; `undefined` once it is stopped. */
  life: Life | undefined;
  state: 'running' | 'restarting' | 'stopped';
  restarts = 0;
  lastExit: ExitReason | undefined = undefined;

  constructor(spec: ChildSpec, life: Life | undefined) {
    this.spec = spec;
    this.life = life;
    this.state = life === undefined ? 'stopped' : 'running';
  }
}

/** What a dynamic supervisor remembers of a child beyond its present life, from its first end on. */
export interface ChildPast {
  state: 'running' | 'restarting';
  restarts: number;
  lastExit: ExitReason;
  /** What its restarts are counted against: its own budget under `per_child`, or that of all children. */
  readonly budget: RestartBudget;
}

/** Records the child's present life, or that it has none. */
export function setLife(child: Child, life: Life | undefined): void {
  child.life = life;
  child.state = life === undefined ? 'stopped' : 'running';
}

/**
 * Ends a child by its shutdown rule: `kill` at once, or `shutdown` and then `kill` after the child's time. Returns how the
 * child ended: at once for most, as a promise for those that take time. If a child unlinked itself and ended earlier, its
 * reason is unknown to the supervisor: `noproc`.
 */
export function shutDown(supervisor: Life, spec: ChildSpec, life: Life): ExitReason | Promise<ExitReason> {
  if (life.hasEnded) return life.isLinkedToParent ? life.reason : 'noproc';
  const { clock } = life.kernel;
  const rule = shutdownOf(spec);
  unlink(supervisor, life);
  exit(life, supervisor.ref, rule === 'brutal_kill' ? 'kill' : 'shutdown');
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

/** Reports on a child in the supervisor's name. A supervisor that has ended reports nothing more. */
export function reportChild(supervisor: Life, context: SupervisorContext, spec: ChildSpec, reason: ExitReason): void {
  if (supervisor.hasEnded) return;
  supervisor.kernel.report?.({ type: 'supervisor', id: supervisor.id, context, child: spec.id, reason });
}

/** Ends children one after the other, the last first; resolves when all have ended, or the supervisor has. Never rejects. */
export async function shutDownInTurn(supervisor: Life, children: readonly Child[]): Promise<void> {
  for (const child of children.toReversed()) {
    const { life } = child;
    if (life === undefined || child.state !== 'running') {
      setLife(child, undefined);
      continue;
    }
    const reason = await shutDown(supervisor, child.spec, life);
    if (supervisor.hasEnded) return;
    child.lastExit = reason;
    if (!isCleanEnd(child.spec, reason)) reportChild(supervisor, 'shutdown_error', child.spec, reason);
    setLife(child, undefined);
  }
}

/** The outcome of a start as the caller of `startChild` or `restartChild` gets it. */
export function startResult(started: Started): StartChildResult {
  if (started.ok === true) return { ok: true, ref: started.life.ref };
  return started.ok === 'ignore' ? started : { ...started, code: 'start_failed' };
}

/** Reports a message that is none of a supervisor's. */
export function reportUnexpected(supervisor: Life, message: unknown): void {
  supervisor.kernel.report?.({ type: 'unexpected', id: supervisor.id, message });
}

/** A child as `whichChildren` shows it. */
export function viewForCaller({ spec, life, state }: Child): ChildView {
  return { id: spec.id, type: typeOf(spec), child: state === 'running' ? (life?.ref ?? 'stopped') : state };
}
