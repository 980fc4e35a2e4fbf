import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import { connect, isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import {
  type Reach,
  reachOfProxy,
  RefusedAddress,
  refusedHost,
  refusedRange,
  type Resolve,
  vettedLookup,
} from '../address.ts';
import type { Proxy } from '../request.ts';
import { bareHost } from './own-site.ts';

/** How a page's requests leave this machine. */
export interface WayOut {
  readonly reach: Reach;
  readonly resolve: Resolve;
  /** Default: straight to the site. */
  readonly proxy?: Proxy | undefined;
}

export interface Target {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A request without TLS as it came from the browser. */
export interface Forwarded {
  readonly url: URL;
  readonly method: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** Sends a request on; the caller writes its body and hears of a refused address as of any other error. */
export function forward({ url, method, headers }: Forwarded, way: WayOut): ClientRequest {
  // Without an agent, as one would open connections of its own and not ask `createConnection`.
  const common = { method, setHost: false } as const;
  const { proxy } = way;
  if (!proxy) {
    const target = { host: bareHost(url), port: Number(url.port || 80) };
    const path = `${url.pathname}${url.search}`;
    return openRequest({ ...common, path, headers: [...headers], createConnection: () => connectVetted(target, way) });
  }
  return openRequest({
    ...common,
    path: url.href,
    headers: [...headers, ...credentials(proxy)],
    createConnection: () => connectProxy(proxy, way),
  });
}

/** Opens a connection for TLS or a web socket, which is the browser's own affair. */
export async function openTunnel(target: Target, way: WayOut): Promise<Duplex> {
  if (way.proxy) return tunnelThrough(target, way.proxy, way);
  const socket = connectVetted(target, way);
  await connected(socket);
  return socket;
}

/**
 * Rejects when a name means an address that may not be asked. Only needed before a proxy is asked, which looks names up by
 * itself; a connection of ours goes to no other address than the one that was vetted.
 */
export function vetName(host: string, { reach, resolve }: WayOut): Promise<void> {
  const { promise, resolve: pass, reject } = Promise.withResolvers<void>();
  const refused = refusedHost(host, reach);
  if (refused) reject(refused);
  else vettedLookup(reach, resolve)(host, { all: true }, (error) => (error ? reject(error) : pass()));
  return promise;
}

function connectVetted({ host, port }: Target, { reach, resolve }: Pick<WayOut, 'reach' | 'resolve'>): Socket {
  const refused = refusedHost(host, reach);
  if (refused) return new Socket().destroy(refused);
  const socket = connect({ host, port, lookup: vettedLookup(reach, resolve) });
  socket.once('connect', () => {
    const address = socket.remoteAddress ?? 'an unknown address';
    const range = refusedRange(address, reach);
    if (range !== undefined) socket.destroy(new RefusedAddress(address, range));
  });
  return socket;
}

function connectProxy(proxy: Proxy, { reach, resolve }: WayOut): Socket {
  const way = { reach: reachOfProxy(reach), resolve };
  const url = new URL(proxy.url);
  const { port, protocol } = url;
  const host = bareHost(url);
  if (protocol !== 'https:') return connectVetted({ host, port: Number(port || 80) }, way);
  const socket = connectVetted({ host, port: Number(port || 443) }, way);
  return connectTls({ socket, host, ...(isIP(host) === 0 && { servername: host }) });
}

async function tunnelThrough({ host, port }: Target, proxy: Proxy, way: WayOut): Promise<Duplex> {
  await vetName(host, way);
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const asking = openRequest({
    method: 'CONNECT',
    path: authority,
    headers: ['host', authority, ...credentials(proxy)],
    createConnection: () => connectProxy(proxy, way),
  });
  asking.once('error', reject);
  asking.once('connect', (response: IncomingMessage, socket: Socket, first: Buffer) => {
    if (first.byteLength > 0) socket.unshift(first);
    if (response.statusCode === 200) return resolve(socket);
    socket.destroy();
    return reject(new Error(`the proxy answered with status ${response.statusCode}`));
  });
  asking.end();
  return promise;
}

function credentials({ authorization }: Proxy): string[] {
  return authorization === undefined ? [] : ['proxy-authorization', authorization];
}

function connected(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('error', reject);
  socket.once('connect', () => (socket.destroyed ? reject(socket.errored ?? new Error('closed')) : resolve()));
  return promise;
}
