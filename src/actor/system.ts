import { isOwnTurn, lifeAt } from './address.ts';
import { CallError, describeReason, noProcess } from './errors.ts';
import { viewLife } from './inspect.ts';
import { Kernel, type KernelOptions } from './kernel.ts';
import { exit } from './links.ts';
import type { LifeView } from './report.ts';
import { spawn } from './spawn.ts';
import type { Actor, ExitReason, Ref } from './types.ts';
import { Watch } from './watch.ts';

/** The result of `System.spawn`; `ignore` if the actor had nothing to do. */
export type Spawned<M> =
  | { readonly ok: true; readonly ref: Ref<M> }
  | { readonly ok: 'ignore' }
  | { readonly ok: false; readonly reason: ExitReason };

/** The lives of one program, for code that is not part of any life. */
export interface System {
  /** Begins a life with no parent and no link; resolves when its start has ended. `id` is `actor` by default. */
  spawn<M>(actor: Actor<M>, options?: { readonly id?: string }): Promise<Spawned<M>>;
  /**
   * Sends an exit signal, by default in the name of the system, which is the parent of the lives that it spawned: they
   * stop even if they trap exits. To other lives that trap exits it is a message like any other's.
   */
  exit(ref: Ref<never>, reason: ExitReason, from?: Ref<never>): void;
  /**
   * Asks a life to stop, behind the messages that wait, and resolves when it has ended with just this reason, `normal`
   * by default; rejects with a `CallError` when it ends otherwise, is not there, or takes too long (default no limit).
   */
  stop(ref: Ref<never>, reason?: ExitReason, timeoutMs?: number): Promise<void>;
  /** Resolves with how the life ended, `noproc` if there is none to wait for. */
  ended(ref: Ref<never>): Promise<ExitReason>;
  /** Lets the messages of a life wait, all but exit signals that end it, until `resume`. */
  suspend(ref: Ref<never>): void;
  resume(ref: Ref<never>): void;
  /**
   * Resolves when nothing moves: no mailbox has work, and no start, stop or outcome of a task is on its way. What waits
   * for the outside world or for a timer does not count. For tests in virtual time.
   */
  idle(): Promise<void>;
  /** The tree: lives without a parent, and below each supervisor its children. */
  inspect(): readonly LifeView[];
  /**
   * Ends the life whose code the current async context belongs to, and says whether there is one. For the handlers of
   * `unhandledRejection` and `uncaughtException`, which Node runs in the context of the culprit.
   */
  blame(error: unknown): boolean;
}

/** Creates a system in which no life has begun. */
export function createSystem(options: KernelOptions): System {
  const { clock } = options;
  const kernel = new Kernel(options);

  return {
    async spawn(actor, { id = 'actor' } = {}) {
      const started = await spawn(kernel, { start: actor }, id);
      return started.ok === true ? { ok: true, ref: started.life.ref } : started;
    },

    exit(ref, reason, from = kernel.outside) {
      const life = lifeAt(ref);
      if (life !== undefined) exit(life, from, reason);
    },

    stop: (ref, reason = 'normal', timeoutMs = Infinity) =>
      new Promise((resolve, reject) => {
        const life = lifeAt(ref);
        if (life === undefined || life.hasEnded) return reject(noProcess(ref.id));
        if (isOwnTurn(life)) return reject(new CallError('calling_self', `${ref.id} stopped itself`));
        let timer: number | undefined;
        const watch = new Watch((ended) => {
          if (timer !== undefined) clock.cancel(timer);
          if (ended === reason) resolve();
          else reject(new CallError('ended', `${ref.id} ended otherwise: ${describeReason(ended)}`, ended));
        });
        if (timeoutMs !== Infinity) {
          timer = clock.at(clock.monotonic() + timeoutMs, () => {
            if (watch.clear()) reject(new CallError('timeout', `${ref.id} did not end within ${timeoutMs} ms`));
          });
        }
        watch.set(life);
        life.stopInTurn(reason);
      }),

    ended: (ref) =>
      new Promise((resolve) => {
        const life = lifeAt(ref);
        if (life === undefined || life.hasEnded) resolve(life?.reason ?? 'noproc');
        else new Watch(resolve).set(life);
      }),

    suspend: (ref) => lifeAt(ref)?.suspend(),
    resume: (ref) => lifeAt(ref)?.resume(),

    async idle() {
      let seen: number;
      do {
        seen = kernel.activity;
        await new Promise(setImmediate);
        await new Promise(setImmediate);
      } while (kernel.queue.size > 0 || kernel.activity !== seen);
    },

    inspect: () => [...kernel.roots].map(viewLife),

    blame(error) {
      const life = kernel.contexts.current?.life;
      life?.fail(error);
      return life !== undefined;
    },
  };
}
