import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { beginScrape, cancelScrape, closeOpenScrapes, requestScrape } from '../../src/store/scrapes.ts';
import { parkTarget } from '../../src/store/targets.ts';
import { begin, item, step, temporaryStore, told, track } from './fixture.ts';

describe('a scrape that begins', () => {
  test('raises the epoch of its target, and is told', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const result = await beginScrape(store, target, 'v1');
    assert.deepEqual(result, { ok: true, fence: { target, epoch: 2, scrape: 1 }, wish: {} });
    assert.deepEqual([store.targets.get(target)?.epoch, store.targets.get(target)?.running], [2, 1]);
    assert.deepEqual(store.scrapes.get(1), {
      scrape: 1,
      target,
      source: 'shop',
      reason: 'due',
      version: 'v1',
      epoch: 2,
      status: 'running',
      startedAt: clock.now,
      steps: 0,
      bytes: 0,
      counts: { added: 0, changed: 0, confirmed: 0 },
    });
    assert.equal(told(store).at(-1), 'scrape.started');
  });

  test('does not begin for a target that is unknown, finished or parked', async (t) => {
    const { store } = await temporaryStore(t);
    const [finished = 0, parked = 0] = await track(store, 'lamp', 'https://shop.test/1', 'https://shop.test/2');
    await commitStep(store, await begin(store, finished), step(50, [], { finished: true }));
    await parkTarget(store, parked, 'too often', 9e9);
    const reasons = await Promise.all([99, finished, parked].map((target) => beginScrape(store, target, 'v1')));
    assert.deepEqual(
      reasons.map((result) => !result.ok && result.why),
      ['not_found', 'finished', 'parked'],
    );
  });
});

describe('a scrape that a person asks for', () => {
  test('has its number while it waits, and begins under it (B20)', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    assert.deepEqual(await requestScrape(store, target), { ok: true, scrape: 1, coalesced: false });
    assert.deepEqual([store.scrapes.get(1)?.status, store.scrapes.get(1)?.startedAt], ['waiting', clock.now]);
    assert.equal(store.schedule.get(target)?.manualAt, clock.now);
    clock.now += 10;
    const begun = await beginScrape(store, target, 'v1');
    assert.deepEqual(begun.ok && begun.fence.scrape, 1);
    const row = store.scrapes.get(1);
    assert.deepEqual(
      [row?.reason, row?.status, row?.startedAt, row?.version, row?.epoch],
      ['manual', 'running', clock.now, 'v1', 2],
    );
    assert.deepEqual(
      [store.schedule.get(target)?.manualAt, store.targets.get(target)?.waiting],
      [undefined, undefined],
    );
  });

  test('waits once at most, beside the one that runs (B22)', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    const asked = await Promise.all(Array.from({ length: 10 }, () => requestScrape(store, target)));
    assert.deepEqual(
      asked.map((result) => result.ok && [result.scrape, result.coalesced]),
      [[2, false], ...Array.from({ length: 9 }, () => [2, true])],
    );
    await commitStep(store, fence, step(50, [], {}));
    assert.equal(store.schedule.get(target)?.manualAt !== undefined, true);
    const next = await begin(store, target);
    assert.equal(next.scrape, 2);
    await commitStep(store, next, step(60, [], {}));
    assert.equal((await begin(store, target)).scrape, 3);
  });

  test('does not move when its target is due (B21)', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await commitStep(store, await begin(store, target), step(50, [], {}));
    const dueAt = store.schedule.get(target)?.dueAt;
    await requestScrape(store, target);
    assert.equal(store.schedule.get(target)?.dueAt, dueAt);
    await commitStep(store, await begin(store, target), step(60, [], {}));
    assert.equal(store.schedule.get(target)?.dueAt, dueAt);
  });

  test('touches no other target (B19)', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0, other = 0] = await track(store, 'lamp', 'https://shop.test/1', 'https://shop.test/2');
    const before = [store.targets.get(other), store.schedule.get(other)];
    await requestScrape(store, target);
    assert.deepEqual([store.targets.get(other), store.schedule.get(other)], before);
  });

  test('is there when the store is opened again', async (t) => {
    const first = await temporaryStore(t);
    const [target = 0] = await track(first.store, 'lamp');
    await requestScrape(first.store, target);
    await first.store.close();
    const { store } = await temporaryStore(t, { path: first.path });
    assert.deepEqual(await requestScrape(store, target), { ok: true, scrape: 1, coalesced: true });
  });
});

describe('a scrape that is cancelled', () => {
  test('while it runs is told, and its target is planned anew', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    assert.deepEqual(await cancelScrape(store, fence.scrape, 'by hand'), { ok: true, cancelled: true });
    assert.deepEqual(store.scrapes.get(fence.scrape)?.failure, { code: 'cancelled', message: 'by hand' });
    assert.deepEqual(
      [store.targets.get(target)?.running, store.targets.get(target)?.epoch],
      [undefined, fence.epoch + 1],
    );
    assert.equal(store.schedule.get(target)?.firstAt, undefined);
    assert.equal(told(store).at(-1), 'scrape.cancelled');
  });

  test('while it waits does not begin, and leaves the one that runs alone', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    const asked = await requestScrape(store, target);
    assert.ok(asked.ok);
    await cancelScrape(store, asked.scrape, 'by hand');
    assert.deepEqual(
      [store.targets.get(target)?.waiting, store.schedule.get(target)?.manualAt],
      [undefined, undefined],
    );
    assert.equal((await commitStep(store, fence, step(50, []))).outcome, 'committed');
  });

  test('after it ended is left as it is; an unknown one is not found', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    await commitStep(store, fence, step(50, [], {}));
    assert.deepEqual(await cancelScrape(store, fence.scrape, 'late'), { ok: true, cancelled: false });
    assert.equal(store.scrapes.get(fence.scrape)?.status, 'complete');
    assert.deepEqual(await cancelScrape(store, 99, 'late'), { ok: false, why: 'not_found' });
  });
});

describe('scrapes found open at start', () => {
  test('are closed as interrupted, all of them, and their targets stay due when they were', async (t) => {
    const { store } = await temporaryStore(t);
    const urls = Array.from({ length: 1_500 }, (_, place) => `https://shop.test/${place}`);
    const targets = await track(store, 'lamp', ...urls);
    const fences = await Promise.all(targets.map((target) => begin(store, target)));
    const [kept] = fences;
    assert.ok(kept);
    await commitStep(store, kept, step(50, [item('a', { price: 1 })], {}));

    assert.equal(await closeOpenScrapes(store), 1_499);
    assert.equal([...store.scrapes.running()].length, 0);
    const statuses = fences.map(({ scrape }) => store.scrapes.get(scrape)?.failure?.code);
    assert.deepEqual(statuses, [undefined, ...Array.from({ length: 1_499 }, () => 'interrupted')]);
    assert.ok(targets.every((target) => store.targets.get(target)?.running === undefined));
    assert.ok(targets.slice(1).every((target) => store.schedule.get(target)?.dueAt === 1_001_000));
    assert.equal(await closeOpenScrapes(store), 0);
  });

  test('that a person asked for are asked for again', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await requestScrape(store, target);
    await begin(store, target);
    assert.equal(store.schedule.get(target)?.manualAt, undefined);
    clock.now += 60_000;
    await closeOpenScrapes(store);
    assert.equal(store.schedule.get(target)?.manualAt, clock.now);
  });
});

describe('lists of scrapes', () => {
  test('are the newest first, in slices', async (t) => {
    const { store } = await temporaryStore(t);
    const [one = 0, other = 0] = await track(store, 'lamp', 'https://shop.test/1', 'https://shop.test/2');
    for (const target of [one, other, one, one]) await begin(store, target);
    const numbers = (rows: Iterable<{ readonly scrape: number }>): number[] => [...rows].map(({ scrape }) => scrape);
    assert.deepEqual(numbers(store.scrapes.rows({ limit: 3 })), [4, 3, 2]);
    assert.deepEqual(numbers(store.scrapes.ofTarget(one)), [4, 3, 1]);
    assert.deepEqual(numbers(store.scrapes.ofTarget(one, { before: 4, limit: 1 })), [3]);
    assert.deepEqual(numbers(store.scrapes.running()), [2, 4]);
  });
});
