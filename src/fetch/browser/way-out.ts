import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import { connect, isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import {
  type AddressRules,
  rulesForProxy,
  refusedHost,
  refusedPeer,
  type Resolve,
  vetHost,
  vettedLookup,
} from '../address.ts';
import type { HttpProxy } from '../request.ts';
import { bareHost } from '../site.ts';

/** How the requests of a page leave this machine. */
export interface WayOut {
  readonly rules: AddressRules;
  readonly resolve: Resolve;
  /** Default: straight to the site. */
  readonly proxy?: HttpProxy | undefined;
}

/** The host and port of a connection. */
export interface Target {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A request without TLS as the browser sent it. */
export interface Forwarded {
  readonly url: URL;
  readonly method: string;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
}

/** Sends a request on. The caller writes its body. A refused address is an `error` event like any other. */
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

/** Opens a connection for TLS or a web socket. Rejects with `RefusedAddress` or the error of the connection. */
export async function openTunnel(target: Target, way: WayOut): Promise<Duplex> {
  if (way.proxy) return tunnelThrough(target, way.proxy, way);
  const socket = connectVetted(target, way);
  await connected(socket);
  return socket;
}

function connectVetted({ host, port }: Target, { rules, resolve }: Pick<WayOut, 'rules' | 'resolve'>): Socket {
  const refused = refusedHost(host, rules);
  if (refused) return new Socket().destroy(refused);
  const socket = connect({ host, port, lookup: vettedLookup(rules, resolve) });
  socket.once('connect', () => {
    const refusedAddress = refusedPeer(socket, rules);
    if (refusedAddress !== undefined) socket.destroy(refusedAddress);
  });
  return socket;
}

function connectProxy(proxy: HttpProxy, { rules, resolve }: WayOut): Socket {
  const way = { rules: rulesForProxy(rules), resolve };
  const url = new URL(proxy.url);
  const { port, protocol } = url;
  const host = bareHost(url);
  if (protocol !== 'https:') return connectVetted({ host, port: Number(port || 80) }, way);
  const socket = connectVetted({ host, port: Number(port || 443) }, way);
  return connectTls(isIP(host) === 0 ? { socket, host, servername: host } : { socket, host });
}

async function tunnelThrough({ host, port }: Target, proxy: HttpProxy, way: WayOut): Promise<Duplex> {
  await vetHost(host, way.rules, way.resolve);
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const request = openRequest({
    method: 'CONNECT',
    path: authority,
    headers: ['host', authority, ...credentials(proxy)],
    createConnection: () => connectProxy(proxy, way),
  });
  request.once('error', reject);
  request.once('connect', (response: IncomingMessage, socket: Socket, first: Buffer) => {
    if (first.byteLength > 0) socket.unshift(first);
    if (response.statusCode === 200) return resolve(socket);
    socket.destroy();
    return reject(new Error(`the proxy answered with status ${response.statusCode}`));
  });
  request.end();
  return promise;
}

function credentials({ authorization }: HttpProxy): string[] {
  return authorization === undefined ? [] : ['proxy-authorization', authorization];
}

function connected(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('error', reject);
  socket.once('connect', () => (socket.destroyed ? reject(socket.errored ?? new Error('closed')) : resolve()));
  return promise;
}
