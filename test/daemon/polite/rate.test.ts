import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { productPage, startDaemon } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { settingsOf, startTimed } from '../passing.ts';
import { afterEnd, gapsOf, lastScrape, minute, politeSource, second } from './support.ts';

const page = productPage('A', '1.00');

describe('requests to a host', () => {
  test('are apart by its delay from the first of each scrape on, whoever makes them (J42)', async (t) => {
    const site = await openSite(t, { '/a': page, '/b': page, '/c': page });
    const politeness = 'autoThrottle: false, delay: 10s, minDelay: 10s';
    const { client, sent, pass, track } = await startTimed(t, {
      sources: { shop: politeSource('shop', { politeness }) },
    });
    for (const id of ['a', 'b', 'c']) await track(id, { source: 'shop', url: site.url(`/${id}`) });
    await pass(25 * second);
    await client.call('project.rescrape', { id: 'a' });
    await pass(minute);
    assert.equal(sent.length, 4);
    assert.ok(
      gapsOf(sent).every((gap) => gap >= 10 * second),
      gapsOf(sent).join(),
    );
  });

  test('that share a key are apart by 3.5 s and some more, on all pages and hosts of their source (J40, J41)', async (t) => {
    const one = await openSite(t, { '/a': page, '/b': page });
    const other = await openSite(t, { '/c': page, '/d': page });
    const politeness = 'autoThrottle: false, key: shop, delay: 7670ms, minDelay: 3500ms';
    const draws = [0, 0.3, 0.6, 0.99];
    let drawn = 0;
    const random = (): number => draws[(drawn += 1) % draws.length] ?? 0;
    const { sent, pass, track } = await startTimed(t, {
      sources: { shop: politeSource('shop', { politeness }) },
      random,
    });
    for (const id of ['a', 'b']) await track(id, { source: 'shop', url: one.url(`/${id}`) });
    for (const id of ['c', 'd']) await track(id, { source: 'shop', url: other.url(`/${id}`) });
    await pass(minute);
    assert.equal(sent.length, 4);
    const gaps = gapsOf(sent);
    assert.ok(
      gaps.every((gap) => gap >= 3_500 && gap <= 11_500),
      gaps.join(),
    );
    assert.ok(new Set(gaps).size > 1, 'they vary');
  });

  test('vary between half and one and a half times the delay (O50)', async (t) => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const site = await openSite(t, Object.fromEntries(ids.map((id) => [`/${id}`, page])));
    let drawn = 0;
    const politeness = 'autoThrottle: false, delay: 20s, minDelay: 1ms';
    const { sent, pass, track } = await startTimed(t, {
      sources: { shop: politeSource('shop', { politeness }) },
      random: () => (drawn = (drawn + 0.37) % 1),
    });
    for (const id of ids) await track(id, { source: 'shop', url: site.url(`/${id}`) });
    await pass(3 * minute);
    const gaps = gapsOf(sent);
    assert.equal(gaps.length, 4);
    assert.ok(
      gaps.every((gap) => gap >= 10 * second && gap <= 30 * second),
      gaps.join(),
    );
    assert.equal(new Set(gaps).size, 4);
  });

  test('come closer as the host proves quick, from 5 s down to the delay (O48)', async (t) => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const site = await openSite(t, Object.fromEntries(ids.map((id) => [`/${id}`, page])));
    const politeness = 'delay: 1s, minDelay: 500ms';
    const { sent, pass, track } = await startTimed(t, { sources: { shop: politeSource('shop', { politeness }) } });
    for (const id of ids) await track(id, { source: 'shop', url: site.url(`/${id}`) });
    await pass(minute);
    const [first = 0, ...others] = gapsOf(sent);
    // Answers take their own real time, some milliseconds of it.
    assert.ok(first >= 2_500 && first < 3_500, `${first}`);
    assert.ok(
      others.every((gap, index) => gap <= (others[index - 1] ?? first) && gap >= second),
      others.join(),
    );
    assert.equal(Math.round((others.at(-1) ?? 0) / 100), 10);
  });

  for (const [what, concurrency, maxInFlight] of [
    ['where a source allows eight', 8, 256],
    ['of all sources where the daemon allows eight', 12, 8],
  ] as const)
    test(`are at most eight at a time ${what} (O51)`, async (t) => {
      const held: ServerResponse[] = [];
      const site = await openSite(t, {});
      const ids = Array.from({ length: 12 }, (_, index) => `p${index}`);
      const reached = Promise.withResolvers<void>();
      for (const id of ids)
        site.answer(`/${id}`, (_request, response) => {
          held.push(response);
          if (held.length === 8) reached.resolve();
        });
      const politeness = `autoThrottle: false, concurrency: ${concurrency}, delay: 1ms, minDelay: 1ms`;
      const { client, event, events } = await startDaemon(t, {
        sources: { shop: politeSource('shop', { politeness }) },
        settings: settingsOf({ initialDelayMs: 1 }),
        maxInFlight,
      });
      for (const id of ids)
        await client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
      await reached.promise;
      await client.call('daemon.status', {});
      assert.equal(held.length, 8);
      // The ninth is asked for only when one of the eight is answered.
      const ninth = site.nextAsked();
      held[0]?.setHeader('content-type', 'text/html').end(page);
      await ninth;
      for (const response of held.slice(1)) response.setHeader('content-type', 'text/html').end(page);
      for (const id of ids) site.answer(`/${id}`, page);
      await event(() => events.filter(({ type }) => type === 'scrape.completed').length === ids.length);
      assert.equal(site.asked.length, ids.length);
    });
});

describe('a host that answers 429 with Retry-After: 5', () => {
  test('is asked nothing for 5 s by anyone, and other hosts keep their pace (B51)', async (t) => {
    const full = await openSite(t, { '/a': { status: 429, headers: { 'retry-after': '5' } }, '/b': page, '/c': page });
    const free = await openSite(t, { '/x': page, '/y': page, '/z': page });
    const politeness = 'autoThrottle: false, delay: 1s, minDelay: 1s';
    const sources = { full: politeSource('full', { politeness }), free: politeSource('free', { politeness }) };
    const { sent, pass, track } = await startTimed(t, { sources });
    await track('a', { source: 'full', url: full.url('/a') });
    await pass(second);
    for (const id of ['b', 'c']) await track(id, { source: 'full', url: full.url(`/${id}`) });
    for (const id of ['x', 'y', 'z']) await track(id, { source: 'free', url: free.url(`/${id}`) });
    await pass(minute);
    const ofFull = gapsOf(sent.filter(({ url }) => url.startsWith(full.origin)));
    const ofFree = gapsOf(sent.filter(({ url }) => url.startsWith(free.origin)));
    assert.equal(ofFull.length, 2);
    assert.ok((ofFull[0] ?? 0) >= 5 * second, ofFull.join());
    assert.deepEqual(ofFree, [second, second]);
  });

  for (const how of ['stopped', 'killed'] as const)
    test(`is left alone as long when the daemon is ${how} in the middle (B51)`, async (t) => {
      const full = await openSite(t, { '/a': { status: 429, headers: { 'retry-after': '600' } }, '/b': page });
      const sources = { shop: politeSource('shop', {}) };
      const first = await startTimed(t, { sources });
      await first.track('b', { source: 'shop', url: full.url('/b') });
      await first.track('a', { source: 'shop', url: full.url('/a') });
      await first.pass(minute);
      await first.settle();
      const refused = first.sent.find(({ url }) => url === full.url('/a'));
      assert.ok(refused !== undefined);
      const again = await startTimed(t, { sources, ...(await afterEnd(t, first, how)) });
      await again.client.call('project.rescrape', { id: 'b' });
      await again.pass(15 * minute);
      const next = again.sent.at(0);
      assert.ok(next !== undefined && next.at >= refused.at + 600 * second, `${next?.at} after ${refused.at}`);
    });
});

test('what the scripts of a page had asked for when it met the time limit of its scrape is paid for', async (t) => {
  const site = await openSite(t, { '/b': productPage('B', '1.00') });
  const more = 'render: browser';
  const politeness = 'autoThrottle: false, delay: 1s, minDelay: 1s';
  const timed = await startTimed(t, {
    sources: { shop: politeSource('shop', { politeness, more }) },
    settings: settingsOf({ timeLimitMs: 10_000 }),
    intercept: (runStep) => async (step, signal, onSent) => {
      const { render: _, ...unrendered } = step;
      if (!step.request.url.endsWith('/a')) return runStep(unrendered, signal, onSent);
      onSent();
      if (!signal.aborted) await once(signal, 'abort');
      const failure = { code: 'cancelled', message: 'cancelled' };
      return { kind: 'failed', failure, at: 0, elapsedMs: 0, bytes: 0, more: 99 };
    },
  });
  await timed.track('a', { source: 'shop', url: site.url('/a') });
  await timed.pass(2 * second);
  await timed.track('b', { source: 'shop', url: site.url('/b') });
  await timed.pass(minute);
  assert.equal((await lastScrape('a', timed.client)).scrape.failure?.code, 'time_limit');
  assert.equal(site.asked.length, 0);
  await timed.pass(2 * minute);
  await timed.settle();
  assert.equal(site.asked.length, 1);
});
