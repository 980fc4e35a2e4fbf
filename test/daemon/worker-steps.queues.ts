import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Client } from '../../src/control/client.ts';
import { ScrapeOfProjects } from '../../src/control/methods/scrape.ts';
import { run } from '../cli/terminal.ts';
import { productPage } from '../support/daemon.ts';
import { suiteEnd } from '../support/servers/own-server.ts';
import { openSite, type Site } from '../support/site.ts';
import { politeSource } from './polite/support.ts';
import { answerWith, hold, untilReady } from './tracking.ts';
import { type Cluster, forEachQueueServer, openHeldPages, type StartedWorker } from './worker-cluster.ts';

const politeness = 'autoThrottle: false, concurrency: 64, delay: 0ms, minDelay: 0ms';
const sources = {
  shop: politeSource('shop', { politeness }),
  mart: politeSource('mart', { politeness }),
  stubborn: politeSource('stubborn', { politeness, retry: 'times: 1, first: 10ms' }),
};

/** So few that a test passes them. */
const settings = { steps: { keep: 40 } };

/** The paths of steps at a site. */
function paths({ origin }: Site, steps: readonly { readonly url: string }[]): readonly string[] {
  return steps.map(({ url }) => url.slice(origin.length));
}

async function targetOf(project: string, client: Client): Promise<number> {
  const [target] = (await client.call('project.get', { id: project })).targets;
  return target?.target ?? assert.fail();
}

/** Has `/a` of a site scraped with success and `/broken` without, each for a project of its own. */
async function oneOfEach(t: TestContext, word: string, { track, completed, failed }: Cluster) {
  const site = await openSite(t, { '/a': productPage('A', '1'), '/broken': { status: 404 } });
  await track(`${word}-good`, 'shop', [site.url('/a')]);
  await completed(`${word}-good`, 1);
  await track(`${word}-bad`, 'shop', [site.url('/broken')]);
  await failed(`${word}-bad`);
  return { site, good: `${word}-good-0`, bad: `${word}-bad-0` };
}

forEachQueueServer('the steps that worker processes take from', { sources, settings }, (cluster) => {
  const end = suiteEnd();
  let started: Promise<StartedWorker> | undefined;

  /** The worker process of all tests but the first, with one slot. It has a fault, which `/crash` shows. */
  const shared = (): Promise<StartedWorker> =>
    (started ??= cluster().then(({ work }) => work(end, 1, join(import.meta.dirname, 'crashing.program.ts'))));

  test('are listed with request, result, runtime and error, by state, type, worker, times and text [S30]', async (t) => {
    const { client, track, completed, failed, work } = await cluster();
    const site = await openSite(t, { '/broken': { status: 404 } });
    const held = hold(site, '/a');
    const first = await work(t, 1);
    await track('listed-good', 'shop', [site.url('/a')]);
    const response = await held;
    const askedAt = Date.now();
    const running = await client.call('step.list', { state: 'running' });
    assert.deepEqual(paths(site, running.steps), ['/a']);
    answerWith(productPage('A', '1'), response);
    await completed('listed-good', 1);
    await first.process.stop();
    const second = await shared();
    await track('listed-bad', 'mart', [site.url('/broken')]);
    await failed('listed-bad');

    const text = site.origin;
    const { steps } = await client.call('step.list', { text });
    assert.deepEqual(paths(site, steps), ['/broken', '/a']);
    const [bad, good] = steps;
    assert.deepEqual(
      [good?.state, good?.type, good?.method, good?.worker, good?.status, good?.records, good?.failure],
      ['done', 'page', 'GET', first.id, 200, 1, undefined],
    );
    assert.ok((good?.bytes ?? 0) > 0);
    assert.deepEqual(
      [bad?.state, bad?.worker, bad?.status, bad?.failure],
      ['failed', second.id, 404, { code: 'status', message: 'answered with status 404' }],
    );
    const { queuedAt = Infinity, startedAt = Infinity, endedAt = 0 } = good ?? {};
    assert.ok(queuedAt <= startedAt && startedAt <= askedAt && askedAt <= endedAt, `${startedAt} to ${endedAt}`);

    const found = async (filter: Parameters<typeof client.call<'step.list'>>[1]) =>
      paths(site, (await client.call('step.list', { text, ...filter })).steps);
    assert.deepEqual(await found({ state: 'failed' }), ['/broken']);
    assert.deepEqual(await found({ state: 'lost' }), []);
    assert.deepEqual(await found({ type: 'robots' }), []);
    assert.deepEqual(await found({ type: 'page', source: 'shop' }), ['/a']);
    assert.deepEqual(await found({ worker: first.id }), ['/a']);
    assert.deepEqual(await found({ worker: second.id }), ['/broken']);
    assert.deepEqual(await found({ worker: 'daemon' }), []);
    assert.deepEqual(await found({ text: 'BROK' }), ['/broken']);
    assert.deepEqual(await found({ queuedFrom: bad?.queuedAt ?? 0 }), ['/broken']);
    assert.deepEqual(await found({ queuedTo: bad?.queuedAt ?? 0 }), ['/a']);
    assert.deepEqual(await found({ startedFrom: startedAt, startedTo: startedAt + 1 }), ['/a']);
    assert.deepEqual(await found({ target: await targetOf('listed-bad-0', client) }), ['/broken']);
    const { next } = await client.call('step.list', { text, limit: 1 });
    assert.deepEqual(await found({ before: next ?? '' }), ['/a']);
  });

  test('are listed and counted while they run and wait [S30, S38]', async (t) => {
    const { client, track, completed } = await cluster();
    await shared();
    const pages = await openHeldPages(t, 4);
    await track('waiting', 'shop', pages.urls);
    await pages.came(1);
    // One is handed over for the slot that becomes free next.
    while ((await client.call('step.counts', {})).running < 2);
    const counts = await client.call('step.counts', {});
    assert.deepEqual([counts.waiting, counts.running], [2, 2]);
    const [origin = ''] = pages.urls.map((url) => new URL(url).origin);
    for (const state of ['waiting', 'running'] as const)
      assert.equal((await client.call('step.list', { state, text: origin })).steps.length, 2);
    pages.answerAll();
    await completed('waiting', 4);
    assert.equal((await client.call('step.list', { state: 'delayed', text: origin })).steps.length, 4);
  });

  test('are shown each with its tries, instants, worker process, log, progress and the stack of an error of the program [S31]', async (t) => {
    const { client, track, failed } = await cluster();
    const site = await openSite(t, { '/shown': { status: 503 } });
    const { id } = await shared();
    await track('shown', 'stubborn', [site.url('/shown')]);
    await failed('shown');
    const [last] = (await client.call('step.list', { state: 'failed', text: site.url('/shown') })).steps;
    const shown = await client.call('step.get', { id: last?.id ?? '' });
    assert.deepEqual([shown.state, shown.worker, shown.turns, shown.projects], ['failed', id, 1, ['shown-0']]);
    const { queuedAt = Infinity, startedAt = -Infinity, endedAt = -Infinity } = shown;
    assert.ok(queuedAt <= startedAt && startedAt <= endedAt);
    assert.deepEqual(
      shown.tries.map(({ status }) => status),
      [503, 503],
    );
    assert.deepEqual([shown.progress?.status, shown.progress?.steps], ['failed', 2]);
    assert.match(shown.version ?? '', /^\w+/);
    assert.ok(
      shown.log.some(({ level, text }) => level === 'warn' && text.startsWith('scrape has stopped {"status":"failed"')),
    );

    await track('crash', 'shop', [site.url('/crash')]);
    await failed('crash');
    const [crash] = (await client.call('step.list', { state: 'failed', text: site.url('/crash') })).steps;
    const { worker: by, failure, stack } = await client.call('step.get', { id: crash?.id ?? '' });
    assert.deepEqual([by, failure], [id, { code: 'internal_error', message: 'the engine broke' }]);
    assert.match(stack ?? '', /^Error: the engine broke\n +at .*crashing\.program\.ts/);
    await assert.rejects(client.call('step.get', { id: '4711' }), { code: 'not_found', message: 'no step 4711' });
  });

  test('that failed are tried again, one or all, and those that are due later are asked now [S35]', async (t) => {
    const own = await cluster();
    const { client, completed } = own;
    const { id } = await shared();
    const { site, good, bad } = await oneOfEach(t, 'retried', own);
    const [failure] = (await client.call('step.list', { state: 'failed', text: site.origin })).steps;
    const ends = await endsOf(client, bad);
    const once = await client.call('step.retry', { id: failure?.id ?? '' });
    assert.deepEqual(await ends(), ['scrape.failed', once.scrapes[0]]);
    site.answer('/broken', productPage('Mended', '1'));
    const all = await client.call('step.retry', { state: 'failed', source: 'shop' });
    assert.ok(all.scrapes.length >= 1);
    const mended = await ends();
    assert.equal(mended[0], 'scrape.completed');
    assert.ok(all.scrapes.includes(Number(mended[1])));
    assert.equal((await client.call('step.list', { state: 'done', text: '/broken' })).steps[0]?.worker, id);

    const [later] = (await client.call('step.list', { state: 'delayed', text: site.url('/a') })).steps;
    assert.equal(later?.id, `t${await targetOf(good, client)}`);
    const ofGood = await endsOf(client, good);
    const promoted = await client.call('step.promote', { id: later.id });
    assert.deepEqual(await ofGood(), ['scrape.completed', promoted.scrapes[0]]);
    await completed('retried-good', 2);
    const [ended] = (await client.call('step.list', { state: 'done' })).steps;
    await assert.rejects(client.call('step.promote', { id: ended?.id ?? '' }), { code: 'conflict' });
  });

  test('that have ended in one state are removed from the list [S35]', async (t) => {
    const own = await cluster();
    const { client } = own;
    await shared();
    const { site } = await oneOfEach(t, 'cleaned', own);
    const left = async () => paths(site, (await client.call('step.list', { text: site.origin })).steps);
    assert.ok((await client.call('step.clean', { state: 'done', source: 'shop' })).removed >= 1);
    assert.deepEqual(await left(), ['/broken']);
    assert.ok((await client.call('step.clean', { state: 'failed' })).removed >= 1);
    assert.deepEqual(await left(), []);
  });

  test('are made now by the project and arguments, which gives the number of a scrape, or its result [S37]', async (t) => {
    const { client, socket, track, completed } = await cluster();
    const { id } = await shared();
    const site = await openSite(t, { '/now': productPage('A', '1') });
    await track('now', 'shop', [site.url('/now')]);
    await completed('now', 1);
    const ends = await endsOf(client, 'now-0');
    const [asked] = (await client.call('project.rescrape', { id: 'now-0', wish: { full: true } })).scrapes;
    assert.deepEqual(await ends(), ['scrape.completed', asked?.scrape]);
    const waited = await run(['rescrape', 'now-0', '--wait', '--json', '--socket', socket]);
    assert.equal(waited.status, 0, waited.err);
    const result = ScrapeOfProjects.parse(JSON.parse(waited.out.trim().split('\n').at(-1) ?? ''));
    assert.deepEqual([result.status, result.counts.confirmed], ['complete', 1]);
    const { steps } = await client.call('step.list', { worker: id, text: site.origin });
    assert.equal(steps.length, 3);
  });

  // The last test of its daemon, which it ends.
  test('begin no more once their source or all are paused, while those that run end, and a restart changes nothing but that the list keeps no more than it may [S35, S36, S44]', async (t) => {
    const { client, track, completed, restart } = await cluster();
    await shared();
    const site = await openSite(t, { '/b': productPage('B', '1') });
    const held = hold(site, '/a');
    const asked = (): number => site.asked.length;
    await track('paused-shop', 'shop', [site.url('/a')]);
    const response = await held;
    await client.call('schedule.pause', { source: 'shop' });
    await client.call('project.rescrape', { id: 'paused-shop-0' });
    answerWith(productPage('A', '1'), response);
    await completed('paused-shop', 1);
    await track('paused-mart', 'mart', [site.url('/b')]);
    await completed('paused-mart', 1);
    assert.equal(asked(), 2);

    const many = await openHeldPages(t, 45);
    many.answerAll();
    await track('many', 'mart', many.urls);
    await completed('many', 45);
    await client.call('schedule.pause', {});
    for (const project of ['paused-shop-0', 'paused-mart-0']) await client.call('project.rescrape', { id: project });
    const ended = async (by: Client) => (await by.call('step.list', { state: 'done', limit: 1_000 })).steps;
    // What ended in the last second is not in the store yet.
    while ((await client.call('step.counts', {})).ended > 40);
    const kept = await ended(client);
    assert.equal(kept.length, 40);

    site.answer('/a', productPage('A', '2'));
    const { client: again } = await restart();
    await untilReady(again);
    while (!(await again.call('worker.list', {})).workers.some(({ online }) => online));
    assert.deepEqual(await ended(again), kept);
    const counts = await again.call('step.counts', {});
    assert.deepEqual([counts.waiting, counts.running], [2, 0]);
    assert.equal(asked(), 2);
    const ends = await endsOf(again, 'paused-mart-0');
    await again.call('schedule.resume', {});
    assert.equal((await ends())[0], 'scrape.completed');
    assert.deepEqual(paths(site, (await again.call('step.list', { state: 'waiting' })).steps), ['/a']);
    const ofShop = await endsOf(again, 'paused-shop-0');
    await again.call('schedule.resume', { source: 'shop' });
    assert.equal((await ofShop())[0], 'scrape.completed');
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      ['/a', '/b', '/b', '/a'],
    );
    const [newest] = await ended(again);
    assert.ok(Number(newest?.id) > Number(kept[0]?.id));
  });
});

/** Returns a function that resolves with type and number of the next scrape of a project that ends. */
async function endsOf(client: Client, project: string): Promise<() => Promise<readonly [string, number | undefined]>> {
  const ends: (readonly [string, number | undefined])[] = [];
  let more = Promise.withResolvers<void>();
  await client.subscribe({ types: ['scrape.completed', 'scrape.failed'] }, ({ type, projects, scrape }) => {
    if (projects?.[0] !== project) return;
    ends.push([type, scrape]);
    more.resolve();
    more = Promise.withResolvers();
  });
  return async () => {
    while (ends.length === 0) await more.promise;
    return ends.shift() ?? assert.fail();
  };
}
