/**
 * Question: what does a daemon take of the machine while nothing is due? It is started as a person starts it, over a store of
 * projects of one target each, and watched from outside.
 *
 * `readyMs` is from its start until each project has its actor, `busyMs` what it took of the processor until it first rested.
 * `cpuPercent` is of one core, over 40 s, which holds a pass that compares the store with what runs;
 * `memoryBytesEach` is of its own memory, over a daemon without projects.
 *
 * Goal: under 1 % of a core with 100,000 projects. Needs Linux, which tells what a process took in /proc.
 *
 * Run with `node bench/idle.bench.ts [--json]`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, connect, ConnectionError } from '../src/control/client.ts';
import { startProcess } from '../src/demo/own-process.ts';
import { filledSource, fillStore } from './filled-store.ts';
import { rounded } from './statistics.ts';

const sizes = [0, 100_000];
const windowS = 40;
/** It rests once it has taken less than a twentieth of a core for so long. */
const restS = 3;
const restingMs = 50;
const startsWithinS = 120;
/** In milliseconds: the unit of /proc on every Linux that Node runs on. */
const tickMs = 10;

const heronry = join(import.meta.dirname, '..', 'src', 'heronry.cjs');

interface Idle {
  readonly readyMs: number;
  readonly busyMs: number;
  readonly cpuPercent: number;
  readonly memoryBytes: number;
}

const [role, folder = '', projects = '0'] = process.argv.slice(2);
if (role === 'fill') await fillStore(folder, Number(projects));
else await measure();

async function measure(): Promise<void> {
  const found: (Idle & { readonly projects: number })[] = [];
  if (process.platform === 'linux')
    for (const size of sizes) found.push({ projects: size, ...(await measureOne(size)) });
  const [empty] = found;
  const rows = found.map(({ memoryBytes, ...row }) => ({
    ...row,
    memoryMb: rounded(memoryBytes / 1e6, 0),
    memoryBytesEach: row.projects === 0 ? '' : Math.round((memoryBytes - (empty?.memoryBytes ?? 0)) / row.projects),
  }));
  if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
  else console.table(rows);
}

async function measureOne(size: number): Promise<Idle> {
  const data = await mkdtemp(join(tmpdir(), 'heronry-bench-'));
  try {
    await mkdir(join(data, 'sources'));
    await writeFile(join(data, 'sources', 'shop.yaml'), filledSource);
    // In a process of its own, whose memory goes with it.
    await once(fork(import.meta.filename, ['fill', data, String(size)]), 'exit');
    return await watch(data);
  } finally {
    await rm(data, { recursive: true });
  }
}

async function watch(data: string): Promise<Idle> {
  const socket = join(data, 'socket');
  const startedAt = performance.now();
  await using daemon = await startProcess(heronry, [
    'start',
    ...['--data', join(data, 'data'), '--sources', join(data, 'sources'), '--socket', socket, '--log-level', 'warn'],
  ]);
  const client = await connectSoon(socket);
  await ready(client);
  const readyMs = Math.round(performance.now() - startedAt);
  client.close();
  const busyMs = await rest(daemon.pid);
  const from = performance.now();
  await delay(windowS * 1_000);
  const spentMs = (await cpuMs(daemon.pid)) - busyMs;
  const cpuPercent = rounded((spentMs / (performance.now() - from)) * 100);
  return { readyMs, busyMs, cpuPercent, memoryBytes: await ownMemory(daemon.pid) };
}

async function connectSoon(socket: string): Promise<Client> {
  for (const until = performance.now() + startsWithinS * 1_000; ;) {
    try {
      return await connect(socket);
    } catch (error) {
      if (!(error instanceof ConnectionError) || performance.now() > until) throw error;
      await delay(20);
    }
  }
}

async function ready(client: Client): Promise<void> {
  for (const until = performance.now() + startsWithinS * 1_000; performance.now() < until;) {
    const { state, remaining } = await client.call('daemon.status', {});
    if (state === 'ready' && remaining === 0) return;
    await delay(100);
  }
  throw new Error(`the daemon was not ready within ${startsWithinS} s`);
}

/** Waits until a daemon has nothing left to do of its start; what it took of the processor up to then. */
async function rest(pid: number): Promise<number> {
  let spent = await cpuMs(pid);
  for (let resting = 0; resting < restS;) {
    await delay(1_000);
    const now = await cpuMs(pid);
    resting = now - spent < restingMs ? resting + 1 : 0;
    spent = now;
  }
  return spent;
}

/** What a process has taken of the processor so far, in its own code and in the system's. */
async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // What comes before may have spaces in it; these are fields 14 and 15 of all.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Without the pages of its files, which the system takes back when it needs them. */
async function ownMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}
