import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import type { Life } from './life.ts';

/** The life that code belongs to, and whether that code is its present turn, start or stop, or only stands beside its mailbox. */
export class Context {
  readonly life: Life;
  /** While it is so, the messages of the life wait for this code. */
  isTurn: boolean;

  constructor(life: Life, isTurn: boolean) {
    this.life = life;
    this.isTurn = isTurn;
  }
}

/** How many lives can have their context kept; a power of 2. */
const keptContexts = 64;

/**
 * Which life the running code belongs to, and what it leaves behind in promises and timers. A context is a map, some 130 ns
 * to make and as much to collect (Node 24, 2.8 GHz). So going back to the one before makes none, and those of lives that
 * have turn after turn are kept.
 */
export class Contexts {
  readonly #storage = new AsyncLocalStorage<Context>();
  /** The context that is entered from, and gone back from. */
  readonly #outside = new AsyncResource('outside');
  /** By life's serial, modulo their number: the last turn; and once the same life had two in a row, what enters it. */
  readonly #turns: (Context | undefined)[] = Array.from({ length: keptContexts });
  readonly #kept: (AsyncResource | undefined)[] = Array.from({ length: keptContexts });

  get current(): Context | undefined {
    return this.#storage.getStore();
  }

  /** Runs `code` in `context`. */
  run<A, R>(context: Context, code: (argument: A) => R, argument: A): R {
    return this.#outside.runInAsyncScope(() => {
      this.#storage.enterWith(context);
      return code(argument);
    });
  }

  /** Runs `code` as that of no life. */
  runOutside(code: () => void): void {
    this.#outside.runInAsyncScope(code);
  }

  /**
   * Runs a turn of a life, which is likely to have more of them. Those after the first share a context, so that while one of
   * them goes on in promises, what the others left behind looks like a part of it. What the start left never does.
   */
  runTurn<R>(life: Life, turn: (life: Life) => R): R {
    const place = life.serial & (keptContexts - 1);
    let context = this.#turns[place];
    let kept = this.#kept[place];
    if (context?.life !== life || kept === undefined) {
      const isFirst = context?.life !== life;
      context = new Context(life, true);
      kept = isFirst ? undefined : this.run(context, newResource, 'life');
      this.#turns[place] = context;
      this.#kept[place] = kept;
    }
    context.isTurn = true;
    const result = kept === undefined ? this.run(context, turn, life) : kept.runInAsyncScope(turn, undefined, life);
    context.isTurn = life.isBusy;
    return result;
  }
}

function newResource(name: string): AsyncResource {
  return new AsyncResource(name);
}
