import { defined } from '../defined.ts';
import type { AddressRules } from './address.ts';
import type { BodyHold } from './body-budget.ts';
import type { ActionReport } from './action.ts';
import type { FetchFailure } from './failure.ts';
import type { Page, Validators } from './page.ts';

/** The limits of one exchange, in milliseconds of real time. */
export interface FetchLimits {
  /** The time to connect, TLS included. */
  readonly connectMs: number;
  /** The time from there to the end of the response head. */
  readonly headersMs: number;
  /** The longest silence within the body. */
  readonly bodyMs: number;
  /** The time of the whole exchange, decoding included. */
  readonly totalMs: number;
  /** The size of the body, as sent and as decoded. */
  readonly maxBytes: number;
}

/** The longest URL that is requested, in characters. */
export const maxUrlLength = 2_083;

/** The body of a request. Each kind sets its `content-type`, unless the request's headers do. */
export type RequestBody =
  /** The fields of a form, in order. A list is a repeated field. */
  | { readonly form: Readonly<Record<string, string | readonly string[]>> }
  /** Any JSON value. */
  | { readonly json: unknown }
  | { readonly text: string };

/** An HTTP proxy to go through. */
export interface HttpProxy {
  /** `http:` or `https:`. */
  readonly url: string;
  /** The value of `Proxy-Authorization`. */
  readonly authorization?: string;
}

/** A request to be made, and the addresses that it may reach. */
export interface FetchRequest extends AddressRules {
  /** At most `maxUrlLength` characters. */
  readonly url: string;
  /** Default `GET`, or `POST` with a body. */
  readonly method?: string;
  /**
   * Headers that are sent with those of the client; a header with the same name, in any case, replaces the client's.
   */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  /** The validators of an earlier copy: the page is only sent if it has changed since. */
  readonly validators?: Validators;
  readonly proxy?: HttpProxy;
  /** The media types that the body may be of, such as `image/*`; for another one it is not read. Default: all. */
  readonly accepts?: readonly string[];
  readonly limits: FetchLimits;
}

/** The caller's part in one exchange. */
export interface FetchOptions {
  /** Ends the exchange with the failure `cancelled`. */
  readonly signal: AbortSignal;
  /**
   * The share of the body budget to charge until the caller releases it. By default the body counts only until the page
   * is returned.
   */
  readonly hold?: BodyHold;
  /** Wall time. */
  now(): number;
  /** Asked when the connection is there and nothing is written yet; with `false` the exchange ends with the failure `cancelled`. Default: it may. */
  mayBeSent?(): boolean;
  /** Called once, when the request was written. */
  onSent(): void;
}

/** The cost of an exchange, however it ended. */
export interface FetchCost {
  /** The response's status, if a head came. */
  readonly status?: number;
  readonly encodedBytes: number;
  readonly elapsedMs: number;
}

/**
 * The outcome of one exchange. A redirect is an outcome, since each hop is a step with a turn of its own; its `status`
 * says whether the method changes. `unmodified` is the answer to `validators`: the copy is still good.
 */
export type FetchOutcome = {
  /** The `Set-Cookie` headers of the response, which are in no other headers. */
  readonly setCookies: readonly string[];
  /**
   * The number of further requests for data that a browser made for the page; scripts and style sheets do not count.
   */
  readonly more?: number;
  /** What was done with the page in the browser. */
  readonly actions?: readonly ActionReport[];
  /** What a rendering left out, as sentences. */
  readonly notes?: readonly string[];
  /** The headers of the response by which a challenge is recognised. A page has all headers. */
  readonly signs?: Readonly<Record<string, string>>;
} & (
  | { readonly kind: 'page'; readonly page: Page }
  | {
      readonly kind: 'unmodified';
      /** When the response head came, wall time. The copy was good then. */
      readonly observedAt: number;
      /** The validators of the request, replaced by those of the response. */
      readonly validators: Validators;
      readonly cost: FetchCost;
    }
  | { readonly kind: 'redirect'; readonly status: number; readonly url: string; readonly cost: FetchCost }
  | { readonly kind: 'failure'; readonly failure: FetchFailure; readonly cost: FetchCost }
);

/** A request as it is sent. */
export interface Outgoing {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/**
 * Builds the request to send from the request asked for and the headers that every request has. Throws for a JSON body
 * that cannot be serialised.
 */
export function outgoing(
  { method, headers, body, validators }: FetchRequest,
  always: Readonly<Record<string, string>>,
): Outgoing {
  if (headers === undefined && body === undefined && validators === undefined)
    return { method: method ?? 'GET', headers: always, body: null };
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...always,
      ...defined({
        'content-type': body && contentTypeOf(body),
        'if-none-match': validators?.etag,
        'if-modified-since': validators?.lastModified,
      }),
      ...lowerCased(headers ?? {}),
    },
    body: body === undefined ? null : textOf(body),
  };
}

function contentTypeOf(body: RequestBody): string {
  if ('form' in body) return 'application/x-www-form-urlencoded';
  return 'json' in body ? 'application/json' : 'text/plain; charset=utf-8';
}

function textOf(body: RequestBody): string {
  if ('text' in body) return body.text;
  if ('json' in body) return JSON.stringify(body.json) ?? 'null';
  const fields = new URLSearchParams();
  for (const [name, values] of Object.entries(body.form)) {
    for (const value of [values].flat()) fields.append(name, value);
  }
  return fields.toString();
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
