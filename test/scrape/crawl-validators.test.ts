import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Event } from '../../src/event/catalogue.ts';
import { sweepCrawls } from '../../src/store/crawl.ts';
import { removeRecords } from '../../src/store/remove-records.ts';
import type { Store } from '../../src/store/store.ts';
import { historyOf, temporaryStore } from '../store/fixture.ts';
import { crawl, type CrawlReport, recordOf, shopTarget, type Site } from './crawling.ts';

/** A page of a site that changes: what it links to and holds, by small numbers; nothing while it is taken down. */
interface Page {
  readonly isThere: boolean;
  readonly to: readonly number[];
  readonly holds: readonly number[];
  readonly price: number;
}

const paths = ['/', '/c/1', '/c/2', '/c/3', '/p/1', '/p/2', '/p/3', '/p/4', '/p/5', '/p/6'];
const places = fc.uniqueArray(fc.nat({ max: paths.length - 1 }), { maxLength: 5 });
const page = fc.record({
  isThere: fc.boolean(),
  to: places,
  holds: fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 1, maxLength: 2 }),
  price: fc.nat({ max: 3 }),
});
/** A few pages change between two crawls; the start never goes. */
const changes = fc.uniqueArray(fc.tuple(fc.nat({ max: paths.length - 1 }), page), {
  selector: ([which]) => which,
  maxLength: 3,
});

const atFirst: readonly Page[] = paths.map((path, index) => ({
  isThere: true,
  to: path === '/' ? [1, 2, 4] : [index + 1, (index * 3) % paths.length].filter((to) => to < paths.length),
  holds: [index],
  price: 1,
}));

/** The site as it is now. A page with validators changes them with whatever it shows; every fourth page has none. */
function siteOf(pages: readonly Page[], hasValidators: boolean): Site {
  return (path) => {
    const index = paths.indexOf(path);
    const shown = pages[index];
    if (shown === undefined || (!shown.isThere && index > 0)) return undefined;
    const { to, holds, price } = shown;
    return {
      to: to.map((each) => paths[each] ?? '/'),
      ...(path.startsWith('/p/') && { holds: holds.map((each) => `item-${each}`) }),
      price,
      ...(hasValidators && index % 4 !== 3 && { etag: `"${JSON.stringify(shown)}"` }),
    };
  };
}

/** All that a crawl says besides how it was answered. */
function found(store: Store, { asked, row, scrape }: CrawlReport) {
  const { records, newRecords, changed, startLinks, fieldFill, tooDeep, errors, pages } = row;
  return {
    asked,
    crawl: { records, newRecords, changed, startLinks, fieldFill, tooDeep, errors, pages },
    end: [scrape.status, scrape.endReason, scrape.counts] as const,
    records: [...store.records.rows()].map(({ key, fields, absent }) => [key, fields['price']?.value, absent?.times]),
    events: [...store.events.rows()].filter((event) => !isOfRequests(event)).map(({ type }) => type),
  };
}

/** Whether an event is of a ticket on the share of requests that failed alone: a crawl that asks for less has other shares. */
function isOfRequests({ data }: Event): boolean {
  return 'symptoms' in data && data.symptoms.every(({ kind }) => kind === 'status');
}

const dayMs = 86_400_000;
const sitemaps = 'sitemaps: ["https://shop.test/map.xml"]';

/** The site with a sitemap of all its pages, which says when each has changed where that is given. */
function listedSite(pages: readonly Page[], changedAt?: readonly number[]): Site {
  const site = siteOf(pages, false);
  const urls = paths.map((path) => new URL(path, 'https://shop.test/').href);
  return (path) => {
    if (path !== '/map.xml') return site(path);
    return {
      links: urls,
      ...(changedAt && { changedBy: Object.fromEntries(urls.map((url, index) => [url, changedAt[index] ?? 0])) }),
    };
  };
}

/** What a crawl says besides which pages it asked for, and how many records it verified. */
function withoutVerified(of: ReturnType<typeof found>) {
  const [status, reason, counts] = of.end;
  return { ...of, asked: [], end: [status, reason, { ...counts, confirmed: 0 }] };
}

describe('a crawl that asks only for what has changed', () => {
  test('finds what one finds that reads every page, whatever pages change, and is answered by fewer pages (P44)', async (t) => {
    let unmodified = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 6, maxLength: 9 }), async (rounds) => {
        const [asking, reading] = [await temporaryStore(t), await temporaryStore(t)];
        const targets = [await shopTarget(asking.store), await shopTarget(reading.store)] as const;
        let pages = atFirst;
        for (const round of [[], ...rounds]) {
          for (const [which, changed] of round) pages = pages.with(which, changed);
          const one = await crawl(asking.store, targets[0], siteOf(pages, true));
          const other = await crawl(reading.store, targets[1], siteOf(pages, false));
          assert.deepEqual(found(asking.store, one), found(reading.store, other));
          unmodified += one.row.status['304'] ?? 0;
          asking.clock.now += 1_000;
          reading.clock.now += 1_000;
        }
      }),
      { numRuns: 2 },
    );
    assert.ok(unmodified > 10, `got ${unmodified}`);
  });

  const page = (to: readonly string[], holds?: string, etag = '"1"') => ({
    to,
    ...(holds && { holds: [holds] }),
    etag,
  });
  const shop: Site = (path) => (path === '/' ? page(['/p/a', '/p/b']) : page([], path.slice('/p/'.length)));

  test('finds the same where a sitemap says what has not changed, and asks for less', async (t) => {
    let [listed, asked] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 6, maxLength: 9 }), async (rounds) => {
        const [leaving, reading] = [await temporaryStore(t), await temporaryStore(t)];
        const targets = [await shopTarget(leaving.store), await shopTarget(reading.store)] as const;
        let pages = atFirst;
        const changedAt = paths.map(() => 0);
        for (const [day, round] of [[], ...rounds].entries()) {
          const now = (day + 1) * dayMs;
          for (const [which, changed] of round) {
            pages = pages.with(which, changed);
            changedAt[which] = now - dayMs / 2;
          }
          leaving.clock.now = reading.clock.now = now + dayMs / 4;
          const run = { crawl: sitemaps, now };
          const one = await crawl(leaving.store, targets[0], listedSite(pages, changedAt), run);
          const other = await crawl(reading.store, targets[1], listedSite(pages), run);
          const [left, read] = [found(leaving.store, one), found(reading.store, other)];
          assert.deepEqual(withoutVerified(left), withoutVerified(read));
          listed += one.row.status['listed'] ?? 0;
          asked += one.asked.length;
          assert.equal(one.asked.length + (one.row.status['listed'] ?? 0), other.asked.length);
        }
      }),
      { numRuns: 2 },
    );
    // How many depends on which pages the drawn rounds change.
    assert.ok(listed > 10, `${listed} left out, ${asked} asked`);
  });

  test('has seen the records of a page that it left out, and verified none of them', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const target = await shopTarget(store);
    const site = listedSite(
      atFirst,
      paths.map(() => 0),
    );
    clock.now = 2 * dayMs;
    await crawl(store, target, site, { crawl: sitemaps, now: dayMs });
    const before = recordOf(store, 'item-5');
    clock.now = 3 * dayMs;
    const { scrape, row, asked } = await crawl(store, target, site, { crawl: sitemaps, now: 2 * dayMs });
    assert.deepEqual(scrape.counts.missing, undefined);
    assert.equal(row.status['listed'], 11 - asked.length);
    assert.ok(asked.length < 5 && asked.includes('/map.xml'), asked.join(' '));
    const left = [...store.records.rows()].filter(({ updatedAt }) => updatedAt < 2 * dayMs);
    assert.ok(left.length >= 3, `${left.length}`);
    assert.ok(before !== undefined && left.every(({ absent }) => absent === undefined));
  });

  test('asks again for a page that a limit has cut, and finds nothing missing for it', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const target = await shopTarget(store);
    const urls = Array.from({ length: 9 }, (_, index) => `https://shop.test/p/${index}`);
    const site: Site = (path) => {
      if (path === '/map.xml') return { links: urls, changedBy: Object.fromEntries(urls.map((url) => [url, 0])) };
      return path === '/' ? { to: [] } : { keys: [path], isCut: true };
    };
    for (const day of [1, 2]) {
      clock.now = (day + 1) * dayMs;
      const { asked, scrape } = await crawl(store, target, site, { crawl: sitemaps, now: day * dayMs });
      assert.deepEqual([asked.length, scrape.counts.missing], [11, undefined]);
    }
  });

  test('finds out within ten crawls that a sitemap lies, then asks for every page, and loses no change', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const target = await shopTarget(store);
    const prices = (): unknown[] => [...store.records.rows()].map(({ fields }) => fields['price']?.value);
    const dearer = atFirst.map((shown) => ({ ...shown, price: 2 }));
    let told: number | undefined;
    for (let day = 1; day <= 12; day += 1) {
      const now = day * dayMs;
      clock.now = now + dayMs / 2;
      const site = listedSite(
        day === 1 ? atFirst : dearer,
        paths.map(() => 0),
      );
      const { row, asked, scrape } = await crawl(store, target, site, { crawl: sitemaps, now });
      assert.equal(scrape.counts.missing, undefined);
      if (told !== undefined) assert.equal(asked.length, 11, `day ${day}`);
      if (row.distrustedUntil !== undefined) told ??= day;
    }
    assert.ok(told !== undefined && told <= 8, `${told}`);
    assert.deepEqual(new Set(prices()), new Set([2]));
  });

  test('verifies the records of an unchanged page, without a word of them in the history', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    await crawl(store, target, shop);
    const before = recordOf(store, 'a')?.updatedAt ?? 0;
    const { row, scrape } = await crawl(store, target, shop);
    assert.deepEqual(
      [row.status, scrape.counts, scrape.spent?.notModified],
      [{ '304': 3 }, { added: 0, changed: 0, confirmed: 2 }, 3],
    );
    const after = recordOf(store, 'a');
    assert.ok(after !== undefined && after.updatedAt > before);
    assert.equal(after.fields['price']?.verifiedAt, after.updatedAt);
    assert.equal(historyOf(store, target).length, 2);
  });

  test('reads a page in full where another definition reads it, a person wants all pages, or its record was removed', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    await crawl(store, target, shop);
    const statusOf = async (run?: Parameters<typeof crawl>[3]) => (await crawl(store, target, shop, run)).row.status;
    assert.deepEqual(await statusOf({ version: 'v2' }), { '2xx': 3 });
    assert.deepEqual(await statusOf({ version: 'v2', wish: { full: true } }), { '2xx': 3 });
    await removeRecords(store, [recordOf(store, 'a')?.record ?? 0]);
    assert.deepEqual(await statusOf({ version: 'v2' }), { '2xx': 1, '304': 2 });
    assert.notEqual(recordOf(store, 'a'), undefined);
  });

  test('forgets what it no longer meets', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    await crawl(store, target, shop);
    await crawl(store, target, (path) => (path === '/' ? page(['/p/a'], undefined, '"2"') : shop(path)));
    await sweepCrawls(store, target);
    assert.equal([...store.copies.digests(target, { limit: 10 })].length, 2);
  });
});
