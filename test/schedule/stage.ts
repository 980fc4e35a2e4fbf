import { setImmediate } from 'node:timers/promises';
import { hold } from '../../src/actor/registry.ts';
import { ignore, type Ref, type Self, type Start } from '../../src/actor/types.ts';
import type { Clock } from '../../src/clock.ts';

/**
 * Plays actors without the kernel of `src/actor`, which costs more per message than what they decide: one queue for all messages,
 * no links, no supervisors. What an actor throws ends the test.
 */
export class Stage {
  readonly #clock: Clock;
  readonly #queue: (() => void | Promise<void>)[] = [];
  #busy = 0;
  /** Whether somebody who waits has been told something since the loop was last waited for. */
  #isAwaited = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins the life of an actor; nothing where it has nothing to do. */
  play<M>(id: string, actor: (self: Self<M>) => Start<M>): Ref<M> | undefined {
    const clock = this.#clock;
    let receive: ((message: M) => void | Promise<void>) | undefined;
    const holds: (() => void)[] = [];
    // Nobody aborts it: those who play no more are heard of no more.
    const { signal } = new AbortController();
    const refuse = (): never => {
      throw new Error(`${id}: expected no links on a stage`);
    };
    const ref: Ref<M> = {
      id,
      send: (message) => void this.#queue.push(() => receive?.(message)),
      ask: <T>(question: (reply: (answer: T) => void) => M) =>
        new Promise<T>((resolve) => {
          const told = (answer: T): void => {
            this.#isAwaited = true;
            resolve(answer);
          };
          ref.send(question(told));
        }),
    };
    const self: Self<M> = {
      ref,
      signal,
      send: ref.send,
      task: (run, done) => {
        this.#isAwaited = true;
        void (async () => {
          try {
            ref.send(done(await run(signal)));
          } catch (error) {
            this.#failure ??= { error };
          }
        })();
      },
      after: (delayMs, message) => clock.at(clock.monotonic() + Math.max(0, delayMs), () => ref.send(message)),
      cancel: (timer) => clock.cancel(timer),
      continue: ref.send,
      stop() {
        receive = undefined;
        for (const release of holds) release();
      },
      trapExit: () => undefined,
      untrapExit: () => undefined,
      link: refuse,
      unlink: refuse,
      monitor: refuse,
      demonitor: refuse,
      register: (registry, key) => void holds.push(hold(registry, key, ref).release),
      prioritise: () => undefined,
      unregister: refuse,
    };
    const behaviour = actor(self);
    if (behaviour === ignore) return undefined;
    receive = (message) => behaviour.receive(message);
    return ref;
  }

  /** The clock for those who pause by themselves: the stage waits for what comes of their timers. */
  get pausing() {
    const clock = this.#clock;
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      cancel: (timer: number) => clock.cancel(timer),
      at: (monotonicMs: number, run: () => void) =>
        clock.at(monotonicMs, () => {
          this.#isAwaited = true;
          run();
        }),
    };
  }

  /** Resolves after so long by the clock. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.at(this.#clock.monotonic() + ms, () => {
        this.#isAwaited = true;
        resolve();
      });
    });
  }

  /** Counts as moving until it has ended, though it waits for the loop. */
  async busy<T>(run: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await run();
    } finally {
      this.#busy -= 1;
    }
  }

  /** Resolves when nothing moves until the clock does. */
  async settled(): Promise<void> {
    do {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) void next();
      // The loop is waited for only where it may bring something: most timers have nobody wait.
      if (!this.#isAwaited && this.#busy === 0) return;
      this.#isAwaited = false;
      await setImmediate();
      if (this.#failure !== undefined) throw this.#failure.error;
    } while (this.#queue.length > 0 || this.#isAwaited || this.#busy > 0);
  }
}
