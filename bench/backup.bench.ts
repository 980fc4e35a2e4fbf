/**
 * Question: what does it cost a daemon to keep a continuous backup, and how soon does another one, made of the backup, go on? Targets on 200 hosts of
 * loopback are scraped over and over, as fast as a daemon on one core can (where `taskset` is there), the backup being 5 s behind.
 *
 * - `cost`: processor time of a scrape, all threads, with a backup over that without one, in the same round; the backup is of that daemon at the same
 *   time, first copy not included. The goal is what an operator would not notice.
 * - `take-over`: from the kill of the daemon and the loss of its data until `heronry restore-backup` and a daemon on what it made have asked a page;
 *   `restoreMs` of it takes the restore. The peer is the next life of a daemon that was killed, on data that are there.
 *
 * Run with `node bench/backup.bench.ts [--json] [--quick]`.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type BenchDaemon, heronry, type Pace, paceOver, ready, startDaemon } from './daemon.ts';
import { load } from './process-figures.ts';
import { isQuick, show } from './show.ts';
import { openSite } from './site.ts';
import { median, rounded } from './statistics.ts';
import { askedAfter, busyFolder, busyHosts, nextLocalLife } from './worker-daemons.ts';

const rounds = isQuick ? 1 : 5;
const [warmMs, windowMs] = isQuick ? [3_000, 6_000] : [8_000, 20_000];
const withinMs = 60_000;

await using site = await openSite({ hosts: busyHosts, kilobytes: 5, cores: '1' });
const found: {
  readonly bare: Pace;
  readonly backed: Pace;
  readonly takeOver: TakeOver;
  readonly nextLifeMs: number;
}[] = [];
for (let round = 0; round < rounds; round += 1) {
  const bare = await without();
  const { pace: backed, takeOver } = await withBackup();
  found.push({ bare, backed, takeOver, nextLifeMs: await nextLocalLife(site) });
}

show('backup', [
  {
    what: 'cost: a scrape with a continuous backup, over one without',
    cpuMs: rounded(median(found.map(({ backed }) => backed.cpuMsEach)), 3),
    ratio: rounded(median(found.map(({ backed, bare }) => backed.cpuMsEach / bare.cpuMsEach)), 3),
    goal: 1.1,
    load: load(),
  },
  {
    what: 'take-over: ms until a page is asked, over the next life of a killed daemon',
    ms: Math.round(median(found.map(({ takeOver }) => takeOver.ms))),
    restoreMs: Math.round(median(found.map(({ takeOver }) => takeOver.restoreMs))),
    behindMs: Math.round(median(found.map(({ takeOver }) => takeOver.behindMs))),
    ratio: rounded(median(found.map(({ takeOver, nextLifeMs }) => takeOver.ms / nextLifeMs)), 3),
    goal: '',
    load: load(),
  },
]);

interface TakeOver {
  readonly ms: number;
  readonly restoreMs: number;
  /** How old the newest instant in the backup was at the kill. */
  readonly behindMs: number;
}

/** The pace of a daemon that keeps no backup. */
async function without(): Promise<Pace> {
  await using folder = await busyFolder(site);
  await using daemon = await startDaemon(folder, '0');
  await ready(daemon);
  await delay(warmMs);
  return await paceOver(daemon, windowMs);
}

/** The pace of one that keeps one, and how soon it is replaced once its disk is gone. */
async function withBackup(): Promise<{ readonly pace: Pace; readonly takeOver: TakeOver }> {
  const other = await mkdtemp(join(tmpdir(), 'heronry-bench-'));
  const to = join(other, 'backup');
  try {
    await using folder = await busyFolder(site, { backup: { to, every: '5s' } });
    const daemon = await startDaemon(folder, '0');
    await ready(daemon);
    await untilCopied(daemon);
    await delay(warmMs);
    const pace = await paceOver(daemon, windowMs);
    const upToAt = (await daemon.client.call('daemon.status', {})).backup?.upToAt ?? Number.NaN;
    const killedAt = Date.now();
    await daemon.kill();
    const data = join(folder.path, 'data');
    await rename(data, `${data}.gone`);
    await promisify(execFile)(process.execPath, [heronry, 'restore-backup', to, data]);
    const restoredAt = Date.now();
    await using _next = await startDaemon(folder, '0');
    const answeredAt = Date.now();
    const ms = answeredAt - killedAt + (await askedAfter(site, answeredAt));
    return { pace, takeOver: { ms, restoreMs: restoredAt - killedAt, behindMs: killedAt - upToAt } };
  } finally {
    await rm(other, { recursive: true, force: true });
  }
}

/** Waits until the first copy of the store is whole. */
async function untilCopied({ client }: BenchDaemon): Promise<void> {
  for (const until = performance.now() + withinMs; performance.now() < until; await delay(200)) {
    const { backup } = await client.call('daemon.status', {});
    if (backup?.failure !== undefined) throw new Error(backup.failure);
    if (backup?.upToAt !== undefined) return;
  }
  throw new Error(`no copy of the store within ${withinMs} ms`);
}
