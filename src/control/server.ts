import { createServer, type Server as SocketServer } from 'node:net';
import { serveConnection, type Connection, type ConnectionDeps } from './connection.ts';
import { clearSocketPath, isNamedPipe } from './socket-path.ts';

/** The most connections that may wait to be accepted; the operating system may allow fewer. */
const backlog = 4_096;

/** How long clients have to take their last answers, in milliseconds. */
const closeMs = 1_000;

/** Where the server listens, and what it serves clients by. */
export interface ServerOptions extends ConnectionDeps {
  /** The path of the local socket, or on Windows of the named pipe. */
  readonly path: string;
}

/** A server of control methods. */
export interface Server {
  readonly path: string;
  /** Stops accepting connections, sends the answers under way, hangs up, and removes the socket. */
  close(): Promise<void>;
}

/**
 * Serves JSON-RPC 2.0, one message per line, at a local socket that only its owner may open (0600).
 * Rejects with a `SocketError` where it cannot listen there.
 */
export async function startServer({ path, ...deps }: ServerOptions): Promise<Server> {
  await clearSocketPath(path);
  const connections = new Set<Connection>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = serveConnection(socket, deps);
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
  await listen(server, path);
  return { path, close };

  function close(): Promise<void> {
    return new Promise((resolve) => {
      const cut = setTimeout(() => {
        for (const connection of connections) connection.destroy();
      }, closeMs);
      server.close(() => {
        clearTimeout(cut);
        resolve();
      });
      for (const connection of connections) connection.close();
    });
  }
}

function listen(server: SocketServer, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // The mode is set where the socket is made: a change afterwards would leave a moment in which others may open it.
    const mask = isNamedPipe(path) ? undefined : process.umask(0o177);
    try {
      server.listen({ path, backlog }, () => {
        server.removeListener('error', reject);
        resolve();
      });
    } finally {
      if (mask !== undefined) process.umask(mask);
    }
  });
}
