import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { daemonFolder, startBeside, startOwnDaemon } from './own-daemon.ts';
import { politeSource } from './polite/support.ts';
import { untilBackedUp } from './tracking.ts';
import { openHeldPages, queueServers } from './worker-cluster.ts';

/** The pause of the host, and how late this process may be to note a request, in ms. */
const [gapMs, lateMs] = [500, 50];
const sources = {
  shop: politeSource('shop', { politeness: `autoThrottle: false, delay: ${gapMs}ms, minDelay: ${gapMs}ms` }),
};

for (const { what, skip, open } of queueServers)
  test(
    `a daemon on the restored backup of one whose disk is gone takes over its worker processes on ${what}, with every target and the gaps of hosts`,
    { skip },
    async (t) => {
      const { url } = await open(t);
      const [folder, other] = [await daemonFolder(t, sources), await daemonFolder(t, sources)];
      const engine = { bullmq: { url, cluster: 'shops', key: join(folder, 'cluster.key') } };
      const configured = async (place: string): Promise<string[]> => {
        const config = join(place, 'heronry.yaml');
        const backup = { to: join(place, 'backup'), every: '1s' };
        await writeFile(config, JSON.stringify({ data: 'data', scrape: { initialDelay: '1ms' }, engine, backup }));
        return ['--config', config];
      };
      const words = await configured(folder);
      const first = await startOwnDaemon(folder, words);
      await startBeside(folder, ['worker', ...words, '--concurrency', '2']);
      const pages = await openHeldPages(t, 3);
      for (const [index, each] of pages.urls.entries())
        await first.client.call('project.add', { id: `p${index}`, targets: [{ source: 'shop', url: each }] });
      await pages.came(1);
      await untilBackedUp(first.client);
      await first.kill();
      await rm(join(folder, 'data'), { recursive: true });

      const restored = await run(['restore-backup', join(folder, 'backup'), join(other, 'data')], { cwd: other });
      assert.equal(restored.status, 0, restored.err);
      const { client } = await startOwnDaemon(other, await configured(other));
      const read = new Set<string>();
      const all = Promise.withResolvers<void>();
      await client.subscribe({ types: ['scrape.completed'] }, ({ projects = [] }) => {
        for (const id of projects) read.add(id);
        if (read.size === pages.urls.length) all.resolve();
      });
      pages.answerAll();
      await all.promise;
      for (const index of pages.urls.keys()) {
        const { records } = await client.call('project.records', { id: `p${index}` });
        assert.deepEqual(
          records.map(({ fields }) => fields['sku']?.value),
          [`page ${index}`],
        );
      }
      // The page under way is taken up, or asked for once more.
      assert.ok(pages.asked.length <= pages.urls.length + 1, pages.asked.join());
      const gaps = pages.cameAt.slice(1).map((at, index) => at - (pages.cameAt[index] ?? 0));
      assert.ok(Math.min(...gaps) >= gapMs - lateMs, `${gaps.join()} ms`);
      await untilBackedUp(client);
    },
  );
