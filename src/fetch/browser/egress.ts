import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { RefusedAddress, vetHost } from '../address.ts';
import { bareHost } from '../site.ts';
import { forward, openTunnel, type Target, type WayOut } from './way-out.ts';

/** A request that came to the egress proxy, and why it was refused, if it was. */
export interface EgressEntry {
  /** A URL, or host and port of a tunnel, in which nothing can be seen. */
  readonly target: string;
  /** Missing if the request was let through. */
  readonly refused?: 'credential' | 'scheme' | 'host' | 'count' | 'address' | 'network';
}

/** The credential of a page at the egress proxy. */
export interface Pass {
  readonly username: string;
  readonly password: string;
  /** The bytes of the page so far, both ways. */
  readonly bytes: number;
  /** Ends the page's requests. The credential is invalid from then on. */
  revoke(): void;
}

/**
 * The only way out of the browser: an HTTP proxy on loopback. Each page has a credential of its own; requests without
 * one, such as those of the browser itself, are refused. It looks names up itself and connects only to addresses
 * that may be reached.
 */
export interface EgressProxy {
  readonly url: string;
  /** Lets a page out. Its credential is valid until it is revoked. */
  admit(admission: Admission): Pass;
  /** Cuts all pages off and closes the port. */
  close(): Promise<void>;
}

/**
 * Opens an egress proxy on a port of its own. Rejects with the system's error if there is no port.
 *
 * @param onEntry - called for every request, refused ones too.
 */
export async function openEgress(onEntry: (entry: EgressEntry) => void = () => undefined): Promise<EgressProxy> {
  const guests = new Map<string, Guest>();
  const server = createServer((request, response) => void pass(request, response));
  server.on('connect', (request, inward, first) => void connect(request, inward, first));
  const url = await listen(server);

  return {
    url,
    admit(admission) {
      const guest = new Guest(admission);
      const [username, password] = ['page', randomBytes(24).toString('base64url')];
      const credential = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
      guests.set(credential, guest);
      return {
        username,
        password,
        get bytes() {
          return guest.bytes;
        },
        revoke() {
          guests.delete(credential);
          guest.cut();
        },
      };
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const guest of guests.values()) guest.cut();
      await closed;
    },
  };

  /** Passes on a request without TLS. */
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const guest = guestOf(request);
    if (!guest) return refuse('credential');
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:') return refuse('scheme');
    const refused = guest.refusal(bareHost(url));
    if (refused !== undefined) return refuse(refused);
    try {
      if (guest.way.proxy) await vetHost(bareHost(url), guest.way.rules, guest.way.resolve);
    } catch (error) {
      return refuse(reasonOf(error));
    }
    const headers = [...withoutHops(request.rawHeaders), 'connection', 'close'];
    const onward = forward({ url, method: request.method ?? 'GET', headers }, guest.way);
    onward.once('socket', (socket) => guest.follow(socket));
    onward.on('error', (error) => (response.headersSent ? void response.destroy() : refuse(reasonOf(error))));
    onward.once('response', (answer) => {
      onEntry({ target: url.href });
      answer.on('data', (chunk: Buffer) => guest.count(chunk));
      answer.once('error', () => response.destroy());
      response.writeHead(answer.statusCode ?? 502, withoutHops(answer.rawHeaders));
      answer.pipe(response);
    });
    response.once('close', () => onward.destroy());
    request.on('data', (chunk: Buffer) => guest.count(chunk));
    request.pipe(onward);

    function refuse(reason: NonNullable<EgressEntry['refused']>): void {
      onEntry({ target: request.url ?? '', refused: reason });
      response.writeHead(statusOf(reason), { connection: 'close', ...(reason === 'credential' && challenge) }).end();
    }
  }

  /** Opens a tunnel for TLS or for a web socket. */
  async function connect(request: IncomingMessage, inward: Duplex, first: Buffer): Promise<void> {
    inward.on('error', () => inward.destroy());
    const guest = guestOf(request);
    if (!guest) return refuse('credential');
    const target = targetOf(request.url ?? '');
    if (!target) return refuse('scheme');
    const refused = guest.refusal(target.host);
    if (refused !== undefined) return refuse(refused);
    try {
      const outward = await openTunnel(target, guest.way);
      onEntry({ target: request.url ?? '' });
      join(inward, outward, guest);
      inward.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (first.byteLength > 0) outward.write(first);
    } catch (error) {
      refuse(reasonOf(error));
    }

    function refuse(reason: NonNullable<EgressEntry['refused']>): void {
      onEntry({ target: request.url ?? '', refused: reason });
      const lines = Object.entries(reason === 'credential' ? challenge : {}).map(
        ([name, value]) => `${name}: ${value}`,
      );
      const head = [`HTTP/1.1 ${statusOf(reason)} Refused`, 'connection: close', 'content-length: 0', ...lines];
      inward.end(`${head.join('\r\n')}\r\n\r\n`);
    }
  }

  function guestOf(request: IncomingMessage): Guest | undefined {
    return guests.get(request.headers['proxy-authorization'] ?? '');
  }
}

const challenge = { 'proxy-authenticate': 'Basic realm="pages"' } as const;

/** Headers that concern one connection, or the browser and the egress proxy, but not the site. */
const hopHeaders: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['proxy-connection', 'proxy-authorization', 'proxy-authenticate', 'proxy-authentication-info'],
]);

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  return `http://127.0.0.1:${address.port}`;
}

function join(inward: Duplex, outward: Duplex, guest: Guest): void {
  guest.follow(outward);
  outward.on('error', () => outward.destroy());
  outward.once('close', () => inward.destroy());
  inward.once('close', () => outward.destroy());
  for (const stream of [inward, outward]) stream.on('data', (chunk: Buffer) => guest.count(chunk));
  inward.pipe(outward).pipe(inward);
}

function withoutHops(raw: readonly string[]): string[] {
  return raw.filter((_, at) => !hopHeaders.has((raw[at - (at % 2)] ?? '').toLowerCase()));
}

function targetOf(authority: string): Target | undefined {
  const url = URL.parse(`https://${authority}`);
  return url === null ? undefined : { host: bareHost(url), port: Number(url.port || 443) };
}

function reasonOf(error: unknown): 'address' | 'network' {
  return error instanceof RefusedAddress ? 'address' : 'network';
}

function statusOf(reason: NonNullable<EgressEntry['refused']>): number {
  if (reason === 'credential') return 407;
  return reason === 'network' ? 502 : 403;
}

/** The permissions of one page at the egress proxy. */
export interface Admission {
  readonly way: WayOut;
  readonly maxRequests: number;
  readonly maxBytes: number;
  mayAsk(host: string): boolean;
  /** Called once, when the page exceeds `maxBytes` and is cut off. */
  onTooLarge(): void;
}

/** A page at the egress proxy, and what it has requested so far. */
class Guest {
  readonly #admission: Admission;
  readonly #streams = new Set<Duplex>();
  #requests = 0;
  #bytes = 0;
  #state: 'open' | 'over' = 'open';

  constructor(admission: Admission) {
    this.#admission = admission;
  }

  get way(): WayOut {
    return this.#admission.way;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The reason to refuse a request for `host`. A request that is not refused is counted. */
  refusal(host: string): 'host' | 'count' | undefined {
    if (!this.#admission.mayAsk(host)) return 'host';
    if (this.#requests >= this.#admission.maxRequests) return 'count';
    this.#requests += 1;
    return undefined;
  }

  count(chunk: Buffer): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= this.#admission.maxBytes || this.#state === 'over') return;
    this.cut();
    this.#admission.onTooLarge();
  }

  /** Ends a stream when the page ends. */
  follow(stream: Duplex): void {
    if (this.#state === 'over') return void stream.destroy();
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
  }

  /** Ends all streams of the page, and those that come later. */
  cut(): void {
    this.#state = 'over';
    for (const stream of this.#streams) stream.destroy();
  }
}
