import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { closeOpenScrapes } from '../../src/store/scrapes.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryStore } from '../store/fixture.ts';
import { crawl, type CrawlRun, shop, shopOf, shopTarget, type Site, type SitePage } from './crawling.ts';

const failing = { cause: 'origin_down', status: 502 } as const;
const refusing = { cause: 'blocked', status: 403 } as const;

function keys(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${index}`);
}

/** A site whose requests, counted from 1, are answered by what `when` gives for them; the others as usual. */
function siteThat(usual: Site, when: (count: number, path: string) => SitePage | undefined): Site {
  let count = 0;
  return (path) => {
    count += 1;
    return when(count, path) ?? usual(path);
  };
}

/** Scrapes a target so often; how each scrape and the crawl at its end were, and whether anybody was asked. */
async function scrapes(store: Store, target: number, times: number, [site, run]: readonly [Site, CrawlRun?]) {
  const ends: unknown[] = [];
  for (let time = 0; time < times; time += 1) {
    const { asked, scrape, row } = await crawl(store, target, site, run);
    ends.push([scrape.status, scrape.endReason, row.endReason]);
    assert.notEqual(asked.length, 0);
  }
  return ends;
}

/** Leaves a target's crawl as a program did that did not keep what it read last. */
async function forgetLastRead(store: Store, target: number): Promise<void> {
  const { lastRead: _, ...row } = store.crawls.newest(target) ?? assert.fail('there is no crawl');
  await store.write(() => store.crawls.put(row));
}

function starts(count: number): CrawlRun {
  const urls = keys(count).map((key) => `"${shop}s${key}"`);
  return { crawl: `start: [${urls.join()}]` };
}

describe('a site that is down while it is crawled', () => {
  test('fails its crawl when no other page is left to ask, and completes nothing', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    const site = siteThat(shopOf(keys(70)), (count) => (count > 61 ? failing : undefined));
    const down = ['failed', 'unreachable', undefined];
    assert.deepEqual(await scrapes(store, target, 4, [site]), [down, down, down, ['failed', 'unreachable', 'failed']]);
    assert.deepEqual([store.crawls.get(target, 1)?.pages, store.crawls.get(target, 1)?.errors], [71, 10]);
    await scrapes(store, target, 1, [site]);
    assert.equal(store.crawls.newest(target)?.crawl, 2);
    const { settled, verifiedAt } = store.targets.get(target) ?? {};
    assert.deepEqual([settled, verifiedAt], [0, undefined]);
  });

  test('ends its crawl for the errors when they are too many of its pages', async (t) => {
    const { store } = await temporaryStore(t);
    const site = siteThat(shopOf(keys(10)), (count) => (count > 1 ? failing : undefined));
    const down = ['failed', 'unreachable', undefined];
    const ends = await scrapes(store, await shopTarget(store), 4, [site]);
    assert.deepEqual(ends, [down, down, down, ['failed', 'errors', 'errors']]);
  });

  test('fails its crawl when it refuses all its starts for the fourth time, and completes nothing', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    const ends = await scrapes(store, target, 6, [() => refusing, starts(5)]);
    const refused = ['failed', 'blocked', undefined];
    assert.deepEqual(ends, [refused, refused, refused, ['failed', 'failed', 'failed'], refused, refused]);
    const { settled, verifiedAt } = store.targets.get(target) ?? {};
    assert.deepEqual([settled, verifiedAt], [0, undefined]);
  });

  test('has no page read by challenges with a good status, also after the daemon was killed', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    const site: Site = () => ({ cause: 'blocked', status: 200 });
    await crawl(store, target, site, { ...starts(3), killedAfter: 1 });
    await closeOpenScrapes(store);
    const { scrape, row } = await crawl(store, target, site, starts(3));
    assert.deepEqual([scrape.status, row.endReason, row.errors, row.pages], ['failed', 'failed', 3, 3]);
  });

  test('is asked once more for what it did not give when the daemon was killed', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    const site = siteThat(shopOf(keys(30)), (count) => (count > 1 && count < 10 ? failing : undefined));
    await crawl(store, target, site, { killedAfter: 9 });
    await closeOpenScrapes(store);
    const { scrape, row } = await crawl(store, target, site);
    assert.deepEqual([scrape.status, row.pages, row.errors, store.records.count()], ['complete', 31, 0, 30]);
  });

  for (const width of [1, 4])
    test(`is asked once more for its last pages, ${width} at a time, though they are fewer than ten`, async (t) => {
      const { store } = await temporaryStore(t);
      const target = await shopTarget(store);
      let isDown = true;
      const site = siteThat(shopOf(keys(60)), (count) => (isDown && count > 52 ? failing : undefined));
      const run = { politeness: `concurrency: ${width}` };
      const down = await crawl(store, target, site, run);
      assert.deepEqual(
        [down.scrape.status, down.scrape.endReason, down.row.endReason],
        ['failed', 'unreachable', undefined],
      );
      assert.deepEqual([down.asked.length, down.row.waiting.detail], [62, 9]);
      isDown = false;
      const up = await crawl(store, target, site, run);
      assert.deepEqual([up.row.endReason, up.row.crawl, up.asked.length], ['complete', 1, 9]);
      assert.deepEqual([up.row.pages, up.row.errors, store.records.count()], [61, 0, 60]);
    });

  test('is told from broken last pages by a page that was read, without its records', async (t) => {
    const { store } = await temporaryStore(t);
    const site = shopOf(['a', 'b', 'c'], { '/p/b': failing, '/p/c': failing });
    const { asked, scrape, row } = await crawl(store, await shopTarget(store), site);
    assert.deepEqual(asked, ['/', '/p/a', '/p/b', '/p/c', '/p/a']);
    assert.deepEqual([scrape.status, scrape.counts], ['complete', { added: 1, changed: 0, confirmed: 0 }]);
    assert.deepEqual([row.pages, row.errors, row.records], [4, 2, 1]);
  });

  for (const [what, answer] of [
    ['fails', failing],
    ['has moved', { location: 'https://elsewhere.test/' }],
  ] as const)
    test(`keeps no crawl from its end that has read all its pages, when the last one ${what}`, async (t) => {
      for (const cut of [{ maxRecords: 2 }, { killedAtEnd: true }] as const) {
        const { store } = await temporaryStore(t);
        const target = await shopTarget(store);
        await crawl(store, target, shopOf(['a', 'b']), cut);
        await closeOpenScrapes(store);
        const { asked, scrape, row } = await crawl(store, target, shopOf(['a', 'b'], { '/p/b': answer }));
        assert.deepEqual([asked, scrape.status, row.crawl, row.endReason], [[], 'complete', 1, 'complete']);
        assert.equal(store.targets.get(target)?.settled, scrape.scrape);
      }
    });

  test('is not what one broken page shows, when the page that was read last has moved', async (t) => {
    const { store } = await temporaryStore(t);
    const moved = { location: 'https://elsewhere.test/' };
    const site = siteThat(shopOf(['a', 'b'], { '/p/b': failing }), (count) => (count > 3 ? moved : undefined));
    const { asked, scrape, row } = await crawl(store, await shopTarget(store), site);
    assert.deepEqual(asked, ['/', '/p/a', '/p/b', '/p/a']);
    assert.deepEqual([scrape.status, row.errors], ['complete', 1]);
  });

  test('is not told to be up by what took us too long', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    const late = { own: 'time_limit' } as const;
    const site = siteThat(shopOf(keys(40)), (count) =>
      count === 1 ? undefined : count === 6 || count === 13 ? late : { cause: 'network' },
    );
    const { asked, scrape, row } = await crawl(store, target, site);
    assert.deepEqual([asked.length, scrape.endReason, row.endReason], [13, 'unreachable', undefined]);
    assert.deepEqual([row.errors, row.waiting.detail], [1, 39]);
  });

  test('is told by a page of the same kind, where one was read', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    const site = siteThat(shopOf(keys(30)), (count, path) => (count > 3 && path !== '/' ? failing : undefined));
    const { asked, scrape } = await crawl(store, target, site);
    assert.deepEqual([asked.length, asked.at(-1), scrape.endReason], [14, '/p/1', 'unreachable']);
  });

  test('has as many scrapes as ever for its crawl, once a page could be read', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    let isDown = false;
    const site: Site = (path) => (isDown ? failing : shopOf(keys(60))(path));
    await crawl(store, target, site, { killedAfter: 9 });
    await closeOpenScrapes(store);
    for (let outage = 0; outage < 3; outage += 1) {
      isDown = true;
      const down = ['failed', 'unreachable', undefined];
      assert.deepEqual(await scrapes(store, target, 3, [site]), [down, down, down]);
      isDown = false;
      await crawl(store, target, site, { killedAfter: 9 });
      await closeOpenScrapes(store);
    }
    const { row } = await crawl(store, target, site);
    assert.deepEqual([row.crawl, row.endReason, row.pages, row.errors], [1, 'complete', 61, 0]);
  });

  test('fails a crawl of an older program no sooner, which does not know what it read last', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    await crawl(store, target, shopOf(keys(3)), { killedAfter: 2 });
    await closeOpenScrapes(store);
    await forgetLastRead(store, target);
    const down = ['failed', 'unreachable', undefined];
    assert.deepEqual(await scrapes(store, target, 1, [() => failing]), [down]);
    await crawl(store, target, shopOf(keys(3)), { killedAtEnd: true });
    await closeOpenScrapes(store);
    await forgetLastRead(store, target);
    const { scrape, row } = await crawl(store, target, () => failing);
    assert.deepEqual([scrape.status, row.crawl, row.endReason, row.pages], ['complete', 1, 'complete', 4]);
  });

  test('ends the scrape for what most of its last answers were', async (t) => {
    const { store } = await temporaryStore(t);
    const site = siteThat(shopOf(keys(60)), (count) => (count > 40 ? (count === 50 ? refusing : failing) : undefined));
    const { scrape } = await crawl(store, await shopTarget(store), site);
    assert.deepEqual([scrape.endReason, scrape.failure?.cause], ['unreachable', 'origin_down']);
  });

  test('is asked again for a page that has moved, and that could not be read where it went', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    let isDown = true;
    const moved = { location: `${shop}p/moved` };
    const site = siteThat(shopOf(keys(12)), (count, path) => {
      if (path === '/p/0') return moved;
      return isDown && count > 1 ? failing : undefined;
    });
    const { scrape } = await crawl(store, target, site);
    assert.equal(scrape.endReason, 'unreachable');
    isDown = false;
    await crawl(store, target, site);
    assert.ok(store.records.get('shop', 'item', 'moved'));
  });
});
