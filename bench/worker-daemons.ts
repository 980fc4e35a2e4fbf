/** Whole daemons whose targets are due all the time, with worker processes, as benches run and kill them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type OwnProcess, startProcess } from '../src/process/own-process.ts';
import { fillStore } from '../test/support/filled-store.ts';
import { type BenchDaemon, type DaemonFolder, daemonFolder, heronry, shopSource, startDaemon } from './daemon.ts';
import type { Site } from './site.ts';

/** The hosts of the sites, each with one target. */
export const busyHosts = 200;

/** The steps that a worker process runs at a time. */
export const slots = 16;

const withinMs = 90_000;
/**
 * Makes a folder of a daemon whose targets are due all the time, one on each host. It keeps no pages.
 *
 * @param config - what `heronry.yaml` says besides.
 */
export async function busyFolder(site: Site, config: Readonly<Record<string, unknown>> = {}): Promise<DaemonFolder> {
  const folder = await daemonFolder(shopSource({ continuous: { sleep: '0s' } }), { ...config, vault: 'off' });
  await fillStore(folder.path, {
    count: busyHosts,
    urls: Array.from({ length: busyHosts }, (_, index) => site.url(index)),
    pace: { kind: 'continuous' },
  });
  return folder;
}

/** Starts a worker process for a daemon; disposing of it ends it. */
export function startWorker({ path }: DaemonFolder): Promise<OwnProcess> {
  return startProcess(heronry, ['worker', '--config', join(path, 'heronry.yaml'), '--concurrency', String(slots)]);
}

/** Waits until a daemon knows of so many worker processes that are there. */
export async function workersThere({ client }: BenchDaemon, count: number): Promise<void> {
  await until(
    async () => (await client.call('worker.list', {})).workers.filter(({ online }) => online).length === count,
  );
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + withinMs; performance.now() < end; await delay(100)) if (await isSo()) return;
  throw new Error(`it was not so within ${withinMs} ms: ${isSo.toString()}`);
}

/** Makes a folder for the key of a cluster. */
export async function keyFolder(): Promise<AsyncDisposable & { readonly file: string }> {
  const path = await mkdtemp(join(tmpdir(), 'heronry-bench-'));
  return { file: join(path, 'cluster.key'), [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Kills a daemon and starts it again. Resolves with the milliseconds from the kill until the site is asked. */
export async function nextLife(daemon: BenchDaemon, folder: DaemonFolder, site: Site): Promise<number> {
  const killedAt = Date.now();
  await daemon.kill();
  await using _next = await startDaemon(folder);
  // What worker processes had taken before the kill is asked for until now.
  const answeredAt = Date.now();
  return answeredAt - killedAt + (await askedAfter(site, answeredAt));
}

/** The same with the local engine. */
export async function nextLocalLife(site: Site): Promise<number> {
  await using folder = await busyFolder(site);
  const daemon = await startDaemon(folder);
  await askedAfter(site, Date.now());
  return await nextLife(daemon, folder, site);
}

/** Waits until a site is asked. Resolves with the milliseconds from `since`, an instant by the wall clock, to a tenth of a second. */
export async function askedAfter(site: Site, since: number): Promise<number> {
  let perTenth: readonly number[] = [];
  await until(async () => {
    ({ perTenth } = await site.report(since));
    return perTenth.length > 0;
  });
  return perTenth.findIndex((requests) => requests > 0) * 100;
}
