import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { parseSource } from '../../src/definition/load.ts';
import { runScrape } from '../../src/scrape/run.ts';
import { closeScrape, commitStep } from '../../src/store/commit.ts';
import { beginScrape } from '../../src/store/scrapes.ts';
import { temporaryStore } from '../store/fixture.ts';
import { crawl, shop, shopOf, shopTarget } from './crawling.ts';
import { openWalk } from './list-walking.ts';
import { visitedAs } from './walking.ts';

const ten = Array.from({ length: 10 }, (_, index) => `${index}`);

describe('a scrape that stores as many records as it may', () => {
  test('is cut there, and its crawl goes on with the next one; nothing settles', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    const cut = await crawl(store, target, shopOf(ten), { maxRecords: 6 });
    assert.deepEqual([cut.scrape.status, cut.scrape.endReason], ['aborted', 'record_limit']);
    assert.match(
      cut.scrape.failure?.message ?? '',
      /^the scrape has stored 6 records, and one scrape may store no more/,
    );
    assert.deepEqual([store.records.count(), cut.row.endReason, store.targets.get(target)?.settled], [6, undefined, 0]);
    const [told] = [...store.events.rows({ after: 0, limit: 100 })].filter((event) => event.type === 'scrape.aborted');
    assert.equal(told?.data.endReason, 'record_limit');
    const rest = await crawl(store, target, shopOf(ten), { maxRecords: 6 });
    assert.deepEqual([rest.scrape.status, rest.row.crawl, store.records.count()], ['complete', 1, 10]);
  });

  for (const [what, pages, status] of [
    ['is cut while its list goes on, so that its first visit does not settle and is over', Infinity, 'aborted'],
    ['is complete where the list ends with the page that reaches it', 3, 'complete'],
  ] as const)
    test(what, async (t) => {
      const { store } = await temporaryStore(t);
      const target = await shopTarget(store);
      const began = await beginScrape(store, target, 'v1');
      assert.ok(began.ok);
      const resume = { version: 'v1', scrape: began.fence.scrape, isMet: () => false };
      const walk = openWalk({ visit: 'first', feed: { by: 'cursor', next: { json: '$.next' } }, resume });
      let page = 0;
      const makeRequest = () => {
        page += 1;
        const keys = [`${page} a`, `${page} b`];
        const { result } = visitedAs({ keys, ...(page < pages && { next: `${page}` }) }, shop);
        return Promise.resolve(result);
      };
      const begun = { ...began.fence, address: 'https://site.test/', version: 'v1', dueAt: 0, nextDueAt: Infinity };
      const deps = {
        clock: systemClock(),
        random: () => 0.5,
        makeRequest,
        timeLimitMs: 60_000,
        maxRecords: 6,
        commit: commitStep.bind(undefined, store),
        close: closeScrape.bind(undefined, store),
      };
      const source = parseSource('id: shop\nrecords: { item: { key: id, fields: { id: h1 } } }\n', 'shop.yaml');
      assert.ok(source.ok);
      await runScrape(begun, source.value, walk, deps, new AbortController().signal);
      const { scrape } = began.fence;
      assert.deepEqual([page, store.records.count(), store.scrapes.get(scrape)?.status], [3, 6, status]);
      const { settled, resume: kept } = store.targets.get(target) ?? {};
      const over = status === 'complete' ? [scrape, undefined, undefined] : [0, 3, true];
      assert.deepEqual([settled, kept?.place.page, kept?.isOver], over);
    });
});
