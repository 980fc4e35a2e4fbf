import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { openQueueServer } from '../../src/engine/bullmq/open-queue-server.ts';
import type { Ended } from '../../src/process/own-process.ts';
import { noPostgresql, postgresqlUrl } from '../support/servers/postgresql.ts';
import { openShakyLink } from '../support/shaky-link.ts';
import { daemonFolder, startBeside, startOwnDaemon } from './own-daemon.ts';
import { politeSource } from './polite/support.ts';
import { openCluster, openHeldPages, queueServers } from './worker-cluster.ts';

/** How long the server is away, in ms: several attempts to reach it, each after a longer pause. */
const awayMs = 8_000;

const sources = {
  shop: politeSource('shop', {
    politeness: 'autoThrottle: false, concurrency: 64, delay: 0ms, minDelay: 0ms',
    retry: 'times: 5, first: 1s',
  }),
};

/** The warnings and errors that a process logged last. */
function complaintsOf({ tail }: Ended): { readonly at: number; readonly text: string }[] {
  return tail.flatMap((line) => {
    const { level, time, msg, err } = JSON.parse(line);
    return level >= 40 ? [{ at: Date.parse(time), text: `${msg}: ${err?.message}` }] : [];
  });
}

for (const { what, skip, open } of queueServers)
  describe(`a server of queues that is away: ${what}`, { skip }, () => {
    test('is tried again by daemon and worker processes with at most one line of their logs a second, and all goes on (S13)', async (t) => {
      const opened = Promise.withResolvers<Awaited<ReturnType<typeof open>>>();
      const startServer = async (): Promise<string> => {
        opened.resolve(await open(t));
        return (await opened.promise).url;
      };
      const { daemon, track, completed, work } = await openCluster(t, startServer, { sources });
      const server = await opened.promise;
      const { process: worker } = await work(t, 2);
      const pages = await openHeldPages(t, 6);
      await track('away', 'shop', pages.urls);
      await pages.came(2);
      await server.end();
      pages.answerAll();
      await setTimeout(awayMs);
      await server.start();
      await completed('away', 6);

      for (const process of [worker, daemon.process]) {
        const complaints = complaintsOf(await process.stop());
        assert.ok(complaints.length > 0);
        const gaps = complaints.slice(1).map(({ at }, index) => at - (complaints[index]?.at ?? 0));
        assert.ok(
          gaps.every((gap) => gap >= 1_000),
          JSON.stringify(complaints, undefined, 1),
        );
      }
    });
  });

for (const { what, skip, open } of queueServers)
  for (const how of ['has ended', 'is silent'] as const)
    test(
      `a daemon and a worker process end in order within 9 s while ${what}, which keeps their queues, ${how}`,
      { skip },
      async (t) => {
        let takeAway: (() => unknown) | undefined;
        const startServer = async (): Promise<string> => {
          const server = await open(t);
          const url = new URL(server.url);
          const link = await openShakyLink(t, Number(url.port));
          url.port = `${link.port}`;
          takeAway = how === 'is silent' ? () => link.drop() : () => server.end();
          return url.href;
        };
        const { daemon, track, work } = await openCluster(t, startServer, { sources });
        const { process: worker } = await work(t, 2);
        const pages = await openHeldPages(t, 4);
        await track('ending', 'shop', pages.urls);
        await pages.came(2);
        await takeAway?.();
        pages.answerAll();
        const from = performance.now();
        const [ofDaemon, ofWorker] = await Promise.all([daemon.process.stop(), worker.stop()]);
        const tookMs = performance.now() - from;
        for (const ended of [ofDaemon, ofWorker]) {
          assert.equal(ended.status, 0);
          assert.ok(!ended.tail.some((line) => /killed|shutdown error/.test(line)), ended.tail.join('\n'));
        }
        assert.ok(tookMs < 9_000, `${tookMs} ms`);
      },
    );

for (const { what, skip, open } of queueServers)
  test(
    `what waits in queues on ${what} is there for a new worker process after both have ended and the server was killed (S12)`,
    { skip },
    async (t) => {
      let close: (() => Promise<void>) | undefined;
      t.after(() => close?.());
      const server = await open(t);
      const options = { failed: () => undefined };
      const before = await openQueueServer(server.url, { ...options, migrate: true });
      for (const id of ['a', 'b', 'c']) await before.openQueue('kept').add('step', `step ${id}`, { jobId: id });
      await before.close();
      await server.end();
      await server.start();
      const after = await openQueueServer(server.url, { ...options, migrate: false });
      ({ close } = after);
      const taken: string[] = [];
      const all = Promise.withResolvers<void>();
      const take = async ({ id, data }: { readonly id: string; readonly data: string }): Promise<void> => {
        taken.push(`${id}: ${data}`);
        if (taken.length === 3) all.resolve();
      };
      after.openWorker('kept', take, { lockDuration: 15_000 });
      await all.promise;
      assert.deepEqual(taken, ['a: step a', 'b: step b', 'c: step c']);
    },
  );

describe('the tables of the queues in PostgreSQL', { skip: noPostgresql }, () => {
  /** A database of its own, which goes with the test. */
  async function openEmptyDatabase(t: TestContext): Promise<URL> {
    const name = `heronry_empty_${process.pid}`;
    let drop: (() => Promise<void>) | undefined;
    // The server is there until the hooks behind this one.
    t.after(() => drop?.());
    const url = new URL(await postgresqlUrl(t));
    const client = new Client({ connectionString: url.href });
    await client.connect();
    drop = async () => {
      await client.query(`drop database if exists ${name} with (force)`);
      await client.end();
    };
    await client.query(`create database ${name}`);
    url.pathname = name;
    return url;
  }

  test('are told to be missing, once and clearly, by a worker process that begins first, and are used once the daemon has made them (S14)', async (t) => {
    const { href: url } = await openEmptyDatabase(t);
    const folder = await daemonFolder(t, {});
    const config = join(folder, 'heronry.yaml');
    await writeFile(join(folder, 'cluster.key'), Buffer.alloc(32, 1), { mode: 0o600 });
    await writeFile(config, JSON.stringify({ data: 'data', engine: { bullmq: { url, key: 'cluster.key' } } }));
    const worker = await startBeside(folder, ['worker', '--config', config]);
    await setTimeout(awayMs);
    const { client } = await startOwnDaemon(folder, ['--config', config]);
    while ((await client.call('worker.list', {})).workers.length === 0) await setTimeout(20);
    const complaints = complaintsOf(await worker.stop());
    assert.deepEqual(
      complaints.map(({ text }) => text),
      [
        'the queues cannot be used, and are tried again: the schema "bullmq" of the database is missing or of an older BullMQ: a daemon makes it, or brings it up to date, when it starts',
      ],
    );
  });

  test('are told to be old where a newer BullMQ wants more of them (S14)', async (t) => {
    const url = await openEmptyDatabase(t);
    const options = { failed: () => undefined };
    await (await openQueueServer(url.href, { ...options, migrate: true })).close();
    await (await openQueueServer(url.href, { ...options, migrate: false })).close();
    const client = new Client({ connectionString: url.href });
    await client.connect();
    await client.query('delete from bullmq.migration where version = (select max(version) from bullmq.migration)');
    await client.end();
    await assert.rejects(openQueueServer(url.href, { ...options, migrate: false }), /is missing or of an older BullMQ/);
  });
});
