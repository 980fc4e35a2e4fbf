import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { ScrapeOfProjects } from '../../src/control/methods/scrape.ts';
import { run } from '../cli/terminal.ts';
import { productPage, productSource, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { openSite, type Site } from '../support/site.ts';
import { startTimed } from './passing.ts';
import { answerWith, hold, nth, soon } from './tracking.ts';

/** A daemon that has scraped `/a` with success and `/broken`, whose site fails, without further tries. */
async function oneOfEach(t: TestContext) {
  const site = await openSite(t, { '/a': productPage('A', '1'), '/broken': { status: 404 } });
  const daemon = await startDaemon(t, { sources: { shop: productSource('shop') }, settings: soon });
  await daemon.client.call('project.add', { id: 'good', targets: [{ source: 'shop', url: site.url('/a') }] });
  await nth(1, 'scrape.completed', 'good', daemon);
  await daemon.client.call('project.add', { id: 'bad', targets: [{ source: 'shop', url: site.url('/broken') }] });
  await nth(1, 'scrape.failed', 'bad', daemon);
  return { site, daemon, client: daemon.client };
}

async function targetOf(project: string, { client }: TestDaemon): Promise<number> {
  const [target] = (await client.call('project.get', { id: project })).targets;
  assert.ok(target !== undefined);
  return target.target;
}

function paths({ origin }: Site, steps: readonly { readonly url: string }[]): readonly string[] {
  return steps.map(({ url }) => url.slice(origin.length));
}

describe('the list of steps', () => {
  test('has each with its request, result, runtime and error, by state, type, worker, times and text [S30]', async (t) => {
    const { site, client } = await oneOfEach(t);
    const { steps } = await client.call('step.list', {});
    assert.deepEqual(paths(site, steps), ['/broken', '/a']);
    const [bad, good] = steps;
    assert.ok(bad?.queuedAt !== undefined && good?.endedAt !== undefined && good.startedAt !== undefined);
    assert.ok(good.endedAt >= good.startedAt);
    assert.deepEqual(
      [good.state, good.type, good.method, good.worker, good.status, good.records, good.failure],
      ['done', 'page', 'GET', 'daemon', 200, 1, undefined],
    );
    assert.ok((good.bytes ?? 0) > 0);
    assert.deepEqual([bad.state, bad.status, bad.failure?.code], ['failed', 404, 'status']);

    const found = async (filter: Parameters<typeof client.call<'step.list'>>[1]) =>
      paths(site, (await client.call('step.list', filter)).steps);
    assert.deepEqual(await found({ state: 'failed' }), ['/broken']);
    assert.deepEqual(await found({ type: 'robots' }), []);
    assert.deepEqual(await found({ type: 'page', source: 'shop' }), ['/broken', '/a']);
    assert.deepEqual(await found({ worker: 'daemon' }), ['/broken', '/a']);
    assert.deepEqual(await found({ worker: 'another' }), []);
    assert.deepEqual(await found({ text: 'BROK' }), ['/broken']);
    assert.deepEqual(await found({ text: 'status' }), ['/broken']);
    assert.deepEqual(await found({ queuedFrom: bad.queuedAt }), ['/broken']);
    assert.deepEqual(await found({ queuedTo: bad.queuedAt }), ['/a']);
    assert.deepEqual(await found({ startedTo: good.startedAt }), []);
    assert.deepEqual(await found({ startedFrom: good.startedAt, startedTo: good.startedAt + 1 }), ['/a']);
    assert.deepEqual(await found({ target: good.target ?? 0 }), ['/a']);
    const first = await client.call('step.list', { limit: 1 });
    assert.deepEqual(await found({ before: first.next ?? '' }), ['/a']);
  });

  test('has what runs and what waits, and counts both [S30, S38]', async (t) => {
    const site = await openSite(t, { '/b': productPage('B', '1') });
    const held = hold(site, '/a');
    const daemon = await startDaemon(t, { sources: { shop: productSource('shop') }, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    const response = await held;
    await client.call('schedule.pause', { source: 'shop' });
    await client.call('project.add', { id: 'b', targets: [{ source: 'shop', url: site.url('/b') }] });
    const [due] = (await client.call('project.rescrape', { id: 'b' })).scrapes;
    const running = await client.call('step.list', { state: 'running' });
    assert.deepEqual(paths(site, running.steps), ['/a']);
    assert.equal(running.steps[0]?.endedAt, undefined);
    const { steps: waiting } = await client.call('step.list', { state: 'waiting' });
    assert.deepEqual(paths(site, waiting), ['/b']);
    assert.deepEqual([waiting[0]?.id, waiting[0]?.scrape], [`t${due?.target}`, due?.scrape]);
    assert.deepEqual(await client.call('step.counts', {}), {
      ...{ waiting: 1, delayed: 0, running: 1, ended: 0 },
      sources: [{ source: 'shop', waiting: 0, running: 1 }],
    });
    answerWith(productPage('A', '1'), response);
    await nth(1, 'scrape.completed', 'a', daemon);
    const counts = await client.call('step.counts', {});
    assert.deepEqual(counts, { waiting: 1, delayed: 1, running: 0, ended: 1, sources: [] });
    assert.deepEqual(paths(site, (await client.call('step.list', { state: 'delayed' })).steps), ['/a']);
  });

  test('goes on after a restart, with the numbers of the steps, and keeps no more than it may [S44]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const options = { settings: soon, keptSteps: 3, sources: { shop: productSource('shop') } };
    const timed = await startTimed(t, options);
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    for (let scrapes = 0; scrapes < 5; scrapes += 1) {
      await timed.client.call('project.rescrape', { id: 'a' });
      await timed.pass(2_000);
    }
    const kept = (await timed.client.call('step.list', {})).steps;
    assert.equal(kept.length, 3);
    await timed.close();
    const again = await startTimed(t, { ...options, folder: timed.folder, clock: timed.clock });
    assert.deepEqual((await again.client.call('step.list', {})).steps, kept);
    const [newest] = kept;
    assert.deepEqual((await again.client.call('step.get', { id: newest?.id ?? '' })).url, site.url('/a'));
    await again.tracked(1);
    await again.client.call('project.rescrape', { id: 'a' });
    await again.pass(2_000);
    const [next] = (await again.client.call('step.list', {})).steps;
    assert.ok(Number(next?.id) > Number(newest?.id));
  });
});

describe('a step', () => {
  test('is shown with its tries, instants, worker, notes, progress and the stack of an error of the program [S31]', async (t) => {
    const site = await openSite(t, { '/a': { status: 503 } });
    const daemon = await startDaemon(t, {
      sources: { shop: productSource('shop').replace('times: 0', 'times: 1') },
      settings: soon,
      intercept: (runStep) => (step, signal, onSent, onCame) =>
        step.request.url.endsWith('/crash')
          ? Promise.reject(new Error('the engine broke'))
          : runStep(step, signal, onSent, onCame),
    });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'scrape.failed', 'a', daemon);
    const [last] = (await client.call('step.list', {})).steps;
    const shown = await client.call('step.get', { id: last?.id ?? '' });
    assert.deepEqual([shown.state, shown.worker, shown.turns, shown.projects], ['failed', 'daemon', 1, ['a']]);
    assert.ok((shown.queuedAt ?? 0) <= (shown.startedAt ?? 0) && (shown.startedAt ?? 0) <= (shown.endedAt ?? 0));
    assert.deepEqual(
      shown.tries.map(({ status }) => status),
      [503, 503],
    );
    assert.deepEqual([shown.progress?.status, shown.progress?.steps], ['failed', 2]);
    assert.match(shown.version ?? '', /^\w+/);
    assert.ok(
      shown.log.some(({ level, text }) => level === 'warn' && text.startsWith('scrape has stopped {"status":"failed"')),
    );

    await client.call('project.add', { id: 'c', targets: [{ source: 'shop', url: site.url('/crash') }] });
    await nth(1, 'scrape.failed', 'c', daemon);
    const [broken] = (await client.call('step.list', { text: '/crash' })).steps;
    const crash = await client.call('step.get', { id: broken?.id ?? '' });
    assert.deepEqual(crash.failure, { code: 'internal_error', message: 'the engine broke' });
    assert.match(crash.stack ?? '', /^Error: the engine broke\n +at .*steps\.test\.ts/);
    await assert.rejects(client.call('step.get', { id: '4711' }), { code: 'not_found', message: 'no step 4711' });
  });

  test('that waits and is revoked is never made [S32]', async (t) => {
    const { site, daemon, client } = await oneOfEach(t);
    const target = await targetOf('good', daemon);
    await client.call('schedule.pause', {});
    await client.call('project.rescrape', { id: 'good' });
    assert.deepEqual(await client.call('step.revoke', { id: `t${target}` }), { revoked: true });
    assert.deepEqual((await client.call('step.list', { state: 'waiting' })).steps, []);
    const before = site.asked.length;
    await client.call('schedule.resume', {});
    await client.call('project.rescrape', { id: 'bad' });
    await nth(2, 'scrape.failed', 'bad', daemon);
    assert.deepEqual(
      site.asked.slice(before).map(({ path }) => path),
      ['/broken'],
    );
    await assert.rejects(client.call('step.revoke', { id: `t${target}` }), { code: 'conflict' });
  });

  test('whose target is due and that is revoked waits until the target is due again [S32]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const settings = { ...soon, everyMs: 60_000 };
    const timed = await startTimed(t, { settings, sources: { shop: productSource('shop') } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(2_000);
    await timed.client.call('schedule.pause', {});
    await timed.pass(60_000);
    const [waiting] = (await timed.client.call('step.list', { state: 'waiting' })).steps;
    assert.ok(waiting !== undefined);
    await timed.client.call('step.revoke', { id: waiting.id });
    await timed.client.call('schedule.resume', {});
    const before = timed.sent.length;
    await timed.pass(30_000);
    assert.equal(timed.sent.length, before);
    const { scrapes } = await timed.client.call('scrape.list', { project: 'a' });
    assert.deepEqual([scrapes[0]?.status, scrapes[0]?.failure?.message], ['cancelled', 'revoked by an operator']);
    await timed.pass(60_000);
    assert.equal(timed.sent.length, before + 1);
  });

  test('that runs and is revoked is cut, and its scrape is cancelled [S32]', async (t) => {
    const site = await openSite(t);
    const held = hold(site, '/a');
    const daemon = await startDaemon(t, { sources: { shop: productSource('shop') }, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    const response = await held;
    const cut = new Promise<void>((resolve) => response.on('close', resolve));
    const [running] = (await client.call('step.list', { state: 'running' })).steps;
    const askedAt = performance.now();
    assert.deepEqual(await client.call('step.revoke', { id: running?.id ?? '' }), { revoked: true });
    await cut;
    assert.ok(performance.now() - askedAt < 5_000);
    await daemon.daemon.system.idle();
    const shown = await client.call('step.get', { id: running?.id ?? '' });
    assert.deepEqual([shown.state, shown.progress?.status], ['revoked', 'cancelled']);
    assert.deepEqual(await client.call('step.revoke', { id: shown.id }), { revoked: false });
  });

  test('that no scrape makes, as of a robots.txt, is cut alone [S32]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const held = hold(site, '/robots.txt');
    const obeying = productSource('shop').replace('robots: ignore\n', '');
    const daemon = await startDaemon(t, { sources: { shop: obeying }, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    const response = await held;
    const cut = new Promise<void>((resolve) => response.on('close', resolve));
    const [running] = (await client.call('step.list', { state: 'running' })).steps;
    assert.equal(running?.type, 'robots');
    assert.deepEqual(await client.call('step.revoke', { id: running.id }), { revoked: true });
    await cut;
    await daemon.daemon.system.idle();
    assert.equal((await client.call('step.get', { id: running.id })).state, 'revoked');
    await assert.rejects(client.call('step.retry', { id: running.id }), /asks for it again/);
  });
});

describe('an operator', () => {
  test('has a target scraped now, with arguments, and gets its number, or waits for the result [S37]', async (t) => {
    const { daemon, client } = await oneOfEach(t);
    const [asked] = (await client.call('project.rescrape', { id: 'good', wish: { full: true } })).scrapes;
    assert.equal((await nth(2, 'scrape.completed', 'good', daemon)).scrape, asked?.scrape);
    const waited = await run(['rescrape', 'good', '--wait', '--json', '--socket', daemon.socket]);
    assert.equal(waited.status, 0);
    const result = ScrapeOfProjects.parse(JSON.parse(waited.out.trim().split('\n').at(-1) ?? ''));
    assert.deepEqual([result.status, result.counts.confirmed], ['complete', 1]);
  });

  test('tries a failed step again, or all of them [S35]', async (t) => {
    const { site, daemon, client } = await oneOfEach(t);
    const [bad] = (await client.call('step.list', { state: 'failed' })).steps;
    const { scrapes } = await client.call('step.retry', { id: bad?.id ?? '' });
    assert.equal((await nth(2, 'scrape.failed', 'bad', daemon)).scrape, scrapes[0]);
    site.answer('/broken', productPage('Mended', '1'));
    assert.equal((await client.call('step.retry', { state: 'failed' })).scrapes.length, 1);
    await nth(1, 'scrape.completed', 'bad', daemon);
    assert.deepEqual(await client.call('step.retry', { state: 'failed' }), { scrapes: [], idle: 0 });
  });

  test('has a target that is due later asked now [S35]', async (t) => {
    const { daemon, client } = await oneOfEach(t);
    const [first] = (await client.call('step.list', { state: 'delayed', text: '/a' })).steps;
    assert.equal(first?.id, `t${await targetOf('good', daemon)}`);
    const { scrapes } = await client.call('step.promote', { id: first.id });
    assert.equal((await nth(2, 'scrape.completed', 'good', daemon)).scrape, scrapes[0]);
    const [ended] = (await client.call('step.list', { state: 'done' })).steps;
    await assert.rejects(client.call('step.promote', { id: ended?.id ?? '' }), { code: 'conflict' });
  });

  test('removes ended steps of one state [S35]', async (t) => {
    const { site, client } = await oneOfEach(t);
    assert.deepEqual(await client.call('step.clean', { state: 'done', source: 'shop' }), { removed: 1 });
    assert.deepEqual(paths(site, (await client.call('step.list', {})).steps), ['/broken']);
    assert.deepEqual(await client.call('step.clean', { state: 'failed' }), { removed: 1 });
    assert.equal((await client.call('step.counts', {})).ended, 0);
  });

  test('pauses one source or all: no new step begins, those under way end, and a restart changes nothing [S35, S36]', async (t) => {
    const site = await openSite(t, { '/b': productPage('B', '1') });
    const held = hold(site, '/a');
    const sources = { shop: productSource('shop'), mart: productSource('mart') };
    const daemon = await startTimed(t, { sources, settings: soon });
    const { client } = daemon;
    await daemon.track('a', { source: 'shop', url: site.url('/a') });
    await daemon.track('b', { source: 'mart', url: site.url('/b') });
    daemon.clock.advance(1_000);
    const response = await held;
    await client.call('schedule.pause', { source: 'shop' });
    await client.call('schedule.pause', {});
    await client.call('project.rescrape', { id: 'a' });
    answerWith(productPage('A', '1'), response);
    await nth(1, 'scrape.completed', 'a', daemon);
    const asked = site.asked.length;
    await daemon.pass(60_000);
    assert.equal(site.asked.length, asked);
    await daemon.close();

    site.answer('/a', productPage('A', '2'));
    const again = await startTimed(t, { sources: {}, settings: soon, folder: daemon.folder, clock: daemon.clock });
    await again.tracked(2);
    await again.pass(60_000);
    assert.equal(site.asked.length, asked);
    await again.client.call('schedule.resume', {});
    await again.client.call('project.rescrape', { id: 'b' });
    await again.pass(60_000);
    assert.deepEqual(new Set(again.sent.map(({ url }) => url)), new Set([site.url('/b')]));
    await again.client.call('schedule.resume', { source: 'shop' });
    await again.pass(60_000);
    assert.ok(again.sent.some(({ url }) => url === site.url('/a')));
  });
});
