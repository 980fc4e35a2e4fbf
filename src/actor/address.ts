import { CallError, describeReason, noProcess } from './errors.ts';
import type { Life } from './life.ts';
import { Via } from './registry.ts';
import type { Ref, Reply } from './types.ts';
import { Watch } from './watch.ts';

/** Reads the private field of an address; `undefined` for any other object. */
let lifeBehind: (ref: object) => Life | undefined;

/** The address of one life. It shows nothing of the life but its id: only the kernel can reach what is behind it, by `lifeAt`. */
export class Address implements Ref<unknown> {
  readonly #life: Life;

  static {
    lifeBehind = (ref) => (#life in ref ? ref.#life : undefined);
  }

  constructor(life: Life) {
    this.#life = life;
  }

  get id(): string {
    return this.#life.id;
  }

  send(message: unknown): void {
    this.#life.send(message);
  }

  ask<T>(question: (reply: Reply<T>) => unknown, timeoutMs?: number): Promise<T> {
    return ask(this.#life, question, timeoutMs);
  }
}

/** The life behind an address; behind that of a registry's key, the key's present holder. `undefined` if there is none. */
export function lifeAt(ref: Ref<never> | undefined): Life | undefined {
  if (ref instanceof Via) return lifeAt(ref.holder);
  return ref === undefined ? undefined : lifeBehind(ref);
}

/** Whether the running code is a turn of this life. If it waited for the life, it would wait for itself. */
export function isOwnTurn(life: Life): boolean {
  const context = life.kernel.contexts.current;
  return context !== undefined && context.life === life && context.isTurn;
}

function ask<T>(life: Life, question: (reply: Reply<T>) => unknown, timeoutMs = 5_000): Promise<T> {
  const { clock, contexts } = life.kernel;
  return new Promise<T>((resolve, reject) => {
    if (life.hasEnded) {
      reject(noProcess(life.id));
      return;
    }
    if (isOwnTurn(life)) {
      reject(new CallError('calling_self', `${life.id} asked itself`));
      return;
    }
    const asker = contexts.current?.life;
    let timer: number | undefined;
    let askerEnds: Watch | undefined;
    const call = new Watch((reason) => {
      forget();
      reject(new CallError('ended', `${life.id} ended before it replied: ${describeReason(reason)}`, reason));
    });
    const forget = (): void => {
      if (timer !== undefined) clock.cancel(timer);
      askerEnds?.clear();
    };
    if (timeoutMs !== Infinity) {
      timer = clock.at(clock.monotonic() + timeoutMs, () => {
        if (!call.clear()) return;
        forget();
        reject(new CallError('timeout', `${life.id} did not reply within ${timeoutMs} ms`));
      });
    }
    call.set(life);
    if (asker !== undefined) askerEnds = watchAsker(asker, call, forget, reject);
    try {
      life.send(
        question((answer) => {
          if (!call.clear()) return;
          forget();
          resolve(answer);
        }),
      );
    } catch (error) {
      call.clear();
      forget();
      reject(error);
    }
  });
}

/** Withdraws a question when the life that asked it ends, so that nothing of the question stays with the life that was asked. */
function watchAsker(
  asker: Life,
  call: Watch,
  forget: () => void,
  reject: (error: CallError) => void,
): Watch | undefined {
  if (asker.hasEnded) return undefined;
  const watch = new Watch(() => {
    if (!call.clear()) return;
    forget();
    reject(new CallError('asker_ended', `${asker.id} ended before it had a reply`));
  });
  watch.set(asker);
  return watch;
}
