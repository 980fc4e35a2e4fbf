import type { Clock } from '../../clock.ts';
import type { StepResult } from './protocol.ts';

/** What was handed over and is not acknowledged after so long is of no use, as that of a scrape that was cancelled, in ms. */
const unacknowledgedMs = 60_000;

/**
 * How long a result of an earlier life waits for who asks for it, in ms. A page is asked for again only when the turn of its target comes, which a long line of
 * others at its host may put off. Its values are of when it was read, so that those of an objective that is shorter are asked for once more.
 */
export const unclaimedMs = 3_600_000;

interface Kept {
  /** Resolves when the queue need not keep it any more. */
  readonly gone: PromiseWithResolvers<void>;
  readonly timer: number;
}

/** A result by the id of its step. */
export interface FoundResult {
  readonly id: string;
  readonly result: StepResult;
}

/**
 * The results that their queue keeps: those that were handed over, until what they brought is written, and those of an earlier life, until the same
 * is asked for again.
 */
export class KeptResults {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  readonly #unclaimed = new Map<string, FoundResult>();
  /** The ids of results that an earlier life had in hand: they come once more, when its lock is over. */
  readonly #adopted = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when a result that came before is acknowledged; `undefined` for one that did not. */
  of(id: string): Promise<void> | undefined {
    return this.#kept.get(id)?.gone.promise ?? (this.#adopted.has(id) ? Promise.resolve() : undefined);
  }

  /** Takes up a result that was in the queue when the daemon started. */
  adopt(found: FoundResult): void {
    this.#adopted.add(found.id);
    void this.park(found);
  }

  /** Keeps a result that is handed over now. Resolves when it is acknowledged. */
  handOver(id: string): Promise<void> {
    // The queue may wait already for one that was parked.
    return this.#keep(id, unacknowledgedMs, this.#drop(id)?.gone);
  }

  /** Keeps a result that nobody waits for. Resolves when it is acknowledged, or was not claimed in time. */
  async park(found: FoundResult): Promise<void> {
    const { key } = found.result;
    this.#unclaimed.set(key, found);
    await this.#keep(found.id, unclaimedMs);
    if (this.#unclaimed.get(key) === found) this.#unclaimed.delete(key);
  }

  /** Hands over the result of a step with a key; `undefined` where there is none. */
  claim(key: string): FoundResult | undefined {
    const found = this.#unclaimed.get(key);
    this.#unclaimed.delete(key);
    return found;
  }

  acknowledge(id: string): void {
    const kept = this.#drop(id);
    kept?.gone.resolve();
  }

  /** Lets all stay in their queue. */
  close(): void {
    for (const id of this.#kept.keys()) this.#drop(id);
  }

  #keep(id: string, ms: number, gone = Promise.withResolvers<void>()): Promise<void> {
    const timer = this.#clock.at(this.#clock.monotonic() + ms, () => this.acknowledge(id));
    this.#kept.set(id, { gone, timer });
    return gone.promise;
  }

  #drop(id: string): Kept | undefined {
    const kept = this.#kept.get(id);
    if (kept !== undefined) this.#clock.cancel(kept.timer);
    this.#kept.delete(id);
    return kept;
  }
}
