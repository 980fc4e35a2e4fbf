import { CallError, describeReason, noProcess } from './errors.ts';
import type { Life } from './life.ts';
import { Via } from './registry.ts';
import type { ExitReason, Ref, Reply } from './types.ts';
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
  return new Promise<T>((resolve, reject) => {
    if (life.hasEnded) reject(noProcess(life.id));
    else if (isOwnTurn(life)) reject(new CallError('calling_self', `${life.id} asked itself`));
    else new Question(life, resolve, reject).put(question, timeoutMs);
  });
}

/** A question that waits for its reply: a watch of the life that was asked. */
class Question<T> extends Watch {
  readonly #life: Life;
  readonly #resolve: (answer: T) => void;
  readonly #reject: (error: unknown) => void;
  #timer: number | undefined = undefined;
  /** Withdraws the question when the life that asked ends, so that nothing of it stays with the life that was asked. */
  #askerEnds: Watch | undefined = undefined;

  constructor(life: Life, resolve: (answer: T) => void, reject: (error: unknown) => void) {
    super();
    this.#life = life;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Sends the message that `question` makes of the reply. */
  put(question: (reply: Reply<T>) => unknown, timeoutMs: number): void {
    const { clock, contexts } = this.#life.kernel;
    const asker = contexts.current?.life;
    if (timeoutMs !== Infinity) {
      this.#timer = clock.at(clock.monotonic() + timeoutMs, () =>
        this.#fail('timeout', `${this.#life.id} did not reply within ${timeoutMs} ms`),
      );
    }
    this.set(this.#life);
    if (asker !== undefined && !asker.hasEnded) {
      this.#askerEnds = new Watch(() => this.#fail('asker_ended', `${asker.id} ended before it had a reply`));
      this.#askerEnds.set(asker);
    }
    try {
      this.#life.send(
        question((answer) => {
          if (this.#withdraw()) this.#resolve(answer);
        }),
      );
    } catch (error) {
      this.#withdraw();
      this.#reject(error);
    }
  }

  /** The life that was asked ended. */
  override tell(reason: ExitReason): void {
    this.#forget();
    this.#reject(new CallError('ended', `${this.#life.id} ended before it replied: ${describeReason(reason)}`, reason));
  }

  #fail(code: 'timeout' | 'asker_ended', message: string): void {
    if (this.#withdraw()) this.#reject(new CallError(code, message));
  }

  /** Ends the waiting; returns whether the question waited until now. */
  #withdraw(): boolean {
    if (!this.clear()) return false;
    this.#forget();
    return true;
  }

  #forget(): void {
    if (this.#timer !== undefined) this.#life.kernel.clock.cancel(this.#timer);
    this.#askerEnds?.clear();
  }
}
