import { connect as openSocket, type Socket } from 'node:net';
import { ControlError } from './error.ts';
import { Lines, tooLong } from './lines.ts';
import { lineLimitBytes, type RequestId, type ServerMessage } from './message.ts';
import type { MethodInput, Method, Result } from './methods.ts';
import type { Event } from '../event/catalogue.ts';
import { isMapping } from '../schema/mapping.ts';

/** The longest line that is accepted from a daemon, in bytes. */
const answerLimitBytes = 256 * 1_048_576;

/** Thrown where no daemon can be reached, or where it hung up. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: 'no_daemon' | 'refused' | 'hung_up' | 'bad_answer';

  constructor(code: ConnectionError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A client's connection to a daemon. */
export interface Client {
  /**
   * Calls a method. Rejects with a `ControlError` where the daemon refuses the call, and with a `ConnectionError`
   * where it hangs up.
   */
  call<M extends Method>(method: M, params: MethodInput<M>): Promise<Result<M>>;
  /** Calls a method with parameters that only the daemon checks. Rejects as `call` does. */
  callUnchecked(method: Method, params: unknown): Promise<unknown>;
  /**
   * Subscribes to events: calls `onEvent` for each until the client is closed. Resolves when the daemon has accepted
   * the subscription. Events that are no longer kept when the client could take them are left out: it calls `onLag` with
   * the id of the last one of them, and subscribes again from there.
   */
  subscribe(
    params: MethodInput<'event.subscribe'>,
    onEvent: (event: Event) => void,
    onLag?: (upTo: number) => void,
  ): Promise<Result<'event.subscribe'>>;
  /** Closes the connection; calls under way reject. */
  close(): void;
  /** Resolves when the connection has ended: with the error, or with nothing after `close`. */
  readonly closed: Promise<ConnectionError | undefined>;
}

interface PendingCall {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Subscriber {
  readonly params: MethodInput<'event.subscribe'>;
  readonly onEvent: (event: Event) => void;
  readonly onLag: (upTo: number) => void;
}

/**
 * Connects to the daemon that listens at a path. Rejects with a `ConnectionError` that says what to do where none
 * listens.
 */
export async function connect(path: string): Promise<Client> {
  return serveCalls(await open(path), path);
}

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(path);
    socket.once('error', (error: NodeJS.ErrnoException) => reject(cannotConnect(path, error)));
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}

function cannotConnect(path: string, cause: NodeJS.ErrnoException): ConnectionError {
  if (cause.code === 'EACCES' || cause.code === 'EPERM') {
    return new ConnectionError('refused', `${path}: the daemon's socket belongs to another user`, { cause });
  }
  const absent = cause.code === 'ENOENT' || cause.code === 'ECONNREFUSED' || cause.code === 'ENOTSOCK';
  if (absent)
    return new ConnectionError('no_daemon', `no daemon listens on ${path}: start one with \`heronry start\``, {
      cause,
    });
  return new ConnectionError('refused', `${path}: cannot connect: ${cause.message}`, { cause });
}

function serveCalls(socket: Socket, path: string): Client {
  const lines = new Lines(answerLimitBytes);
  const pending = new Map<RequestId, PendingCall>();
  const subscribers = new Map<RequestId, Subscriber>();
  const { promise: closed, resolve: resolveClosed } = Promise.withResolvers<ConnectionError | undefined>();
  let lastId = 0;
  let end: { readonly error?: ConnectionError } | undefined;

  socket.on('data', (bytes) => {
    for (const line of lines.cut(bytes)) {
      const message = line === tooLong ? undefined : readMessage(line);
      if (!message)
        return finish(new ConnectionError('bad_answer', `${path}: what listens there is no heronry daemon`));
      take(message);
    }
  });
  socket.on('error', (cause) => finish(hungUp(cause)));
  socket.on('close', () => finish(hungUp()));

  return { call, callUnchecked, subscribe, close: () => finish(undefined), closed };

  function call<M extends Method>(method: M, params: MethodInput<M>): Promise<Result<M>> {
    return request<Result<M>>(method, params).answer;
  }

  function callUnchecked(method: Method, params: unknown): Promise<unknown> {
    return request<unknown>(method, params).answer;
  }

  function subscribe(
    params: MethodInput<'event.subscribe'>,
    onEvent: Subscriber['onEvent'],
    onLag: Subscriber['onLag'] = () => {},
  ) {
    const { id, answer } = request<Result<'event.subscribe'>>('event.subscribe', params);
    subscribers.set(id, { params, onEvent, onLag });
    return answer;
  }

  function request<T>(method: Method, params: unknown): { id: RequestId; answer: Promise<T> } {
    lastId += 1;
    const id = lastId;
    const line = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const answer = new Promise<T>((resolve, reject) => {
      if (end) return reject(end.error ?? hungUp());
      // The daemon could not say which request its refusal belongs to.
      if (Buffer.byteLength(line) > lineLimitBytes)
        return reject(new ControlError('line_too_long', `the request is longer than ${lineLimitBytes} bytes`));
      // Daemon and client share the table of methods; results are made by its types and not checked twice.
      pending.set(id, { resolve: (result) => resolve(result as T), reject });
      socket.write(`${line}\n`);
    });
    return { id, answer };
  }

  function take(message: ServerMessage): void {
    if ('method' in message) return takeNotification(message);
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if ('result' in message) return waiting?.resolve(message.result);
    subscribers.delete(message.id);
    const { message: said, data } = message.error;
    const isOther = data?.code === 'unknown_method';
    const text = isOther ? `the daemon on ${path} is of another version, restart it: ${said}` : said;
    waiting?.reject(new ControlError(data?.code ?? 'internal', text, data?.issues ? { issues: data.issues } : {}));
  }

  function takeNotification(message: Extract<ServerMessage, { method: string }>): void {
    const subscriber = subscribers.get(message.params.subscription);
    if (!subscriber) return;
    if (message.method === 'event') return subscriber.onEvent(message.params.event);
    subscribers.delete(message.params.subscription);
    const { after } = message.params;
    subscriber.onLag(after);
    subscribe({ ...subscriber.params, after }, subscriber.onEvent, subscriber.onLag).catch((cause: unknown) =>
      finish(hungUp(cause)),
    );
  }

  function finish(error: ConnectionError | undefined): void {
    if (end) return;
    end = error ? { error } : {};
    socket.destroy();
    for (const waiting of pending.values()) waiting.reject(error ?? hungUp());
    pending.clear();
    subscribers.clear();
    resolveClosed(error);
  }

  function hungUp(cause?: unknown): ConnectionError {
    return new ConnectionError('hung_up', `the daemon on ${path} hung up`, { cause });
  }
}

/** Reads a line of the daemon; nothing where it is no message of one. What a result or an event holds is trusted. */
function readMessage(line: string): ServerMessage | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return isMapping(message) && message['jsonrpc'] === '2.0' && isMessage(message)
      ? (message as ServerMessage)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isMessage({ id, method, params, result, error }: Readonly<Record<string, unknown>>): boolean {
  if (method !== undefined) return (method === 'event' || method === 'lagged') && isMapping(params);
  if (id === undefined) return false;
  return result === undefined ? isMapping(error) && typeof error['message'] === 'string' : error === undefined;
}
