import { noProcess } from './call.ts';
import { AlreadyRegistered } from './errors.ts';
import type { Ref, Reply } from './types.ts';

/** A key held in some registry. */
export interface Hold {
  readonly registry: unknown;
  readonly key: unknown;
  /** Frees the key, unless another life holds it by now. */
  release(): void;
}

/** Lives by key. A key is held by one life at a time, and is free again before anyone is told of that life's end. */
export class Registry<K, M> {
  readonly #holders = new Map<K, Ref<M>>();

  get size(): number {
    return this.#holders.size;
  }

  keys(): IterableIterator<K> {
    return this.#holders.keys();
  }

  whereis(key: K): Ref<M> | undefined {
    return this.#holders.get(key);
  }

  /** An address that looks `key` up at each use: without a holder, a message is dropped and a question rejects with `noproc`. */
  via(key: K): Ref<M> {
    return new Via(this, key);
  }

  /** Gives `key` to a life, which must free it when it ends; `Self.register` does both. */
  hold(key: K, life: Ref<M>): Hold {
    const holder = this.#holders.get(key);
    if (holder !== undefined) throw new AlreadyRegistered(String(key), holder.id);
    this.#holders.set(key, life);
    const release = (): void => {
      if (this.#holders.get(key) === life) this.#holders.delete(key);
    };
    return { registry: this, key, release };
  }
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

  /** Who holds the key now. */
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
