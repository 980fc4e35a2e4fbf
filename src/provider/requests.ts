import { privateReach } from '../definition/loopback.ts';
import type { Source } from '../definition/source.ts';
import type { Validators } from '../fetch/page.ts';
import type { FetchRequest } from '../fetch/request.ts';
import { defined } from '../defined.ts';
import type { Hop, ListPlace } from './provider.ts';

/** The request for a page of a source. It is conditional on the copy unless it has a body, since a copy cannot stand for such a page. */
export function pageRequest(
  source: Source,
  url: string,
  copy: Validators | undefined,
  hop: Hop = { keepsMethod: true, isHome: true },
  more?: ListPlace['body'],
): FetchRequest {
  const { headers } = hop.isHome ? source.request : { headers: {} };
  const isWhole = hop.isHome && hop.keepsMethod;
  const method = isWhole ? source.request.method : undefined;
  const body = isWhole ? bodyOf(source, more) : undefined;
  const { etag, lastModified } = copy ?? {};
  const validators = defined({ etag, lastModified });
  return {
    ...requestOf(source, url),
    ...defined({
      headers: Object.keys(headers).length > 0 ? headers : undefined,
      method,
      body,
      validators: copy !== undefined && body === undefined && method !== 'POST' ? validators : undefined,
    }),
  };
}

/** The body of a request, with the fields that name the page of a list. */
function bodyOf({ feed, request: { fields: form, json } }: Source, more: ListPlace['body']): FetchRequest['body'] {
  if (more === undefined) return form === undefined ? (json === undefined ? undefined : { json }) : { form };
  if (feed?.in !== 'json') {
    const fields = Object.entries(more).map(([name, value]) => [name, String(value)] as const);
    return { form: { ...form, ...Object.fromEntries(fields) } };
  }
  return {
    json: typeof json === 'object' && json !== null && !Array.isArray(json) ? { ...json, ...more } : { ...more },
  };
}

/** A request without anything that the definition has sent, within the limits of its source. */
export function requestOf(source: Source, url: string): FetchRequest {
  const { limits } = source;
  return {
    url,
    limits: {
      connectMs: limits.connect,
      headersMs: limits.headers,
      bodyMs: limits.body,
      totalMs: limits.total,
      maxBytes: limits.maxBytes,
    },
    allowPrivate: privateReach(source, url),
  };
}
