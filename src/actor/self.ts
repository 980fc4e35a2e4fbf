import { lifeAt } from './address.ts';
import { noProcess } from './call.ts';
import { reasonOf } from './errors.ts';
import { Context } from './contexts.ts';
import { itemsOf, withItem, withoutItem } from './few.ts';
import type { Life } from './life.ts';
import { link, signalExit, unlink } from './link.ts';
import type { Registry } from './registry.ts';
import { SystemMessage } from './system-message.ts';
import type { Down, Exit, ExitReason, Ref, Self } from './types.ts';
import { Watch } from './watch.ts';

/** A number that is no timer and no monitor: what a life that has ended gets. */
const none = -1;

/** The handles of a life on itself. Once it has ended they do nothing. */
export class LifeSelf<M> implements Self<M> {
  readonly life: Life;

  constructor(life: Life) {
    this.life = life;
  }

  get ref(): Ref<M> {
    return this.life;
  }

  get signal(): AbortSignal {
    const { life } = this;
    if (life.controller === undefined) {
      life.controller = new AbortController();
      if (life.hasEnded) life.controller.abort();
    }
    return life.controller.signal;
  }

  send(message: M): void {
    this.life.send(message);
  }

  continue(message: M): void {
    this.life.continue(message);
  }

  stop(reason: ExitReason = 'normal'): void {
    this.life.stop(reason);
  }

  task<T>(run: (signal: AbortSignal) => Promise<T>, done: (outcome: T) => M): void {
    const { life } = this;
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
    void kernel.contexts.run(new Context(life, false), work, this.signal);
  }

  after(delayMs: number, message: M): number {
    const { life } = this;
    if (life.hasEnded) return none;
    const { clock } = life.kernel;
    return clock.sendAt(clock.monotonic() + delayMs, life, message);
  }

  cancel(timer: number): boolean {
    return this.life.kernel.clock.cancel(timer, this.life);
  }

  trapExit(wrap?: (exit: Exit) => M): void {
    if (!this.life.hasEnded) this.life.wrapExit = wrap ?? null;
  }

  untrapExit(): void {
    this.life.wrapExit = undefined;
  }

  link(other: Ref<never>): void {
    const { life } = this;
    if (life.hasEnded) return;
    const target = lifeAt(other);
    if (target !== undefined && !target.hasEnded) {
      if (target !== life) link(life, target);
    } else if (life.wrapExit === undefined) throw noProcess(other.id);
    else signalExit(life, other, 'noproc');
  }

  unlink(other: Ref<never>): void {
    const target = lifeAt(other);
    if (target !== undefined && !this.life.hasEnded) unlink(this.life, target);
  }

  monitor(other: Ref<never>, wrap: (down: Down) => M): number {
    const { life } = this;
    if (life.hasEnded) return none;
    const number = life.kernel.nextSerial();
    const watch = new Watch((reason) => {
      life.send(
        new SystemMessage((behaviour) => {
          if (life.monitors?.delete(number)) return behaviour.receive(wrap({ from: other, reason }));
        }),
      );
    });
    life.monitors ??= new Map();
    life.monitors.set(number, watch);
    const target = lifeAt(other);
    if (target === undefined || target.hasEnded) watch.tell('noproc');
    else watch.set(target);
    return number;
  }

  demonitor(monitor: number, flush?: 'flush'): void {
    const watch = this.life.monitors?.get(monitor);
    if (watch?.clear() || flush === 'flush') this.life.monitors?.delete(monitor);
  }

  register<K>(registry: Registry<K, M>, key: K): void {
    const { life } = this;
    if (!life.hasEnded) life.holds = withItem(life.holds, registry.hold(key, life));
  }

  unregister<K>(registry: Registry<K, M>, key: K): void {
    const { life } = this;
    if (life.hasEnded) return;
    for (const hold of itemsOf(life.holds)) {
      if (hold.registry !== registry || !isSameKey(hold.key, key)) continue;
      hold.release();
      life.holds = withoutItem(life.holds, hold);
      return;
    }
  }
}

/** As a `Map` sees it: NaN is one key, and so are 0 and -0. */
function isSameKey(one: unknown, other: unknown): boolean {
  return one === other || Object.is(one, other);
}

/** The life behind a `Self`, for those parts of the kernel that can do more than an actor. */
export function lifeOf(self: Self<never>): Life {
  if (self instanceof LifeSelf) return self.life;
  throw new TypeError('this actor can only be started by the kernel');
}
