/**
 * Question: how long until a daemon that was stopped tracks all its projects again, and what does an idle one keep in memory?
 * Goals: 100,000 projects in under 10 s, with under 1.5 kB of heap each.
 *
 * Each size is filled by one process and resumed by another, so that what filling leaves behind is not measured.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../src/clock.ts';
import { openDaemon } from '../src/daemon/open.ts';
import { secretsFrom } from '../src/session/secret-store.ts';
import { filledSource, fillStore, hourMs } from '../test/support/filled-store.ts';

const sizes = [0, 1_000, 10_000, 100_000];

interface Resumed {
  /** From the opening of the daemon until the last project's actor ran. */
  readonly readyMs: number;
  readonly heapBytes: number;
  readonly arrayBytes: number;
}

const [role, folder = '', projects = '0'] = process.argv.slice(2);
if (role === 'resume') process.send?.(await resume(folder, Number(projects)));
else await measure();

async function resume(data: string, count: number): Promise<Resumed> {
  const running = Promise.withResolvers<void>();
  let left = count;
  const startedAt = performance.now();
  const daemon = await openDaemon({
    clock: systemClock(),
    random: Math.random,
    data: join(data, 'data'),
    sources: join(data, 'sources'),
    plugins: join(data, 'plugins'),
    socket: join(data, 'socket'),
    version: '0.0.0',
    settings: { initialDelayMs: 1_000, everyMs: 4 * hourMs, timeLimitMs: 60_000, logLevel: 'silent' },
    pulseEveryMs: 300_000,
    bot: { name: 'Heronry', userAgent: 'Heronry/0.0.0', onlyLoopback: true },
    findSecrets: secretsFrom({ environment: {} }),
    threads: 1,
    report(report) {
      if (report.type !== 'started' || !report.id.startsWith('project-')) return;
      left -= 1;
      if (left === 0) running.resolve();
    },
    warn: (what, error) => console.error(what, error),
  });
  if (count > 0) await running.promise;
  const readyMs = performance.now() - startedAt;
  await daemon.system.idle();
  // What compiling and the opening of the tables leave to be collected later is not the projects'.
  await delay(500);
  for (let pass = 0; pass < 3; pass += 1) globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  daemon.stop();
  await daemon.ended;
  return { readyMs, heapBytes: heapUsed, arrayBytes: arrayBuffers };
}

async function measure(): Promise<void> {
  const found: (Resumed & { readonly projects: number })[] = [];
  for (const size of sizes) found.push({ projects: size, ...(await measureOne(size)) });
  const [empty] = found;
  if (empty === undefined) throw new Error('nothing was measured');
  const rows = found
    .filter((row) => row.projects > 0)
    .map((row) => ({
      projects: row.projects,
      readyMs: Math.round(row.readyMs),
      heapBytesEach: Math.round((row.heapBytes - empty.heapBytes) / row.projects),
      arrayBytesEach: Math.round((row.arrayBytes - empty.arrayBytes) / row.projects),
    }));
  if (process.argv.includes('--json'))
    console.log(JSON.stringify({ question: 'start-up', node: process.version, rows }));
  else console.table(rows);
}

async function measureOne(size: number): Promise<Resumed> {
  const data = await mkdtemp(join(tmpdir(), 'heronry-bench-'));
  await mkdir(join(data, 'sources'));
  await writeFile(join(data, 'sources', 'shop.yaml'), JSON.stringify(filledSource)); // JSON is YAML
  await fillStore(data, { count: size });
  const child = fork(import.meta.filename, ['resume', data, String(size)], { execArgv: ['--expose-gc'] });
  const ended = once(child, 'exit');
  const [resumed] = (await once(child, 'message')) as [Resumed];
  await ended;
  await rm(data, { recursive: true });
  return resumed;
}
