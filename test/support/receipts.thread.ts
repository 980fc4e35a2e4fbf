import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { productPage } from './daemon.ts';
import { watchLoop } from './loop-watch.ts';

/** One request, as its host saw it. */
export interface Receipt {
  /** By the clock of this thread, in milliseconds. */
  readonly at: number;
  /** It may have come up to so much earlier: this thread was not looking. */
  readonly lateMs: number;
  readonly kind: 'page' | 'pulse' | 'robots';
  readonly path: string;
}

/** The requests that one host received. */
export interface HostReport {
  readonly receipts: readonly Receipt[];
  /** The most requests that were without an answer at a time. */
  readonly mostOpen: number;
}

export interface HostOptions {
  /** Each answer takes a time up to this. */
  readonly latencyMs: number;
  /** One answer in so many requests of all hosts is a failure of the server. Default: none. */
  readonly failureEvery?: number;
}

export type FromHosts =
  | { readonly type: 'listening'; readonly ports: readonly number[] }
  /** Told after every so many requests. */
  | { readonly type: 'received'; readonly requests: number }
  | { readonly type: 'report'; readonly hosts: readonly HostReport[] };

const tellEvery = 100;

// Hosts on a thread of their own, which has nothing else to do and so sees requests when they come.
const port = parentPort;
if (port === null) throw new Error('expected to run on a thread');
const tell = (message: FromHosts): void => port.postMessage(message);

const lateMs = watchLoop();
let requests = 0;
const hosts = (workerData as readonly HostOptions[]).map(openHost);
const ports = await Promise.all(hosts.map(({ listening }) => listening));
tell({ type: 'listening', ports });
port.on('message', () => tell({ type: 'report', hosts: hosts.map(({ report }) => report()) }));

function openHost({ latencyMs, failureEvery = Infinity }: HostOptions) {
  const receipts: Receipt[] = [];
  let open = 0;
  let mostOpen = 0;
  const server = createServer((request, response) => {
    const at = performance.now();
    receipts.push({ at, lateMs: lateMs(), kind: kindOf(request), path: request.url ?? '' });
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.on('close', () => (open -= 1));
    setTimeout(() => answer(request, response, requests % failureEvery === 0), Math.random() * latencyMs);
    requests += 1;
    if (requests % tellEvery === 0) tell({ type: 'received', requests });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  return {
    listening: once(server, 'listening').then(() => portOf(server.address())),
    report: () => ({ receipts, mostOpen }),
  };
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  return address.port;
}

function kindOf({ url, headers }: IncomingMessage): Receipt['kind'] {
  if (url === '/robots.txt') return 'robots';
  return headers['x-kind'] === 'page' ? 'page' : 'pulse';
}

function answer({ url = '/' }: IncomingMessage, response: ServerResponse, isFailure: boolean): void {
  response.setHeader('content-type', 'text/html');
  if (url === '/robots.txt') response.statusCode = 404;
  else if (isFailure) response.statusCode = 500;
  response.end(productPage(url.slice(1), '1.00'));
}
