import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';

/** How long a page waits for an answer, in milliseconds. An answer that took longer is a slow one. */
const waitMs = 100;

/** How old an answer may be that a page shows, in milliseconds. */
const shownMs = 300_000;

/** A slow answer is asked for again after so many times the time that it took. */
const restFactor = 20;

/** The most answers that are kept; those that were not asked for the longest go. */
const mostKept = 500;

/** What is known of one answer. */
interface Known<T> {
  /** The newest answer; missing before there is one. */
  answer?: { readonly of: T; readonly endedAt: number; readonly tookMs: number };
  underWay?: Promise<void> | undefined;
}

/**
 * Shares the answers of methods that walk over all targets among all pages. No page waits long for one: a slow answer is shown for a while, and is
 * asked for again in the background. However often pages are loaded, that takes at most a twentieth of the time.
 */
export class SlowAnswers {
  readonly #clock: Clock;
  readonly #known = new LRUCache<string, Known<unknown>>({ max: mostKept });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the present answer where it comes within 100 ms, else one of the last five minutes; `undefined` where there is none yet. Rejects with
   * what `ask` rejects with.
   *
   * @param key - names the method and all that its answer depends on.
   */
  async find<T>(key: string, ask: () => Promise<T>): Promise<T | undefined> {
    // What a key stands for always has an answer of the same type.
    const entry = (this.#known.get(key) ?? {}) as Known<T>;
    this.#known.set(key, entry);
    const last = this.#shown(entry);
    const isSlow = last !== undefined && last.tookMs > waitMs;
    if (isSlow && this.#clock.monotonic() < last.endedAt + restFactor * last.tookMs) return last.of;
    entry.underWay ??= this.#ask(entry, ask);
    if (!isSlow) await this.#soon(entry.underWay);
    return this.#shown(entry)?.of;
  }

  #shown<T>({ answer }: Known<T>): Known<T>['answer'] {
    return answer !== undefined && this.#clock.monotonic() - answer.endedAt < shownMs ? answer : undefined;
  }

  #ask<T>(entry: Known<T>, ask: () => Promise<T>): Promise<void> {
    const startedAt = this.#clock.monotonic();
    const work = ask()
      .then((of) => {
        const endedAt = this.#clock.monotonic();
        entry.answer = { of, endedAt, tookMs: endedAt - startedAt };
      })
      .finally(() => {
        entry.underWay = undefined;
      });
    // Whoever waits for it is told; the next page asks again.
    work.catch(() => undefined);
    return work;
  }

  async #soon(work: Promise<void>): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = this.#clock.at(this.#clock.monotonic() + waitMs, resolve);
    try {
      await Promise.race([work, over]);
    } finally {
      this.#clock.cancel(timer);
    }
  }
}
