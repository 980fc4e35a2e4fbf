import { lifeAt } from './address.ts';
import { Context } from './contexts.ts';
import { noProcess, reasonOf } from './errors.ts';
import type { Life } from './life.ts';
import { link, signalExit, unlink } from './links.ts';
import { SystemMessage } from './mailbox.ts';
import { itemsOf, withItem, withoutItem } from './one-or-set.ts';
import { hold, type Registry } from './registry.ts';
import type { Down, Exit, ExitReason, Ref, Self } from './types.ts';
import { Watch } from './watch.ts';

/** A number that is no timer and no monitor: the answer to a life that has ended. */
const none = -1;

/** Reads the private field of a `Self`; `undefined` for any other object. */
let lifeBehind: (self: object) => Life | undefined;

/** The methods that a life offers its actor. Once the life has ended, they do nothing. */
export class LifeSelf<M> implements Self<M> {
  readonly #life: Life;

  static {
    lifeBehind = (self) => (#life in self ? self.#life : undefined);
  }

  constructor(life: Life) {
    this.#life = life;
  }

  get ref(): Ref<M> {
    return this.#life.ref;
  }

  get signal(): AbortSignal {
    const life = this.#life;
    if (life.controller === undefined) {
      life.controller = new AbortController();
      if (life.hasEnded) life.controller.abort();
    }
    return life.controller.signal;
  }

  send(message: M): void {
    this.#life.send(message);
  }

  continue(message: M): void {
    this.#life.continue(message);
  }

  stop(reason: ExitReason = 'normal'): void {
    this.#life.stop(reason);
  }

  task<T>(run: (signal: AbortSignal) => Promise<T>, done: (outcome: T) => M): void {
    const life = this.#life;
    if (life.hasEnded) return;
    const { kernel } = life;
    const work = async (signal: AbortSignal): Promise<void> => {
      try {
        const outcome = await run(signal);
        life.send(new SystemMessage((behaviour) => behaviour.receive(done(outcome))));
      } catch (error) {
        life.stop(reasonOf(error));
      }
      kernel.activity += 1;
    };
    void kernel.contexts.run(new Context(life, false), work, this.signal, undefined);
  }

  after(delayMs: number, message: M): number {
    const life = this.#life;
    if (life.hasEnded) return none;
    const { clock } = life.kernel;
    return clock.sendAt(clock.monotonic() + delayMs, life, message);
  }

  cancel(timer: number): boolean {
    return this.#life.kernel.clock.cancel(timer, this.#life);
  }

  trapExit(wrap?: (exit: Exit) => M): void {
    if (!this.#life.hasEnded) this.#life.wrapExit = wrap ?? null;
  }

  prioritise(): void {
    this.#life.kernel.queue.prioritise(this.#life);
  }

  untrapExit(): void {
    this.#life.wrapExit = undefined;
  }

  link(other: Ref<never>): void {
    const life = this.#life;
    if (life.hasEnded) return;
    const target = lifeAt(other);
    if (target !== undefined && !target.hasEnded) {
      if (target !== life) link(life, target);
    } else if (life.wrapExit === undefined) throw noProcess(other.id);
    else signalExit(life, other, 'noproc');
  }

  unlink(other: Ref<never>): void {
    const target = lifeAt(other);
    if (target !== undefined && !this.#life.hasEnded) unlink(this.#life, target);
  }

  monitor(other: Ref<never>, wrap: (down: Down) => M): number {
    const life = this.#life;
    if (life.hasEnded) return none;
    const number = life.kernel.nextSerial();
    const monitors = (life.monitors ??= new Map<number, Watch | SystemMessage>());
    const watch = new Watch((reason) => {
      const message = new SystemMessage((behaviour) => {
        monitors.delete(number);
        return behaviour.receive(wrap({ from: other, reason }));
      });
      monitors.set(number, message);
      life.send(message);
    });
    monitors.set(number, watch);
    const target = lifeAt(other);
    if (target === undefined || target.hasEnded) watch.tell('noproc');
    else watch.set(target);
    return number;
  }

  demonitor(monitor: number, flush?: 'flush'): void {
    const life = this.#life;
    const present = life.monitors?.get(monitor);
    if (present instanceof Watch) present.clear();
    else if (flush === 'flush') life.unsend(present);
    else return;
    life.monitors?.delete(monitor);
  }

  register<K>(registry: Registry<K, M>, key: K): void {
    const life = this.#life;
    if (!life.hasEnded) life.holds = withItem(life.holds, hold(registry, key, life.ref));
  }

  unregister<K>(registry: Registry<K, M>, key: K): void {
    const life = this.#life;
    if (life.hasEnded) return;
    for (const each of itemsOf(life.holds)) {
      if (each.registry !== registry || !isSameKey(each.key, key)) continue;
      each.release();
      life.holds = withoutItem(life.holds, each);
      return;
    }
  }
}

/** Whether a `Map` takes the two for one key: NaN is one key, and so are 0 and -0. */
function isSameKey(one: unknown, other: unknown): boolean {
  return one === other || Object.is(one, other);
}

/** The life behind a `Self`, for supervisors, which can do more than an actor. Throws a `TypeError` for any other object. */
export function lifeOf(self: Self<never>): Life {
  const life = lifeBehind(self);
  if (life === undefined) throw new TypeError('this actor can only be started by the kernel');
  return life;
}
