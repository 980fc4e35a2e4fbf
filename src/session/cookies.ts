import { Cookie, CookieJar } from 'tough-cookie';

/** The largest number and size of the cookies of one source. Browsers keep cookies of up to 4,096 bytes, too. */
export interface CookieLimits {
  readonly count: number;
  readonly bytesEach: number;
  readonly bytesInAll: number;
}

/** The limits of every source. */
const defaultCookieLimits: CookieLimits = { count: 200, bytesEach: 4_096, bytesInAll: 32 * 1024 };

/**
 * A cookie as it is stored: name, value, domain, path, flags (1 host only, 2 secure), and when it expires if it does.
 */
export type SavedCookie = readonly [
  name: string,
  value: string,
  domain: string,
  path: string,
  flags: number,
  expiresAt?: number,
];

/** The largest number of cookies that are read from one answer. */
const maxPerAnswer = 100;

/**
 * The cookies of one source, by RFC 6265 and the public suffix list. Beyond the limits the cookies that were set
 * longest ago are dropped first. Instants are wall time.
 */
export class Cookies {
  readonly #jar = new CookieJar(null, { allowSecureOnLocal: false });
  /** In the order in which they were last set. */
  readonly #kept = new Map<string, Cookie>();
  readonly #limits: CookieLimits;
  #bytes = 0;

  constructor(saved: Iterable<SavedCookie> = [], limits: CookieLimits = defaultCookieLimits) {
    this.#limits = limits;
    for (const each of saved) this.#restore(each);
  }

  get size(): number {
    return this.#kept.size;
  }

  /** The `Cookie` header of a request for `url`; `undefined` if no cookie belongs there. */
  headerFor(url: string, now: number): string | undefined {
    // The jar takes the address apart even if it is empty, as it is for most sites.
    if (this.#kept.size === 0) return undefined;
    this.#expire(now);
    const cookies = this.#jar.getCookiesSync(url, { expire: false, sort: true });
    return cookies.length === 0 ? undefined : cookies.map((cookie) => cookie.cookieString()).join('; ');
  }

  /**
   * Takes the `Set-Cookie` headers of an answer, and ignores those that the answer may not set. Returns the number of
   * cookies that were dropped for the limits.
   */
  take(url: string, setCookies: readonly string[], now: number): number {
    let dropped = 0;
    for (const text of setCookies.slice(0, maxPerAnswer)) dropped += this.#takeOne(url, text, now);
    this.#expire(now);
    return dropped + this.#shrink();
  }

  save(now: number): SavedCookie[] {
    this.#expire(now);
    return Array.from(this.#kept.values(), savedOf);
  }

  #takeOne(url: string, text: string, now: number): number {
    if (text.length > 4 * this.#limits.bytesEach) return 1;
    const cookie = Cookie.parse(text);
    if (cookie === undefined || !isSendable(cookie)) return 0;
    if (bytesOf(cookie) > this.#limits.bytesEach) return 1;
    makeExpiryAbsolute(cookie, now);
    const set = this.#jar.setCookieSync(cookie, url, { now: new Date(now), ignoreError: true });
    if (set !== undefined) this.#keep(set);
    return 0;
  }

  #restore([name, value, domain, path, flags, expiresAt]: SavedCookie): void {
    const cookie = new Cookie({
      key: name,
      value,
      domain,
      path,
      hostOnly: (flags & 1) !== 0,
      secure: (flags & 2) !== 0,
      expires: expiresAt === undefined ? 'Infinity' : new Date(expiresAt),
    });
    void this.#jar.store.putCookie(cookie);
    this.#keep(cookie);
  }

  #keep(cookie: Cookie): void {
    const id = idOf(cookie);
    const before = this.#kept.get(id);
    if (before !== undefined) this.#bytes -= bytesOf(before);
    this.#kept.delete(id);
    this.#kept.set(id, cookie);
    this.#bytes += bytesOf(cookie);
  }

  #remove(cookie: Cookie): void {
    this.#kept.delete(idOf(cookie));
    this.#bytes -= bytesOf(cookie);
    void this.#jar.store.removeCookie(cookie.domain, cookie.path, cookie.key);
  }

  #expire(now: number): void {
    for (const cookie of this.#kept.values()) {
      if (cookie.expires instanceof Date && cookie.expires.getTime() <= now) this.#remove(cookie);
    }
  }

  #shrink(): number {
    let dropped = 0;
    for (const cookie of this.#kept.values()) {
      if (this.#kept.size <= this.#limits.count && this.#bytes <= this.#limits.bytesInAll) break;
      this.#remove(cookie);
      dropped += 1;
    }
    return dropped;
  }
}

/**
 * Converts `Max-Age` to an instant: the library counts it by the machine's clock, from when the cookie was last sent.
 */
function makeExpiryAbsolute(cookie: Cookie, now: number): void {
  if (typeof cookie.maxAge !== 'number') return;
  cookie.expires = new Date(cookie.maxAge > 0 ? Math.min(now + cookie.maxAge * 1_000, 8.64e15) : 0);
  cookie.maxAge = null;
}

/** Whether a header can hold the cookie. The client would throw when it is sent otherwise. */
function isSendable({ key, value }: Cookie): boolean {
  return /^[\x20-\x7e\x80-\xff]*$/.test(key + value);
}

function idOf({ domain, path, key }: Cookie): string {
  return JSON.stringify([domain, path, key]);
}

function bytesOf({ key, value }: Cookie): number {
  return Buffer.byteLength(key) + Buffer.byteLength(value);
}

function savedOf(cookie: Cookie): SavedCookie {
  const { key, value, domain, path, hostOnly, secure, expires } = cookie;
  const flags = (hostOnly === true ? 1 : 0) + (secure ? 2 : 0);
  const saved = [key, value, domain ?? '', path ?? '/', flags] as const;
  return expires instanceof Date ? [...saved, expires.getTime()] : saved;
}
