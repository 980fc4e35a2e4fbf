import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** The certificates of tests: `localhost` is good, `other` is for another name, `expired` has expired. */
export type Certificate = 'localhost' | 'other' | 'expired';

/** A certificate in PEM, which is its own authority. */
export function certificate(name: Certificate): string {
  return readFileSync(join(import.meta.dirname, `../fixtures/tls/${name}.pem`), 'utf8');
}

/** The key of a certificate, for a server. */
export function identity(name: Certificate): { readonly cert: string; readonly key: string } {
  return { cert: certificate(name), key: certificate(`${name}.key` as Certificate) };
}

/** A site over TLS. */
export interface SecureSite {
  /** `https://localhost:` and its port. */
  readonly origin: string;
  /** Connections so far. */
  connections(): number;
}

export interface SecureSiteOptions {
  /** Default `localhost`. */
  readonly certificate?: Certificate;
  /** Whether HTTP/2 is offered; HTTP/1.1 always is. Default no. */
  readonly http2?: boolean;
}

/** Opens a site over TLS that ends with the test. */
export async function openSecureSite(
  test: TestContext,
  answer: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
  { certificate: name = 'localhost', http2 = false }: SecureSiteOptions = {},
): Promise<SecureSite> {
  const options = identity(name);
  const server = http2
    ? createSecureServer({ ...options, allowHTTP1: true }, answer)
    : createServer(options, (request, response) => answer(request as never, response as never));
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('secureConnection', () => (connections += 1));
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  test.after(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  });
  return { origin: `https://localhost:${address.port}`, connections: () => connections };
}
