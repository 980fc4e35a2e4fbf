/**
 * Question: what does fetching a page cost over the bare client? Pages of 5 kB from a server in a process of its own, at 1, 16
 * and 128 requests at once, through the client with its limits, vetted addresses and budget of bodies; against bare
 * undici `request()` on an Agent and against node:http of the same run.
 *
 * Goals, in CPU per request: at most 1.35 × undici's, and at most 0.75 × that of node:http.
 *
 * Run with `node --expose-gc bench/fetch.bench.ts [--json]`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent as HttpAgent, get } from 'node:http';
import { createServer } from 'node:net';
import { Agent, request } from 'undici';
import { BodyBudget } from '../src/fetch/body-budget.ts';
import { createClient } from '../src/fetch/wire/client.ts';
import { defaultLimits } from '../test/support/politeness.ts';

const pageBytes = 5_000;

/** Answers every request with the same page, as cheaply as Node can. */
async function serve(): Promise<void> {
  const body = '<p>some text of a page</p>\n'.repeat(200).slice(0, pageBytes);
  const head =
    `HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: ${pageBytes}\r\n` +
    'date: Thu, 01 Jan 2026 00:00:00 GMT\r\netag: "5000-1"\r\nserver: bench\r\n\r\n';
  const response = Buffer.from(head + body);
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('data', () => socket.write(response));
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.(server.address());
  process.on('disconnect', () => process.exit());
}

interface Contender {
  readonly name: string;
  /** Resolves to the number of bytes in the body. */
  fetch(signal: AbortSignal): Promise<number>;
  close(): unknown;
}

function bareUndici(url: string): Contender {
  const dispatcher = new Agent();
  return {
    name: 'undici request()',
    async fetch() {
      const { body } = await request(url, { dispatcher, headers: { 'user-agent': 'bench' } });
      return (await body.arrayBuffer()).byteLength;
    },
    close: () => dispatcher.close(),
  };
}

function bareHttp(url: string): Contender {
  const agent = new HttpAgent({ keepAlive: true });
  return {
    name: 'node:http',
    fetch: () =>
      new Promise((resolve, reject) => {
        get(url, { agent, headers: { 'user-agent': 'bench' } }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => resolve(Buffer.concat(chunks).byteLength));
          response.on('error', reject);
        }).on('error', reject);
      }),
    close: () => agent.destroy(),
  };
}

function heronry(url: string): Contender {
  const client = createClient({ budget: new BodyBudget(), userAgent: 'bench' });
  const options = { now: Date.now, onSent: () => undefined };
  return {
    name: 'heronry',
    async fetch(signal) {
      const outcome = await client.fetchPage(
        { url, limits: defaultLimits, allowPrivate: true },
        { ...options, signal },
      );
      if (outcome.kind !== 'page') throw new Error(`not a page: ${JSON.stringify(outcome)}`);
      return outcome.page.body.byteLength;
    },
    close: () => client.close(),
  };
}

interface Figures {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

/** Keeps `lanes` requests under way for about `forMs`. */
async function measure(contender: Contender, lanes: number, forMs: number): Promise<Figures> {
  // So that none pays for what the one before it left behind.
  globalThis.gc?.();
  const startedAt = performance.now();
  const cpuAt = process.cpuUsage();
  let requests = 0;
  const lane = async (): Promise<void> => {
    const { signal } = new AbortController();
    while (performance.now() - startedAt < forMs) {
      if ((await contender.fetch(signal)) !== pageBytes) throw new Error(`${contender.name} got another page`);
      requests += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const { user, system } = process.cpuUsage(cpuAt);
  return { perSecond: (requests / (performance.now() - startedAt)) * 1_000, cpuMicros: (user + system) / requests };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Rounds alternate, so that a slow moment of the machine falls on all. */
async function compare(contenders: readonly Contender[], lanes: number): Promise<readonly object[]> {
  for (const contender of contenders) await measure(contender, lanes, 700);
  const rounds = contenders.map((): Figures[] => []);
  for (let round = 0; round < 7; round += 1) {
    for (const [index, contender] of contenders.entries()) rounds[index]?.push(await measure(contender, lanes, 400));
  }
  const cpu = rounds.map((figures) => median(figures.map(({ cpuMicros }) => cpuMicros)));
  const [undiciCpu = Number.NaN, httpCpu = Number.NaN] = cpu;
  return contenders.map(({ name }, index) => ({
    concurrency: lanes,
    client: name,
    perSecond: Math.round(median((rounds[index] ?? []).map(({ perSecond }) => perSecond))),
    cpuMicros: rounded(cpu[index] ?? Number.NaN),
    toUndici: rounded((cpu[index] ?? Number.NaN) / undiciCpu),
    toHttp: rounded((cpu[index] ?? Number.NaN) / httpCpu),
  }));
}

async function main(): Promise<void> {
  const server = fork(import.meta.filename, ['--serve'], { execArgv: [] });
  const [{ port }] = (await once(server, 'message')) as [{ readonly port: number }];
  const url = `http://127.0.0.1:${port}/p/1.html?a=b`;
  const contenders = [bareUndici(url), bareHttp(url), heronry(url)];
  const results: object[] = [];
  for (const lanes of [1, 16, 128]) results.push(...(await compare(contenders, lanes)));
  for (const contender of contenders) await contender.close();
  server.disconnect();
  if (process.argv.includes('--json')) console.log(JSON.stringify({ bench: 'fetch', results }));
  else console.table(results);
}

await (process.argv.includes('--serve') ? serve() : main());
