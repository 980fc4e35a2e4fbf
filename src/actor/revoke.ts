import { Context } from './contexts.ts';
import { itemsOf } from './few.ts';
import type { Life } from './life.ts';

/** Takes from a life that has ended what it held: its keys, timers and monitors, and what others called of it. */
export function revoke(life: Life): void {
  life.wrapExit = undefined;
  life.viewChildren = undefined;
  life.kernel.roots.delete(life);
  for (const hold of itemsOf(life.holds)) hold.release();
  life.kernel.clock.cancelAll(life);
  for (const monitor of life.monitors?.values() ?? []) monitor.clear();
}

/** Fires the signal of its tasks, in a context of the life's, so that what listens there is blamed on it. */
export function abortTasks(life: Life): void {
  if (life.controller !== undefined) life.kernel.contexts.run(new Context(life, false), abort, life.controller);
}

function abort(controller: AbortController): void {
  controller.abort();
}
