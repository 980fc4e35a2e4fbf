import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../src/control/client.ts';
import { isAlive } from '../../src/is-alive.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { suiteEnd } from '../support/servers/own-server.ts';
import { noPostgresql, postgresqlUrl } from '../support/servers/postgresql.ts';
import { noRedis, openRedis } from '../support/servers/redis.ts';
import { openSite } from '../support/site.ts';
import { daemonFolder, startOwnDaemon } from './own-daemon.ts';

const servers = [
  { what: 'Redis', skip: noRedis, start: async (end: ReturnType<typeof suiteEnd>) => (await openRedis(end)).url },
  { what: 'PostgreSQL', skip: noPostgresql, start: postgresqlUrl },
];

/** Sites, each a host of its own, that answer once they are released; `bothHeld` resolves when two wait for that at a time. */
async function heldSites(t: TestContext, count: number) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: bothHeld, resolve: held } = Promise.withResolvers<void>();
  let asked = 0;
  const sites = await Promise.all(
    Array.from({ length: count }, () =>
      openSite(t, {
        '/a': (_, response) => {
          asked += 1;
          if (asked === 2) held();
          void released.then(() => response.setHeader('content-type', 'text/html').end(productPage('Lamp', '12')));
        },
      }),
    ),
  );
  return { urls: sites.map((site) => site.url('/a')), release, bothHeld };
}

/** The pids of the worker processes, once so many are there. */
async function pidsOnce(client: Client, count: number): Promise<number[]> {
  for (;;) {
    const { workers } = await client.call('worker.list', {});
    const pids = workers.filter(({ online }) => online).map(({ pid }) => pid);
    if (pids.length === count) return pids;
    await delay(20);
  }
}

async function ended(pids: readonly number[]): Promise<void> {
  while (pids.some(isAlive)) await delay(20);
}

for (const { what, skip, start } of servers)
  describe(`a daemon that starts its worker processes itself, with queues on ${what}`, { skip }, () => {
    const end = suiteEnd();

    test('adds one while turns wait for slots, ends it when it can be spared, and leaves none behind [P50]', async (t) => {
      const url = await start(end);
      const { urls, release, bothHeld } = await heldSites(t, 5);
      const folder = await daemonFolder(t, { shop: productSource('shop') });
      const config = join(folder, 'heronry.yaml');
      const workers = '{ min: 1, max: 2, concurrency: 1, late: 500ms, addAfter: 1s, removeAfter: 3s }';
      await writeFile(config, `data: data\nengine: { bullmq: { url: "${url}", workers: ${workers} } }\n`);
      const { client, kill } = await startOwnDaemon(folder, ['--config', config]);
      const first = await pidsOnce(client, 1);
      for (const [index, target] of urls.entries())
        await client.call('project.add', { id: `p${index}`, targets: [{ source: 'shop', url: target }] });
      await bothHeld;
      const both = await pidsOnce(client, 2);
      assert.ok(both.includes(first[0] ?? 0));
      const { scale } = await client.call('worker.list', {});
      assert.deepEqual(scale, { min: 1, max: 2, wanted: 2, by: 'daemon', own: 2 });

      release();
      const [left = 0] = await pidsOnce(client, 1);
      await ended(both.filter((pid) => pid !== left));
      assert.equal((await client.call('worker.list', {})).scale?.wanted, 1);
      const { scrapes } = await client.call('daemon.status', {});
      assert.deepEqual([scrapes.complete, scrapes.failed], [5, 0]);

      assert.deepEqual(await client.call('worker.scale', { min: 0, max: 0 }), {
        ...{ min: 0, max: 0, wanted: 0, by: 'daemon', own: 0 },
        configured: { min: 1, max: 2 },
      });
      await ended([left]);
      await client.call('worker.scale', { min: 1, max: 1 });
      const last = await pidsOnce(client, 1);
      await kill();
      await ended(last);

      const again = await startOwnDaemon(folder, ['--config', config]);
      const kept = await pidsOnce(again.client, 1);
      const { own: _, ...limits } = await again.client.call('worker.scale', {});
      assert.deepEqual(limits, { min: 1, max: 1, wanted: 1, by: 'daemon', configured: { min: 1, max: 2 } });
      assert.equal((await again.process.stop()).status, 0);
      assert.ok(!isAlive(kept[0] ?? 0));
    });
  });
