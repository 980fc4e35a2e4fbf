import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { cacheTime } from '../clock.ts';
import { Refusal } from './problem.ts';

/** How long the answer to a change with an `Idempotency-Key` is remembered, how many are, and how many characters of them. */
const rememberedMs = 86_400_000;
const mostAnswers = 10_000;
const mostLength = 16 * 1_048_576;

/** An answer to a change: its status and the text of its body. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Whether the same request may be answered otherwise later, as when the store was full. */
  readonly isPassing: boolean;
}

/** A change as its `Idempotency-Key` names it. */
export interface KeyedChange {
  readonly token: string;
  readonly key: string;
  readonly verb: string;
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Remembers the answers to changes by their `Idempotency-Key`, so that one that is sent again is made once. They are lost with the process. */
export class Repeats {
  readonly #answers: LRUCache<string, { readonly digest: string; readonly answer: Promise<Answer> }>;

  constructor(monotonic: () => number) {
    this.#answers = new LRUCache({
      max: mostAnswers,
      ttl: rememberedMs,
      maxSize: mostLength,
      ...cacheTime(monotonic),
    });
  }

  /**
   * Answers a change as it was answered before, also while that is under way; makes it the first time. Throws a `Refusal` where the
   * same token used the key for another change.
   */
  answer({ token, key, verb, path, params }: KeyedChange, make: () => Promise<Answer>): Promise<Answer> {
    const name = JSON.stringify([token, key]);
    const digest = createHash('sha256')
      .update(JSON.stringify([verb, path, params]))
      .digest('base64');
    const before = this.#answers.get(name);
    if (before !== undefined) {
      if (before.digest === digest) return before.answer;
      throw new Refusal('key_reused', 'idempotency-key: expected another one, as it stands for another request');
    }
    const answer = make();
    const entry = { digest, answer };
    this.#answers.set(name, entry, { size: 1_000 });
    answer.then(
      ({ isPassing, text }) => {
        if (isPassing) this.#forget(name, entry);
        else this.#answers.set(name, entry, { size: 1_000 + text.length });
      },
      () => this.#forget(name, entry),
    );
    return answer;
  }

  #forget(name: string, entry: { readonly digest: string }): void {
    if (this.#answers.get(name) === entry) this.#answers.delete(name);
  }
}
