import { Context } from './contexts.ts';
import { ExitError, reasonOf } from './errors.ts';
import type { Kernel } from './kernel.ts';
import { isThenable, Life } from './life.ts';
import { link } from './links.ts';
import { Ring } from './ring.ts';
import { LifeSelf } from './self.ts';
import { type Behaviour, type ExitReason, ignore, type Self, type Start } from './types.ts';
import { Watch } from './watch.ts';

/** An object with an actor as its method; a child spec is one. */
export interface Startable {
  start(self: Self<never>): Start<never> | Promise<Start<never>>;
}

/** The outcome of a start. */
export type Started =
  | { readonly ok: true; readonly life: Life }
  | { readonly ok: 'ignore' }
  | { readonly ok: false; readonly reason: ExitReason };

/** Begins a life that is linked to nobody. Answers at once unless the start is asynchronous; never throws or rejects. */
export function spawn(kernel: Kernel, actor: Startable, name: string): Started | Promise<Started> {
  const life = new Life(kernel, undefined, name);
  kernel.roots.add(life);
  return begin(life, actor);
}

/** Begins a life that is linked to `parent` before its start runs. Answers as `spawn` does; `noproc` if the parent has ended. */
export function spawnLink(parent: Life, actor: Startable, name: string): Started | Promise<Started> {
  if (parent.hasEnded) return { ok: false, reason: 'noproc' };
  const life = new Life(parent.kernel, parent, name);
  parent.children ??= new Ring();
  parent.children.add(life);
  link(parent, life);
  return begin(life, actor);
}

function begin(life: Life, actor: Startable): Started | Promise<Started> {
  const context = new Context(life, true);
  try {
    const start = life.kernel.contexts.run(context, startOf, actor, new LifeSelf<never>(life));
    return isThenable(start) ? awaitStart(context, Promise.resolve(start)) : settle(context, start);
  } catch (error) {
    return fail(context, error);
  }
}

function startOf(actor: Startable, self: Self<never>): unknown {
  return actor.start(self);
}

/** Waits for the outcome of a start. If the life is killed meanwhile, a later outcome does not count. */
function awaitStart(context: Context<Life>, start: Promise<unknown>): Promise<Started> {
  return new Promise((resolve) => {
    const killed = new Watch((reason) => resolve({ ok: false, reason }));
    killed.set(context.life);
    start.then(
      (behaviour) => killed.clear() && resolve(settle(context, behaviour)),
      (error: unknown) => killed.clear() && resolve(fail(context, error)),
    );
  });
}

function settle(context: Context<Life>, start: unknown): Started {
  const { life } = context;
  if (life.hasEnded) return { ok: false, reason: life.reason };
  if (start === ignore) {
    life.end('normal');
    return { ok: 'ignore' };
  }
  if (!isBehaviour(start)) return fail(context, new ExitError(['bad_return_value', start]));
  context.isTurn = false;
  life.run(start);
  return { ok: true, life };
}

function fail({ life }: Context<Life>, error: unknown): Started {
  life.end(reasonOf(error));
  return { ok: false, reason: life.reason };
}

/** Types rule out anything else, but a start may come from code without types; what cannot be looked at is no behaviour. */
function isBehaviour(start: unknown): start is Behaviour<never> {
  try {
    return typeof start === 'object' && start !== null && 'receive' in start && typeof start.receive === 'function';
  } catch {
    return false;
  }
}
