import { defined } from '../../defined.ts';
import { isChallengeHead } from '../challenge.ts';
import type { FetchFailure } from '../failure.ts';
import type { Validators } from '../page.ts';
import { withoutUser } from '../site.ts';

/** The head of a response. */
export interface Head {
  readonly status: number;
  /** Repeated headers are joined; without cookies. */
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
  /** Wall time. */
  readonly observedAt: number;
}

/** An outcome that the head alone decides, so that the body is not wanted, or only its beginning. */
export type HeadVerdict =
  | { readonly kind: 'redirect'; readonly status: number; readonly url: string }
  | { readonly kind: 'unmodified'; readonly observedAt: number; readonly validators: Validators }
  | { readonly kind: 'failure'; readonly failure: FetchFailure };

type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const none: readonly string[] = [];

/** Longer validators are ignored: they are stored with each page and sent back each time. In characters. */
const maxValidatorLength = 1_024;

/** Reads the head of a response. `observedAt` is wall time. */
export function readHead(status: number, raw: RawHeaders, observedAt: number): Head {
  const headers: Record<string, string> = {};
  let setCookies = none;
  for (const name of Object.keys(raw)) {
    const value = raw[name];
    if (value === undefined) continue;
    if (name === 'set-cookie') setCookies = typeof value === 'string' ? [value] : value;
    else headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return { status, headers, setCookies, observedAt };
}

/** @param sent - the validators of the request: without any, nothing can be unmodified. */
export function judge(head: Head, base: URL, sent: Validators | undefined): HeadVerdict | undefined {
  const { status, headers, observedAt } = head;
  // What answers in the site's place may well say 200 or 202.
  if (status < 300)
    return isChallengeHead(headers) ? { kind: 'failure', failure: { code: 'status', status } } : undefined;
  if (redirects.has(status)) return redirected(status, headers['location'] ?? '', base);
  if (status === 304 && sent !== undefined)
    return { kind: 'unmodified', observedAt, validators: { ...sent, ...validatorsOf(head) } };
  const hint = defined({ retryAfterMs: retryAfterMs(headers, observedAt) });
  return { kind: 'failure', failure: { code: 'status', status, ...hint } };
}

function redirected(status: number, location: string, base: URL): HeadVerdict {
  const target = location === '' ? null : URL.parse(location, base.href);
  if (target && /^https?:$/.test(target.protocol)) return { kind: 'redirect', status, url: target.href };
  return { kind: 'failure', failure: { code: 'bad_redirect', location: withoutUser(location).slice(0, 2_000) } };
}

/** The validators of a response; `undefined` if it has none that are short enough. */
export function validatorsOf({ headers }: Head): Validators | undefined {
  const [etag, lastModified] = [usable(headers['etag']), usable(headers['last-modified'])];
  return etag === undefined && lastModified === undefined ? undefined : defined({ etag, lastModified });
}

function usable(validator = ''): string | undefined {
  return validator !== '' && validator.length <= maxValidatorLength ? validator : undefined;
}

/** The `content-length`; 0 if there is none. */
export function declaredBytes({ headers }: Head): number {
  const text = headers['content-length'] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The three date formats of RFC 9110: its own, RFC 850's with two digits of year, and asctime's. */
const dateFormats = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/** A longer `retry-after` counts as this: far beyond what is honoured, and still a safe number. */
const longestSeconds = 9_999_999_999;

/** Separates the values of a repeated header, and not the parts of a date. */
const betweenValues = /,(?!\s\d{2}[ -][A-Z])/;

/**
 * The pause that a response asks for in `retry-after`, in milliseconds, given in seconds or as a date; `undefined` if
 * it asks for none. A date is compared with the response's own `date` if it has one, since clocks differ. Of several
 * values the longest counts.
 *
 * @param now - wall time.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const values = headers['retry-after']?.split(betweenValues) ?? [];
  const answeredAt = httpDate(headers['date']?.trim() ?? '', now) ?? now;
  const asked = values.map((value) => waitMs(value.trim(), answeredAt, now)).filter((ms) => ms !== undefined);
  return asked.length === 0 ? undefined : Math.max(...asked);
}

function waitMs(text: string, answeredAt: number, now: number): number | undefined {
  if (/^\d+$/.test(text)) return Math.min(Number(text), longestSeconds) * 1_000;
  const until = httpDate(text, now);
  return until === undefined ? undefined : Math.max(0, until - answeredAt);
}

/** Parses a date of HTTP. A year of two digits is the one less than 50 years ahead. */
function httpDate(text: string, now: number): number | undefined {
  const parts = dateFormats.map((format) => format.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!parts) return undefined;
  const { day = '', month = '', year = '', time = '' } = parts;
  const [hours, minutes, seconds] = time.split(':').map(Number);
  const monthIndex = months.indexOf(month);
  if (monthIndex === -1) return undefined;
  const at = Date.UTC(fullYear(year, now), monthIndex, Number(day), hours, minutes, seconds);
  return Number.isNaN(at) ? undefined : at;
}

function fullYear(digits: string, now: number): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  const thisYear = new Date(now).getUTCFullYear();
  const guess = thisYear - (thisYear % 100) + year;
  return guess >= thisYear + 50 ? guess - 100 : guess;
}

/**
 * The next page of a list by a `Link` header (RFC 8288), as an absolute http or https URL; `undefined` if it names
 * none.
 */
export function nextOf(header: string, base: string): string | undefined {
  for (const [, target = '', params = ''] of header.matchAll(/<([^<>]{0,2083})>([^<]*)/g)) {
    if (!relationsOf(params).includes('next')) continue;
    const url = URL.parse(target, base);
    if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  }
  return undefined;
}

/** The relation types of a link, from its parameters. The first `rel` counts. */
function relationsOf(params: string): readonly string[] {
  const all = [...params.matchAll(/;\s*([^\s=;,"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g)];
  const rel = all.find(([, name = '']) => name.toLowerCase() === 'rel');
  return (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().split(/\s+/);
}
