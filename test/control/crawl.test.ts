import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settingsOf } from '../daemon/passing.ts';
import { startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from '../cli/terminal.ts';

const definition = (origin: string): string => `id: shop
url: "${origin}/"
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
records:
  product:
    key: sku
    fields:
      sku: { css: h1, required: true }
      price: { css: .price, type: money }
crawl:
  detail: ["/p/"]
  deny: ["/cart"]
`;

const links =
  '<a href="/p/1">1</a><a href="/p/2">2</a><a href="/cart">c</a><a href="https://other.example/">o</a><a href="/gone">g</a>';

describe('crawl.list', () => {
  test('tells what each crawl of a target found and did not follow, the newest first (P29)', async (t) => {
    const site = await openSite(t, {
      '/': links,
      '/p/1': '<h1>S1</h1><p class="price">EUR 1</p>',
      '/p/2': '<h1>S2</h1>',
    });
    const { client, socket } = await startDaemon(t, {
      sources: { shop: definition(site.origin) },
      // No crawl is under way but those that are asked for.
      settings: settingsOf({ initialDelayMs: 3_600_000, everyMs: 86_400_000 }),
    });
    await client.call('project.add', { id: 'all', targets: [{ url: site.url('/') }] });
    for (const _round of [1, 2]) {
      const { status, err } = await run(['run', 'shop', '--socket', socket]);
      assert.equal(status, 0, err);
    }
    const { crawls, next } = await client.call('crawl.list', { project: 'all' });
    assert.equal(next, undefined);
    assert.deepEqual(crawls.map(({ crawl, endReason }) => [crawl, endReason]).slice(-2), [
      [2, 'complete'],
      [1, 'complete'],
    ]);
    const first = crawls.at(-1);
    assert.deepEqual([first?.pages, first?.recordPages, first?.records, first?.newRecords], [4, 2, 2, 2]);
    assert.deepEqual(first?.status, { '2xx': 3, '4xx': 1 });
    assert.deepEqual(first?.fieldFill['product.price'], { seen: 1, total: 2 });
    assert.deepEqual(first?.offsite, [{ domain: 'other.example', links: 1 }]);
    assert.equal(first?.refused['denied'], 1);
    assert.deepEqual(first?.waiting, { detail: 0, listing: 0 });
    assert.equal(first?.durationMs, (first?.endedAt ?? 0) - first.startedAt);
    const one = await client.call('crawl.list', { project: 'all', limit: 1 });
    assert.equal(one.crawls.length, 1);
    const rest = await client.call('crawl.list', { project: 'all', limit: 1, before: one.next ?? '' });
    assert.equal(rest.crawls[0]?.crawl, (one.crawls[0]?.crawl ?? 0) - 1);
    const { out } = await run(['crawls', 'all', '--limit', '1', '--socket', socket], { now: Date.now() });
    assert.match(out, /^crawl \d of target 1 {2}shop {2}complete in /);
    const ofSource = await client.call('crawl.list', { source: 'shop' });
    assert.deepEqual(ofSource, { crawls });
    const second = await client.call('crawl.list', { source: 'shop', limit: 1, before: one.next ?? '' });
    assert.equal(second.crawls[0]?.crawl, rest.crawls[0]?.crawl);
    assert.equal((await run(['crawls', 'shop', '--limit', '1', '--socket', socket], { now: Date.now() })).out, out);
    assert.match(
      (await run(['crawls', '--socket', socket])).err,
      /^heronry: crawls: expected a source, or --project$/m,
    );
    await assert.rejects(client.call('crawl.list', { source: 'nosuch' }), { code: 'not_found' });
    await assert.rejects(client.call('crawl.list', {}), { code: 'invalid_params' });
  });

  test('counts a page that robots.txt asks to leave alone as forbidden, and not as failed', async (t) => {
    const site = await openSite(t, {
      '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /about\n' },
      '/': '<a href="/p/1">1</a><a href="/about">a</a>',
      '/p/1': '<h1>S1</h1>',
    });
    const obeying = definition(site.origin).replace('robots: ignore\n', '');
    const { client, socket } = await startDaemon(t, { sources: { shop: obeying } });
    await client.call('project.add', { id: 'all', targets: [{ url: site.url('/') }] });
    const { status, err } = await run(['run', 'shop', '--socket', socket]);
    assert.equal(status, 0, err);
    const [crawl] = (await client.call('crawl.list', { project: 'all', limit: 1 })).crawls;
    assert.deepEqual([crawl?.status, crawl?.errors], [{ '2xx': 2, forbidden: 1 }, 0]);
  });

  test('refuses a target that is not of the project, and a place in the list that it did not give', async (t) => {
    const { client } = await startDaemon(t, { sources: { shop: definition('http://127.0.0.1:1') } });
    await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: 'http://127.0.0.1:1/' }] });
    await assert.rejects(client.call('crawl.list', { project: 'all', target: 99 }), /project "all" has no target 99/);
    await assert.rejects(client.call('crawl.list', { project: 'all', before: 'x' }), /before: expected the "next"/);
    await assert.rejects(client.call('crawl.list', { project: 'none' }), /no project "none"/);
    assert.deepEqual(await client.call('crawl.list', { project: 'all' }), { crawls: [] });
  });
});
