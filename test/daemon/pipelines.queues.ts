import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { productPage, productSource } from '../support/daemon.ts';
import { suiteEnd } from '../support/servers/own-server.ts';
import { noRedis, openRedis } from '../support/servers/redis.ts';
import { openSite } from '../support/site.ts';
import { daemonFolder, startBeside, startOwnDaemon } from './own-daemon.ts';
import { call, steps } from './piping.ts';
import { answerWith, hold } from './tracking.ts';

const engines = [
  { what: 'in the daemon itself', skip: false as const },
  { what: 'on worker processes', skip: noRedis },
];

for (const { what, skip } of engines)
  describe(`a pipeline of a daemon whose pages are asked for ${what}`, { skip }, () => {
    const end = suiteEnd();

    test('runs in order, and goes on where a kill has cut it (S45)', async (t) => {
      const site = await openSite(t, { '/a': productPage('Lamp', '12') });
      const folder = await daemonFolder(t, { shop: productSource('shop') });
      const config = join(folder, 'heronry.yaml');
      const isRemote = what === 'on worker processes';
      const engine = isRemote ? `engine: { bullmq: { url: "${(await openRedis(end)).url}" } }\n` : '';
      await writeFile(config, `data: data\n${engine}`);
      for (const name of ['pipelines', 'plugins']) await mkdir(join(folder, name));
      await writeFile(join(folder, 'plugins', 'steps.ts'), steps);
      const jobs = [
        `  first: { ${call('note', { file: join(folder, 'first') })} }`,
        '  collect: { after: [first], scrape: { labels: [news] } }',
        `  process: { ${call('note', { file: join(folder, 'process') }, ['collect'])} }`,
        `  merge: { after: [process], export: { to: out } }`,
      ];
      await writeFile(join(folder, 'pipelines', 'nightly.yaml'), `id: nightly\njobs:\n${jobs.join('\n')}\n`);
      const killed = await startOwnDaemon(folder, ['--config', config]);
      if (isRemote) await startBeside(folder, ['worker', '--config', config]);
      const held = hold(site, '/a');
      const targets = [{ source: 'shop', url: site.url('/a') }];
      await killed.client.call('project.add', { id: 'solar', labels: ['news'], targets });
      await killed.client.call('pipeline.run', { id: 'nightly' });
      const response = await held;
      const { runs } = await killed.client.call('pipeline.runs', { id: 'nightly' });
      assert.equal(runs[0]?.state, 'running');
      await killed.kill();
      site.answer('/a', productPage('Lamp', '13'));
      answerWith(productPage('Lamp', '12'), response);

      const { client } = await startOwnDaemon(folder, ['--config', config]);
      const ended = Promise.withResolvers<unknown>();
      await client.subscribe({ after: 0, types: ['pipeline.ended'] }, ({ data }) => ended.resolve(data));
      assert.deepEqual(Object(await ended.promise).failed, []);
      const { last } = await client.call('pipeline.get', { id: 'nightly' });
      assert.deepEqual(
        last?.jobs.map(({ name, state }) => [name, state]),
        ['first', 'collect', 'process', 'merge'].map((name) => [name, 'done']),
      );
      assert.equal((await readFile(join(folder, 'first'), 'utf8')).split('\n').length, 2);
      // A worker process goes on with the request that it has begun; the daemon's own died with it, and is asked anew.
      const [price, asked] = isRemote ? ['12.00', 1] : ['13.00', 2];
      assert.equal(site.asked.filter(({ path }) => path === '/a').length, asked);
      assert.match(await readFile(join(folder, 'process'), 'utf8'), new RegExp(`"prices":\\["${price}"\\]`));
      assert.match(
        await readFile(join(folder, 'out', 'records', 'shop.product', '000001.ndjson'), 'utf8'),
        new RegExp(price),
      );
    });
  });
