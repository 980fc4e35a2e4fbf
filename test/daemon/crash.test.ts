import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CallError } from '../../src/actor/errors.ts';
import type { RunStep } from '../../src/engine/step.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startAt, startTimed } from './passing.ts';

const second = 1_000;
const sources = { shop: productSource('shop') };

/** Throws in place of each step that asks for `path`, as often as is said. */
function throwing(path: string, times = Infinity): (runStep: RunStep) => RunStep {
  let left = times;
  return (runStep) => (step, signal, onSent) => {
    if (!step.request.url.endsWith(path) || left === 0) return runStep(step, signal, onSent);
    left -= 1;
    throw new Error('the scraper is broken');
  };
}

describe('a scrape that throws', () => {
  test('every time leaves the exact times of all other projects of its source alone, though it was first (B27, B52)', async (t) => {
    const names = ['b', 'c', 'd'];
    const site = await openSite(t, Object.fromEntries(names.map((name) => [`/${name}`, productPage(name, '1')])));
    const settings = settingsOf({ everyMs: 40 * second });
    const times: number[][] = [];
    for (const intercept of [throwing('/bad', 0), throwing('/bad')]) {
      const { client, pass, starts, track } = await startTimed(t, { sources, settings, intercept });
      for (const name of ['bad', ...names]) await track(name, { source: 'shop', url: site.url(`/${name}`) });
      await pass(5 * 40 * second);
      times.push(names.flatMap(starts));
      for (const id of names) {
        const { scrapes } = await client.call('scrape.list', { project: id });
        assert.ok(scrapes.every(({ status }) => status === 'complete'));
      }
    }
    assert.ok((times[0]?.length ?? 0) >= 5 * names.length);
    assert.deepEqual(times[1], times[0]);
  });

  test("because what the tree stands on has ended is not laid at its target's door (B29)", async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    let left = 4;
    const intercept =
      (runStep: RunStep): RunStep =>
      (step, signal, onSent) => {
        if (left === 0) return runStep(step, signal, onSent);
        left -= 1;
        throw new CallError('ended', 'the engine ended', 'killed');
      };
    const { client, pass, track } = await startTimed(t, { sources, intercept });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(600 * second);
    const [target] = (await client.call('project.get', { id: 'a' })).targets;
    assert.deepEqual([left, target?.status, target?.crashes.total], [0, 'active', 0]);
    assert.equal((await client.call('scrape.list', { status: 'complete' })).scrapes.length, 1);
  });

  test('has its actor started again, which tries again (B28)', async (t) => {
    const site = await openSite(t, { '/bad': productPage('X', '1') });
    const { client, pass, starts, track } = await startTimed(t, { sources, intercept: throwing('/bad', 2) });
    await track('bad', { source: 'shop', url: site.url('/bad') });
    await pass(10 * second);
    assert.deepEqual(
      starts('bad'),
      [1, 2, 3].map((n) => startAt + n * second),
    );
    const { scrapes } = await client.call('scrape.list', { project: 'bad' });
    assert.deepEqual(
      scrapes.map(({ status, failure }) => [status, failure?.message]),
      [
        ['complete', undefined],
        ['failed', 'the scraper is broken'],
        ['failed', 'the scraper is broken'],
      ],
    );
  });

  test('more than three times in 5 s parks its target and nothing else (B29)', async (t) => {
    const pages = { '/bad': productPage('X', '1'), '/good': productPage('G', '1'), '/other': productPage('O', '1') };
    const site = await openSite(t, pages);
    const settings = settingsOf({ everyMs: 5 * second });
    const { client, pass, settle, starts, track } = await startTimed(t, {
      sources,
      settings,
      intercept: throwing('/bad'),
    });
    await track(
      'mixed',
      { source: 'shop', url: site.url('/bad') },
      { source: 'shop', url: site.url('/good'), everyMs: 7 * second },
    );
    await track('other', { source: 'shop', url: site.url('/other'), everyMs: 9 * second });
    await pass(30 * second);
    await settle();
    const { targets } = await client.call('project.get', { id: 'mixed' });
    assert.deepEqual(
      targets.map(({ status }) => status),
      ['parked', 'active'],
    );
    assert.deepEqual((await client.call('scrape.list', { project: 'other', status: 'failed' })).scrapes, []);
    assert.equal(starts('other').length, 4);
    const good = (await client.call('scrape.list', { project: 'mixed' })).scrapes.filter(
      ({ target, status }) => target === targets[1]?.target && status === 'complete',
    );
    assert.ok(good.length >= 3, `${good.length} complete`);
    const tree = await client.call('tree.get', {});
    assert.deepEqual(
      tree.children?.map(({ id, state, restarts }) => [id, state, restarts]).filter(([, , restarts]) => restarts !== 0),
      [],
    );
  });

  test('shows what went wrong, how often and when it is tried again, and one event tells of it (B30)', async (t) => {
    const site = await openSite(t, {});
    const { client, events, pass, settle, track } = await startTimed(t, { sources, intercept: throwing('/bad') });
    await track('bad', { source: 'shop', url: site.url('/bad') });
    await pass(20 * second);
    await settle();
    const [target] = (await client.call('project.get', { id: 'bad' })).targets;
    assert.deepEqual(target?.lastError, { code: 'crashed', message: 'the scraper is broken' });
    assert.deepEqual(target.crashes, { total: 4, inRow: 4, last: 'the scraper is broken' });
    const at = startAt + 4 * second;
    assert.deepEqual(target.parked, { at, reason: 'the scraper is broken', retryAt: at + 60 * second, times: 1 });
    assert.equal(events.filter(({ type }) => type === 'target.parked').length, 1);
  });

  test('is tried again by itself after a minute, then after two (B30)', async (t) => {
    const site = await openSite(t, {});
    const { pass, starts, track } = await startTimed(t, { sources, intercept: throwing('/bad') });
    await track('bad', { source: 'shop', url: site.url('/bad') });
    await pass(200 * second);
    assert.deepEqual(
      starts('bad').map((at) => (at - startAt) / second),
      [1, 2, 3, 4, 65, 66, 67, 68, 189, 190, 191, 192],
    );
  });

  test('is scraped again once an operator has released its target (B31)', async (t) => {
    const site = await openSite(t, { '/bad': productPage('X', '1') });
    const { client, pass, settle, starts, track } = await startTimed(t, { sources, intercept: throwing('/bad', 4) });
    await track('bad', { source: 'shop', url: site.url('/bad') });
    await pass(20 * second);
    const released = await client.call('project.release', { id: 'bad' });
    assert.equal(released.targets[0]?.status, 'active');
    await pass(second);
    await settle();
    assert.equal(starts('bad').at(-1), startAt + 21 * second);
    const [target] = (await client.call('project.get', { id: 'bad' })).targets;
    assert.equal(target?.lastScrape?.status, 'complete');
    assert.deepEqual([target.crashes.inRow, target.parked], [0, undefined]);
  });
});
