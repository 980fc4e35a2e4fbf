import { isChallengeHead } from './challenge.ts';
import type { FetchFailure } from './failure.ts';
import type { Validators } from './page.ts';
import { retryAfterMs } from './retry-after.ts';

/** The head of a response. */
export interface Head {
  readonly status: number;
  /** Repeated headers joined; without cookies. */
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
  /** Wall time. */
  readonly observedAt: number;
}

/** What a head alone decides; the body is then of no interest, or of little. */
export type Verdict =
  | { readonly kind: 'redirect'; readonly status: number; readonly url: string }
  | { readonly kind: 'unmodified'; readonly observedAt: number; readonly validators: Validators }
  | { readonly kind: 'failure'; readonly failure: FetchFailure };

type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const none: readonly string[] = [];

/** Validators longer than this are left alone: they are kept with each page and sent back each time. */
const maxValidatorLength = 1_024;

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
export function judge(head: Head, base: URL, sent: Validators | undefined): Verdict | undefined {
  const { status, headers, observedAt } = head;
  // What answers in the site's place may well say 200 or 202.
  if (status < 300)
    return isChallengeHead(headers) ? { kind: 'failure', failure: { code: 'status', status } } : undefined;
  if (redirects.has(status)) return redirected(status, headers['location'] ?? '', base);
  if (status === 304 && sent !== undefined)
    return { kind: 'unmodified', observedAt, validators: { ...sent, ...validatorsOf(head) } };
  const afterMs = retryAfterMs(headers, observedAt);
  return {
    kind: 'failure',
    failure: { code: 'status', status, ...(afterMs !== undefined && { retryAfterMs: afterMs }) },
  };
}

function redirected(status: number, location: string, base: URL): Verdict {
  const target = location === '' ? null : URL.parse(location, base.href);
  if (target && /^https?:$/.test(target.protocol)) return { kind: 'redirect', status, url: target.href };
  return { kind: 'failure', failure: { code: 'bad_redirect', location: location.slice(0, 2_000) } };
}

export function validatorsOf({ headers }: Head): Validators | undefined {
  const etag = headers['etag'] ?? '';
  const lastModified = headers['last-modified'] ?? '';
  const hasEtag = etag !== '' && etag.length <= maxValidatorLength;
  const hasLastModified = lastModified !== '' && lastModified.length <= maxValidatorLength;
  if (!hasEtag && !hasLastModified) return undefined;
  return { ...(hasEtag && { etag }), ...(hasLastModified && { lastModified }) };
}

/** 0 when the head does not say. */
export function declaredBytes({ headers }: Head): number {
  const text = headers['content-length'] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
}
