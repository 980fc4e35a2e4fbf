import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productPage } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { settingsOf, startAt, startTimed } from '../passing.ts';
import { gapsOf, lastScrape, minute, politeSource, second } from './support.ts';

const asDefined = politeSource('shop', {}).replace('retry: { times: 0 }\n', '');

describe('a request that fails', () => {
  test('with 500, 502, 503, 504, 408 or 429 is made three times in all, with 404 once (J53, O52)', async (t) => {
    const statuses = [500, 502, 503, 504, 408, 429, 404];
    const site = await openSite(t, Object.fromEntries(statuses.map((status) => [`/${status}`, { status }])));
    // A source each, so that no circuit opens.
    const sources = Object.fromEntries(
      statuses.map((status) => [`s${status}`, asDefined.replace('id: shop', `id: s${status}`)]),
    );
    const { client, pass, track } = await startTimed(t, { sources });
    for (const status of statuses) await track(`p${status}`, { source: `s${status}`, url: site.url(`/${status}`) });
    await pass(minute);
    for (const status of statuses) {
      const asked = site.asked.filter(({ path }) => path === `/${status}`);
      assert.equal(asked.length, status === 404 ? 1 : 3, `${status}`);
      const { scrape, steps } = await lastScrape(`p${status}`, client);
      assert.equal(scrape.status, 'failed');
      assert.deepEqual(
        steps.map((step) => step.status),
        asked.map(() => status),
      );
    }
  });

  test('and then works completes its scrape, and the failure stays in the run log (J53)', async (t) => {
    const site = await openSite(t, { '/a': { status: 503, body: 'busy' } });
    const { client, pass, settle, track } = await startTimed(t, {
      sources: { shop: politeSource('shop', { politeness: 'autoThrottle: false, delay: 4s', retry: 'times: 2' }) },
    });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(5 * second);
    site.answer('/a', productPage('A', '1.00'));
    await pass(minute);
    await settle();
    const { scrape, steps } = await lastScrape('a', client);
    assert.equal(scrape.status, 'complete');
    assert.deepEqual(
      steps.map(({ failure }) => failure?.message),
      ['answered with status 503', undefined],
    );
  });

  test('for want of an answer in time is made three times in all (O53)', async (t) => {
    const site = await openSite(t, { '/a': () => undefined });
    const more = 'limits: { total: 500ms }';
    const { client, pass, settle, track } = await startTimed(t, {
      sources: { shop: politeSource('shop', { retry: 'times: 2', more }), usual: asDefined.replace('shop', 'usual') },
    });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(minute);
    await settle();
    assert.equal(site.asked.length, 3);
    const { scrape } = await lastScrape('a', client);
    assert.equal(scrape.failure?.code, 'timeout');
    const { definition } = await client.call('source.get', { id: 'usual' });
    assert.equal((definition as { limits: { total: number } }).limits.total, 180 * second);
  });
});

describe('a chain of retries', () => {
  test('ends before its target is due again, though the host cannot be asked until then (B39)', async (t) => {
    const site = await openSite(t, { '/a': { status: 500 } });
    const politeness = 'autoThrottle: false, delay: 30s, minDelay: 30s';
    const { client, events, pass, settle, starts, sent, track } = await startTimed(t, {
      sources: { shop: politeSource('shop', { politeness, retry: 'times: 5' }) },
      settings: settingsOf({ everyMs: 2 * minute }),
    });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(7 * minute);
    await settle();
    const due = [0, 1, 2, 3].map((n) => startAt + second + n * 2 * minute);
    // A scrape begins with its turn, which its host's pauses put off.
    assert.deepEqual(
      starts('a').map((at, index) => at - (due[index] ?? 0)),
      [29 * second, 0, 0],
    );
    const failed = events.filter(({ type }) => type === 'scrape.failed').map(({ at }) => at);
    assert.deepEqual(
      failed.map((at, index) => at < (due[index + 1] ?? Infinity)),
      [true, true, true],
    );
    assert.ok(gapsOf(sent).every((gap) => gap >= 30 * second));
    const { failure } = (await client.call('scrape.list', { project: 'a' })).scrapes[1] ?? {};
    assert.deepEqual([failure?.code, failure?.cause], ['status', 'origin_down']);
    assert.match(failure?.message ?? '', /due again before the host can be asked/);
  });

  test('is not begun when the host asks for a pause beyond the next due time (B39)', async (t) => {
    const site = await openSite(t, { '/a': { status: 503, headers: { 'retry-after': '300' } } });
    const { client, events, pass, settle, track } = await startTimed(t, {
      sources: { shop: politeSource('shop', { retry: 'times: 5' }) },
      settings: settingsOf({ everyMs: 2 * minute }),
    });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(minute);
    await settle();
    assert.equal(site.asked.length, 1);
    assert.equal(events.filter(({ type }) => type === 'scrape.failed').length, 1);
    assert.equal((await lastScrape('a', client)).scrape.failure?.cause, 'rate_limited');
  });
});
