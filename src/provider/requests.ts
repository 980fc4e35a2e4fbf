import type { Source } from '../definition/source.ts';
import type { Validators } from '../fetch/page.ts';
import type { FetchRequest } from '../fetch/request.ts';
import type { Hop, ListPlace } from './provider.ts';

/** The request for a page, as its source says; what is asked with a body is no page that a copy could stand for. */
export function pageRequest(
  source: Source,
  url: string,
  copy: Validators | undefined,
  hop: Hop = { keepsMethod: true, isHome: true },
  more?: ListPlace['body'],
): FetchRequest {
  const { headers } = hop.isHome ? source.request : { headers: {} };
  const { method, form, json } = hop.isHome && hop.keepsMethod ? source.request : {};
  const body = bodyOf(source, { form, json }, hop.isHome && hop.keepsMethod ? more : undefined);
  const { etag, lastModified } = copy ?? {};
  const validators = { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
  return {
    ...requestOf(source, url),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(method !== undefined && { method }),
    ...(body !== undefined && { body }),
    ...(copy !== undefined && body === undefined && method !== 'POST' && { validators }),
  };
}

/** What is sent with a request, with what makes it a page of its list. */
function bodyOf(
  { feed }: Source,
  {
    form,
    json,
  }: { readonly form: Source['request']['form'] | undefined; readonly json: Source['request']['json'] | undefined },
  more: ListPlace['body'],
): FetchRequest['body'] {
  if (more === undefined) return form === undefined ? (json === undefined ? undefined : { json }) : { form };
  if (feed?.in !== 'json') return { form: { ...form, ...mapValues(more, String) } };
  return {
    json: typeof json === 'object' && json !== null && !Array.isArray(json) ? { ...json, ...more } : { ...more },
  };
}

function mapValues<V, W>(all: Readonly<Record<string, V>>, change: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value)]));
}

/** A request without anything that the definition has sent, within the limits of its source. */
export function requestOf({ limits, allowPrivate }: Source, url: string): FetchRequest {
  return {
    url,
    limits: {
      connectMs: limits.connect,
      headersMs: limits.headers,
      bodyMs: limits.body,
      totalMs: limits.total,
      maxBytes: limits.maxBytes,
    },
    allowPrivate,
  };
}
