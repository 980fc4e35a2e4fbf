import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A proxy on loopback that lets through whatever it is asked for. */
export interface TestProxy {
  readonly url: string;
  /** The requests so far: the target of each `CONNECT`, and the URL of each other request. */
  readonly asked: readonly string[];
}

/**
 * Opens a proxy that ends with the test.
 *
 * @param authorization - the credentials without which it answers 407.
 */
export async function openProxy(test: TestContext, authorization?: string): Promise<TestProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.headers['proxy-authorization'] !== authorization) return void response.writeHead(407).end();
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const onward = ask(request.url ?? '', { method: request.method ?? 'GET', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    return void request.pipe(onward);
  });
  server.on('connect', (request, socket: Socket) => {
    asked.push(request.url ?? '');
    if (request.headers['proxy-authorization'] !== authorization)
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const port = Number(new URL(`http://${request.url}`).port);
    const onward = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    sockets.add(onward);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
    return undefined;
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  test.after(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${address.port}`, asked };
}
