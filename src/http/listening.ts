import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import { type Certificate, keepCertificate, type TlsFiles } from './certificate.ts';

/** The most connections; further ones are closed at once. */
const mostConnections = 2_048;

/** The most bytes of the headers of a request. */
const headerBytes = 16_384;

/** How long a client has to send its headers and its whole request, to send another one, and to take an answer, in milliseconds. The first two are looked at every second. */
const headersMs = 10_000;
const requestMs = 60_000;
const lookMs = 1_000;
const idleMs = 5_000;
const silentMs = 600_000;

/** How long the answers under way may take once the server closes, in milliseconds. */
const closeMs = 3_000;

/** Where a server listens. */
export interface Place {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** 0 for any. */
  readonly port: number;
  /** Without them, no TLS is spoken. */
  readonly tls?: TlsFiles;
}

/** What answers the requests of a server. */
export interface Answering {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Ends the streams, and has each further answer end its connection. */
  close(): void;
}

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** Stops accepting connections, ends the streams, sends the answers under way and hangs up. */
  close(): Promise<void>;
}

/** Listens for requests within the bounds of every server of this program. Rejects where it cannot listen, or has no certificate. */
export async function listenFor(
  { handle, close: endAnswers }: Answering,
  { host = '127.0.0.1', port, tls, clock }: Place & { readonly clock: Clock },
): Promise<Listening> {
  const sockets = new Set<Socket>();
  const closed = new AbortController();
  let server: NodeServer;
  try {
    server = await open();
    return { port: await listen(server, port, host), close };
  } catch (error) {
    end();
    throw error;
  }

  async function open(): Promise<NodeServer> {
    const options = {
      maxHeaderSize: headerBytes,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: lookMs,
    };
    const made = tls === undefined ? createServer(options) : await openSecure(tls, options);
    made.maxConnections = mostConnections;
    made.keepAliveTimeout = idleMs;
    made.setTimeout(silentMs);
    made.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    made.on('request', handle);
    return made;
  }

  async function openSecure(files: TlsFiles, options: object): Promise<NodeServer> {
    const certificate: Certificate = await files.read();
    const secure = createSecureServer({
      ...options,
      ...certificate,
      minVersion: 'TLSv1.2',
      handshakeTimeout: headersMs,
    });
    keepCertificate(files, certificate, {
      clock,
      signal: closed.signal,
      use: (renewed) => secure.setSecureContext({ ...renewed, minVersion: 'TLSv1.2' }),
    });
    return secure;
  }

  function end(): void {
    closed.abort();
    endAnswers();
  }

  function close(): Promise<void> {
    end();
    return new Promise((resolve) => {
      // Also those that have not yet agreed on TLS, of which the server knows nothing.
      const cut = setTimeout(() => sockets.forEach((socket) => socket.destroy()), closeMs);
      server.close(() => {
        clearTimeout(cut);
        resolve();
      });
    });
  }
}

function listen(server: NodeServer, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.removeListener('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
