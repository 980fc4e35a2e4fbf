import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applyCrawl } from '../../src/store/crawl.ts';
import { commitStep } from '../../src/store/commit.ts';
import type { Scheduling } from '../../src/schedule/scheduling.ts';
import type { Store } from '../../src/store/store.ts';
import { closeOpenScrapes } from '../../src/store/scrapes.ts';
import { begin as beginCrawl, detail } from './crawling.ts';
import { begin, hourly, item, step, temporaryStore, told, track } from './fixture.ts';

const text = 'x'.repeat(3_000);

function items(count: number, value = text) {
  return Array.from({ length: count }, (_, index) => item(`${index}`, { a: `${value}${index}` }));
}

/** The changes that were committed so far. */
function changes({ environment }: Store): number {
  return environment.commitCounts().changes;
}

describe('a step that is too much for one transaction', () => {
  test('is written in several, and counts as one', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    const before = changes(store);
    const result = await commitStep(store, fence, step(10, items(1_000), {}));
    assert.ok(changes(store) - before > 10, `${changes(store) - before}`);
    assert.deepEqual(result.outcome === 'committed' && result.counts.added, 1_000);
    assert.equal(store.scrapes.get(fence.scrape)?.counts.added, 1_000);
    assert.deepEqual([store.scrapes.get(fence.scrape)?.steps, store.records.count()], [1, 1_000]);
    const sequences = items(1_000).map(({ key }) => store.records.get('shop', 'item', key)?.sequence ?? 0);
    assert.deepEqual(
      sequences,
      sequences.toSorted((one, other) => other - one),
    );
    assert.equal(new Set(sequences).size, 1_000);
  });

  test('of few small records is written in one', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const before = changes(store);
    await commitStep(store, await begin(store, target), step(10, items(150, ''), {}));
    await commitStep(store, await begin(store, target), { ...step(20, [], {}), unmodified: 'target' as const });
    assert.equal(changes(store) - before, 4);
  });

  test('is not made when its scrape ends in the midst of it, and is told once when it is made again', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    const add = Array.from({ length: 1_200 }, (_, index) => detail(`${index}`));
    await beginCrawl(store, target, { add: [detail('first')] }, 10_000);
    const ops = { ...step(10, items(400)), crawl: { done: { kind: 'detail', seq: 1 } as const, add } };
    const committing = commitStep(store, fence, ops);
    while (store.records.count() === 0) await store.write(() => undefined);
    assert.equal(await closeOpenScrapes(store), 1);
    assert.equal((await committing).outcome, 'superseded');
    assert.equal(store.steps.has(fence.scrape, 1), false);
    assert.ok(store.records.count() < 400);
    assert.deepEqual([...store.frontier.ofCrawl(target, 1, 1)][0]?.seq, 1);

    const again = await commitStep(store, await begin(store, target), { ...ops, observedAt: 20 });
    assert.equal(again.outcome, 'committed');
    assert.deepEqual(store.crawls.newest(target)?.waiting, { detail: 1_200, listing: 0 });
    assert.equal(
      [...store.events.rows({ after: 0, limit: 10_000 })].filter(({ type }) => type === 'record.added').length,
      400,
    );
  });

  test('adds its places in several, the last of which takes it from the frontier', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    await store.write(() =>
      applyCrawl(store, target, {
        begin: { version: 'v1', firstScrape: fence.scrape, startedAt: 1, maxPages: 3_000 },
        add: [detail('start')],
      }),
    );
    const add = Array.from({ length: 5_000 }, (_, index) => detail(`${index}`));
    const before = changes(store);
    await commitStep(store, fence, { ...step(10, []), crawl: { done: { kind: 'detail', seq: 1 }, add } });
    assert.ok(changes(store) - before > 9, `${changes(store) - before}`);
    const row = store.crawls.newest(target);
    assert.deepEqual([row?.pages, row?.waiting.detail, row?.overBudget], [1, 2_999, 2_001]);
  });
});

/** Takes down what targets with an objective are told to have seen. */
function watching(): { readonly scheduling: Scheduling; readonly seen: string[][] } {
  const seen: string[][] = [];
  return {
    seen,
    scheduling: {
      ...hourly,
      first: (target, about) => ({
        ...hourly.first(target, about),
        fresh: { key: 'shop', source: 'shop', verifiedAt: about.at, objectiveMs: 60_000, misses: 0 },
      }),
      next: (target, row, about) => ({
        ...hourly.next(target, row, about),
        ...(row.fresh !== undefined && { fresh: row.fresh }),
      }),
      verified(_target, row, _about, sighting) {
        if (sighting !== undefined) seen.push([...sighting.fields].toSorted());
        return { row, events: [] };
      },
    },
  };
}

describe('a step of very many records and one of few', () => {
  const copy = { url: 'https://shop.test/', version: 'v1', observedAt: 10, etag: 'x' };
  const counts = [150, 250] as const;

  test('tell objectives of the same fields, also of those that its first records alone have', async (t) => {
    for (const count of counts) {
      const { scheduling, seen } = watching();
      const { store } = await temporaryStore(t, { scheduling });
      const [target = 0] = await track(store, 'lamp');
      const drafts = [item('first', { b: 1 }), ...items(count)];
      await commitStep(store, await begin(store, target), step(10, drafts, { copy }));
      assert.deepEqual(seen.shift(), ['a', 'b']);
      seen.length = 0;
      const unmodified = { ...step(20, [], { copy }), unmodified: 'target' as const };
      await commitStep(store, await begin(store, target), unmodified);
      assert.deepEqual(seen.shift(), ['a', 'b']);
    }
  });

  test('count as much, whether they have changed or not', async (t) => {
    const spent = await Promise.all(
      counts.map(async (count) => {
        const { store } = await temporaryStore(t);
        const [target = 0] = await track(store, 'lamp');
        const read = await begin(store, target);
        const cost = { validated: 1, cpuMs: 3 };
        await commitStep(store, read, { ...step(10, items(count), { copy }), spent: cost });
        const asked = await begin(store, target);
        const unmodified = { ...step(20, [], { copy }), unmodified: 'target' as const, spent: { validated: 1 } };
        await commitStep(store, asked, unmodified);
        return [read, asked].map(({ scrape }) => store.scrapes.get(scrape)?.spent);
      }),
    );
    const expected = [
      { validated: 1, cpuMs: 3 },
      { notModified: 1, validated: 1 },
    ];
    assert.deepEqual(spent, [expected, expected]);
  });
});

describe('a page that has not changed, of very many records', () => {
  const copy = { url: 'https://shop.test/', version: 'v1', observedAt: 10, etag: 'x' };
  const verifiedAt = (store: Store, key: string) => store.records.get('shop', 'item', key)?.fields['a']?.verifiedAt;

  test('verifies all of them', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await commitStep(store, await begin(store, target), step(10, items(1_234, ''), { copy }));
    const before = changes(store);
    const unmodified = { ...step(20, [], { copy: { ...copy, observedAt: 20 } }), unmodified: 'target' as const };
    const result = await commitStep(store, await begin(store, target), unmodified);
    assert.ok(changes(store) - before > 5);
    assert.equal(result.outcome === 'committed' && result.counts.confirmed, 1_234);
    assert.deepEqual(
      ['0', '999', '1233'].map((key) => verifiedAt(store, key)),
      [20, 20, 20],
    );
    assert.deepEqual(store.targets.get(target)?.copy, { ...copy, observedAt: 20 });
  });

  test('verifies them all the next time when it was cut in the midst of it', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await commitStep(store, await begin(store, target), step(10, items(1_000, ''), { copy }));
    const cut = commitStep(store, await begin(store, target), {
      ...step(20, [], { copy }),
      unmodified: 'target' as const,
    });
    while (verifiedAt(store, '0') !== 20) await store.write(() => undefined);
    await closeOpenScrapes(store);
    assert.equal((await cut).outcome, 'superseded');
    assert.deepEqual([verifiedAt(store, '0'), verifiedAt(store, '999')], [20, 10]);

    const close = { copy: { ...copy, observedAt: 30 } };
    const result = await commitStep(store, await begin(store, target), {
      ...step(30, [], close),
      unmodified: 'target' as const,
    });
    assert.equal(result.outcome === 'committed' && result.counts.confirmed, 1_000);
    assert.deepEqual([verifiedAt(store, '0'), verifiedAt(store, '999')], [30, 30]);
    assert.equal(told(store).includes('record.changed'), false);
  });
});
