import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Role } from '../schema/role.ts';

/** Who sent a request: the token or the log-in that it carries. */
export interface Caller {
  readonly id: string;
  readonly label: string;
  /** The id of the token by which it came; missing for a log-in by a one-time code. */
  readonly token?: string;
  readonly role: Role;
  /** The address of the request; missing where that is not known. */
  readonly from?: string;
  /** It sees only projects that have one of these labels; missing where it sees all. */
  readonly labels?: readonly string[];
  /** It works on the tickets and the definitions of these sources alone; missing where it may on all. */
  readonly sources?: readonly string[];
}

/** A request on its way: what is known of it so far. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The verb, in which a `HEAD` is a `GET`. */
  readonly verb: string;
  /** Where in the server it leads: its path begins below `base`. */
  readonly url: URL;
  /** The path that everything is below: empty, or as `/heronry`. */
  readonly base: string;
  /** The address of the client. */
  readonly client: string;
  /** The origin at which the server was asked; empty until the request was found to be for it. */
  origin: string;
  caller?: Caller;
}

/** Sent with every answer: nothing of it may be kept, framed or taken for another type. */
export const ownHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Sends what was read, or 304 with no body where the caller has it already. */
export function sendRead(exchange: Exchange, text: string, type?: string): void {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  exchange.response.setHeader('etag', tag);
  const known = exchange.request.headers['if-none-match'] ?? '';
  const isKnown = known === '*' || known.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
  if (isKnown) send(exchange, 304, '');
  else send(exchange, 200, text, type);
}

/** Sends an answer of JSON, or of another type. */
export function send(
  { response }: Pick<Exchange, 'response'>,
  status: number,
  text: string | Buffer,
  type = 'application/json',
): void {
  response.statusCode = status;
  if (status !== 304) response.setHeader('content-type', type).setHeader('content-length', Buffer.byteLength(text));
  response.end(text);
}

/** Sends a browser on to a path below `base`, to be asked for by `GET`. */
export function redirect(exchange: Exchange, path: string): void {
  exchange.response.setHeader('location', exchange.base + path);
  send(exchange, 303, '', 'text/plain');
}
