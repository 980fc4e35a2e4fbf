import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Client } from '../../src/control/client.ts';
import type { CrawlView } from '../../src/view/crawl.ts';
import type { Event } from '../../src/event/catalogue.ts';
import { Crawl } from '../../src/definition/crawl.ts';
import { skusOf } from '../../src/demo/facts/product.ts';
import type { LoggedRequest } from '../support/web/request-log.ts';
import { type HeldWeb, heldWeb } from '../support/web/held-web.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { daemonFolder, startOwnDaemon } from './own-daemon.ts';
import { soon } from './tracking.ts';

const articles = ['bags', 'lamps', 'shoes', 'tools'].flatMap(skusOf);

/** The demo's shop, crawled as fast as it answers unless `delay` says otherwise. */
function shopSource(crawl: string, { id = 'shop', delay = '1ms', each = '' } = {}): string {
  return `id: ${id}
allowPrivate: true
retry: { times: 0 }
politeness: { autoThrottle: false, delay: ${delay}, minDelay: 1ms }
crawl: { follow: [/shop/], ${crawl} }
records:
  article:
    ${each}
    key: sku
    fields:
      sku: { css: .sku, required: true }
      name: .name
      price: { css: .price, type: money }
      oldPrice: { css: .old-price, type: money }
`;
}

const details = 'detail: [/shop/p/], deny: [/shop/basket/]';

/** Paths that a web was asked, in order, but for robots.txt. */
async function askedOf(web: HeldWeb): Promise<string[]> {
  const log = (await web.control('GET', 'log')) as readonly LoggedRequest[];
  return log.map(({ path }) => path).filter((path) => path !== '/robots.txt');
}

/** Every page that links lead to below the shop's entrance, found without the daemon. */
async function reachable(web: HeldWeb): Promise<ReadonlySet<string>> {
  const met = new Set(['/shop/']);
  for (const path of met) {
    const page = await web.text(path);
    for (const [, link = ''] of page.matchAll(/<a[^>]* href="([^"]+)"/g)) {
      const url = new URL(link.replaceAll('&amp;', '&'), web.origin + path);
      if (url.origin !== web.origin || !url.pathname.startsWith('/shop/')) continue;
      if (url.pathname.startsWith('/shop/basket/') || /\.(svg|pdf)$/.test(url.pathname)) continue;
      url.searchParams.delete('utm_source');
      url.searchParams.sort();
      met.add(url.pathname + url.search);
    }
  }
  return met;
}

function isEnd({ type }: Event): boolean {
  return type === 'scrape.completed' || type === 'scrape.failed' || type === 'scrape.aborted';
}

/** Crawls from a path of the web to the end. */
async function crawled(
  t: TestContext,
  web: HeldWeb,
  source: string,
  start: string,
): Promise<{ daemon: TestDaemon; crawl: CrawlView; end: Event }> {
  const daemon = await startDaemon(t, { sources: { shop: source }, settings: soon });
  await daemon.client.call('project.add', { id: 'it', targets: [{ source: 'shop', url: web.origin + start }] });
  const end = await daemon.event(isEnd);
  return { daemon, end, crawl: await crawlOf('it', daemon.client) };
}

async function crawlOf(project: string, client: Client): Promise<CrawlView> {
  const [crawl] = (await client.call('crawl.list', { project })).crawls;
  assert.ok(crawl);
  return crawl;
}

async function keysOf(client: Client): Promise<string[]> {
  const keys: string[] = [];
  let after: string | undefined;
  do {
    const slice = await client.call('project.records', { id: 'it', ...(after !== undefined && { after }) });
    keys.push(...slice.records.map(({ key }) => key));
    after = slice.next;
  } while (after !== undefined);
  return keys;
}

describe('a crawl of the demo’s shop', () => {
  test('asks every page exactly once and ends complete (P24, O45, O46, O47, O56, O58)', async (t) => {
    const web = await heldWeb(t);
    const expected = await reachable(web);
    const before = (await askedOf(web)).length;
    const { daemon, crawl, end } = await crawled(t, web, shopSource(`${details}, maxWithoutNew: 100`), '/shop/');
    const asked = (await askedOf(web)).slice(before);

    assert.equal(end.type, 'scrape.completed');
    assert.equal(asked.length, new Set(asked).size);
    assert.deepEqual(new Set(asked), expected);
    assert.ok(expected.size > 300);
    assert.deepEqual((await keysOf(daemon.client)).toSorted(), articles.toSorted());

    const { scrape } = await daemon.client.call('scrape.get', { scrape: end.scrape ?? 0 });
    assert.deepEqual([scrape.status, scrape.endReason, scrape.counts.added], ['complete', 'complete', 240]);
    assert.equal(crawl.offsite.find(({ domain }) => domain === 'blog.shop.example')?.links, 1);
    assert.equal(crawl.offsite.find(({ domain }) => domain === 'share.example')?.links, 240);
    const told = daemon.events.filter(({ type }) => type === 'crawl.offsite');
    assert.equal(told.length, 2, 'each domain is told once');
    assert.equal(crawl.refused['file'], 241);
  });

  test('is counted by what it did, for all to read (P29)', async (t) => {
    const web = await heldWeb(t);
    const { crawl, daemon } = await crawled(t, web, shopSource(details), '/shop/');
    const asked = await askedOf(web);
    const records = (await daemon.client.call('project.records', { id: 'it', limit: 1_000 })).records;
    const reduced = records.filter(({ fields }) => fields['oldPrice'] !== undefined).length;
    assert.deepEqual(
      {
        endReason: crawl.endReason,
        pages: crawl.pages,
        recordPages: crawl.recordPages,
        records: crawl.records,
        newRecords: crawl.newRecords,
        status: crawl.status,
        errors: crawl.errors,
        waiting: crawl.waiting,
        fieldFill: crawl.fieldFill,
      },
      {
        endReason: 'complete',
        pages: asked.length,
        recordPages: 240,
        records: 240,
        newRecords: 240,
        status: { '2xx': asked.length },
        errors: 0,
        waiting: { detail: 0, listing: 0 },
        fieldFill: {
          'article.sku': { seen: 240, total: 240 },
          'article.name': { seen: 240, total: 240 },
          'article.price': { seen: 240, total: 240 },
          'article.oldPrice': { seen: reduced, total: 240 },
        },
      },
    );
    assert.ok(crawl.durationMs > 0 && crawl.bytes > 240 * 5_000);
  });

  test('asks pages with records before all that wait (P23)', async (t) => {
    const web = await heldWeb(t);
    await crawled(t, web, shopSource(details), '/shop/');
    const asked = await askedOf(web);
    const kinds = asked.map((path) => (path.startsWith('/shop/p/') ? 'detail' : 'listing'));
    // Each article is found on some list, so nothing but articles stands between a list and the articles that it led to.
    const lists = asked.flatMap((path, at) => (kinds[at] === 'listing' ? [{ path, at }] : []));
    for (const { path, at } of lists) {
      const found = Array.from(
        (await web.text(path)).matchAll(/class="name" href="([^"]+)"/g),
        ([, link = '']) => link,
      );
      const next = kinds.indexOf('listing', at + 1);
      for (const link of found) assert.ok(next < 0 || asked.indexOf(link) < next, `${link} of ${path}`);
    }
  });

  test('leaves alone what robots.txt asks it to, which is no error', async (t) => {
    const web = await heldWeb(t);
    const { crawl, daemon } = await crawled(t, web, shopSource('detail: [/shop/p/]'), '/shop/');
    assert.deepEqual([crawl.endReason, crawl.errors, crawl.records], ['complete', 0, 240]);
    assert.ok((await askedOf(web)).every((path) => !path.startsWith('/shop/basket/')));
    const { scrape } = await daemon.client.call('scrape.get', { scrape: 1 });
    assert.equal(scrape.status, 'complete');
  });

  test('ends aborted at facets and a calendar without end, names what trapped it, and keeps its records (P25, P27)', async (t) => {
    const web = await heldWeb(t);
    const { daemon, crawl, end } = await crawled(
      t,
      web,
      shopSource(`${details}, maxWithoutNew: 300`),
      '/shop/?endless=yes',
    );
    assert.equal(end.type, 'scrape.aborted');
    assert.equal(crawl.endReason, 'loop');
    assert.match(crawl.loop?.template ?? '', /\/shop\/(c\/(bags|lamps|shoes|tools)|calendar\/\{date\})\?/);
    assert.ok(crawl.loop?.samples.every((url) => url.includes('endless=yes')));
    const { scrape } = await daemon.client.call('scrape.get', { scrape: end.scrape ?? 0 });
    assert.deepEqual([scrape.status, scrape.endReason, scrape.failure?.code], ['aborted', 'loop', 'loop']);
    assert.ok(scrape.failure?.message.includes(crawl.loop?.template ?? '-'));
    assert.deepEqual((await keysOf(daemon.client)).toSorted(), articles.toSorted());
    const asked = await askedOf(web);
    assert.equal(asked.length, new Set(asked).size);
    assert.ok(crawl.waiting.listing > 0);
  });

  test('takes a calendar without a record for endless after as many pages as it is told, 5,000 by default (P25)', async (t) => {
    assert.equal(Crawl.parse({ detail: ['/p/'] }).maxWithoutNew, 5_000);
    const web = await heldWeb(t);
    const source = shopSource(`${details}, links: [main], maxWithoutNew: 50`);
    const { crawl, end } = await crawled(t, web, source, '/shop/calendar/2026-03?endless=yes');
    assert.equal(end.type, 'scrape.aborted');
    assert.equal(crawl.pages, 50);
    assert.equal(crawl.loop?.pages, 50);
    assert.ok(crawl.loop?.template.includes('/shop/calendar/{date}'));
    assert.equal((await askedOf(web)).length, 50);
  });

  test('counts from the last page with a new record; one with records that it has met does not count as new (P26)', async (t) => {
    const web = await heldWeb(t);
    // Every list is read for records, and endless facets show the same ones again and again.
    const source = shopSource('detail: [/shop/c/bags], deny: [/calendar/, /p/], maxWithoutNew: 60', {
      each: 'each: .products .item',
    });
    const { crawl, daemon } = await crawled(t, web, source, '/shop/c/bags?endless=yes');
    assert.equal(crawl.endReason, 'loop');
    assert.deepEqual((await keysOf(daemon.client)).toSorted(), skusOf('bags').toSorted());
    const seen = new Set<string>();
    let lastNew = 0;
    const asked = await askedOf(web);
    for (const [at, path] of asked.entries()) {
      const known = seen.size;
      for (const [, sku = ''] of (await web.text(path)).matchAll(/class="sku">([^<]+)</g)) seen.add(sku);
      if (seen.size > known) lastNew = at;
    }
    assert.ok(lastNew > 1, 'a page after the first had something new');
    assert.equal(asked.length - 1 - lastNew, 60);
    assert.equal(crawl.loop?.pages, 60);
    assert.ok((crawl.loop?.knownDetails ?? 0) > 30);
  });
});

describe('crawls side by side', () => {
  test('neither a looping nor a failing site slows another (P28)', async (t) => {
    const aloneMs = await finiteMs(t, []);
    const besideMs = await finiteMs(t, ['looping', 'failing']);
    assert.ok(besideMs < 1.5 * aloneMs + 1_000, `${besideMs} ms beside others, ${aloneMs} ms alone`);
  });

  /** How long the finite shop takes, with other sites crawled from the same moment on. */
  async function finiteMs(t: TestContext, others: readonly ('looping' | 'failing')[]): Promise<number> {
    const names = ['finite', ...others];
    const definition = (id: string) => shopSource(`${details}, maxWithoutNew: 100000`, { id, delay: '10ms' });
    const folder = await daemonFolder(t, Object.fromEntries(names.map((id) => [id, definition(id)])));
    const { client } = await startOwnDaemon(folder);
    const ended = Promise.withResolvers<void>();
    await client.subscribe({ after: 0 }, (event) => {
      if (event.projects?.[0] === 'finite' && isEnd(event)) ended.resolve();
    });
    for (const id of names) {
      const web = await heldWeb(t);
      if (id === 'failing') await web.control('POST', 'faults', { prefix: '/shop/p/', kind: { type: 'silence' } });
      const url = `${web.origin}/shop/${id === 'looping' ? '?endless=yes' : ''}`;
      await client.call('project.add', { id, targets: [{ source: id, url }] });
    }
    await ended.promise;
    const { endReason, durationMs } = await crawlOf('finite', client);
    assert.equal(endReason, 'complete');
    for (const id of others) {
      const { pages, endedAt } = await crawlOf(id, client);
      assert.equal(endedAt, undefined, `${id} is still under way`);
      if (id === 'looping') assert.ok(pages > 100);
    }
    return durationMs;
  }
});
