import type { FetchFailure } from '../failure.ts';
import type { FetchRequest } from '../request.ts';
import type { RenderAction } from '../action.ts';

/**
 * A request for a page as a browser shows it. Only the document takes a turn: what its scripts request belongs to the
 * same visit, as with a person's browser, and is bounded in number and size; the host rests for longer afterwards.
 * Scripts reach the page's own site, unless the source says otherwise.
 */
export interface RenderRequest extends FetchRequest {
  /** What is done with the page before it is read; by default it is read when it rests. */
  readonly actions?: readonly RenderAction[];
  /** Hosts that the page may request from besides its own site, with all hosts below them. */
  readonly hosts?: readonly string[];
  /** Whether a picture of the page is taken as it is read. */
  readonly screenshot?: true;
}

/** The limits of rendering one page, besides those of the request. Durations are milliseconds of real time. */
export interface RenderLimits {
  /** The time from the response to the serialised page. With actions, only the request's own limit counts. */
  readonly renderMs: number;
  /** The longest wait for half a second without requests; then the page is read as it is. */
  readonly settleMs: number;
  /** The number of requests of a page besides the document; further ones are refused. */
  readonly maxRequests: number;
  /** The bytes of these requests, both ways, as sent. */
  readonly maxTransferBytes: number;
  /** The memory of one process that renders pages; it is ended beyond. Watched on Linux only. */
  readonly maxProcessBytes: number;
}

/** The limits of a source that sets none. */
export const defaultRenderLimits: RenderLimits = {
  renderMs: 30_000,
  settleMs: 10_000,
  maxRequests: 100,
  maxTransferBytes: 64 * 1024 * 1024,
  maxProcessBytes: 1024 * 1024 * 1024,
};

/** Why a rendering ended early. */
export type EndReason =
  | { readonly kind: 'failure'; readonly failure: FetchFailure }
  /** `moved`: the page leads its visitor to another address by itself. `setCookies`: what was set in the browser besides what its document has set. */
  | { readonly kind: 'moved'; readonly url: string; readonly setCookies: readonly string[] };

/** The early end of one rendering. The first reason counts. */
export class EarlyEnd {
  readonly #controller = new AbortController();
  readonly #told = Promise.withResolvers<EndReason>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #reason: EndReason | undefined;

  /**
   * Ends the rendering as `cancelled` when `signal` fires.
   *
   * @param signal - of the caller.
   */
  constructor(signal: AbortSignal) {
    const cancel = (): void => this.fail({ code: 'cancelled' });
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true, signal: this.#controller.signal });
  }

  /** Resolves with the reason. Never rejects. */
  get told(): Promise<EndReason> {
    return this.#told.promise;
  }

  get reason(): EndReason | undefined {
    return this.#reason;
  }

  /** Fires when the rendering ends, early or not. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  fail(failure: FetchFailure): void {
    this.tell({ kind: 'failure', failure });
  }

  tell(ended: EndReason): void {
    if (this.#reason) return;
    this.#reason = ended;
    this.#told.resolve(ended);
    this.#controller.abort();
  }

  failAfter(ms: number, failure: FetchFailure): void {
    if (this.signal.aborted) return;
    this.#timers.add(setTimeout(() => this.fail(failure), Math.max(0, ms)));
  }

  /** Ends the rendering: no reason counts any more. */
  rest(): void {
    this.#controller.abort();
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
