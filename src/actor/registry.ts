import { AlreadyRegistered, noProcess } from './errors.ts';
import type { Actor, Ref, Reply } from './types.ts';

/** A key that a life holds in a registry. */
export interface Hold {
  readonly registry: unknown;
  readonly key: unknown;
  /** Frees the key. */
  release(): void;
}

/** A hold that keeps no closure: 100,000 registered lives have as many holds. */
class Held<K> implements Hold {
  readonly registry: unknown;
  readonly key: K;
  readonly #holders: Map<K, unknown>;

  constructor(registry: unknown, key: K, holders: Map<K, unknown>) {
    this.registry = registry;
    this.key = key;
    this.#holders = holders;
  }

  release(): void {
    this.#holders.delete(this.key);
  }
}

/** Writes to the private table of a registry. */
let holdIn: <K, M>(registry: Registry<K, M>, key: K, life: Ref<M>) => Hold;

/** Lives by key. A key is held by one life at a time, and is free again before anyone is told of that life's end. */
export class Registry<K, M> {
  readonly #holders = new Map<K, Ref<M>>();

  static {
    holdIn = <K, M>(registry: Registry<K, M>, key: K, life: Ref<M>): Hold => {
      const holders = registry.#holders;
      const holder = holders.get(key);
      if (holder !== undefined) throw new AlreadyRegistered(String(key), holder.id);
      holders.set(key, life);
      return new Held(registry, key, holders);
    };
  }

  get size(): number {
    return this.#holders.size;
  }

  keys(): IterableIterator<K> {
    return this.#holders.keys();
  }

  /** The address of the life that holds `key`, or `undefined`. */
  whereis(key: K): Ref<M> | undefined {
    return this.#holders.get(key);
  }

  /** An address that looks `key` up at each use: without a holder, a message is dropped and a question rejects with `noproc`. */
  via(key: K): Ref<M> {
    return new Via(this, key);
  }
}

/**
 * Gives `key` to a life that has not ended; the kernel releases the hold when the life ends. Throws `AlreadyRegistered`
 * when a life holds the key. Only for `Self.register`: nothing else can add to a registry.
 */
export function hold<K, M>(registry: Registry<K, M>, key: K, life: Ref<M>): Hold {
  return holdIn(registry, key, life);
}

/** An address that names a key instead of a life. */
export class Via<K, M> implements Ref<M> {
  readonly #registry: Registry<K, M>;
  readonly #key: K;

  constructor(registry: Registry<K, M>, key: K) {
    this.#registry = registry;
    this.#key = key;
  }

  get id(): string {
    return `via ${String(this.#key)}`;
  }

  /** The address of the life that holds the key now. */
  get holder(): Ref<M> | undefined {
    return this.#registry.whereis(this.#key);
  }

  send(message: M): void {
    this.holder?.send(message);
  }

  ask<T>(question: (reply: Reply<T>) => M, timeoutMs?: number): Promise<T> {
    return this.holder?.ask(question, timeoutMs) ?? Promise.reject(noProcess(this.id));
  }
}

/** Wraps `actor` so that each of its lives registers under `key` before it starts; throws `AlreadyRegistered` in a start that finds the key held. */
export function named<K, M>(registry: Registry<K, M>, key: K, actor: Actor<M>): Actor<M> {
  return (self) => {
    self.register(registry, key);
    return actor(self);
  };
}
