import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { temporaryStore } from '../store/fixture.ts';
import { crawl, shopOf, shopTarget, type Site } from './crawling.ts';

const keys = Array.from({ length: 100 }, (_, index) => `${index}`);
const whole = shopOf(keys);

/** The shop, but that from so many pages on something is missing without which nobody can be asked. */
function lacking(code: string, from: number): Site {
  let count = 0;
  return (path) => {
    count += 1;
    return count > from ? { own: code } : whole(path);
  };
}

describe('a crawl that lacks what it needs to ask', () => {
  for (const code of ['not_initialised', 'login_attempts', 'login_refused', 'login_unavailable', 'renderer_missing'])
    test(`ends its scrape with ${code}, and asks for every page that was not asked when it goes on`, async (t) => {
      const { store } = await temporaryStore(t);
      const target = await shopTarget(store);
      for (const from of [85, 0, 0, 0, 0]) {
        const { scrape, row } = await crawl(store, target, lacking(code, from));
        assert.deepEqual([scrape.status, scrape.failure?.code, row.endReason], ['failed', code, undefined]);
        assert.deepEqual([row.pages, row.errors], [85, 0]);
      }
      assert.equal(store.targets.get(target)?.settled, 0);
      const { asked, row } = await crawl(store, target, whole);
      assert.deepEqual([row.endReason, row.pages, row.errors], ['complete', 101, 0]);
      assert.equal(asked.length, 16);
      assert.equal(store.records.count(), 100);
    });

  test('puts back what failed before that, behind the pages that wait', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    let count = 0;
    const { asked } = await crawl(store, target, (path) => {
      count += 1;
      if (count > 53) return { own: 'not_initialised' };
      return count > 50 ? { cause: 'origin_down', status: 502 } : whole(path);
    });
    const next = await crawl(store, target, whole);
    assert.deepEqual([next.row.endReason, next.row.errors], ['complete', 0]);
    assert.deepEqual(next.asked.slice(-3), asked.slice(50, 53));
  });

  test('ends its scrape before anything was read, and its crawl goes on from its start', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    const { row } = await crawl(store, target, lacking('not_initialised', 0));
    assert.equal(row.endReason, undefined);
    const next = await crawl(store, target, whole);
    assert.deepEqual([next.row.crawl, next.row.endReason], [1, 'complete']);
  });
});
