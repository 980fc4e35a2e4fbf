import type { Reach } from './address.ts';
import type { BodyHold } from './body-budget.ts';
import type { FetchFailure } from './failure.ts';
import type { Page, Validators } from './page.ts';

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

/** The longest URL that is asked for. */
export const maxUrlLength = 2_083;

/** What a request brings along; each kind says its `content-type` unless the request's headers do. */
export type RequestBody =
  /** Fields in order; a list is a field that is repeated. */
  | { readonly form: Readonly<Record<string, string | readonly string[]>> }
  /** Anything that JSON can say. */
  | { readonly json: unknown }
  | { readonly text: string };

/** An HTTP proxy to go through. */
export interface Proxy {
  /** `http:` or `https:`. */
  readonly url: string;
  /** The whole value of `Proxy-Authorization`. */
  readonly authorization?: string;
}

/** One HTTP exchange to be made, and what it may reach. */
export interface FetchRequest extends Reach {
  /** At most `maxUrlLength` characters. */
  readonly url: string;
  /** Default `GET`, or `POST` with a body. */
  readonly method?: string;
  /** Sent over those of the client; a name of any case replaces it. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  /** Of the copy that is had already: asks for the page only if it is another by now. */
  readonly validators?: Validators;
  readonly proxy?: Proxy;
  readonly limits: FetchLimits;
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

/**
 * How one exchange ended. A redirect is an outcome: each hop is a step, and takes a turn, of its own; its `status` says
 * whether the method changes on the way. `unmodified` is the answer to `validators`: the copy is still good.
 */
export type FetchOutcome = {
  /** Each `Set-Cookie` of the response by itself; they are in no other headers. */
  readonly setCookies: readonly string[];
  /** Requests besides this one that a browser made for the page, as far as they ask for data: no scripts, no style sheets. */
  readonly more?: number;
  /** The few headers of the response by which a challenge is told from content; those of a page are all in the page. */
  readonly signs?: Readonly<Record<string, string>>;
} & (
  | { readonly kind: 'page'; readonly page: Page }
  | {
      readonly kind: 'unmodified';
      /** Wall time at which the response head came: the copy was good then. */
      readonly observedAt: number;
      /** Those of the response over those of the request. */
      readonly validators: Validators;
      readonly cost: FetchCost;
    }
  | { readonly kind: 'redirect'; readonly status: number; readonly url: string; readonly cost: FetchCost }
  | { readonly kind: 'failure'; readonly failure: FetchFailure; readonly cost: FetchCost }
);
