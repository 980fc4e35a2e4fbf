import type { Socket } from 'node:net';
import { findCall, refusalOf, type Call } from './dispatch.ts';
import { type Audited, runAudited } from './audited.ts';
import { ControlError } from './error.ts';
import { Lines, tooLong, type Cut } from './lines.ts';
import { errorLine, lineLimitBytes, readRequest, resultLine, type RpcRequest, type RequestId } from './message.ts';
import type { Handlers } from './methods.ts';
import { Subscription } from './subscription.ts';

/** The most calls of one client that may be under way; further requests wait unread. */
const callLimit = 256;

/**
 * The bytes of output that may wait for a client before its requests are left unread, and before it is
 * disconnected.
 */
const pauseBytes = 1_048_576;
const cutBytes = 64 * 1_048_576;

/** The bytes of events that are written ahead of the client's reading. */
const aheadBytes = 65_536;

/** What serving a client needs. */
export interface ConnectionDeps {
  readonly handlers: Handlers;
  /** Called where a handler throws an unexpected error, which is a bug. The client gets a `ControlError` `internal`. */
  failed(error: unknown, method: string): void;
  /** Called with each change that was made or failed. */
  audit(made: Audited): void;
}

/** The server's side of a connection to one client. */
export interface Connection {
  /** Stops reading, sends the answers under way, and hangs up. */
  close(): void;
  destroy(): void;
}

/** Serves one client until it hangs up. */
export function serveConnection(socket: Socket, deps: ConnectionDeps): Connection {
  const lines = new Lines(lineLimitBytes);
  const gone = new AbortController();
  const subscriptions = new Set<Subscription>();
  let input: Iterator<Cut> | undefined;
  let reading: 'open' | 'ended' = 'open';
  let calls = 0;
  let output = '';
  let flushPlanned = false;

  socket.on('data', (bytes) => {
    if (reading === 'ended') return;
    input = lines.cut(bytes);
    serveInput();
  });
  socket.on('end', () => {
    if (lines.unfinished) send(errorLine(null, new ControlError('invalid_request', 'the last line has no end')));
    endReading();
    abandon();
  });
  // A client that has gone is no concern of ours; `close` follows and releases what it held.
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    endSubscriptions();
    abandon();
  });

  return { close: endReading, destroy: () => socket.destroy() };

  /** Serves the lines that were read while the client is within its limits, then reads on. */
  function serveInput(): void {
    while (input) {
      if (isFull()) {
        socket.pause();
        return;
      }
      const next = input.next();
      if (next.done) input = undefined;
      else serveLine(next.value);
    }
    if (socket.isPaused() && !isFull()) socket.resume();
  }

  function isFull(): boolean {
    return calls >= callLimit || socket.writableLength + output.length > pauseBytes;
  }

  function serveLine(line: Cut): void {
    if (line === tooLong) {
      const message = `the line is longer than ${lineLimitBytes} bytes`;
      return send(errorLine(null, new ControlError('line_too_long', message)));
    }
    const read = readRequest(line);
    if (read.ok) serveRequest(read.request);
    else send(errorLine(read.id, read.error));
  }

  function serveRequest({ id, method, params }: RpcRequest): void {
    let call: Call;
    try {
      call = findCall(deps.handlers, method, params);
    } catch (error) {
      return fail(id, method, error);
    }
    if (call.spec.notifies) return subscribe(id, call);
    try {
      const result = runAudited(call, { signal: gone.signal }, deps.audit);
      if (result instanceof Promise) follow(id, call, result);
      else succeed(id, result);
    } catch (error) {
      fail(id, method, error);
    }
  }

  function follow(id: RequestId | undefined, call: Call, result: Promise<unknown>): void {
    calls += 1;
    result
      .then(
        (value) => succeed(id, value),
        (error: unknown) => fail(id, call.method, error),
      )
      .finally(() => {
        calls -= 1;
        if (reading === 'ended') hangUpWhenDone();
        else serveInput();
      });
  }

  function subscribe(id: RequestId | undefined, call: Call): void {
    if (id === undefined) {
      return fail(id, call.method, new ControlError('invalid_request', 'id: expected one, to name the subscription'));
    }
    if (Array.from(subscriptions).some((each) => each.id === id)) {
      const taken = `id: expected another one, as a subscription of this connection has ${JSON.stringify(id)}`;
      return fail(id, call.method, new ControlError('conflict', taken));
    }
    const subscription = new Subscription(id, planFlush);
    subscriptions.add(subscription);
    follow(undefined, call, begin());

    async function begin(): Promise<void> {
      try {
        succeed(id, await call.run(subscription));
        subscription.answered();
      } catch (error) {
        subscription.end();
        subscriptions.delete(subscription);
        fail(id, call.method, error);
      }
    }
  }

  function succeed(id: RequestId | undefined, result: unknown): void {
    if (id !== undefined) send(resultLine(id, result));
  }

  function fail(id: RequestId | undefined, method: string, error: unknown): void {
    const refusal = refusalOf(error, method);
    if (refusal.code === 'internal') deps.failed(error, method);
    if (id !== undefined) send(errorLine(id, refusal));
  }

  function send(line: string): void {
    output += line;
    planFlush();
  }

  /** Writes the output once, at the end of this turn of the event loop. */
  function planFlush(): void {
    if (flushPlanned) return;
    flushPlanned = true;
    process.nextTick(() => {
      flushPlanned = false;
      flush();
    });
  }

  function flush(): void {
    while (socket.writable) {
      takeEvents();
      if (output === '') return;
      const mayGoOn = socket.write(output, goOn);
      output = '';
      if (socket.writableLength > cutBytes) socket.destroy();
      if (!mayGoOn) return;
    }
  }

  /** Goes on when a write is over: with output that waited for it, and with requests that were left unread. */
  function goOn(): void {
    flush();
    if (socket.writable) serveInput();
  }

  function takeEvents(): void {
    for (const subscription of subscriptions) {
      const ahead = socket.writableLength + output.length;
      if (ahead < aheadBytes) output += subscription.take(aheadBytes - ahead);
      if (subscription.isOver) subscriptions.delete(subscription);
    }
  }

  function endReading(): void {
    reading = 'ended';
    input = undefined;
    endSubscriptions();
    // What the client still sends is read and dropped, so that its hang-up is seen.
    socket.resume();
    hangUpWhenDone();
  }

  function hangUpWhenDone(): void {
    if (calls > 0 || !socket.writable) return;
    flush();
    socket.end();
  }

  /**
   * Aborts the calls under way. A client that ended only its own side still gets the answers of calls that do not
   * stop.
   */
  function abandon(): void {
    if (!gone.signal.aborted) gone.abort(new ControlError('not_ready', 'the caller hung up'));
  }

  function endSubscriptions(): void {
    for (const subscription of subscriptions) subscription.end();
    subscriptions.clear();
  }
}
