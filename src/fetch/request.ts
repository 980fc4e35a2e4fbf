import type { BodyHold } from './body-budget.ts';
import type { FetchFailure } from './failure.ts';
import type { Page } from './page.ts';

/** How long one exchange may take and how much it may bring. They run in real time, not on the clock between requests. */
export interface FetchLimits {
  /** Until a connection stands, TLS included. */
  readonly connectMs: number;
  /** From there to the end of the response head, however lively it drips in. */
  readonly headersMs: number;
  /** The longest silence within the body. */
  readonly bodyMs: number;
  /** The whole exchange, decoding included. */
  readonly totalMs: number;
  /** Of the body, as sent and as decoded. */
  readonly maxBytes: number;
}

/** The limits of a source that sets none. */
export const defaultLimits: FetchLimits = {
  connectMs: 10_000,
  headersMs: 30_000,
  bodyMs: 30_000,
  totalMs: 180_000,
  maxBytes: 32 * 1024 * 1024,
};

/** One HTTP exchange to be made. */
export interface FetchRequest {
  readonly url: string;
  /** Default `GET`. */
  readonly method?: string;
  /** Sent over those of the client; a name of any case replaces it. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits: FetchLimits;
  /** Whether loopback may be asked. Anything else is refused until addresses are vetted by source. */
  readonly allowPrivate: boolean;
}

/** What the client must know of its caller for one exchange. */
export interface FetchOptions {
  /** Ends the exchange with the failure `cancelled`. */
  readonly signal: AbortSignal;
  /** Charged with the body's bytes until the caller releases it; by default they count only until the page is handed over. */
  readonly hold?: BodyHold;
  /** Wall time. */
  now(): number;
  /** Called once, when the request has been written; never for one that did not get so far. */
  onSent(): void;
}

/** What an exchange cost, however it ended. */
export interface FetchCost {
  /** The response's status, if a head came. */
  readonly status?: number;
  readonly encodedBytes: number;
  readonly elapsedMs: number;
}

/** How one exchange ended. A redirect is an outcome: each hop is a step, and takes a turn, of its own. */
export type FetchOutcome =
  | { readonly kind: 'page'; readonly page: Page }
  | { readonly kind: 'redirect'; readonly url: string; readonly cost: FetchCost }
  | { readonly kind: 'failure'; readonly failure: FetchFailure; readonly cost: FetchCost };
