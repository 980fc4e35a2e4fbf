import type { FetchRequest, RequestBody } from './request.ts';

/** A request as it goes out. */
export interface Outgoing {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Writes out what a request asks for, over the headers that every request has. */
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
      ...(body !== undefined && { 'content-type': contentTypeOf(body) }),
      ...(validators?.etag !== undefined && { 'if-none-match': validators.etag }),
      ...(validators?.lastModified !== undefined && { 'if-modified-since': validators.lastModified }),
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
