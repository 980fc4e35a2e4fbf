import { type IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { ControlError } from '../control/error.ts';
import { Refusal } from './problem.ts';

/** How a server is reached: where it listens, and by which names and through which proxies it is asked. */
export interface ReachOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Names by which it is asked over TLS, besides those of loopback. */
  readonly names?: readonly string[];
  /** Proxies whose headers are believed, as addresses or ranges, and where these serve it, without a slash at the end. */
  readonly behindProxy?: { readonly trusted: readonly string[]; readonly publicUrl: string };
}

/** The names by which this machine itself may be addressed. */
const ownNames: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** What is known of how requests reach a server. */
export interface Reach {
  /** The path that everything is below: empty, or as `/heronry`. A proxy does not take it off. */
  readonly base: string;
  /** Returns the address at which people find it, with a slash at its end. */
  urlAt(port: number): string;
  /** Returns the path and query of a request below `base`; nothing where it is not there. */
  pathOf(request: IncomingMessage): string | undefined;
  /** Returns the address of the client: that of the connection, or of a client of trusted proxies. */
  clientOf(request: IncomingMessage): string;
  /** Returns the own origin that a request was sent to. Throws a `Refusal` where it was sent to another name, and a `ControlError` where it has several names. */
  originOf(request: IncomingMessage): string;
}

/** Reads how requests reach a server. */
export function createReach({ host = '127.0.0.1', names = [], behindProxy }: ReachOptions, isTls: boolean): Reach {
  const trusted = listOf(behindProxy?.trusted ?? []);
  const publicUrl = behindProxy && new URL(behindProxy.publicUrl);
  const base = publicUrl === undefined || publicUrl.pathname === '/' ? '' : publicUrl.pathname;
  const scheme = isTls ? 'https' : 'http';

  return {
    base,
    urlAt(port) {
      if (publicUrl !== undefined) return `${publicUrl.origin}${base}/`;
      return new URL(`${scheme}://${names[0] ?? (host.includes(':') ? `[${host}]` : host)}:${port}/`).href;
    },
    pathOf({ url = '' }) {
      if (!url.startsWith(base)) return undefined;
      const path = url.slice(base.length);
      if (path.startsWith('/')) return path;
      return base !== '' && /^(?:\?|$)/.test(path) ? `/${path}` : undefined;
    },
    clientOf(request) {
      let client = peerOf(request);
      for (const next of listed(request, 'x-forwarded-for').reverse()) {
        if (!isTrusted(client)) break;
        const address = plain(next.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1'));
        if (isIP(address) === 0) break;
        client = address;
      }
      return client;
    },
    originOf(request) {
      const hosts = request.headersDistinct['host']?.length ?? 0;
      if (hosts > 1) throw new ControlError('invalid_request', `host: expected once, got ${hosts}`);
      const isProxied = publicUrl !== undefined && isTrusted(peerOf(request));
      const sent = (isProxied ? listed(request, 'x-forwarded-host').at(-1) : undefined) ?? request.headers.host ?? '';
      const name = sent.replace(/:\d+$/, '').toLowerCase();
      const own = URL.parse(`${scheme}://${sent}`);
      const isLocal = isLoopback(plain(request.socket.localAddress ?? ''));
      const isOwn = (isLocal && ownNames.has(name)) || (isTls && names.includes(name));
      if (isProxied) {
        const { protocol, hostname, origin } = publicUrl;
        const proto = listed(request, 'x-forwarded-proto').at(-1);
        const isPublic = proto === undefined || `${proto.toLowerCase()}:` === protocol;
        if (isPublic && (isOwn || name === hostname)) return origin;
      } else if (isOwn && (isTls || isLocal) && own?.hostname === name) return own.origin;
      throw new Refusal('wrong_host', `host: expected ${expectedName()}, got ${JSON.stringify(sent.slice(0, 100))}`);
    },
  };

  function isTrusted(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && trusted.check(address, family === 4 ? 'ipv4' : 'ipv6');
  }

  function expectedName(): string {
    if (publicUrl !== undefined) return `to be asked at ${publicUrl.origin}${base}/`;
    return names.length > 0 ? names.join(' or ') : '127.0.0.1, localhost or [::1]';
  }
}

/** Whether a name of a request is one that this machine has for itself alone. */
export function isOwnName(origin: string): boolean {
  return ownNames.has(new URL(origin).hostname);
}

function peerOf({ socket }: IncomingMessage): string {
  return plain(socket.remoteAddress ?? '');
}

/** An address of IPv4 as such, where it stands in one of IPv6. */
function plain(address: string): string {
  return address.trim().replace(/^::ffff:(?=\d+\.)/i, '');
}

function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

function listed({ headers }: IncomingMessage, name: string): string[] {
  return String(headers[name] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', length] = range.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return list;
}
