import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { politeSource } from './polite/support.ts';
import { forEachQueueServer, openHeldPages } from './worker-cluster.ts';

const asFastAsCan = 'autoThrottle: false, concurrency: 64, delay: 0ms, minDelay: 0ms';
const sources = {
  shop: politeSource('shop', { politeness: asFastAsCan }),
  paced: politeSource('paced', { politeness: 'autoThrottle: false, delay: 300ms, minDelay: 300ms' }),
};

/** The numbers of so many pages. */
const numbers = (count: number): number[] => [...Array(count).keys()];

const inOrder = (pages: readonly number[]): number[] => pages.toSorted((a, b) => a - b);

forEachQueueServer('steps that worker processes share through', { sources }, (cluster) => {
  test('are handed over once a target, though it is asked for twice, and what is read is stored (S1, S2)', async (t) => {
    const { client, track, completed, work } = await cluster();
    const pages = await openHeldPages(t, 3);
    pages.answerAll();
    await track('once', 'shop', pages.urls);
    const { id } = await work(t, 4);
    await completed('once', 3);
    assert.deepEqual(inOrder(pages.asked), [0, 1, 2]);
    for (const page of [0, 1, 2]) {
      const { records } = await client.call('project.records', { id: `once-${page}` });
      assert.deepEqual(
        records.map(({ fields }) => fields['sku']?.value),
        [`page ${page}`],
      );
    }
    const { steps } = await client.call('step.list', { worker: id });
    assert.deepEqual(
      steps.map(({ url, state, records }) => `${url} ${state} ${records}`).sort(),
      pages.urls.map((url) => `${url} done 1`),
    );

    await client.call('schedule.pause', { source: 'shop' });
    const first = await client.call('project.rescrape', { id: 'once-0' });
    const second = await client.call('project.rescrape', { id: 'once-0' });
    assert.deepEqual(
      [...first.scrapes, ...second.scrapes].map(({ scrape, coalesced }) => [scrape, coalesced]),
      [
        [first.scrapes[0]?.scrape, false],
        [first.scrapes[0]?.scrape, true],
      ],
    );
    await client.call('schedule.resume', { source: 'shop' });
    await completed('once', 4);
    assert.equal(pages.asked.length, 4);
  });

  test('run four at a time in one process with four slots (S4)', async (t) => {
    const { track, completed, work } = await cluster();
    await work(t, 4);
    const pages = await openHeldPages(t, 12);
    await track('four', 'shop', pages.urls);
    await pages.answerInTurn(4);
    await completed('four', 12);
    assert.equal(pages.mostOpen, 4);
  });

  test('run more or fewer at a time once that is wanted, and none is lost (S5, S28)', async (t) => {
    const { client, track, completed, work, worker } = await cluster();
    const { process, id } = await work(t, 1);
    const pages = await openHeldPages(t, 16);
    await track('resized', 'shop', pages.urls);
    await pages.came(1);
    await client.call('worker.resize', { id, concurrency: 4 });
    await pages.came(4);
    assert.equal(pages.open, 4);

    await client.call('worker.resize', { id, concurrency: 2 });
    await worker(process.pid, ({ concurrency }) => concurrency === 2);
    // Those that run go on, whichever slots they have.
    for (const _ of [1, 2, 3, 4]) pages.answerOne();
    pages.mostOpen = pages.open;
    await pages.answerInTurn(2);
    await completed('resized', 16);
    assert.equal(pages.mostOpen, 2);
    assert.deepEqual(inOrder(pages.asked), numbers(16));
  });

  test('are shared at once with a second worker process, without a restart of anything (S6)', async (t) => {
    const { client, track, completed, work } = await cluster();
    const first = await work(t, 2);
    const pages = await openHeldPages(t, 8);
    await track('shared', 'shop', pages.urls);
    await pages.came(2);
    const second = await work(t, 2);
    // Nothing was answered yet.
    await pages.came(4);
    await pages.answerInTurn(4);
    await completed('shared', 8);
    assert.deepEqual(inOrder(pages.asked), numbers(8));
    const shares: number[] = [];
    for (const { id } of [first, second]) shares.push((await client.call('step.list', { worker: id })).steps.length);
    assert.ok(Math.min(...shares) >= 2, shares.join());
  });

  test('are lost to nobody, nor asked for twice, when one of two worker processes is told to end (S7)', async (t) => {
    const { track, completed, work, worker } = await cluster();
    const first = await work(t, 2);
    await work(t, 2);
    const pages = await openHeldPages(t, 12);
    await track('ended', 'shop', pages.urls);
    await pages.came(4);
    process.kill(first.process.pid, 'SIGTERM');
    await worker(first.process.pid, ({ draining }) => draining);
    for (const _ of [1, 2, 3, 4]) pages.answerOne();
    pages.mostOpen = pages.open;
    assert.equal((await first.process.ended).status, 0);
    await pages.answerInTurn(2);
    await completed('ended', 12);
    assert.deepEqual(inOrder(pages.asked), numbers(12));
    assert.ok(pages.mostOpen <= 2, `${pages.mostOpen} at a time on two slots`);
  });

  test('that a person wants go before those that wait already (S21)', async (t) => {
    const { client, track, completed, work } = await cluster();
    const pages = await openHeldPages(t, 8);
    await work(t, 1);
    const urgent = pages.urls.slice(0, 1);
    await track('urgent', 'shop', urgent);
    await pages.came(1);
    pages.answerOne();
    await completed('urgent', 1);
    await track('usual', 'shop', pages.urls.slice(1));
    await pages.came(2);
    while ((await client.call('step.counts', {})).waiting < 5);
    await client.call('project.rescrape', { id: 'urgent-0' });
    pages.answerAll();
    await completed('usual', 7);
    // One was handed over before, for the slot that becomes free next.
    const after = pages.asked.slice(2);
    assert.ok(after.indexOf(0) >= 0 && after.indexOf(0) <= 1, pages.asked.join());
  });

  test('begin at most ten times in 3 s at a site that wants that, on three worker processes with twelve slots (S23)', async (t) => {
    const { track, completed, work } = await cluster();
    await Promise.all([1, 2, 3].map(() => work(t, 4)));
    const pages = await openHeldPages(t, 21);
    pages.answerAll();
    await track('paced', 'paced', pages.urls);
    await completed('paced', 21);
    const spans = pages.cameAt.slice(10).map((at, index) => at - (pages.cameAt[index] ?? 0));
    assert.equal(spans.length, 11);
    assert.ok(Math.min(...spans) >= 3_000, `${spans.join()} ms`);
  });

  test('are told by worker process, with what it is and does (S24)', async (t) => {
    const { client, track, completed, work, worker } = await cluster();
    const from = Date.now();
    const { process: own, id } = await work(t, 4);
    const pages = await openHeldPages(t, 3);
    await track('told', 'shop', [...pages.urls, `${new URL(pages.urls[0] ?? '').origin}/missing`]);
    await pages.came(3);
    const busy = await worker(own.pid, ({ active, failed }) => active === 3 && failed === 1);
    const { startedAt, heardAt, steps, queues, perMinute, ...rest } = busy;
    const version = busy.version;
    assert.deepEqual(rest, {
      ...{ id, host: hostname(), pid: own.pid, version, concurrency: 4 },
      ...{ active: 3, processed: 1, failed: 1, online: true, draining: false },
    });
    assert.deepEqual(
      steps.map(({ state, type, source, worker: by, url }) => [state, type, source, by, url].join(' ')).toSorted(),
      pages.urls.map((url) => ['running', 'page', 'shop', id, url].join(' ')),
    );
    const { steps: listed } = await client.call('step.list', { worker: id, state: 'running' });
    assert.deepEqual(listed.toReversed(), steps);
    assert.deepEqual(queues, [`heronry.steps.${version}`]);
    // It may have been there for a few seconds already.
    assert.ok((perMinute?.failed ?? 0) >= 0);
    assert.match(version, /^\d+\.\d+\.\d+/);
    const now = Date.now();
    assert.ok(startedAt >= from - 1_000 && heardAt > startedAt && heardAt <= now + 1_000 && now - heardAt < 15_000);
    pages.answerAll();
    await assert.rejects(completed('told', 4), /404/);
    assert.equal((await worker(own.pid, ({ active }) => active === 0)).processed, 4);
    const rated = await worker(own.pid, (each) => (each.perMinute?.processed ?? 0) > 0);
    assert.deepEqual(rated.steps, []);
    const { queued } = await client.call('worker.list', {});
    assert.equal(queued?.failed, 0);
  });
});
