import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net from 'node:net';
import type { World } from '../../../src/demo/facts/world.ts';
import { respond } from './respond.ts';
import { faultAt, newWebState, type WebState } from './web-state.ts';

/** How a web is opened. */
export interface WebOptions {
  readonly world: World;
  /** Milliseconds since the epoch; a test passes a clock that it holds. */
  readonly now: () => number;
  /** A free port by default. */
  readonly port?: number;
  /** How many loopback addresses answer besides 127.0.0.1, each a host of its own; default none. Needs a system where all of 127/8 is the machine itself: Linux and Windows. */
  readonly hosts?: number;
}

/** A web that answers. */
export interface Web {
  readonly port: number;
  /** The further hosts' addresses, in order. */
  readonly addresses: readonly string[];
  /** Cuts every connection and frees the port. */
  close(): Promise<void>;
}

/** Bytes of a request's body that are read at most. */
const bodyLimit = 65_536;

/** The address of further host number `index`, from 0: 127.1.0.1 and on, 65,000 of them. */
export function hostAddress(index: number): string {
  return `127.1.${Math.floor(index / 250)}.${(index % 250) + 1}`;
}

/** Opens a test web on 127.0.0.1, and on the same port of each further host's address. Nothing but loopback can reach it. */
export async function startWeb({ world, now, port = 0, hosts = 0 }: WebOptions): Promise<Web> {
  const state = newWebState(world);
  const server = createServer((request, response) => {
    serve(state, request, response, now).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const bound = portOf(server);
  const addresses = Array.from({ length: hosts }, (_, index) => hostAddress(index));
  const doors: net.Server[] = [];
  const web: Web = { port: bound, addresses, close: () => closeAll(server, doors) };
  try {
    for (const address of addresses) doors.push(await openDoor(server, bound, address));
  } catch (error) {
    await web.close();
    throw error;
  }
  return web;
}

/** A further address whose connections the one HTTP server answers. */
async function openDoor(server: Server, port: number, address: string): Promise<net.Server> {
  const door = net.createServer((socket) => server.emit('connection', socket));
  door.listen(port, address);
  await once(door, 'listening');
  return door;
}

async function closeAll(server: Server, doors: readonly net.Server[]): Promise<void> {
  const closed = [server, ...doors].map((each) => once(each, 'close'));
  for (const each of [server, ...doors]) each.close();
  server.closeAllConnections();
  await Promise.all(closed);
}

async function serve(
  state: WebState,
  request: IncomingMessage,
  response: ServerResponse,
  now: () => number,
): Promise<void> {
  const { method = 'GET', url: target = '/' } = request;
  const host = request.headers.host ?? 'localhost';
  const entry = target.startsWith('/_demo/') ? undefined : state.log.add({ at: now(), host, method, path: target });
  response.once('close', () => {
    if (entry !== undefined) entry.doneAt = now();
  });
  const body = await bodyOf(request);
  const fault = faultAt(state, target, now())?.kind;
  if (body === undefined) return void response.writeHead(413).end();
  if (!target.startsWith('/') || !URL.canParse(target, `http://${host}`)) return void response.writeHead(400).end();
  if (fault?.type === 'silence') return undefined;
  if (fault?.type === 'slow') await delayOf(response, fault.delayMs);

  const answer = respond(state, { method, origin: `http://${host}`, target, headers: request.headers, body }, now());
  const bytes = Buffer.from(answer.body);
  if (entry !== undefined) entry.status = answer.status;
  response.writeHead(
    answer.status,
    answer.status === 304 ? answer.headers : { ...answer.headers, 'content-length': bytes.length },
  );
  if (fault?.type === 'cut') return void response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  return void response.end(method === 'HEAD' || answer.status === 304 ? undefined : bytes);
}

/** Nothing for a body over the limit. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > bodyLimit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Waits so long, or until the client is gone. */
async function delayOf(response: ServerResponse, delayMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, delayMs);
  response.once('close', resolve);
  await promise;
  clearTimeout(timer);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error(`expected an address with a port, got ${String(address)}`);
  return address.port;
}
