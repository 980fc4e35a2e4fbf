import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startDaemon } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { isEnd, recordsOf } from '../lists/listing.ts';
import { answerWith, hold, nth, soon } from '../tracking.ts';
import { crawlSource, openShop, page, pathsOf } from './shop.ts';

describe('a crawl', () => {
  test('asks every page of a shop once, products before lists, and completes (P23, P24)', async (t) => {
    const site = await openShop(t);
    const daemon = await startDaemon(t, { sources: { shop: crawlSource() }, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
    const { scrape } = await nth(1, 'scrape.completed', 'all', daemon);
    const paths = pathsOf(site);
    assert.deepEqual([paths.length, new Set(paths).size], [45, 45]);
    assert.deepEqual(paths.slice(0, 3), ['/', '/c/0', '/p/0']);
    assert.deepEqual(paths.slice(11, 14), ['/p/9', '/c/1', '/p/10']);
    const found = await client.call('scrape.get', { scrape });
    assert.deepEqual([found.scrape.endReason, found.scrape.counts.added], ['complete', 40]);
    assert.equal((await recordsOf(client)).get('7')?.url, site.url('/p/7'));
  });

  test('asks a page that it knows only if it has changed, and has its records and links without it', async (t) => {
    const site = await openSite(t);
    const pages = { '/': page(['/c/0']), '/c/0': page(['/p/1', '/p/2']), '/p/1': page([], '1'), '/p/2': page([], '2') };
    const conditions: (string | undefined)[] = [];
    for (const [path, body] of Object.entries(pages))
      site.answer(path, ({ headers }, response) => {
        const etag = `"${path}"`;
        conditions.push(headers['if-none-match']);
        response.statusCode = headers['if-none-match'] === etag ? 304 : 200;
        response.setHeader('content-type', 'text/html').setHeader('etag', etag);
        response.end(response.statusCode === 304 ? undefined : body);
      });
    const daemon = await startDaemon(t, { sources: { shop: crawlSource() }, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
    const { scrape: first } = await nth(1, 'scrape.completed', 'all', daemon);
    await client.call('project.rescrape', { id: 'all' });
    const { scrape: second } = await nth(2, 'scrape.completed', 'all', daemon);
    assert.deepEqual(conditions, [undefined, undefined, undefined, undefined, '"/"', '"/c/0"', '"/p/1"', '"/p/2"']);
    const { crawls } = await client.call('crawl.list', { project: 'all' });
    assert.deepEqual(
      crawls.map(({ pages: asked, status }) => [asked, status]),
      [
        [4, { '304': 4 }],
        [4, { '2xx': 4 }],
      ],
    );
    const [one, other] = [first, second].map((scrape) => client.call('scrape.get', { scrape: scrape ?? 0 }));
    assert.equal((await one)?.scrape.counts.added, 2);
    assert.deepEqual((await other)?.scrape.counts, { added: 0, changed: 0, confirmed: 2 });
  });

  test('leaves out most pages of which its sitemap says that they have not changed, and misses none', async (t) => {
    const paths = Array.from({ length: 12 }, (_, index) => `/p/${index}`);
    const site = await openSite(t, { '/': page([]) });
    for (const path of paths) site.answer(path, page([], path.slice(3)));
    const entries = paths.map((path) => `<url><loc>${site.url(path)}</loc><lastmod>2020-01-01</lastmod></url>`);
    site.answer('/map.xml', {
      headers: { 'content-type': 'application/xml' },
      body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`,
    });
    const definition = crawlSource('shop', `sitemaps: ['${site.url('/map.xml')}']`);
    const daemon = await startDaemon(t, { sources: { shop: definition }, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
    await nth(1, 'scrape.completed', 'all', daemon);
    assert.equal(pathsOf(site).length, 14);
    await client.call('project.rescrape', { id: 'all' });
    const { scrape } = await nth(2, 'scrape.completed', 'all', daemon);
    const [second] = (await client.call('crawl.list', { project: 'all' })).crawls;
    const { listed = 0 } = second?.status ?? {};
    assert.ok(listed >= 6, `${listed} left out`);
    assert.equal(pathsOf(site).length, 14 + 14 - listed);
    const { counts } = (await client.call('scrape.get', { scrape })).scrape;
    assert.deepEqual(counts, { added: 0, changed: 0, confirmed: 12 - listed });
  });

  test('follows a redirect to the same page with a cookie, and none to a page that was met', async (t) => {
    const site = await openSite(t, { '/p/1': page([], '1'), '/p/2': { status: 302, headers: { location: '/p/1' } } });
    site.answer('/', (request, response) => {
      const isKnown = request.headers.cookie === 'seen=1';
      response.statusCode = isKnown ? 200 : 302;
      response.setHeader('content-type', 'text/html').setHeader('set-cookie', 'seen=1').setHeader('location', '/');
      response.end(isKnown ? page(['/p/1', '/p/2']) : '');
    });
    const daemon = await startDaemon(t, { sources: { shop: crawlSource() }, settings: soon });
    await daemon.client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
    await nth(1, 'scrape.completed', 'all', daemon);
    assert.deepEqual(pathsOf(site), ['/', '/', '/p/1', '/p/2']);
  });

  test('without an end is cut as a loop, with its products kept and none of them missing (P25, P27, P41)', async (t) => {
    const site = await openSite(t, {
      '/': page(['/day', '/p/1', '/p/2']),
      '/p/1': page([], '1'),
      '/p/2': page([], '2'),
    });
    site.answer('/day', ({ url = '' }, response) => {
      const day = Number(new URL(url, site.origin).searchParams.get('n') ?? 0);
      answerWith(page([`/day?n=${day + 1}`]), response);
    });
    const rules = 'maxWithoutNew: 20, maxDepth: 1000';
    const daemon = await startDaemon(t, { sources: { shop: crawlSource('shop', rules) }, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
    const first = await daemon.event(isEnd);
    assert.deepEqual([first.type, first.data.endReason], ['scrape.aborted', 'loop']);
    site.answer('/', page(['/day', '/p/1']));
    await client.call('project.rescrape', { id: 'all' });
    await nth(2, 'scrape.aborted', 'all', daemon);
    const records = await recordsOf(client);
    assert.deepEqual([records.size, records.get('2')?.absent], [2, undefined]);
  });

  test('says which products are missing after it was whole, and which are gone after the second time (P41)', async (t) => {
    const site = await openShop(t);
    const daemon = await startDaemon(t, { sources: { shop: crawlSource() }, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
    await nth(1, 'scrape.completed', 'all', daemon);
    site.answer('/c/3', page([]));
    for (const [round, kind] of [
      [2, 'missing'],
      [3, 'gone'],
    ] as const) {
      await client.call('project.rescrape', { id: 'all' });
      const { data } = await nth(round, 'scrape.completed', 'all', daemon);
      assert.deepEqual(data.counts, { added: 0, changed: 0, confirmed: 30, [kind]: 10 });
      assert.equal(daemon.events.filter(({ type }) => type === `record.${kind}`).length, 10);
      assert.equal((await recordsOf(client)).get('35')?.absent?.times, round - 1);
    }
  });

  for (const [what, cause, wall] of [
    ['a soft "not found"', 'no_record', page(['/help', '/contact'])],
    [
      'a question to cookies',
      'no_record',
      '<!doctype html><title>Cookies</title><form><button>Accept all</button></form>',
    ],
    ['a log-in', 'login_expired', '<!doctype html><title>Log in</title><form><input type="password"></form>'],
    ['a captcha', 'blocked', '<!doctype html><title>Wait</title><p>Please verify that you are a human</p>'],
  ] as const)
    test(`is not complete where its start is ${what} at 200: that is told, and nothing is missing`, async (t) => {
      const site = await openShop(t);
      for (const path of ['/help', '/contact']) site.answer(path, page(['/']));
      const daemon = await startDaemon(t, { sources: { shop: crawlSource() }, settings: soon });
      const { client } = daemon;
      await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
      await nth(1, 'scrape.completed', 'all', daemon);
      site.answer('/', wall);
      await client.call('project.rescrape', { id: 'all' });
      const { data } = await nth(1, 'scrape.failed', 'all', daemon);
      assert.equal(data.failure?.cause ?? data.failure?.code, cause);
      assert.equal([...(await recordsOf(client)).values()].filter(({ absent }) => absent !== undefined).length, 0);
    });

  test('is walked to its end by the definition that it began with; the next one goes by the one deployed meanwhile (P51)', async (t) => {
    const site = await openShop(t);
    const daemon = await startDaemon(t, { sources: { shop: crawlSource() }, settings: soon });
    const { client } = daemon;
    const held = hold(site, '/p/5');
    await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
    const response = await held;
    await daemon.define('shop', crawlSource('shop', 'deny: [/c/3]'));
    await client.call('source.reload', {});
    answerWith(page([], '5'), response);
    await nth(1, 'scrape.completed', 'all', daemon);
    assert.equal(site.asked.length, 45);
    site.answer('/p/5', page([], '5'));
    await client.call('project.rescrape', { id: 'all' });
    await nth(2, 'scrape.completed', 'all', daemon);
    assert.equal(site.asked.length, 45 + 34);
    const { scrapes } = await client.call('scrape.list', {});
    assert.notEqual(scrapes[0]?.version, scrapes[1]?.version);
  });

  test('that fails or hangs holds up no other (P28)', async (t) => {
    const site = await openShop(t);
    const broken = await openSite(t, { '/': page(['/p/1', '/p/2']), '/p/1': { status: 500 } });
    const held = hold(broken, '/p/2');
    const sources = { shop: crawlSource(), broken: crawlSource('broken') };
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'broken', targets: [{ source: 'broken', url: broken.url('/') }] });
    const response = await held;
    await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
    await nth(1, 'scrape.completed', 'all', daemon);
    assert.equal((await recordsOf(client)).size, 40);
    answerWith(page([], '2'), response);
    await nth(1, 'scrape.completed', 'broken', daemon);
    assert.equal((await recordsOf(client, 'broken')).size, 1);
  });

  test('has as many requests under way as its source allows, and no more', async (t) => {
    const site = await openShop(t);
    const waiting: (() => void)[] = [];
    let most = 0;
    for (let number = 0; number < 40; number += 1)
      site.answer(`/p/${number}`, (_request, response) => {
        waiting.push(() => answerWith(page([], `${number}`), response));
        most = Math.max(most, waiting.length);
        // Held until as many wait as may; whoever came too many would be seen by then.
        if (waiting.length === 4) setImmediate(() => waiting.splice(0).forEach((answer) => answer()));
      });
    const sources = { shop: crawlSource('shop', '', 'concurrency: 4') };
    const daemon = await startDaemon(t, { sources, settings: soon });
    await daemon.client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
    await nth(1, 'scrape.completed', 'all', daemon);
    assert.deepEqual([most, site.asked.length], [4, 45]);
  });
});
