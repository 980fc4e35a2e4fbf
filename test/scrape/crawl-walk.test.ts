import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cancelScrape, closeOpenScrapes, requestScrape } from '../../src/store/scrapes.ts';
import { ticketsOf } from '../../src/store/tickets.ts';
import { temporaryStore, told } from '../store/fixture.ts';
import { crawl, finite, lists, shop, shopTarget, type Site } from './crawling.ts';

describe('a crawl', () => {
  for (const width of [1, 4])
    test(`asks every page of a finite site once and completes, ${width} at a time (P24)`, async (t) => {
      const { store } = await temporaryStore(t);
      const report = await crawl(store, await shopTarget(store), finite, { politeness: `concurrency: ${width}` });
      assert.deepEqual([report.asked.length, new Set(report.asked).size, report.width], [200, 200, width]);
      assert.deepEqual(
        [report.scrape.status, report.scrape.endReason, report.scrape.steps],
        ['complete', 'complete', 200],
      );
      assert.deepEqual(report.scrape.counts, { added: 180, changed: 0, confirmed: 0 });
      assert.deepEqual([report.row.pages, report.row.recordPages, report.row.newRecords], [200, 180, 180]);
      assert.deepEqual(report.row.offsite, [{ domain: 'partner.test', links: 180 }]);
      assert.equal(told(store).filter((type) => type === 'crawl.offsite').length, 1);
    });

  test('counts the pages that gave records, which are not all that may hold some', async (t) => {
    const { store } = await temporaryStore(t);
    const site: Site = (path) =>
      path === '/' ? { to: ['/p/a', '/p/b', '/p/c'] } : { to: [], holds: path === '/p/b' ? ['b', 'bb'] : [] };
    const { row } = await crawl(store, await shopTarget(store), site);
    assert.deepEqual([row.pages, row.recordPages, row.records], [4, 1, 2]);
  });

  for (const [what, start] of [
    ['none of its pages gives a record any more', { to: lists }],
    ['its start has a page of another kind in its place, with links of its own', { to: ['/privacy', '/terms'] }],
    ['its start has a bare form in its place', { to: [] }],
  ] as const)
    test(`fails where ${what}, and takes no record for missing`, async (t) => {
      const { store } = await temporaryStore(t);
      const target = await shopTarget(store);
      await crawl(store, target, finite);
      const verifiedAt = store.targets.get(target)?.verifiedAt;
      const broken: Site = (path) => (path === '/' ? start : { to: [] });
      for (let times = 0; times < 3; times += 1) {
        const { scrape, row } = await crawl(store, target, broken);
        assert.deepEqual(
          [scrape.status, scrape.failure?.code, scrape.counts, row.endReason],
          ['failed', 'no_record', { added: 0, changed: 0, confirmed: 0 }, 'failed'],
        );
        assert.equal(
          scrape.failure?.message,
          `none of the ${row.pages} pages gave a record, where there were some before`,
        );
      }
      assert.deepEqual(
        [store.targets.get(target)?.verifiedAt, [...store.records.ofTarget(target)].some(({ absent }) => absent)],
        [verifiedAt, false],
      );
      assert.equal((await crawl(store, target, finite)).scrape.status, 'complete');
      assert.deepEqual(
        told(store).filter((type) => type.startsWith('ticket.')),
        ['ticket.opened'],
      );
    });

  test('that finds less than half of what it did opens a ticket', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    await crawl(store, target, finite);
    await crawl(store, target, (path) =>
      path === '/' ? { to: lists.slice(0, 9) } : /c\/([5-9]|\d\d)/.test(path) ? { to: [] } : finite(path),
    );
    assert.deepEqual(
      ticketsOf(store, { source: 'shop', member: target })[0]?.symptoms.map(({ kind, record }) => [kind, record]),
      [
        ['records', 'item'],
        ['missing', 'item'],
      ],
    );
  });

  test('of a site that never gave a record is complete without one', async (t) => {
    const { store } = await temporaryStore(t);
    const { scrape } = await crawl(store, await shopTarget(store), () => ({ to: [] }));
    assert.deepEqual([scrape.status, scrape.endReason], ['complete', 'complete']);
  });

  test('has the store look up each page once, however many pages link to it', async (t) => {
    const { store } = await temporaryStore(t);
    const added: string[] = [];
    await crawl(store, await shopTarget(store), finite, {
      onStep: ({ crawl: ops }) => void added.push(...(ops?.add.map(({ url }) => url) ?? [])),
    });
    assert.deepEqual([added.length, new Set(added).size], [200, 200]);
  });

  test('asks for pages with records before any list (P23)', async (t) => {
    const { store } = await temporaryStore(t);
    const site: Site = (path) => {
      if (path === '/') return { to: lists };
      return path === '/c/0' ? { to: ['/p/b', '/p/a'] } : { to: [], holds: path.startsWith('/p/') ? [path] : [] };
    };
    const { asked } = await crawl(store, await shopTarget(store), site);
    assert.deepEqual(asked.slice(0, 5), ['/', '/c/0', '/p/b', '/p/a', '/c/1']);
  });

  for (const width of [1, 4])
    test(`goes on after it was killed, and asks for no page again but those under way, of which there were ${width} (P49)`, async (t) => {
      const { store } = await temporaryStore(t);
      const target = await shopTarget(store);
      const run = { politeness: `concurrency: ${width}` };
      const before = await crawl(store, target, finite, { ...run, killedAfter: 73 });
      assert.equal(before.row.endReason, undefined);
      assert.equal(await closeOpenScrapes(store), 1);
      const after = await crawl(store, target, finite, run);
      const again = after.asked.filter((path) => before.asked.includes(path));
      assert.ok(again.length <= width, `${again.length}`);
      assert.equal(new Set([...before.asked, ...after.asked]).size, 200);
      assert.deepEqual([after.row.crawl, after.row.pages, after.scrape.endReason], [1, 200, 'complete']);
    });

  test('that was cut begins anew when its definition has changed, and when a person wants all of it (P51)', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    await crawl(store, target, finite, { killedAfter: 20 });
    await closeOpenScrapes(store);
    const deployed = await crawl(store, target, finite, { version: 'v2', killedAfter: 20 });
    assert.deepEqual(
      [deployed.row.crawl, deployed.row.version, store.crawls.get(target, 1)?.endReason],
      [2, 'v2', 'replaced'],
    );
    await closeOpenScrapes(store);
    const full = await crawl(store, target, finite, { version: 'v2', wish: { full: true } });
    assert.deepEqual([full.row.crawl, full.asked.length], [3, 200]);
  });

  test('of one target meets records as new that another target of its source has met since', async (t) => {
    const { store } = await temporaryStore(t);
    const [one, other] = [await shopTarget(store, 'one'), await shopTarget(store, 'other')];
    const run = { crawl: 'maxWithoutNew: 30' };
    await crawl(store, one, finite, { ...run, killedAfter: 1 });
    await closeOpenScrapes(store);
    await crawl(store, other, finite, run);
    const { row } = await crawl(store, one, finite, run);
    assert.deepEqual([row.endReason, row.newRecords], ['complete', 180]);
  });

  test('that a person wants anew and that is killed goes on', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    await crawl(store, target, finite, { killedAfter: 20 });
    await closeOpenScrapes(store);
    await requestScrape(store, target, { full: true });
    await crawl(store, target, finite, { killedAfter: 73 });
    await closeOpenScrapes(store);
    const { asked, row, scrape } = await crawl(store, target, finite);
    assert.deepEqual([asked.length, row.crawl, row.endReason], [200 - 73, 2, 'complete']);
    assert.deepEqual([scrape.reason, scrape.wish], ['manual', undefined]);
  });

  test('that a person has cancelled begins anew', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    const { scrape } = await crawl(store, target, finite, { killedAfter: 20 });
    await cancelScrape(store, scrape.scrape, 'by hand');
    assert.equal(store.crawls.get(target, 1)?.endReason, 'cancelled');
    const { asked, row } = await crawl(store, target, finite);
    assert.deepEqual([asked.length, row.crawl, row.endReason], [200, 2, 'complete']);
  });

  test('without an end is taken for a loop, and keeps what it has found (P25, P26, P27)', async (t) => {
    const { store } = await temporaryStore(t);
    const endless: Site = (path) => {
      const day = Number(path.split('/')[2] ?? 0);
      if (path === '/') return { to: ['/day/0', '/p/a', '/p/b'] };
      if (path.startsWith('/p/')) return { to: [], holds: [path.slice(3, 4)] };
      // The last is a page of its own with a record that was met before.
      return { to: [`/day/${day + 1}`, ...(day === 30 ? ['/p/c'] : day === 40 ? ['/p/a?again'] : [])] };
    };
    const report = await crawl(store, await shopTarget(store), endless, { crawl: 'maxWithoutNew: 50, maxDepth: 1000' });
    assert.deepEqual(
      [report.scrape.status, report.scrape.endReason, report.row.endReason],
      ['aborted', 'loop', 'loop'],
    );
    assert.equal(report.asked.at(-1), '/day/79');
    assert.equal(report.row.loop?.template, 'shop.test/day/{n}');
    assert.match(
      report.scrape.failure?.message ?? '',
      /^50 pages without a new record, most of them like shop\.test\/day/,
    );
    assert.equal(store.records.count(), 3);
  });

  test('ends at its budget of pages', async (t) => {
    const { store } = await temporaryStore(t);
    const report = await crawl(store, await shopTarget(store), finite, { crawl: 'maxPages: 30' });
    assert.deepEqual([report.asked.length, report.scrape.status, report.scrape.endReason], [30, 'aborted', 'budget']);
    assert.equal(report.scrape.failure?.code, 'page_budget');
  });

  test('takes every link and record of a page that has very many', async (t) => {
    const { store } = await temporaryStore(t);
    const paths = Array.from({ length: 3_000 }, (_, index) => `/p/${index}`);
    const site: Site = (path) =>
      path === '/' ? { to: [...paths, ...paths], holds: paths } : { to: [], holds: [path] };
    const { asked, row } = await crawl(store, await shopTarget(store), site, { crawl: 'maxPages: 5' });
    assert.deepEqual(asked, ['/', ...paths.slice(0, 4)]);
    assert.deepEqual([row.newRecords, row.records, row.startLinks], [3_000, 3_004, 3_000]);
    assert.equal(row.overBudget + row.waiting.detail, 2_996);
    assert.equal(store.records.count(), 3_000);
  });

  test('follows links no deeper than it is told', async (t) => {
    const { store } = await temporaryStore(t);
    const deep: Site = (path) => ({ to: [`${path}x`] });
    const report = await crawl(store, await shopTarget(store), deep, { crawl: 'maxDepth: 3' });
    assert.deepEqual([report.asked, report.row.tooDeep], [['/', '/x', '/xx', '/xxx'], 1]);
  });

  test('begins with its sitemaps and what they name', async (t) => {
    const { store } = await temporaryStore(t);
    const site: Site = (path) => {
      if (path === '/all.xml')
        return { sitemaps: [`${shop}1.xml`, 'https://elsewhere.test/2.xml'], links: [`${shop}p/a`] };
      if (path === '/1.xml') return { links: [`${shop}p/b`, `${shop}p/a`] };
      return { to: [], holds: path.startsWith('/p/') ? [path] : [] };
    };
    const report = await crawl(store, await shopTarget(store), site, { crawl: `sitemaps: [${shop}all.xml]` });
    assert.deepEqual(report.asked, ['/all.xml', '/p/a', '/', '/1.xml', '/p/b']);
    assert.equal(store.records.count(), 2);
  });
});
