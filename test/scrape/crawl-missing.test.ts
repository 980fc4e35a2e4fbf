import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { closeOpenScrapes } from '../../src/store/scrapes.ts';
import { temporaryStore, told } from '../store/fixture.ts';
import { crawl, finite, recordOf, shopOf, shopTarget, type Site } from './crawling.ts';

const failing = { cause: 'origin_down', status: 500 } as const;
describe('a record that a crawl no longer meets', () => {
  test('is missing after one whole crawl and gone after two, and is told (P41)', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const target = await shopTarget(store);
    await crawl(store, target, shopOf(['a', 'b']));
    clock.now += 1_000;
    const first = await crawl(store, target, shopOf(['a']));
    assert.deepEqual(first.scrape.counts, { added: 0, changed: 0, confirmed: 1, missing: 1 });
    assert.deepEqual(recordOf(store, 'b')?.absent, { since: clock.now, times: 1, scrape: 2 });
    const since = clock.now;
    clock.now += 1_000;
    const second = await crawl(store, target, shopOf(['a']));
    assert.equal(second.scrape.counts.gone, 1);
    assert.deepEqual(recordOf(store, 'b')?.absent, { since, times: 2, scrape: 3 });
    clock.now += 1_000;
    const third = await crawl(store, target, shopOf(['a']));
    assert.deepEqual([third.scrape.counts.missing, third.scrape.counts.gone], [undefined, undefined]);
    assert.deepEqual(
      told(store).filter((type) => /missing|gone/.test(type)),
      ['record.missing', 'record.gone'],
    );
    clock.now += 1_000;
    const back = await crawl(store, target, shopOf(['a', 'b']));
    assert.deepEqual([back.scrape.counts.changed, recordOf(store, 'b')?.absent], [1, undefined]);
  });

  const cut: readonly (readonly [string, Site, string])[] = [
    [
      'was taken for a loop',
      (path) => (path.startsWith('/p/') ? shopOf([])(path) : { to: [`${path}x`] }),
      'maxWithoutNew: 20, maxDepth: 1000',
    ],
    ['could not read a page', shopOf(['a', 'c'], { '/p/c': failing }), ''],
    ['met its budget', shopOf(['a', 'c', 'd']), 'maxPages: 2'],
  ];
  for (const [what, site, rules] of cut)
    test(`is not missing after a crawl that ${what} (P41)`, async (t) => {
      const { store } = await temporaryStore(t);
      const target = await shopTarget(store);
      await crawl(store, target, shopOf(['a', 'b']));
      await crawl(store, target, site, { crawl: rules });
      assert.equal(recordOf(store, 'b')?.absent, undefined);
    });

  test('is not missing while the start gives no links where it once did, and there is one page alone', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    await crawl(store, target, shopOf(['a', 'b']));
    for (const site of [() => ({ to: [] }), () => ({ to: ['/'] })]) {
      const { scrape } = await crawl(store, target, site);
      assert.deepEqual(
        [scrape.status, scrape.failure?.code, scrape.counts.missing],
        ['failed', 'no_record', undefined],
      );
    }
    assert.equal((await crawl(store, target, shopOf(['a']))).scrape.counts.missing, 1);
  });

  test('is not missing if the part of the crawl before a cut met it', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    await crawl(store, target, finite);
    await crawl(store, target, finite, { killedAfter: 150 });
    await closeOpenScrapes(store);
    const { scrape } = await crawl(store, target, finite);
    assert.deepEqual([scrape.status, scrape.counts.missing], ['complete', undefined]);
  });
});
