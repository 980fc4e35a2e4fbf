import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { closeScrape, commitStep } from '../../src/store/commit.ts';
import { archiveProject, restoreProject, updateProject } from '../../src/store/projects.ts';
import type { Fence } from '../../src/store/ops.ts';
import { beginScrape, cancelScrape, closeOpenScrapes } from '../../src/store/scrapes.ts';
import type { Store } from '../../src/store/store.ts';
import { parkTarget, recordCrash } from '../../src/store/targets.ts';
import { begin, beginInMemory, item, step, temporaryStore, track } from './fixture.ts';

/** All that can end a scrape from outside, and what the scrape is then. */
const cuts: readonly (readonly [
  name: string,
  cut: (store: Store, fence: Fence) => Promise<unknown>,
  status: string,
  code: string,
])[] = [
  ['archived (B13)', (store) => archiveProject(store, 'lamp'), 'cancelled', 'archived'],
  [
    'archived and restored',
    async (store) => {
      await archiveProject(store, 'lamp');
      await restoreProject(store, 'lamp');
    },
    'cancelled',
    'archived',
  ],
  ['cancelled', (store, { scrape }) => cancelScrape(store, scrape, 'by hand'), 'cancelled', 'cancelled'],
  ['superseded by a new scrape', (store, { target }) => beginScrape(store, target, 'v2'), 'cancelled', 'superseded'],
  ['found open at start', (store) => closeOpenScrapes(store), 'failed', 'interrupted'],
  ['parked', (store, { target }) => parkTarget(store, target, 'too often', 9e9), 'cancelled', 'parked'],
  ['crashed', (store, { target }) => recordCrash(store, target, 'boom'), 'failed', 'crashed'],
  [
    'removed from its project',
    (store) => updateProject(store, 'lamp', { targets: [{ source: 'shop', url: 'https://shop.test/other' }] }),
    'cancelled',
    'disabled',
  ],
];

const price = (value: number) => [item('a', { price: value })];

/** Where a scrape of two steps can be cut: before its n-th commit is asked for, or after, in the same batch. */
const points = [
  'before its first step',
  'after its first step',
  'in the batch of its second step',
  'in the batch before its closing step',
] as const;

async function scrapeCutAt(
  store: Store,
  fence: Fence,
  point: (typeof points)[number],
  cut: () => Promise<unknown>,
): Promise<string[]> {
  const first = () => commitStep(store, fence, step(50, price(1)));
  const second = () => commitStep(store, { ...fence, step: 2 }, step(60, price(2)));
  const closing = () => commitStep(store, { ...fence, step: 3 }, step(70, price(3), {}));
  const results = [];
  if (point === 'before its first step') {
    await cut();
    results.push(await first(), await second(), await closing());
  } else {
    results.push(await first());
    if (point === 'after its first step') {
      await cut();
      results.push(await second(), await closing());
    } else if (point === 'in the batch of its second step') {
      const [, ...rest] = await Promise.all([cut(), second(), closing()]);
      results.push(...rest);
    } else {
      const [before, , after] = await Promise.all([second(), cut(), closing()]);
      results.push(before, after);
    }
  }
  return results.map(({ outcome }) => outcome);
}

const [yes, no] = ['committed', 'superseded'];
const outcomes: Record<(typeof points)[number], readonly (string | undefined)[]> = {
  'before its first step': [no, no, no],
  'after its first step': [yes, no, no],
  'in the batch of its second step': [yes, no, no],
  'in the batch before its closing step': [yes, yes, no],
};

for (const [name, cut, status, code] of cuts) {
  describe(`of a scrape that is ${name}, nothing more is written`, () => {
    for (const point of points) {
      test(point, (t) => isCutAt(t, point, begin));
      // What is only in memory is not found at the start of a daemon: it never began.
      if (name !== 'found open at start' || point !== 'before its first step')
        test(`${point}, begun in memory`, (t) => isCutAt(t, point, beginInMemory));
    }
  });

  async function isCutAt(t: TestContext, point: (typeof points)[number], beginOne: typeof begin): Promise<void> {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await beginOne(store, target);
    assert.deepEqual(await scrapeCutAt(store, fence, point, () => cut(store, fence)), outcomes[point]);

    const steps = outcomes[point].filter((outcome) => outcome === yes).length;
    assert.equal([...store.steps.ofScrape(fence.scrape)].length, steps);
    assert.equal(store.history.count(), steps);
    assert.equal(store.records.get('shop', 'item', 'a')?.fields['price']?.value, steps === 0 ? undefined : steps);
    const scrape = store.scrapes.get(fence.scrape);
    assert.deepEqual([scrape?.status, scrape?.failure?.code, scrape?.steps], [status, code, steps]);
    assert.equal(store.targets.get(target)?.settled, 0);
  }
}

describe('a commit is superseded', () => {
  test('by its own scrape having closed', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    await commitStep(store, fence, step(50, price(1), {}));
    const late = commitStep(store, { ...fence, epoch: fence.epoch + 1, step: 2 }, step(60, price(2)));
    assert.deepEqual(await late, { outcome: 'superseded' });
  });

  test('by the same step, committed before or in the same batch', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    const twice = await Promise.all([
      commitStep(store, fence, step(50, price(1))),
      commitStep(store, fence, step(60, price(2))),
    ]);
    assert.deepEqual(
      twice.map(({ outcome }) => outcome),
      ['committed', 'superseded'],
    );
    assert.deepEqual(await commitStep(store, fence, step(70, price(3))), { outcome: 'superseded' });
    assert.equal(store.scrapes.get(fence.scrape)?.steps, 1);
  });

  test('when its target is unknown, or its scrape is one of another target', async (t) => {
    const { store } = await temporaryStore(t);
    const [one = 0, other = 0] = await track(store, 'lamp', 'https://shop.test/1', 'https://shop.test/2');
    const [fence, otherFence] = [await begin(store, one), await begin(store, other)];
    assert.deepEqual(await commitStep(store, { ...fence, target: 99 }, step(50, price(1))), { outcome: 'superseded' });
    const mixed = commitStep(store, { ...fence, scrape: otherFence.scrape }, step(50, price(1)));
    assert.deepEqual(await mixed, { outcome: 'superseded' });
  });

  for (const [name, beginOne] of [
    ['in the store', begin],
    ['in memory', beginInMemory],
  ] as const)
    test(`by an epoch that was raised alone, while its scrape, begun ${name}, is still the one that runs`, async (t) => {
      const { store } = await temporaryStore(t);
      const [target = 0] = await track(store, 'lamp');
      const fence = await beginOne(store, target);
      const raised = { ...fence, epoch: fence.epoch + 1 };
      await store.write(() => {
        const row = store.targets.get(target);
        if (row !== undefined) store.targets.put({ ...row, epoch: raised.epoch });
      });
      assert.deepEqual(await commitStep(store, fence, step(50, price(1))), { outcome: 'superseded' });
      const closed = closeScrape(store, fence, { status: 'complete', finished: false });
      assert.deepEqual(await closed, { outcome: 'superseded' });
      assert.equal(store.records.count(), 0);
      assert.equal((await commitStep(store, raised, step(50, price(1)))).outcome, 'committed');
    });

  test('of two that began in memory, in the epoch of both, if it is not the newest', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const first = await beginInMemory(store, target);
    store.scrapes.forget(first.scrape);
    const newest = await beginInMemory(store, target);
    assert.equal(newest.epoch, first.epoch);
    assert.deepEqual(await commitStep(store, first, step(50, price(1), {})), { outcome: 'superseded' });
    const closed = closeScrape(store, first, { status: 'complete', finished: false });
    assert.deepEqual(await closed, { outcome: 'superseded' });
    assert.equal(store.scrapes.get(first.scrape), undefined);
    assert.equal((await commitStep(store, newest, step(60, price(2), {}))).outcome, 'committed');
  });

  test('and tells nothing', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    await cancelScrape(store, fence.scrape, 'by hand');
    const events = store.events.last();
    await commitStep(store, fence, step(50, price(1)));
    assert.equal(store.events.last(), events);
  });
});
