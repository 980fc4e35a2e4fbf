import type { FetchFailure } from '../failure.ts';

/** Why a page is not read to its end. */
export type Ended =
  | { readonly kind: 'failure'; readonly failure: FetchFailure }
  /** The page sends its reader elsewhere by itself. */
  | { readonly kind: 'moved'; readonly url: string };

/** The early end of one rendering: the first reason counts. */
export class Ending {
  readonly #controller = new AbortController();
  readonly #told = Promise.withResolvers<Ended>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #reason: Ended | undefined;

  /** @param signal - ends it as cancelled. */
  constructor(signal: AbortSignal) {
    const cancel = (): void => this.fail({ code: 'cancelled' });
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true, signal: this.#controller.signal });
  }

  /** Resolves when there is a reason; never rejects. */
  get told(): Promise<Ended> {
    return this.#told.promise;
  }

  get reason(): Ended | undefined {
    return this.#reason;
  }

  /** Fires with the reason, or when none can come any more. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  fail(failure: FetchFailure): void {
    this.tell({ kind: 'failure', failure });
  }

  tell(ended: Ended): void {
    if (this.#reason) return;
    this.#reason = ended;
    this.#told.resolve(ended);
    this.#controller.abort();
  }

  failAfter(ms: number, failure: FetchFailure): void {
    if (this.signal.aborted) return;
    this.#timers.add(setTimeout(() => this.fail(failure), Math.max(0, ms)));
  }

  /** Lets no more reasons come from outside. */
  rest(): void {
    this.#controller.abort();
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
