/** A daemon as a person runs it, `heronry start` in a process of its own with default settings, watched from outside by a bench. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, connect, ConnectionError } from '../src/control/client.ts';
import { anonymousBytes, cpuMs, peakBytes } from './process-figures.ts';
import { productFields } from './pages.ts';

/** A folder of a daemon's data, definitions, socket and log; disposing of it removes it. */
export interface DaemonFolder extends AsyncDisposable {
  readonly path: string;
}

/** A daemon under measurement; disposing of it ends it. */
export interface BenchDaemon extends AsyncDisposable {
  readonly pid: number;
  readonly client: Client;
  /** When its process was started, by the clock of `performance`. */
  readonly startedAt: number;
  /** Processor time so far, of all its threads, in milliseconds. */
  cpuMs(): number;
  /** The most memory that it had at one time, files that are mapped included. */
  peakBytes(): number;
  /** The most memory of its own that was seen so far, looked at every 50 ms. */
  peakAnonymousBytes(): number;
  anonymousBytes(): number;
  /** Ends it with SIGKILL, and resolves when it is gone. */
  kill(): Promise<void>;
}

/** The program. */
export const heronry = join(import.meta.dirname, '..', 'src', 'heronry.cjs');
const tether = join(import.meta.dirname, '..', 'src', 'process', 'tether.ts');
const startsWithinMs = 120_000;
const lookEveryMs = 50;

const canPin = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** The words of a command that runs on these cores alone, where `taskset` is there; on any without `cores`. */
export function pinned(command: readonly string[], cores?: string): readonly [string, ...string[]] {
  const words = canPin && cores !== undefined ? ['taskset', '-c', cores, ...command] : command;
  const [first = '', ...more] = words;
  return [first, ...more];
}

/** The politeness of a request each millisecond and host. */
export const fastest = { autoThrottle: false, delay: '1ms', minDelay: '1ms' };

/** The definition of a source of product pages, `more` in the place of what it says by default. */
export function shopSource(more: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return {
    id: 'shop',
    allowPrivate: true,
    robots: 'ignore',
    politeness: fastest,
    records: { product: { key: 'sku', fields: productFields } },
    ...more,
  };
}

/**
 * Makes a folder with one definition, `shop`.
 *
 * @param config - what `heronry.yaml` says. Default: there is none.
 */
export async function daemonFolder(
  definition: Readonly<Record<string, unknown>>,
  config?: Readonly<Record<string, unknown>>,
): Promise<DaemonFolder> {
  const path = await mkdtemp(join(tmpdir(), 'heronry-bench-'));
  await mkdir(join(path, 'sources'));
  // JSON is YAML.
  await writeFile(join(path, 'sources', 'shop.yaml'), JSON.stringify(definition));
  if (config !== undefined) await writeFile(join(path, 'heronry.yaml'), JSON.stringify(config));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Starts a daemon over a folder, on `cores` alone if they are given; resolves when it answers. Its log goes to a file, as a service's does. */
export async function startDaemon({ path }: DaemonFolder, cores?: string): Promise<BenchDaemon> {
  const log = openSync(join(path, 'log'), 'a');
  const socket = join(path, 'socket');
  const words = ['start', '--data', join(path, 'data'), '--sources', join(path, 'sources'), '--socket', socket];
  if (existsSync(join(path, 'heronry.yaml'))) words.push('--config', join(path, 'heronry.yaml'));
  const [command, ...args] = pinned([process.execPath, '--import', tether, heronry, ...words], cores);
  const startedAt = performance.now();
  const child = spawn(command, args, { stdio: ['pipe', log, log] });
  child.stdin?.on('error', () => undefined); // it ended while we did
  const ended = once(child, 'exit');
  const { pid = 0 } = child;
  const client = await connectSoon(socket, child, path);
  let peakAnonymous = 0;
  const look = setInterval(() => {
    // It may have just ended.
    if (child.exitCode === null && child.signalCode === null)
      peakAnonymous = Math.max(peakAnonymous, anonymousBytes(pid));
  }, lookEveryMs);
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    clearInterval(look);
    child.kill(signal);
    await ended;
    client.close();
  };
  return {
    pid,
    client,
    startedAt,
    cpuMs: () => cpuMs(pid),
    peakBytes: () => peakBytes(pid),
    peakAnonymousBytes: () => Math.max(peakAnonymous, anonymousBytes(pid)),
    anonymousBytes: () => anonymousBytes(pid),
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  };
}

/** Its socket listens once all that stands above it in the tree has started. */
async function connectSoon(socket: string, child: ChildProcess, path: string): Promise<Client> {
  for (const until = performance.now() + startsWithinMs; ;) {
    try {
      return await connect(socket);
    } catch (error) {
      if (!(error instanceof ConnectionError) || performance.now() > until) throw error;
      if (child.exitCode !== null) throw new Error(`the daemon ended: ${logTail(path)}`, { cause: error });
      await delay(5);
    }
  }
}

function logTail(path: string): string {
  return readFileSync(join(path, 'log'), 'utf8').split('\n').slice(-10).join('\n');
}

/** Waits until each target has its actor. */
export async function ready({ client }: BenchDaemon): Promise<void> {
  for (const until = performance.now() + startsWithinMs; performance.now() < until;) {
    const { state, remaining } = await client.call('daemon.status', {});
    if (state === 'ready' && remaining === 0) return;
    await delay(100);
  }
  throw new Error(`the daemon was not ready within ${startsWithinMs} ms`);
}

/** Lives that ended in an error so far, by the log. */
export function deaths({ path }: DaemonFolder): number {
  return readFileSync(join(path, 'log'), 'utf8').match(/^\{"level":40.*"msg":"ended"/gm)?.length ?? 0;
}

/** It rests once it has taken less than a twentieth of a core for so long. */
const restS = 3;
const restingMs = 50;

/** Waits until a daemon has nothing left to do; what it took of the processor up to then. */
export async function rest(daemon: BenchDaemon): Promise<number> {
  let spent = daemon.cpuMs();
  for (let resting = 0; resting < restS;) {
    await delay(1_000);
    const now = daemon.cpuMs();
    resting = now - spent < restingMs ? resting + 1 : 0;
    spent = now;
  }
  return spent;
}

/** Completed scrapes, and the processor time for them, over a time. */
export interface Pace {
  readonly perSecond: number;
  readonly cpuMsEach: number;
}

/** Watches a daemon that scrapes for so many milliseconds. */
export async function paceOver({ client, cpuMs: spent }: BenchDaemon, forMs: number): Promise<Pace> {
  const before = { scrapes: await completed(client), cpuMs: spent(), at: performance.now() };
  await delay(forMs);
  const scrapes = (await completed(client)) - before.scrapes;
  return {
    perSecond: (scrapes / (performance.now() - before.at)) * 1_000,
    cpuMsEach: (spent() - before.cpuMs) / scrapes,
  };
}

/** Scrapes that have completed since the daemon started. */
export async function completed(client: Client): Promise<number> {
  const { scrapes } = await client.call('daemon.status', {});
  return scrapes.complete;
}
