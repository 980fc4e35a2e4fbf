import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A way to a server on loopback that can be interrupted. */
export interface ShakyLink {
  readonly port: number;
  /** Nothing passes in either direction, and nobody is told, until `heal`. */
  drop(): void;
  /** What was not passed on is lost: the connections end. New ones pass. */
  heal(): void;
}

/** Opens a way to a port of loopback; it ends with the test. */
export async function openShakyLink(t: TestContext, to: number): Promise<ShakyLink> {
  const sockets = new Set<Socket>();
  let isDown = false;
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('data', (bytes: Buffer) => {
        if (!isDown) other.write(bytes);
      });
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  t.after(async () => {
    cutAll();
    server.close();
  });
  return {
    port: address.port,
    drop: () => void (isDown = true),
    heal() {
      isDown = false;
      cutAll();
    },
  };
}
