import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';

/** One request as it arrived. */
export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Wall time. */
  readonly at: number;
}

/** The answer of a path: a text is an HTML page; a function writes the response itself. */
export type Answer =
  | string
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** An HTTP server on loopback that answers as it is told. */
export interface Site {
  /** Without a slash at its end. */
  readonly origin: string;
  /** All requests so far, in order. */
  readonly asked: readonly Asked[];
  url(path: string): string;
  /** Sets what a path answers from now on; its query does not matter. */
  answer(path: string, answer: Answer): void;
  /** Resolves at the next request of a path, or of any. */
  nextAsked(path?: string): Promise<Asked>;
  close(): Promise<void>;
}

/** Opens a site that ends with the test; a path that was not set answers 404. */
export async function openSite(test: TestContext, answers: Readonly<Record<string, Answer>> = {}): Promise<Site> {
  const table = new Map(Object.entries(answers));
  const asked: Asked[] = [];
  const waiting = new Set<{ readonly path: string | undefined; readonly resolve: (asked: Asked) => void }>();

  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const bare = path.replace(/\?.*/, '');
    const entry = { method: request.method ?? 'GET', path, headers: request.headers, at: Date.now() };
    asked.push(entry);
    for (const waiter of waiting) {
      if (waiter.path !== undefined && waiter.path !== bare) continue;
      waiting.delete(waiter);
      waiter.resolve(entry);
    }
    give(table.get(bare) ?? { status: 404, body: 'not found' }, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  const origin = `http://127.0.0.1:${address.port}`;
  test.after(close);

  return {
    origin,
    asked,
    url: (path) => `${origin}${path}`,
    answer: (path, answer) => void table.set(path, answer),
    nextAsked(path) {
      const { promise, resolve } = Promise.withResolvers<Asked>();
      waiting.add({ path, resolve });
      return promise;
    },
    close,
  };

  async function close(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
}

function give(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
  if (typeof answer === 'function') return answer(request, response);
  const { status = 200, headers = {}, body = '' } = typeof answer === 'string' ? { body: answer } : answer;
  response.statusCode = status;
  response.setHeaders(new Map(Object.entries({ 'content-type': 'text/html; charset=utf-8', ...headers })));
  response.end(body);
}
