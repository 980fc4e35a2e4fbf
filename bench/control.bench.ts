import { mkdtemp, rm } from 'node:fs/promises';
import { connect as openSocket, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { ControlError } from '../src/control/error.ts';
import { methods, type Handlers } from '../src/control/methods.ts';
import { startServer } from '../src/control/server.ts';

/**
 * Question: what does a control call cost beside a bare JSON echo on a Unix socket, which parses a line and writes it back?
 * Goals: p50 at most 1.5 times, p99 at most 2 times, and pipelined at least 0.4 times its rate.
 */

/** Calls in a round; rounds of the two sides alternate, so that the machine's moods meet both. */
const calls = 10_000;
const rounds = 5;
const pipelined = 256;

/** Clients that ask without pause while the load is measured. */
const loadClients = 8;

interface Side {
  readonly p50: number;
  readonly p99: number;
  readonly loadedP50: number;
  readonly loadedP99: number;
  readonly perSecond: number;
}

const [role, socketFolder] = process.argv.slice(2);
if (role === 'serve' && socketFolder !== undefined) await serve(socketFolder);
else await measure();

/** The served side, in a process of its own as in life. */
async function serve(folder: string): Promise<void> {
  const none = Object.keys(methods).map((method) => [method, notServed]);
  const handlers = { ...Object.fromEntries(none), 'daemon.ping': () => ({}) } as Handlers;
  await startServer({
    path: join(folder, 'control'),
    handlers,
    failed: (error) => console.error(error),
    audit: () => undefined,
  });
  const echo = createServer((socket) => {
    let unfinished = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (unfinished + text).split('\n');
      unfinished = lines.pop() ?? '';
      socket.write(lines.map((line) => `${JSON.stringify(JSON.parse(line))}\n`).join(''));
    });
  });
  echo.listen(join(folder, 'echo'), () => process.send?.('ready'));
}

function notServed(): never {
  throw new ControlError('not_ready', 'not served in this measurement');
}

async function measure(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-bench-'));
  const server = fork(import.meta.filename, ['serve', folder]);
  await once(server, 'message');
  const found: Record<'control' | 'echo', Side[]> = { control: [], echo: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const side of ['echo', 'control'] as const) {
      const measured = await measureSide(join(folder, side));
      // The first round warms both up.
      if (round > 0) found[side].push(measured);
    }
  }
  server.kill();
  await rm(folder, { recursive: true });
  report(medians(found.control), medians(found.echo));
}

async function measureSide(path: string): Promise<Side> {
  const idle = await roundTrips(path, calls);
  const loads = Array.from({ length: loadClients }, () => keepAsking(path));
  const loaded = await roundTrips(path, calls);
  for (const load of loads) load.stop();
  await Promise.all(loads.map((load) => load.ended));
  const perSecond = await pipeline(path, calls * 2);
  return {
    p50: at(idle, 0.5),
    p99: at(idle, 0.99),
    loadedP50: at(loaded, 0.5),
    loadedP99: at(loaded, 0.99),
    perSecond,
  };
}

/** Milliseconds of each round trip, one after the other, sorted. */
async function roundTrips(path: string, count: number): Promise<Float64Array> {
  const times = new Float64Array(count);
  let index = 0;
  let sentAt = 0;
  await exchange(path, 1, count, {
    sent: () => (sentAt = performance.now()),
    answered: () => {
      times[index] = performance.now() - sentAt;
      index += 1;
    },
  });
  return times.sort();
}

/** Answers per second with many requests under way. */
async function pipeline(path: string, count: number): Promise<number> {
  const startedAt = performance.now();
  await exchange(path, pipelined, count, {});
  return count / ((performance.now() - startedAt) / 1_000);
}

function keepAsking(path: string): { readonly ended: Promise<void>; stop(): void } {
  let stopped = false;
  const ended = exchange(path, 1, Infinity, { isOver: () => stopped });
  return { ended, stop: () => (stopped = true) };
}

interface ExchangeHooks {
  sent?(): void;
  answered?(): void;
  isOver?(): boolean;
}

/** Sends requests, so many at a time, until `count` are answered; the same bare client for both sides. */
async function exchange(path: string, atOnce: number, count: number, hooks: ExchangeHooks): Promise<void> {
  const socket = await open(path);
  let asked = 0;
  let answered = 0;
  const ask = (most: number): void => {
    let lines = '';
    for (let more = Math.min(most, count - asked); more > 0; more -= 1) {
      asked += 1;
      lines += `{"jsonrpc":"2.0","id":${asked},"method":"daemon.ping","params":{}}\n`;
    }
    hooks.sent?.();
    if (lines !== '') socket.write(lines);
  };
  await new Promise<void>((resolve) => {
    socket.on('data', (bytes) => {
      let lines = 0;
      for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, end + 1)) lines += 1;
      answered += lines;
      if (lines > 0) hooks.answered?.();
      if (answered >= count || hooks.isOver?.()) resolve();
      else if (lines > 0) ask(lines);
    });
    ask(atOnce);
  });
  socket.destroy();
}

async function open(path: string): Promise<Socket> {
  const socket = openSocket(path);
  await once(socket, 'connect');
  return socket;
}

function at(sorted: Float64Array, quantile: number): number {
  return sorted[Math.floor(sorted.length * quantile)] ?? Number.NaN;
}

function medians(sides: readonly Side[]): Side {
  const median = (key: keyof Side): number => at(Float64Array.from(sides, (side) => side[key]).sort(), 0.5);
  return {
    p50: median('p50'),
    p99: median('p99'),
    loadedP50: median('loadedP50'),
    loadedP99: median('loadedP99'),
    perSecond: median('perSecond'),
  };
}

function report(control: Side, echo: Side): void {
  const rows = [
    { name: 'round trip p50', unit: 'ms', control: control.p50, echo: echo.p50, atMost: 1.5 },
    { name: 'round trip p99', unit: 'ms', control: control.p99, echo: echo.p99, atMost: 2 },
    {
      name: `p50, ${loadClients} busy clients`,
      unit: 'ms',
      control: control.loadedP50,
      echo: echo.loadedP50,
      atMost: 1.5,
    },
    {
      name: `p99, ${loadClients} busy clients`,
      unit: 'ms',
      control: control.loadedP99,
      echo: echo.loadedP99,
      atMost: 2,
    },
    { name: `pipelined ${pipelined}`, unit: '/s', control: control.perSecond, echo: echo.perSecond, atLeast: 0.4 },
  ].map((row) => ({ ...row, ratio: row.control / row.echo }));
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify({ question: 'control', node: process.version, rows }));
    return;
  }
  for (const { name, unit, control, echo, ratio, atMost, atLeast } of rows) {
    const digits = unit === 'ms' ? 3 : 0;
    const goal = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
    console.log(
      `${name.padEnd(22)} control ${control.toFixed(digits)} ${unit}, echo ${echo.toFixed(digits)} ${unit}: ratio ${ratio.toFixed(2)} (${goal})`,
    );
  }
}
