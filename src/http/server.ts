import { createServer, type Server as NodeServer } from 'node:http';
import { createServing, type ServeDeps } from './serve.ts';

/** The most connections; further ones are closed at once. */
const mostConnections = 2_048;

/** The most bytes of the headers of a request. */
const headerBytes = 16_384;

/** How long a client has to send its headers and its whole request, to send another one, and to take an answer, in milliseconds. */
const headersMs = 10_000;
const requestMs = 60_000;
const idleMs = 5_000;
const silentMs = 600_000;

/** How long the answers under way may take once the server closes, in milliseconds. */
const closeMs = 3_000;

/** A server of the HTTP API. */
export interface HttpServer {
  readonly port: number;
  /** Stops accepting connections, ends the streams, sends the answers under way and hangs up. */
  close(): Promise<void>;
}

/** The port to listen at on the loopback address, or 0 for any, and what serving needs. */
export interface HttpServerOptions extends ServeDeps {
  readonly port: number;
}

/** Serves the HTTP API on the loopback address. Rejects where it cannot listen there. */
export async function startHttpServer({ port, ...deps }: HttpServerOptions): Promise<HttpServer> {
  const serving = createServing(deps);
  const server = createServer({ maxHeaderSize: headerBytes, headersTimeout: headersMs, requestTimeout: requestMs });
  server.maxConnections = mostConnections;
  server.keepAliveTimeout = idleMs;
  server.setTimeout(silentMs);
  server.on('request', serving.handle);
  try {
    return { port: await listen(server, port), close };
  } catch (error) {
    serving.close();
    throw error;
  }

  function close(): Promise<void> {
    serving.close();
    return new Promise((resolve) => {
      const cut = setTimeout(() => server.closeAllConnections(), closeMs);
      server.close(() => {
        clearTimeout(cut);
        resolve();
      });
    });
  }
}

function listen(server: NodeServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => {
      server.removeListener('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
