/**
 * The sites that benches have scraped, in a process of their own, so that what they take of the processor is not the daemon's:
 * loopback addresses that answer on one port from memory, and say how they were asked.
 */
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { watchLoop } from '../test/support/loop-watch.ts';
import { hostAddress } from '../test/support/web/web.ts';
import { productPage } from './pages.ts';

export interface SiteOptions {
  /** How many addresses answer. */
  readonly hosts: number;
  /** Of each page, in kB. */
  readonly kilobytes: number;
  /** The gap between two requests of a host that is looked for, in milliseconds; without it no gap is. */
  readonly gapMs?: number;
  /** How long each answer takes, in milliseconds. Default: none. */
  readonly waitMs?: number;
  /** The cores that it may use, for `taskset`. */
  readonly cores?: string;
}

/** How a site was asked so far. */
export interface SiteReport {
  readonly requests: number;
  /** Pages that were asked for. */
  readonly pages: number;
  /** Requests for pages that had been asked for already. */
  readonly again: number;
  /** Requests that came before the gap of their host was over, by more than the server can have been late to see the one before. */
  readonly early: number;
  /** Requests in each tenth of a second from `since` on; none without it. */
  readonly perTenth: readonly number[];
}

export interface Site extends AsyncDisposable {
  /** The address of page number `index`; pages that follow on one another are on different hosts. */
  url(index: number): string;
  /** @param since - milliseconds since the epoch. */
  report(since?: number): Promise<SiteReport>;
}

/** Milliseconds of the clock, and what the network's stack may gather before it hands on. */
const clockMs = 1;
const keyDigits = 7;

if (import.meta.main) await serve(JSON.parse(process.argv[2] ?? '') as SiteOptions);

/** Opens sites and waits until they listen; they end with this process at the latest. */
export async function openSite(options: SiteOptions): Promise<Site> {
  const child = fork(import.meta.filename, [JSON.stringify(options)], { execArgv: [] });
  const { cores } = options;
  if (cores !== undefined) spawnSync('taskset', ['-acp', cores, String(child.pid)]);
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => undefined); // whoever waits for an answer gets it
  child.once('exit', (status) => fail(new Error(`the sites ended with ${status}`)));
  const told = async (): Promise<unknown> => ((await Promise.race([once(child, 'message'), failed])) as unknown[])[0];
  const { port } = (await told()) as { readonly port: number };
  return {
    url: (index) => `http://${hostAddress(index % options.hosts)}:${port}/p/${String(index).padStart(keyDigits, '0')}`,
    async report(since) {
      child.send({ since });
      return (await told()) as SiteReport;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function serve({ hosts, kilobytes, gapMs, waitMs }: SiteOptions): Promise<void> {
  const parts = pageParts(kilobytes);
  const arrivals: number[] = [];
  const asked = new Map<string, number>();
  const last = new Float64Array(hosts).fill(-Infinity);
  const lateMs = new Float64Array(hosts);
  let early = 0;
  const look = gapMs === undefined ? undefined : watchLoop();

  const answer = (socket: Socket, host: number, request: Buffer): void => {
    const at = performance.timeOrigin + performance.now();
    arrivals.push(at);
    if (gapMs !== undefined && look !== undefined) {
      if (at - (last[host] ?? 0) < gapMs - (lateMs[host] ?? 0) - clockMs) early += 1;
      last[host] = at;
      lateMs[host] = look();
    }
    const key = request.toString('latin1', '/p/'.length + 'GET '.length, '/p/'.length + 'GET '.length + keyDigits);
    asked.set(key, (asked.get(key) ?? 0) + 1);
    // One piece, as from a server that has the page in memory.
    const text = parts[0] + key + parts[1];
    if (waitMs === undefined) socket.write(text, 'latin1');
    else setTimeout(() => socket.write(text, 'latin1'), waitMs);
  };

  let port = 0;
  for (let host = 0; host < hosts; host += 1) {
    const server = createServer({ noDelay: true }, (socket) => {
      // A request has no body and comes in one piece: it is short, and each connection has one at a time.
      socket.on('data', (request) => answer(socket, host, request));
      socket.on('error', () => socket.destroy());
    });
    server.listen({ port, host: hostAddress(host), backlog: 1_024 });
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('expected a port');
    ({ port } = address);
  }
  process.on('message', ({ since = Infinity }: { readonly since?: number }) => {
    const counts = [...asked.values()];
    const perTenth: number[] = [];
    for (const at of arrivals) {
      if (at < since) continue;
      const tenth = Math.floor((at - since) / 100);
      while (perTenth.length <= tenth) perTenth.push(0);
      perTenth[tenth] = (perTenth[tenth] ?? 0) + 1;
    }
    const again = counts.reduce((sum, count) => sum + count - 1, 0);
    process.send?.({ requests: arrivals.length, pages: counts.length, again, early, perTenth } satisfies SiteReport);
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ port });
}

/** The head and the page before its key, and what follows it: pages differ in nothing else, so that they cost their server nothing. */
function pageParts(kilobytes: number): readonly [string, string] {
  const { html, fields } = productPage(1, kilobytes);
  const [before = '', after = ''] = Buffer.from(html).toString('latin1').split(`data-sku="${fields.sku}"`);
  const [open, close] = ['data-sku="', '"'];
  const length = before.length + open.length + keyDigits + close.length + after.length;
  const head = `HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: ${length}\r\n\r\n`;
  return [head + before + open, close + after];
}
