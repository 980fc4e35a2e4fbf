import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import type { Asked } from './site.ts';

/** Every way of this server to misbehave, by the path that brings it about. */
export type Fault = keyof typeof faults;

/** A server on loopback whose every path is a fault. */
export interface FaultServer {
  /** Without a slash at its end. */
  readonly origin: string;
  /** All requests so far, in order; what is no HTTP is not among them. */
  readonly asked: readonly Asked[];
  url(fault: Fault): string;
  /** How many connections are open. */
  connections(): number;
  /** Resolves when the last connection has closed. */
  idle(): Promise<void>;
}

const dripEveryMs = 5;

/** So many requests in a row are turned away by a burst. */
export const burst = 3;

const now = 'Wed, 21 Oct 2015 07:26:00 GMT';
const inTwoMinutes = 'Wed, 21 Oct 2015 07:28:00 GMT';

const faults = {
  reset: (socket: Socket) => socket.resetAndDestroy(),
  'hang-up': (socket: Socket) => socket.end(),
  'reset-head': (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nx-half', () => socket.resetAndDestroy()),
  'stall-head': () => undefined,
  'drip-head': (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', (count) => `x-drip-${count}: x\r\n`),
  'endless-head': (socket: Socket) =>
    pour(socket, 'HTTP/1.1 200 OK\r\n', Buffer.from('x-endless: 0123456789\r\n'.repeat(512))),
  garbage: (socket: Socket) => socket.end('220 mail.example ESMTP ready\r\n'),
  'stall-body': (socket: Socket) => socket.write(head({ 'content-length': 1_000 }) + 'half'),
  'drip-body': (socket: Socket) => drip(socket, head({ 'content-length': 1_000_000 }), () => 'x'),
  'reset-body': (socket: Socket) =>
    socket.write(head({ 'content-length': 1_000 }) + 'half', () => socket.resetAndDestroy()),
  truncated: (socket: Socket) => socket.end(head({ 'content-length': 1_000 }) + 'half'),
  'truncated-chunks': (socket: Socket) => socket.end(head({ 'transfer-encoding': 'chunked' }) + '5\r\nhello\r\n'),
  'truncated-last': (socket: Socket) =>
    socket.end(head({ 'transfer-encoding': 'chunked', connection: 'close' }) + '5\r\nhello\r\n'),
  continue: (socket: Socket) => reply(socket, Buffer.from('the page'), {}, undefined, interim('100 Continue')),
  'continue-twice': (socket: Socket) =>
    reply(socket, Buffer.from('the page'), {}, undefined, interim('100 Continue', '100 Go on')),
  'every-interim': (socket: Socket) =>
    reply(socket, Buffer.from('the page'), {}, undefined, interim('103 Early Hints', '100 Continue', '102 Processing')),
  switched: (socket: Socket) => socket.write(interim('101 Switching Protocols')),
  'switched-upgrade': (socket: Socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  'two-lengths': (socket: Socket) =>
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 4\r\n${head({ 'content-length': 8 }).slice(17)}halfhalf`),
  'length-and-chunks': (socket: Socket) =>
    socket.write(`${head({ 'content-length': 4, 'transfer-encoding': 'chunked' })}4\r\nhalf\r\n0\r\n\r\n`),
  'chunks-and-length': (socket: Socket) =>
    socket.write(`${head({ 'transfer-encoding': 'chunked', 'content-length': 4 })}4\r\nhalf\r\n0\r\n\r\n`),
  'bad-chunks': (socket: Socket) => socket.end(head({ 'transfer-encoding': 'chunked' }) + 'zz\r\nhello\r\n'),
  'truncated-gzip': (socket: Socket) =>
    reply(socket, gzipSync('x'.repeat(100_000)).subarray(0, -10), { 'content-encoding': 'gzip' }),
  'truncated-br': (socket: Socket) =>
    reply(socket, brotliCompressSync(noise()).subarray(0, -10), { 'content-encoding': 'br' }),
  'truncated-zstd': (socket: Socket) =>
    reply(socket, zstdCompressSync(noise()).subarray(0, -10), { 'content-encoding': 'zstd' }),
  'truncated-deflate': (socket: Socket) =>
    reply(socket, deflateSync(noise()).subarray(0, -10), { 'content-encoding': 'deflate' }),
  'understated-length': (socket: Socket) => socket.end(head({ 'content-length': 4 }) + 'halfway'),
  'overstated-length': (socket: Socket) => socket.write(head({ 'content-length': 2 ** 40 }) + 'x'),
  'not-gzip': (socket: Socket) => reply(socket, Buffer.from('<p>plain</p>'), { 'content-encoding': 'gzip' }),
  'not-br': (socket: Socket) => reply(socket, Buffer.from('<p>plain</p>'), { 'content-encoding': 'br' }),
  'not-zstd': (socket: Socket) => reply(socket, Buffer.from('<p>plain</p>'), { 'content-encoding': 'zstd' }),
  'not-deflate': (socket: Socket) => reply(socket, Buffer.from('<p>plain</p>'), { 'content-encoding': 'deflate' }),
  'unknown-encoding': (socket: Socket) => reply(socket, Buffer.from('?'), { 'content-encoding': 'rot13' }),
  'gzip-bomb': (socket: Socket) => reply(socket, gzipBomb(), { 'content-encoding': 'gzip' }),
  'deflate-bomb': (socket: Socket) => reply(socket, deflateBomb(), { 'content-encoding': 'deflate' }),
  'br-bomb': (socket: Socket) => brotliBomb().then((bomb) => reply(socket, bomb, { 'content-encoding': 'br' })),
  'zstd-bomb': (socket: Socket) => reply(socket, zstdBomb(), { 'content-encoding': 'zstd' }),
  'wide-zstd': (socket: Socket) => reply(socket, zstdBomb(0x88), { 'content-encoding': 'zstd' }),
  'error-bomb': (socket: Socket) =>
    reply(socket, gzipBomb(), { 'content-encoding': 'gzip' }, '500 Internal Server Error'),
  'gzip-and-more': (socket: Socket) =>
    pour(socket, head({ 'content-encoding': 'gzip' }), Buffer.alloc(65_536), gzipSync('the page')),
  'endless-body': (socket: Socket) => pour(socket, head({}), Buffer.alloc(65_536)),
  'endless-error': (socket: Socket) => pour(socket, head({}, '500 Internal Server Error'), Buffer.alloc(65_536)),
  'stalled-error': (socket: Socket) => socket.write(head({ 'content-length': 10 }, '500 Internal Server Error')),
  gibibyte: (socket: Socket) => pour(socket, head({ 'content-length': 2 ** 30 }), Buffer.alloc(65_536)),
  loop: (socket: Socket) => reply(socket, Buffer.alloc(0), { location: '/loop' }, '302 Found'),
  'redirect-nowhere': (socket: Socket) => reply(socket, Buffer.alloc(0), {}, '302 Found'),
  'redirect-to-file': (socket: Socket) =>
    reply(socket, Buffer.alloc(0), { location: 'file:///etc/hosts' }, '302 Found'),
  'redirect-to-metadata': (socket: Socket) =>
    reply(socket, Buffer.alloc(0), { location: 'http://169.254.169.254/latest/meta-data/' }, '302 Found'),
  'redirect-to-oddly-spelled-private': (socket: Socket) =>
    reply(socket, Buffer.alloc(0), { location: '//0x0A.1/' }, '302 Found'),
  'burst-of-429': (socket: Socket, count: number) =>
    count <= burst
      ? reply(socket, Buffer.from('slow down'), { 'retry-after': 1 }, '429 Too Many Requests')
      : reply(socket, Buffer.from('the page'), {}),
  'burst-of-503': (socket: Socket, count: number) =>
    count <= burst
      ? reply(socket, Buffer.from('back soon'), { 'retry-after': inTwoMinutes, date: now }, '503 Service Unavailable')
      : reply(socket, Buffer.from('the page'), {}),
  'too-many-requests': (socket: Socket) =>
    reply(socket, Buffer.alloc(0), { 'retry-after': 5 }, '429 Too Many Requests'),
  unavailable: (socket: Socket) =>
    reply(socket, Buffer.alloc(0), { 'retry-after': inTwoMinutes, date: now }, '503 Service Unavailable'),
  binary: (socket: Socket) =>
    reply(socket, Buffer.from(Uint8Array.from({ length: 4_096 }, (_, at) => (at * 151) % 256)), {
      'content-type': 'text/html',
    }),
} as const;

/** Opens a server of faults that ends with the test. */
export async function openFaultServer(test: TestContext): Promise<FaultServer> {
  const asked: Asked[] = [];
  const sockets = new Set<Socket>();
  let idled = Promise.withResolvers<void>();

  const server = createServer((socket) => {
    sockets.add(socket);
    // A client that leaves early is what these faults are about.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size > 0) return;
      idled.resolve();
      idled = Promise.withResolvers<void>();
    });
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      if (!received.includes('\r\n\r\n')) return;
      const request = parsed(received);
      received = '';
      asked.push(request);
      const fault = Object.entries(faults).find(([name]) => request.path === `/${name}`)?.[1];
      if (fault) fault(socket, asked.filter(({ path }) => path === request.path).length);
      else reply(socket, Buffer.from('no such fault'), {}, '404 Not Found');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  const origin = `http://127.0.0.1:${address.port}`;
  test.after(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  });

  return {
    origin,
    asked,
    url: (fault) => `${origin}/${fault}`,
    connections: () => sockets.size,
    idle: () => (sockets.size === 0 ? Promise.resolve() : idled.promise),
  };
}

/** The origin of a port of loopback at which nobody listens. */
export async function refusingOrigin(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  return `http://127.0.0.1:${address.port}`;
}

/** The origin of a port of loopback that resets each connection as soon as it stands. */
export async function resettingOrigin(test: TestContext): Promise<string> {
  const server = createServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  test.after(() => server.close());
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  return `http://127.0.0.1:${address.port}`;
}

const mebibyte = Buffer.alloc(1024 * 1024);
/** Each bomb holds ten gibibytes of nothing. */
const mebibytes = 10 * 1024;

/** What `make` returns, made at the first call. */
function madeOnce<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** In ten mebibytes: members of one file that are all the same. */
const gzipBomb = madeOnce(() => {
  const member = gzipSync(mebibyte);
  return Buffer.alloc(mebibytes * member.byteLength, member);
});

/** In ten mebibytes: blocks that are all the same, without an end. */
const deflateBomb = madeOnce(() => {
  const block = deflateRawSync(mebibyte, { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([Uint8Array.of(0x78, 0x9c), Buffer.alloc(mebibytes * block.byteLength, block)]);
});

/** In a third of a mebibyte: blocks of 128 KiB that say "the same byte again" (RFC 8878, 3.1.1.2). Its window is of 128 KiB, or of 128 MiB with 0x88. */
function zstdBomb(window = 0x38): Buffer {
  const head = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, window);
  const block = Uint8Array.of(0x02, 0x00, 0x10, 0x00);
  return Buffer.concat([head, Buffer.alloc(mebibytes * 8 * block.byteLength, block), Uint8Array.of(0x01, 0, 0)]);
}

/** In a fraction of a mebibyte: the second block again and again, without an end. */
const brotliBomb = madeOnce(async () => {
  const encoder = createBrotliCompress();
  const blocks: Buffer[] = [];
  for (let count = 0; count < 2; count += 1) {
    encoder.write(mebibyte);
    await new Promise<void>((resolve) => encoder.flush(resolve));
    blocks.push(encoder.read());
  }
  encoder.destroy();
  const [first = Buffer.alloc(0), again = Buffer.alloc(0)] = blocks;
  return Buffer.concat([first, Buffer.alloc((mebibytes - 1) * again.byteLength, again)]);
});

/** Bytes that compress badly. */
function noise(): Buffer {
  return Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * at * 2_654_435_761) % 251));
}

type Headers = Readonly<Record<string, string | number>>;

function head(headers: Headers, status = '200 OK'): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`;
}

/** Heads of interim responses. */
function interim(...statuses: readonly string[]): string {
  return statuses.map((status) => head({ link: '</a>' }, status)).join('');
}

function reply(socket: Socket, body: Uint8Array, headers: Headers, status?: string, before = ''): void {
  socket.write(before + head({ ...headers, 'content-length': body.byteLength }, status));
  socket.write(body);
}

/** Sends a little for ever. */
function drip(socket: Socket, start: string, next: (count: number) => string): void {
  socket.write(start);
  let count = 0;
  const timer = setInterval(() => socket.write(next((count += 1))), dripEveryMs);
  socket.on('close', () => clearInterval(timer));
}

/** Sends for ever as fast as the other side takes it. */
function pour(socket: Socket, start: string, chunk: Uint8Array, first: Uint8Array = new Uint8Array()): void {
  socket.write(start);
  socket.write(first);
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

function parsed(text: string): Asked {
  const [requestLine = '', ...lines] = text.split('\r\n');
  const [method = '', path = ''] = requestLine.split(' ');
  const headers = lines
    .filter((line) => line.includes(':'))
    .map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    });
  return { method, path, headers: Object.fromEntries(headers), at: Date.now() };
}
