import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productPage } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { startTimed } from '../passing.ts';
import { lastScrape, minute, politeSource, second } from './support.ts';

const page = productPage('A', '1.00');

describe('a project with targets on several hosts', () => {
  test('scrapes the others while two of its targets wait for a host that rests', async (t) => {
    const resting = await openSite(t, {
      '/first': { status: 503, headers: { 'retry-after': '3600' } },
      '/a': page,
      '/b': page,
    });
    const other = await openSite(t, { '/c': page });
    const { client, pass, settle, track } = await startTimed(t, { sources: { shop: politeSource('shop', {}) } });
    await track('first', { source: 'shop', url: resting.url('/first') });
    await pass(10 * second);
    await track(
      'several',
      ...[resting.url('/a'), resting.url('/b'), other.url('/c')].map((url) => ({ source: 'shop', url })),
    );
    await pass(10 * second);
    await settle();
    assert.deepEqual([resting.asked.length, other.asked.length], [1, 1]);
    await pass(61 * minute);
    await settle();
    assert.deepEqual(
      resting.asked
        .slice(1, 3)
        .map(({ path }) => path)
        .sort(),
      ['/a', '/b'],
    );
    assert.equal((await lastScrape('several', client)).scrape.status, 'complete');
  });

  test('scrapes the others while one of its targets pauses before it is tried again', async (t) => {
    const failing = await openSite(t, { '/a': { status: 500 }, '/b': { status: 500 } });
    const other = await openSite(t, { '/c': page });
    const retry = 'times: 3, first: 5m, longest: 5m, within: 30m';
    const { pass, settle, track } = await startTimed(t, { sources: { shop: politeSource('shop', { retry }) } });
    const urls = [failing.url('/a'), failing.url('/b'), other.url('/c')];
    await track('several', ...urls.map((url) => ({ source: 'shop', url })));
    await pass(minute);
    await settle();
    assert.equal(other.asked.length, 1);
  });
});
