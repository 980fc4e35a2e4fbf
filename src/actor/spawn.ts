import { reasonOf } from './errors.ts';
import type { Kernel } from './kernel.ts';
import { Life } from './life.ts';
import { link } from './link.ts';
import { LifeSelf } from './self.ts';
import { type ExitReason, ignore, type Self, type Start } from './types.ts';
import { Watch } from './watch.ts';

/** What can be started: a child spec is one. */
export interface Startable {
  start(self: Self<never>): Start<never> | Promise<Start<never>>;
}

export type Started =
  | { readonly ok: true; readonly ref: Life }
  | { readonly ok: 'ignore' }
  | { readonly ok: false; readonly reason: ExitReason };

/** Begins a life that is linked to nobody. */
export function spawn(kernel: Kernel, actor: Startable, name: string): Started | Promise<Started> {
  const life = new Life(kernel, undefined, name);
  kernel.roots.add(life);
  return begin(life, actor);
}

/** Begins a life that is linked to `parent` before its start runs. The answer comes at once unless the start is asynchronous. */
export function spawnLink(parent: Life, actor: Startable, name: string): Started | Promise<Started> {
  if (parent.hasEnded) return { ok: false, reason: 'noproc' };
  const life = new Life(parent.kernel, parent, name);
  link(parent, life);
  return begin(life, actor);
}

function begin(life: Life, actor: Startable): Started | Promise<Started> {
  const self = new LifeSelf<never>(life);
  try {
    const start = life.kernel.contexts.run(life, (own) => actor.start(own), self);
    return start instanceof Promise ? awaitStart(life, start) : settle(life, start);
  } catch (error) {
    return fail(life, error);
  }
}

/** A life may be killed while it starts; what its start comes to after that counts no more. */
function awaitStart(life: Life, start: Promise<Start<never>>): Promise<Started> {
  return new Promise((resolve) => {
    const killed = new Watch((reason) => resolve({ ok: false, reason }));
    killed.set(life);
    start.then(
      (behaviour) => killed.clear() && resolve(settle(life, behaviour)),
      (error: unknown) => killed.clear() && resolve(fail(life, error)),
    );
  });
}

function settle(life: Life, start: Start<never>): Started {
  if (life.hasEnded) return { ok: false, reason: life.reason };
  if (start === ignore) {
    life.end('normal');
    return { ok: 'ignore' };
  }
  life.run(start);
  return { ok: true, ref: life };
}

function fail(life: Life, error: unknown): Started {
  life.end(reasonOf(error));
  return { ok: false, reason: life.reason };
}
