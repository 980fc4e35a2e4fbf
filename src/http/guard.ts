import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './problem.ts';

/** The names by which this machine itself may be addressed. */
const ownNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Refuses a request that another site may have had a browser send: one for a name that is not this machine's own, as after DNS
 * rebinding, and one of another origin. Programs send no `Origin`.
 */
export function checkOrigin(headers: IncomingHttpHeaders): void {
  const { host = '', origin } = headers;
  if (!ownNames.has(host.replace(/:\d+$/, '').toLowerCase()))
    throw new Refusal(
      'wrong_host',
      `host: expected 127.0.0.1, localhost or [::1], got ${JSON.stringify(host.slice(0, 100))}`,
    );
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new Refusal('cross_site', 'other sites may not use this API');
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    throw new Refusal('cross_site', 'pages of other origins may not use this API');
}

/** Returns the token that a request carries; nothing where it carries none. */
export function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,200})$/i.exec(authorization ?? '')?.[1];
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
