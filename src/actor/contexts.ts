import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import type { Life } from './life.ts';

/** The async context of work beside a mailbox; that of the mailbox itself is the life. */
export class TaskContext {
  readonly life: Life;

  constructor(life: Life) {
    this.life = life;
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
  readonly #storage = new AsyncLocalStorage<Life | TaskContext>();
  /** The context that is entered from, and gone back from. */
  readonly #outside = new AsyncResource('outside');
  /** By serial, modulo their number: the life that had a turn last; and once it had two in a row, its context. */
  readonly #lives: (Life | undefined)[] = Array.from({ length: keptContexts });
  readonly #kept: (AsyncResource | undefined)[] = Array.from({ length: keptContexts });

  get current(): Life | TaskContext | undefined {
    return this.#storage.getStore();
  }

  /** Runs `code` as that of `owner`. */
  run<A, R>(owner: Life | TaskContext, code: (argument: A) => R, argument: A): R {
    return this.#outside.runInAsyncScope(() => {
      this.#storage.enterWith(owner);
      return code(argument);
    });
  }

  /** Runs a turn of a life, which is likely to have more of them. */
  runTurn<R>(life: Life, turn: (life: Life) => R): R {
    const place = life.serial & (keptContexts - 1);
    if (this.#lives[place] !== life) {
      this.#lives[place] = life;
      this.#kept[place] = undefined;
      return this.run(life, turn, life);
    }
    const kept = (this.#kept[place] ??= this.run(life, newContext, 'life'));
    return kept.runInAsyncScope(turn, undefined, life);
  }
}

function newContext(name: string): AsyncResource {
  return new AsyncResource(name);
}
