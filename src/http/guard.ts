import type { IncomingHttpHeaders } from 'node:http';
import { cookieOf } from './cookie.ts';
import type { Exchange } from './exchange.ts';
import { Refusal } from './problem.ts';

/**
 * Refuses a request that another site may have had a browser send, by its headers: one of another origin than the own. A link of
 * another site may lead to a page. Programs send no `Origin`.
 */
export function checkOrigin(headers: IncomingHttpHeaders, own: string, isLink: boolean): void {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  const isFollowed = isLink && mode === 'navigate' && destination === 'document';
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isFollowed)
    throw new Refusal('cross_site', 'other sites may not use this API');
  if (origin !== undefined && origin.toLowerCase() !== own)
    throw new Refusal('cross_site', 'pages of other origins may not use this API');
}

/**
 * Refuses a change unless a browser says that a page of the own origin sent it. Demanded wherever a cookie is the proof, as browsers
 * add it to what other sites have them send.
 */
export function checkSameOrigin({ origin, request: { headers } }: Pick<Exchange, 'origin' | 'request'>): void {
  const isOwn =
    headers.origin === undefined
      ? headers['sec-fetch-site'] === 'same-origin'
      : headers.origin.toLowerCase() === origin;
  if (!isOwn) throw new Refusal('cross_site', `expected a page of ${origin} to send this, which its Origin says`);
}

/** Refuses a request with another verb than those that its path takes. A `HEAD` is a `GET`. */
export function checkVerb({ verb }: Exchange, ...allowed: readonly string[]): void {
  if (!allowed.includes(verb)) throw wrongVerb(verb, allowed);
}

/** The refusal of a verb that a path does not take. */
export function wrongVerb(verb: string, allowed: readonly string[]): Refusal {
  const allow = allowed.join(', ');
  return new Refusal('verb_not_allowed', `expected ${allow}, got ${verb}`, { allow });
}

/** What a request proves its caller by: a token, or the cookie of a log-in. */
export interface Credential {
  readonly kind: 'token' | 'cookie';
  readonly text: string;
}

/** Whether a path is that of a feed, whose readers know no other proof than a name and a password: the token is the password, and any name will do. */
export function isFeed(pathname: string): boolean {
  return pathname.startsWith('/feeds/');
}

/** Returns what a request proves its caller by; nothing where it has nothing. One with a token says nothing by its cookie. */
export function credentialOf(exchange: Exchange): Credential | undefined {
  const { authorization = '' } = exchange.request.headers;
  const basic = isFeed(exchange.url.pathname) ? /^Basic +([\w+/=]{1,400})$/i.exec(authorization)?.[1] : undefined;
  if (basic !== undefined) {
    const password = Buffer.from(basic, 'base64')
      .toString()
      .replace(/^[^:]*:/, '');
    return { kind: 'token', text: password };
  }
  if (!/^Bearer\b/i.test(authorization)) {
    const text = cookieOf(exchange);
    return text === undefined ? undefined : { kind: 'cookie', text };
  }
  const text = /^Bearer +([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1];
  return text === undefined ? undefined : { kind: 'token', text };
}

/** The failures of one address that are answered one by one, and the time in which one of them is forgotten, in milliseconds. */
const burst = 10;
const forgetMs = 6_000;

/** The most addresses of which failures are remembered. */
const mostAddresses = 1_000;

/**
 * Counts failed authentications by address, so that one who guesses is slowed down and does not fill the log. A caller with a valid
 * token is served all the same: 256 random bits are not guessed, and nobody can lock another one out.
 */
export class Failures {
  readonly #monotonic: () => number;
  /** By address: when all its failures will be forgotten. */
  readonly #until = new Map<string, number>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Counts a failure. Returns the seconds to wait where there were too many; nothing else. */
  count(address: string): number | undefined {
    const now = this.#monotonic();
    const until = Math.max(now, this.#until.get(address) ?? 0) + forgetMs;
    const overMs = until - now - burst * forgetMs;
    if (overMs > 0) return Math.ceil(overMs / 1_000);
    this.#until.delete(address);
    this.#until.set(address, until);
    if (this.#until.size > mostAddresses) for (const oldest of this.#until.keys()) return this.#forget(oldest);
    return undefined;
  }

  #forget(address: string): undefined {
    this.#until.delete(address);
    return undefined;
  }
}
