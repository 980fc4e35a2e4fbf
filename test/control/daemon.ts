import { mkdtemp, rm } from 'node:fs/promises';
import { connect as openSocket, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import { methods, type Handlers } from '../../src/control/methods.ts';
import { startServer, type Server } from '../../src/control/server.ts';

/** A directory of the test's own, short enough for a socket path. */
export async function temporaryDirectory(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'heronry-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Handlers of which only those given serve; the others answer `not_ready`. */
export function handlersWith(some: Partial<Handlers>): Handlers {
  const none = Object.keys(methods).map((method) => [
    method,
    () => {
      throw new ControlError('not_ready', `${method} is not served here`);
    },
  ]);
  return { ...Object.fromEntries(none), 'daemon.ping': () => ({}), ...some } as Handlers;
}

/** A server with the given handlers, and the errors that were reported to it. */
export interface TestServer extends Server {
  readonly errors: readonly unknown[];
}

/** A control server on a socket of its own. */
export async function serve(t: TestContext, some: Partial<Handlers> = {}): Promise<TestServer> {
  const errors: unknown[] = [];
  const path = join(await temporaryDirectory(t), 'control.sock');
  const server = await startServer({
    path,
    handlers: handlersWith(some),
    failed: (error) => errors.push(error),
    audit: () => undefined,
  });
  t.after(() => server.close());
  return { ...server, errors };
}

/** A line of the server's, as far as tests look at it. */
export interface RawMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data: { readonly code: string; readonly issues?: readonly { path: string; message: string }[] };
  };
  readonly params?: {
    readonly subscription: unknown;
    readonly event?: { readonly id: number };
    readonly after?: number;
  };
}

/** A client that sends what it is told and nothing else. */
export interface RawClient {
  readonly socket: Socket;
  send(text: string): void;
  /** The next message, or undefined when the server hangs up. */
  next(): Promise<RawMessage | undefined>;
}

/** Connects without any of the client's care. */
export async function rawClient(t: TestContext, path: string): Promise<RawClient> {
  const socket = openSocket(path);
  t.after(() => socket.destroy());
  const messages = createInterface({ input: socket })[Symbol.asyncIterator]();
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return {
    socket,
    send: (text) => socket.write(text),
    async next() {
      const { value, done } = await messages.next();
      return done ? undefined : (JSON.parse(value) as RawMessage);
    },
  };
}

/** One request as a line. */
export function line(id: unknown, method: string, params?: unknown): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
}
