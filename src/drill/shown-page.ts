import type { FetchCost, FetchOutcome } from '../fetch/request.ts';
import type { DrillPage } from './mutation.ts';

/** The answer of a rehearsed site. */
export interface ShownPage extends DrillPage {
  /** Default: HTML in UTF-8. */
  readonly contentType?: string | undefined;
  /** How long it takes, in milliseconds. Default: 100. */
  readonly elapsedMs?: number;
}

/** What a rehearsed site shows at an address; nothing for 404. */
export type Show = (url: string) => ShownPage | undefined;

/**
 * The outcome of a request for an address that is answered so, as the client of the daemon gives it. An answer from another address is a
 * redirect there.
 */
export function answerOf(asked: string, shown: ShownPage | undefined, now: number): FetchOutcome {
  const { url = asked, status = 404, html = 'not found', contentType, elapsedMs = 100 } = shown ?? {};
  const body = new Uint8Array(Buffer.from(html, 'utf8')).buffer;
  const cost: FetchCost = { status, encodedBytes: body.byteLength, elapsedMs };
  if (url !== asked) return { kind: 'redirect', status: 302, url, cost: { ...cost, status: 302 }, setCookies: [] };
  if (status >= 400)
    return {
      kind: 'failure',
      failure: { code: 'status', status, excerpt: html.slice(0, 2_000) },
      cost,
      setCookies: [],
    };
  const headers = { 'content-type': contentType ?? 'text/html; charset=utf-8' };
  const page = { url, status, headers, body, observedAt: now, elapsedMs, encodedBytes: body.byteLength };
  return { kind: 'page', page, setCookies: [] };
}
