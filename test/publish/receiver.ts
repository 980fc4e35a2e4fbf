import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { TestContext } from 'node:test';

/** A delivery as it arrived. */
export interface Arrived {
  readonly id: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: unknown;
}

/** What a receiver answers to a delivery. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An HTTP server on loopback that takes deliveries. */
export interface HttpReceiver {
  readonly url: string;
  /** The deliveries that were accepted, in order. */
  readonly accepted: readonly Arrived[];
  /** All deliveries, in order. */
  readonly all: readonly Arrived[];
  /** The most deliveries that were under way at once. */
  most(): number;
  /** Sets how deliveries are answered from now on. A promise holds the answer back. Default: 200. */
  answer(answer: (arrived: Arrived) => ReceiverAnswer | Promise<ReceiverAnswer>): void;
  /** Resolves when so many deliveries were accepted, or answered at all. */
  until(count: number, of?: 'accepted' | 'all'): Promise<void>;
  close(): Promise<void>;
}

/** Opens a receiver that ends with the test. */
export async function openReceiver(test: TestContext, port = 0): Promise<HttpReceiver> {
  const accepted: Arrived[] = [];
  const all: Arrived[] = [];
  const waiting = new Set<() => void>();
  let answer: Parameters<HttpReceiver['answer']>[0] = () => ({ status: 200 });
  let [open, most] = [0, 0];
  const server = createServer((request, response) => {
    void (async () => {
      open += 1;
      most = Math.max(most, open);
      const text = await request.setEncoding('utf8').reduce((sum: string, part: string) => sum + part, '');
      const { headers, url: path = '/' } = request;
      const id = String(headers['webhook-id'] ?? '');
      const isJson = headers['content-type']?.startsWith('application/json') === true;
      const arrived = { id, path, headers, text, body: isJson ? (JSON.parse(text) as unknown) : text };
      const { status, headers: given = {} } = await answer(arrived);
      open -= 1;
      all.push(arrived);
      if (status < 300) accepted.push(arrived);
      response.writeHead(status, given).end();
      for (const look of waiting) look();
    })();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  test.after(close);
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    accepted,
    all,
    most: () => most,
    answer(next) {
      answer = next;
    },
    until(count, of = 'accepted') {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => {
        if ((of === 'all' ? all : accepted).length < count) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
      return promise;
    },
    close,
  };
}
