import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Client } from '../../src/control/client.ts';
import type { EventOf } from '../../src/event/catalogue.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { suiteEnd } from '../support/servers/own-server.ts';
import { openSite } from '../support/site.ts';
import { daemonFolder, type OwnDaemon, startBeside, startOwnDaemon } from './own-daemon.ts';
import { call, statesOf, steps } from './piping.ts';
import { answerWith, hold, untilReady } from './tracking.ts';
import { queueServers } from './worker-cluster.ts';

const engines = [
  { what: 'in the daemon itself', skip: false, start: undefined },
  ...queueServers.map(({ what, skip, start }) => ({ what: `on worker processes through ${what}`, skip, start })),
];

/** Two pipelines, whose jobs write to a folder. The second one has a job that waits for none. */
const pipelinesIn = (folder: string): Readonly<Record<string, readonly string[]>> => ({
  nightly: [
    `  first: { ${call('note', { file: join(folder, 'first') })} }`,
    '  collect: { after: [first], scrape: { labels: [news] } }',
    `  process: { ${call('note', { file: join(folder, 'process') }, ['collect'])} }`,
    `  merge: { after: [process], export: { to: out } }`,
  ],
  daily: [
    '  collect: { scrape: { labels: [shops] } }',
    `  process: { ${call('note', { file: join(folder, 'daily') }, ['collect'])} }`,
    `  merge: { after: [process], export: { to: daily-out } }`,
    `  other: { ${call('note', { file: join(folder, 'other') })} }`,
  ],
});

for (const { what, skip, start } of engines)
  describe(`a pipeline of a daemon whose pages are asked for ${what}`, { skip }, () => {
    const end = suiteEnd();
    let made: Promise<{ readonly folder: string; readonly words: readonly string[] }> | undefined;
    let worker: { readonly pid: number } | undefined;
    let running: OwnDaemon | undefined;

    /** The files of the daemon that the tests share. */
    const place = () =>
      (made ??= (async () => {
        const folder = await daemonFolder(end, { shop: productSource('shop') });
        const config = join(folder, 'heronry.yaml');
        const engine = start && { bullmq: { url: await start(end), cluster: 'piping' } };
        await writeFile(config, JSON.stringify({ data: 'data', engine }));
        for (const name of ['pipelines', 'plugins']) await mkdir(join(folder, name));
        await writeFile(join(folder, 'plugins', 'steps.ts'), steps);
        for (const [id, jobs] of Object.entries(pipelinesIn(folder)))
          await writeFile(join(folder, 'pipelines', `${id}.yaml`), `id: ${id}\njobs:\n${jobs.join('\n')}\n`);
        return { folder, words: ['--config', config] };
      })());

    /** The daemon, which runs until a test ends it, with the worker process of all tests. */
    const shared = async (): Promise<OwnDaemon> => {
      const { folder, words } = await place();
      running ??= await startOwnDaemon(folder, words);
      if (start !== undefined) worker ??= await startBeside(folder, ['worker', ...words]);
      return running;
    };

    test('runs in order, and goes on where a kill has cut it (S45)', async (t) => {
      const site = await openSite(t, { '/a': productPage('Lamp', '12') });
      const { folder } = await place();
      const killed = await shared();
      const held = hold(site, '/a');
      const targets = [{ source: 'shop', url: site.url('/a') }];
      await killed.client.call('project.add', { id: 'solar', labels: ['news'], targets });
      await killed.client.call('pipeline.run', { id: 'nightly' });
      const response = await held;
      const nightly = async () => (await killed.client.call('pipeline.get', { id: 'nightly' })).last;
      // Its scrape is that of which the request is under way.
      while ((await nightly())?.jobs[1]?.state !== 'running');
      assert.equal((await nightly())?.state, 'running');
      await killed.kill();
      running = undefined;
      site.answer('/a', productPage('Lamp', '13'));
      answerWith(productPage('Lamp', '12'), response);

      const { client } = await shared();
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
      const [price, asked] = start !== undefined ? ['12.00', 1] : ['13.00', 2];
      assert.equal(site.asked.filter(({ path }) => path === '/a').length, asked);
      assert.match(await readFile(join(folder, 'process'), 'utf8'), new RegExp(`"prices":\\["${price}"\\]`));
      assert.match(
        await readFile(join(folder, 'out', 'records', 'shop.product', '000001.ndjson'), 'utf8'),
        new RegExp(price),
      );
    });

    test('does not run what comes after a job that failed; cleared once that is mended, it runs from there, and its runs are listed with state and duration (S45, S46)', async (t) => {
      const site = await openSite(t, { '/b': { status: 500 } });
      const { client } = await shared();
      const ends = await endsOf('daily', client);
      const targets = [{ source: 'shop', url: site.url('/b') }];
      await client.call('project.add', { id: 'lunar', labels: ['shops'], targets });
      await client.call('pipeline.run', { id: 'daily' });
      const failed = await ends();
      assert.deepEqual([failed.state, failed.failed], ['failed', ['collect']]);
      const { last } = await client.call('pipeline.get', { id: 'daily' });
      assert.ok(last !== undefined);
      assert.deepEqual(statesOf(last), { collect: 'failed', process: 'skipped', merge: 'skipped', other: 'done' });
      assert.match(last.jobs[0]?.failure ?? '', /^1 of 1 scrapes failed: scrape \d+ of shop: .*500/);

      site.answer('/b', productPage('Moon', '2'));
      const { cleared } = await client.call('pipeline.clear', { id: 'daily', run: 1 });
      assert.deepEqual(cleared, ['collect', 'process', 'merge']);
      assert.equal((await ends()).state, 'done');
      await client.call('pipeline.run', { id: 'daily' });
      assert.equal((await ends()).state, 'done');
      const { runs } = await client.call('pipeline.runs', { id: 'daily' });
      assert.deepEqual(
        runs.map(({ run, state, jobs }) => [run, state, jobs.map(({ tries }) => tries)]),
        [
          [2, 'done', [1, 1, 1, 1]],
          // Jobs that were skipped were not tried.
          [1, 'done', [2, 1, 1, 1]],
        ],
      );
      for (const { durationMs, beganAt, endedAt = 0 } of runs) {
        assert.ok(durationMs !== undefined && durationMs <= endedAt - beganAt);
      }
      const { workers } = await client.call('worker.list', {});
      const by = workers.find(({ pid }) => pid === worker?.pid)?.id ?? 'daemon';
      const made = await client.call('step.list', { text: site.origin });
      assert.deepEqual(new Set(made.steps.map((step) => step.worker)), new Set([by]));
    });

    test('begins nothing while it is paused, also after a restart, and goes on once it is resumed (S46)', async (t) => {
      const site = await openSite(t);
      const before = await shared();
      const held = hold(site, '/c');
      const targets = [{ source: 'shop', url: site.url('/c') }];
      await before.client.call('project.add', { id: 'sunny', labels: ['shops'], targets });
      for (const id of ['lunar', 'solar']) await before.client.call('project.archive', { id });
      await before.client.call('pipeline.run', { id: 'daily' });
      const response = await held;
      const { paused } = await before.client.call('pipeline.pause', { id: 'daily', reason: 'moving' });
      assert.equal(paused?.reason, 'moving');
      const completed = Promise.withResolvers<unknown>();
      await before.client.subscribe({ types: ['scrape.completed'] }, () => completed.resolve(undefined));
      answerWith(productPage('Sun', '2'), response);
      await completed.promise;
      before.client.close();
      await before.process.stop();
      running = undefined;

      const { client } = await shared();
      await untilReady(client);
      await assert.rejects(client.call('pipeline.run', { id: 'daily' }), { code: 'conflict', message: /is paused/ });
      const { last } = await client.call('pipeline.get', { id: 'daily' });
      assert.ok(last !== undefined);
      assert.equal(statesOf(last)['process'], 'waiting');
      const ends = await endsOf('daily', client);
      await client.call('pipeline.resume', { id: 'daily' });
      assert.equal((await ends()).state, 'done');
    });
  });

/** Returns a function that resolves with the next end of a run of a pipeline. */
async function endsOf(id: string, client: Client): Promise<() => Promise<EventOf<'pipeline.ended'>['data']>> {
  const ends: EventOf<'pipeline.ended'>['data'][] = [];
  let more = Promise.withResolvers<void>();
  await client.subscribe({ types: ['pipeline.ended'] }, (event) => {
    if (event.type !== 'pipeline.ended' || event.data.pipeline !== id) return;
    ends.push(event.data);
    more.resolve();
    more = Promise.withResolvers();
  });
  return async () => {
    while (ends.length === 0) await more.promise;
    return ends.shift() ?? assert.fail();
  };
}
