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
 * Run with `node bench/idle.bench.ts [--json] [--quick]`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { daemonFolder, ready, rest, startDaemon } from './daemon.ts';
import { filledSource, fillStore } from '../test/support/filled-store.ts';
import { isQuick, show } from './show.ts';
import { rounded } from './statistics.ts';

const sizes = isQuick ? [0, 10_000] : [0, 100_000];
const windowS = isQuick ? 5 : 40;

interface Idle {
  readonly readyMs: number;
  readonly busyMs: number;
  readonly cpuPercent: number;
  readonly memoryBytes: number;
}

const found: (Idle & { readonly projects: number })[] = [];
if (process.platform === 'linux') for (const size of sizes) found.push({ projects: size, ...(await measureOne(size)) });
const [empty] = found;
show(
  'idle',
  found.map(({ memoryBytes, ...row }) => ({
    ...row,
    memoryMb: rounded(memoryBytes / 1e6, 0),
    memoryBytesEach: row.projects === 0 ? '' : Math.round((memoryBytes - (empty?.memoryBytes ?? 0)) / row.projects),
  })),
);

async function measureOne(size: number): Promise<Idle> {
  await using folder = await daemonFolder(filledSource);
  await fillStore(folder.path, { count: size });
  await using daemon = await startDaemon(folder);
  await ready(daemon);
  const readyMs = Math.round(performance.now() - daemon.startedAt);
  const busyMs = await rest(daemon);
  const from = performance.now();
  await delay(windowS * 1_000);
  const cpuPercent = rounded(((daemon.cpuMs() - busyMs) / (performance.now() - from)) * 100);
  return { readyMs, busyMs, cpuPercent, memoryBytes: daemon.anonymousBytes() };
}
