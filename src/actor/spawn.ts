import { Context } from './contexts.ts';
import { ExitError, reasonOf } from './errors.ts';
import type { Kernel } from './kernel.ts';
import { Life } from './life.ts';
import { link } from './link.ts';
import { LifeSelf } from './self.ts';
import { isThenable } from './thenable.ts';
import { type Behaviour, type ExitReason, ignore, type Self, type Start } from './types.ts';
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
  const context = new Context(life, true);
  try {
    const start = life.kernel.contexts.run(context, (own) => actor.start(own), new LifeSelf<never>(life));
    return isThenable(start) ? awaitStart(context, Promise.resolve(start)) : settle(context, start);
  } catch (error) {
    return fail(context, error);
  }
}

/** A life may be killed while it starts; what its start comes to after that counts no more. */
function awaitStart(context: Context, start: Promise<unknown>): Promise<Started> {
  return new Promise((resolve) => {
    const killed = new Watch((reason) => resolve({ ok: false, reason }));
    killed.set(context.life);
    start.then(
      (behaviour) => killed.clear() && resolve(settle(context, behaviour)),
      (error: unknown) => killed.clear() && resolve(fail(context, error)),
    );
  });
}

function settle(context: Context, start: unknown): Started {
  const { life } = context;
  if (life.hasEnded) return { ok: false, reason: life.reason };
  if (start === ignore) {
    life.end('normal');
    return { ok: 'ignore' };
  }
  if (!isBehaviour(start)) return fail(context, new ExitError(['bad_return_value', start]));
  context.isTurn = false;
  life.run(start);
  return { ok: true, ref: life };
}

function fail({ life }: Context, error: unknown): Started {
  life.end(reasonOf(error));
  return { ok: false, reason: life.reason };
}

/** Types rule out anything else, but a start may come from code that has none. */
function isBehaviour(start: unknown): start is Behaviour<never> {
  return typeof start === 'object' && start !== null && 'receive' in start && typeof start.receive === 'function';
}
