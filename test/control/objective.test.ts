import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settingsOf, startAt, startTimed } from '../daemon/passing.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const sources = { shop: productSource('shop'), ads: productSource('ads') };

describe('objective.report', () => {
  test('tells ages, the part within, breaches and the nearest deadlines, by source and of all (P46)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '1') });
    const { client, pass, track, events } = await startTimed(t, { sources, settings: settingsOf({}) });
    await track('a', { source: 'shop', url: site.url('/a') });
    await track('b', { source: 'ads', url: site.url('/b') });
    await pass(2 * second);
    const none = await client.call('objective.report', {});
    assert.deepEqual([none.all.count, none.all.shareWithin, none.sources, none.next], [0, 1, [], []]);

    await client.call('project.update', { id: 'a', objectives: { errorAfterMs: 2 * hour } });
    await client.call('project.update', { id: 'b', objectives: { errorAfterMs: 8 * hour } });
    // From now on its page cannot be had, which verifies nothing.
    site.answer('/a', { status: 500 });
    await pass(3 * hour);
    const { at, all, sources: bySource, next } = await client.call('objective.report', {});
    assert.equal(at, startAt + 2 * second + 3 * hour);
    assert.deepEqual([all.count, all.breaches, all.shareWithin], [2, 1, 0.5]);
    assert.deepEqual(
      bySource.map(({ source, count, breaches }) => [source, count, breaches]),
      [
        ['ads', 1, 0],
        ['shop', 1, 1],
      ],
    );
    assert.ok(all.maxMs > 2 * hour && all.maxMs <= 3 * hour + 2 * second);
    assert.deepEqual(
      next.map(({ projects: [project], objectiveMs }) => [project, objectiveMs]),
      [
        ['a', 2 * hour],
        ['b', 8 * hour],
      ],
    );
    assert.equal(events.filter(({ type }) => type === 'scrape.completed').length >= 2, true);
    const ofAds = await client.call('objective.report', { source: 'ads' });
    assert.deepEqual([ofAds.all.count, ofAds.all.breaches], [1, 0]);
    const ofA = await client.call('objective.report', { project: 'a' });
    assert.deepEqual([ofA.all.count, ofA.all.breaches], [1, 1]);
    await assert.rejects(client.call('objective.report', { source: 'nope' }), { code: 'not_found' });
    await assert.rejects(client.call('objective.report', { project: 'nope' }), { code: 'not_found' });
  });

  test('tells what a host does not allow to be kept, when it is configured and later (P47)', async (t) => {
    const site = await openSite(t);
    const shop = productSource('shop').replace('delay: 1ms, minDelay: 1ms', 'delay: 2s, minDelay: 2s');
    const { client } = await startTimed(t, { sources: { shop }, settings: settingsOf({}) });
    const targets = Array.from({ length: 50 }, (_, page) => ({ source: 'shop', url: site.url(`/${page}`) }));
    const list = (warnAfterMs: number) => ({ projects: [{ id: 'a', objectives: { warnAfterMs }, targets }] });
    const dry = await client.call('project.apply', { ...list(50 * second), dryRun: true });
    assert.deepEqual(
      dry.infeasible?.map(({ neededMs, nearestMs }) => [neededMs, nearestMs]),
      [[100 * second, 228 * second]],
    );
    await client.call('project.apply', list(50 * second));
    const { infeasible } = await client.call('objective.report', {});
    assert.deepEqual(infeasible, dry.infeasible);
    assert.deepEqual((await client.call('project.apply', list(5 * minute))).infeasible, undefined);
  });
});
