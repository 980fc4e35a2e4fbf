import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { World } from './facts/world.ts';
import { contentAt } from './sites.ts';

/** The demo's own web while it answers. */
export interface Web {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Cuts every connection and frees the port. */
  close(): Promise<void>;
}

/**
 * Opens the demo web on a free port of 127.0.0.1, so that nothing but this machine can reach it.
 *
 * @param now - the instant that it shows. Default: the present.
 */
export async function startWeb(world: World, now: () => number = Date.now): Promise<Web> {
  const server = createServer((request, response) => serve(world, now(), request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Answers with what the web has now, or with 304 if the client has it already. */
function serve(
  world: World,
  at: number,
  { method, url = '/', headers }: IncomingMessage,
  response: ServerResponse,
): void {
  if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
  if (!URL.canParse(url, 'http://demo')) return void response.writeHead(400).end();
  if (url === '/robots.txt')
    return void response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\n');
  const content = contentAt(world, new URL(url, 'http://demo'), at);
  if (content === undefined) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here');
  const etag = `"${createHash('sha256').update(content.body).digest('base64url').slice(0, 22)}"`;
  if (headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
  response.writeHead(content.status ?? 200, { 'content-type': content.type, etag }).end(content.body);
}
