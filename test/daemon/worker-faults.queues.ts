import assert from 'node:assert/strict';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../src/control/client.ts';
import { type OwnProcess, startProcess } from '../../src/process/own-process.ts';
import type { ScrapeView, StepView } from '../../src/view/scrape.ts';
import { openHosts, shortfallsOf } from '../support/receipts.ts';
import { noPostgresql, openPostgresql } from '../support/servers/postgresql.ts';
import { noRedis, openRedis } from '../support/servers/redis.ts';
import { openShakyLink } from '../support/shaky-link.ts';
import { daemonFolder, type OwnDaemon, startOwnDaemon } from './own-daemon.ts';
import { politeSource } from './polite/support.ts';

const sites = 100;
const pagesPerSite = 100;
const workers = 4;
const kills = 20;
const killEveryMs = 5_000;
const minutes = 60_000;

/** Sites of two kinds: one request at a time, or two. */
const kinds = [
  { name: 'single', concurrency: 1, delayMs: 900, minDelayMs: 450, latencyMs: 200 },
  { name: 'pair', concurrency: 2, delayMs: 700, minDelayMs: 350, latencyMs: 1_500 },
] as const;

/** How far the clocks of the worker processes are off. */
const offMs = [0, 5 * minutes, -5 * minutes, 0] as const;

const servers = [
  { what: 'Redis', skip: noRedis, open: openRedis },
  { what: 'PostgreSQL', skip: noPostgresql, open: openPostgresql },
] as const;

for (const { what, skip, open } of servers)
  describe(`10,000 pages over 100 sites by 4 worker processes through ${what}`, { skip }, () => {
    test(
      'are each had once, whatever is killed, stopped, cut off or restarted, and each site is asked as its policy says (S8, S10, S11, S12, S13, S23, S49, S52)',
      { timeout: 15 * minutes },
      async (t) => {
        const server = await open(t);
        const web = await openHosts(
          t,
          Array.from({ length: sites }, (_, site) => ({ latencyMs: kindOf(site).latencyMs })),
        );
        const port = Number(new URL(server.url).port);
        const links = { daemon: await openShakyLink(t, port), worker: await openShakyLink(t, port) };
        const folder = await daemonFolder(
          t,
          Object.fromEntries(
            kinds.map(({ name, concurrency, delayMs, minDelayMs }) => [
              name,
              politeSource(name, {
                politeness: `autoThrottle: false, concurrency: ${concurrency}, delay: ${delayMs}ms, minDelay: ${minDelayMs}ms`,
                retry: 'times: 10, first: 1s, longest: 5s',
                more: 'every: 30d',
              }),
            ]),
          ),
        );
        const config = async (name: string, through: number): Promise<string> => {
          const url = new URL(server.url);
          url.port = `${through}`;
          const file = join(folder, `${name}.yaml`);
          const engine = { bullmq: { url: url.href, cluster: 'faults', key: join(folder, 'cluster.key') } };
          await writeFile(file, JSON.stringify({ data: 'data', engine }));
          return file;
        };
        const ofDaemon = ['--config', await config('daemon', links.daemon.port)];
        const ofWorkers = await config('worker', links.worker.port);
        let daemon = await startOwnDaemon(folder, ofDaemon);
        await daemon.client.call('project.apply', { projects: projectsOn(web.ports) });
        const pool = await Promise.all(
          Array.from({ length: workers }, (_, index) => startWorker(t, ofWorkers, offMs[index] ?? 0)),
        );

        for (let kill = 0; kill < kills; kill += 1) {
          await delay(killEveryMs);
          const place = kill % workers;
          await disturb(kill, { pool, links, server });
          if (kill === 12) {
            await daemon.kill();
            daemon = await startOwnDaemon(folder, ofDaemon);
          }
          const killed = pool[place] ?? assert.fail();
          process.kill(killed.pid, 'SIGKILL');
          await killed.ended;
          pool[place] = await startWorker(t, ofWorkers, offMs[place] ?? 0);
        }
        await allComplete(daemon);

        const scrapes = await scrapesOf(daemon.client);
        const complete = scrapes.filter(({ status }) => status === 'complete');
        assert.equal(new Set(complete.map(({ target }) => target)).size, sites * pagesPerSite, 'lost');
        assert.equal(complete.length, sites * pagesPerSite, 'recorded twice');
        for (let site = 0; site < sites; site += 1) await hasEachOnce(daemon.client, site);
        const lost = await lostOf(daemon.client, scrapes);
        let repeats = 0;
        const untold: string[] = [];
        for (const [site, { receipts, mostOpen }] of (await web.report()).entries()) {
          const { name, concurrency, delayMs, minDelayMs } = kindOf(site);
          assert.ok(mostOpen <= concurrency, `${name}: ${mostOpen} requests at a time`);
          shortfallsOf(receipts, Math.max(minDelayMs, delayMs / 2), name);
          const asked = Map.groupBy(receipts, ({ path }) => path);
          assert.equal(asked.size, pagesPerSite);
          for (const [path, { length }] of asked) {
            const told = lost.get(`http://127.0.0.1:${web.ports[site]}${path}`) ?? 0;
            if (length - 1 > told) untold.push(`${path} was asked ${length} times, and lost ${told} times`);
            repeats += length - 1;
          }
        }
        t.diagnostic(
          `${repeats} requests were repeated, of ${[...lost.values()].reduce((a, b) => a + b, 0)} lost steps`,
        );
        assert.deepEqual(untold, [], 'what is asked twice was lost with its worker process');
      },
    );
  });

function kindOf(site: number): (typeof kinds)[number] {
  return kinds[site % kinds.length] ?? assert.fail();
}

function projectsOn(ports: readonly number[]) {
  return ports.map((port, site) => ({
    id: `p${site}`,
    targets: Array.from({ length: pagesPerSite }, (_, page) => ({
      source: kindOf(site).name,
      url: `http://127.0.0.1:${port}/s${site}-${page}`,
    })),
  }));
}

async function startWorker(t: TestContext, config: string, offMs: number): Promise<OwnProcess> {
  const file = join(import.meta.dirname, 'skewed.program.ts');
  const worker = await startProcess(file, [`${offMs}`, 'worker', '--config', config]);
  t.after(() => worker.stop());
  return worker;
}

/** What goes wrong besides the kills. */
async function disturb(
  turn: number,
  {
    pool,
    links,
    server,
  }: {
    readonly pool: readonly OwnProcess[];
    readonly links: Readonly<Record<'daemon' | 'worker', { drop(): void; heal(): void }>>;
    readonly server: { end(how?: 'at once'): Promise<void>; start(): Promise<void> };
  },
): Promise<void> {
  const stopped = pool[(turn + 2) % workers];
  switch (turn) {
    case 3:
    case 9:
      links.worker.drop();
      await delay(4_000);
      return links.worker.heal();
    case 5:
    case 15:
      links.daemon.drop();
      await delay(4_000);
      return links.daemon.heal();
    case 7:
      await server.end('at once');
      return server.start();
    case 17:
      if (stopped === undefined) return undefined;
      process.kill(stopped.pid, 'SIGSTOP');
      await delay(20_000);
      process.kill(stopped.pid, 'SIGCONT');
      return undefined;
    default:
      return undefined;
  }
}

async function allComplete({ client }: OwnDaemon): Promise<void> {
  for (;;) {
    const complete = (await scrapesOf(client)).filter(({ status }) => status === 'complete');
    if (new Set(complete.map(({ target }) => target)).size === sites * pagesPerSite) return;
    await delay(2_000);
  }
}

async function scrapesOf(client: Client): Promise<readonly ScrapeView[]> {
  const all: ScrapeView[] = [];
  for (let before: number | undefined; ;) {
    const { scrapes, next } = await client.call('scrape.list', { limit: 500, ...(before !== undefined && { before }) });
    all.push(...scrapes);
    if (next === undefined) return all;
    before = next;
  }
}

/** Asserts that a project has the record of each of its pages as its site served it, and of each the one change that added it. */
async function hasEachOnce(client: Client, site: number): Promise<void> {
  const keys = Array.from({ length: pagesPerSite }, (_, page) => `s${site}-${page}`).sort();
  const { records } = await client.call('project.records', { id: `p${site}`, limit: 1_000 });
  assert.equal(records.length, pagesPerSite);
  assert.deepEqual(
    new Map(records.map(({ key, fields }) => [key, ['sku', 'price', 'state'].map((name) => fields[name]?.value)])),
    new Map(keys.map((key) => [key, [key, { amount: '1.00', currency: 'EUR' }, 'live']])),
  );
  const { changes } = await client.call('project.history', { id: `p${site}`, limit: 1_000 });
  assert.deepEqual(
    changes.map(({ key, kind }) => `${key} ${kind}`).sort(),
    keys.map((key) => `${key} added`),
  );
}

/** How often each address was lost with a worker process, as the run logs say. */
async function lostOf(client: Client, scrapes: readonly ScrapeView[]): Promise<ReadonlyMap<string, number>> {
  const lost = new Map<string, number>();
  for (const { scrape, steps: count, status } of scrapes) {
    if (count < 2 && status === 'complete') continue;
    const { steps } = await client.call('scrape.get', { scrape, limit: 100 });
    for (const { url, failure } of steps satisfies readonly StepView[])
      if (failure?.code === 'worker_lost') lost.set(url, (lost.get(url) ?? 0) + 1);
  }
  return lost;
}
