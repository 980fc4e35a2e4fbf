import type { IncomingMessage, ServerResponse } from 'node:http';

/** Sends a page of HTML. */
export function sendHtml(response: ServerResponse, page: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(page);
}

/** Returns the parameters of a request's query. */
export function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URL(url, 'http://practice').searchParams;
}

/** The longest body that is read, in characters. */
const longest = 1_048_576;

/** Reads the body of a request; throws an `Error` for one of more than 1 MiB. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const bytes of request) {
    body += String(bytes);
    if (body.length > longest) throw new Error(`expected a body of at most ${longest} characters`);
  }
  return body;
}

/** Reads the fields of a submitted form. */
export async function fieldsOf(request: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams(await bodyOf(request));
}
