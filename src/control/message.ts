import { ControlError, errorNumbers, type ControlErrorCode, type ParamIssue } from './error.ts';
import type { Event } from '../event/catalogue.ts';
import { isMapping } from '../schema/mapping.ts';

/** The longest line that a client may send, in bytes: a project with as many targets as it may have, whose addresses are as long as they may be. */
export const lineLimitBytes = 4_194_304;

/** The most levels of objects and lists that a line may have: what handles parameters may go down them level by level. */
export const maxLevels = 64;

/** The id that a client gives a request, by which it knows the answer. */
export type RequestId = string | number | null;

/** A JSON-RPC request; one without an id gets no answer. */
export interface RpcRequest {
  readonly id?: RequestId;
  readonly method: string;
  readonly params: unknown;
}

/** A line of the server: an answer, or a notification to a subscriber. */
export type ServerMessage =
  | { readonly id: RequestId; readonly result: unknown }
  | { readonly id: RequestId; readonly error: WireError }
  | { readonly method: 'event'; readonly params: { readonly subscription: RequestId; readonly event: Event } }
  | { readonly method: 'lagged'; readonly params: { readonly subscription: RequestId; readonly after: number } };

interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly code: ControlErrorCode; readonly issues?: readonly ParamIssue[] };
}

/** A request, or the error to answer a line that is none; `id` is null where the line has none. */
export type ReadRequest =
  | { readonly ok: true; readonly request: RpcRequest }
  | { readonly ok: false; readonly id: RequestId; readonly error: ControlError };

/** Reads a line of a client as a request. */
export function readRequest(line: string): ReadRequest {
  if (isDeeperThan(maxLevels, line)) return refuse(null, invalid(`expected at most ${maxLevels} levels of nesting`));
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch (cause) {
    return refuse(null, new ControlError('not_json', 'expected one JSON-RPC request per line, got no JSON', { cause }));
  }
  if (Array.isArray(message)) return refuse(null, invalid('batches are not served: send one request per line'));
  if (!isMapping(message)) return refuse(null, invalid(`expected an object, got ${JSON.stringify(message)}`));
  const { id, method, params, jsonrpc } = message;
  if (id !== undefined && !isRequestId(id)) return refuse(null, invalid('id: expected a string or a number'));
  const answerId = id ?? null;
  if (jsonrpc !== '2.0') return refuse(answerId, invalid('jsonrpc: expected "2.0"'));
  if (typeof method !== 'string') return refuse(answerId, invalid('method: expected a string'));
  return { ok: true, request: id === undefined ? { method, params } : { id, method, params } };
}

/** Whether a JSON text has more levels than that; nothing is built of it, nor does it have to be JSON. */
export function isDeeperThan(levels: number, text: string): boolean {
  let level = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isText = !isText;
    else if (isText) at += character === '\\' ? 1 : 0;
    else if (character === '{' || character === '[') level += 1;
    else if (character === '}' || character === ']') level -= 1;
    if (level > levels) return true;
  }
  return false;
}

/** Makes the line that answers a request. */
export function resultLine(id: RequestId, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result)}}\n`;
}

/** Makes the line that says why a request is not served. */
export function errorLine(id: RequestId, error: ControlError): string {
  const { code, message, issues } = error;
  const wire: WireError = {
    code: errorNumbers[code],
    message,
    data: { code, ...(issues.length > 0 && { issues }) },
  };
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(wire)}}\n`;
}

/** Makes the line that notifies a subscriber of an event. */
export function eventLine(subscription: RequestId, event: Event): string {
  return `${JSON.stringify({ jsonrpc: '2.0', method: 'event', params: { subscription, event } })}\n`;
}

/**
 * Makes the line that ends a subscription whose next event is no longer kept; the events after the id `after` are kept.
 */
export function laggedLine(subscription: RequestId, after: number): string {
  return `${JSON.stringify({ jsonrpc: '2.0', method: 'lagged', params: { subscription, after } })}\n`;
}

function isRequestId(id: unknown): id is RequestId {
  return id === null || typeof id === 'string' || typeof id === 'number';
}

function refuse(id: RequestId, error: ControlError): ReadRequest {
  return { ok: false, id, error };
}

function invalid(message: string): ControlError {
  return new ControlError('invalid_request', message);
}
