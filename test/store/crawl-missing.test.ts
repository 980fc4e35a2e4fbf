import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { closeScrape, commitStep } from '../../src/store/commit.ts';
import { commitPulse } from '../../src/store/commit-pulse.ts';
import { markMissing } from '../../src/store/crawl-missing.ts';
import type { Fence } from '../../src/store/ops.ts';
import { closeOpenScrapes } from '../../src/store/scrapes.ts';
import type { Store } from '../../src/store/store.ts';
import { begin, item, step, temporaryStore, told, track } from './fixture.ts';

const close = { status: 'complete', finished: false } as const;

/** A target of which one scrape has seen so many items, and the next scrape, which has begun. */
async function seen(store: Store, target: number, items: number): Promise<Omit<Fence, 'step'>> {
  const drafts = Array.from({ length: items }, (_, index) => item(`${index}`, { price: 1 }));
  await commitStep(store, await begin(store, target), step(10, drafts, {}));
  return next(store, target);
}

async function next(store: Store, target: number): Promise<Omit<Fence, 'step'>> {
  const { step: _, ...fence } = await begin(store, target);
  return fence;
}

describe('records that are missing', () => {
  test('are all that the scrape has not seen, however many', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await seen(store, target, 1_234);
    await commitStep(store, { ...fence, step: 1 }, step(20, [item('7', { price: 1 }), item('1000', { price: 1 })]));
    const result = await closeScrape(store, fence, { ...close, missingSince: fence.scrape });
    assert.equal(result.outcome === 'committed' && result.counts.missing, 1_232);
    assert.equal(store.records.get('shop', 'item', '1000')?.absent, undefined);
    assert.equal(store.scrapes.get(fence.scrape)?.counts.missing, 1_232);
  });

  test('are none that a pulse has seen meanwhile', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await seen(store, target, 2);
    const url = 'https://shop.test/0';
    clock.now += 5;
    const observedAt = clock.now;
    await commitPulse(store, {
      source: 'shop',
      version: 'v1',
      target,
      url,
      observedAt,
      drafts: [item('0', { price: 2 })],
    });
    await closeScrape(store, fence, { ...close, missingSince: fence.scrape });
    assert.equal(store.records.get('shop', 'item', '0')?.absent, undefined);
    assert.equal(store.records.get('shop', 'item', '1')?.absent?.times, 1);
  });

  test('are none that only other targets have', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const [other = 0] = await track(store, 'other');
    await commitStep(store, await begin(store, other), step(10, [item('theirs', { price: 1 })], {}));
    const fence = await next(store, target);
    await closeScrape(store, fence, { ...close, missingSince: fence.scrape });
    assert.equal(store.records.get('shop', 'item', 'theirs')?.absent, undefined);
  });

  test('are not marked by a scrape that is no longer its target’s', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await seen(store, target, 3);
    await begin(store, target);
    const before = store.events.last();
    const result = await closeScrape(store, fence, { ...close, missingSince: fence.scrape });
    assert.equal(result.outcome, 'superseded');
    assert.deepEqual(told(store, before), []);
  });

  test('are missing, not gone, when their crawl is cut in the midst of it and ends later', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const cut = await seen(store, target, 300);
    await markMissing(store, cut, cut.scrape, () => store.targets.get(target));
    await closeOpenScrapes(store);
    const fence = await next(store, target);
    const result = await closeScrape(store, fence, { ...close, missingSince: cut.scrape });
    assert.deepEqual(result.outcome === 'committed' && result.counts, {
      added: 0,
      changed: 0,
      confirmed: 0,
      missing: 300,
      gone: 0,
    });
    assert.equal(store.records.get('shop', 'item', '0')?.absent?.times, 1);
    assert.equal(told(store).filter((type) => type === 'record.missing').length, 300);
    const last = await next(store, target);
    const gone = await closeScrape(store, last, { ...close, missingSince: last.scrape });
    assert.equal(gone.outcome === 'committed' && gone.counts.gone, 300);
  });

  test('are also those that were last seen in the future, before the clock was set back', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    clock.now = 2_000_000;
    await commitStep(store, await begin(store, target), step(2_000_000, [item('a', {}), item('b', {})], {}));
    clock.now = 1_500_000;
    const fence = await next(store, target);
    await commitStep(store, { ...fence, step: 1 }, step(1_500_000, [item('a', {})]));
    const result = await closeScrape(store, fence, { ...close, missingSince: fence.scrape });
    assert.equal(result.outcome === 'committed' && result.counts.missing, 1);
    assert.deepEqual(
      ['a', 'b'].map((key) => store.records.get('shop', 'item', key)?.absent?.times),
      [undefined, 1],
    );
  });
});
