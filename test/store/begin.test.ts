import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { closeScrape, commitStep } from '../../src/store/commit.ts';
import { writeBegin } from '../../src/store/fence.ts';
import { archiveProject } from '../../src/store/projects.ts';
import { beginScrape, cancelScrape, closeOpenScrapes, requestScrape } from '../../src/store/scrapes.ts';
import { stepsOf } from '../../src/store/steps.ts';
import type { Store } from '../../src/store/store.ts';
import { parkTarget, recordCrash } from '../../src/store/targets.ts';
import { begin, beginInMemory, item, step, temporaryFolder, temporaryStore, told, track } from './fixture.ts';

const page = [item('a', { price: 1 })];

describe('a scrape that begins in memory', () => {
  test('writes nothing, and is found, listed and counted all the same', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const ended = await begin(store, target);
    await commitStep(store, ended, step(50, page, {}));
    const asked = await requestOther(store);
    const before = [store.environment.commitCounts().changes, store.events.last(), store.targets.get(target)];
    const { scrape, epoch } = await beginInMemory(store, target);

    assert.deepEqual(
      [store.environment.commitCounts().changes, store.events.last(), store.targets.get(target)],
      before,
    );
    assert.deepEqual(store.scrapes.get(scrape), {
      scrape,
      target,
      source: 'shop',
      reason: 'due',
      status: 'running',
      version: 'v1',
      epoch,
      startedAt: clock.now,
      steps: 0,
      bytes: 0,
      counts: { added: 0, changed: 0, confirmed: 0 },
    });
    const numbers = (rows: Iterable<{ readonly scrape: number }>) => Array.from(rows, (row) => row.scrape);
    assert.deepEqual(numbers(store.scrapes.rows()), [scrape, asked, ended.scrape]);
    assert.deepEqual(numbers(store.scrapes.rows({ limit: 1 })), [scrape]);
    assert.deepEqual(numbers(store.scrapes.rows({ before: scrape })), [asked, ended.scrape]);
    assert.deepEqual(numbers(store.scrapes.ofTarget(target)), [scrape, ended.scrape]);
    assert.deepEqual(numbers(store.scrapes.ofTarget(target, { before: scrape, limit: 1 })), [ended.scrape]);
    assert.equal(store.scrapes.countRunning(), 1);
    assert.equal(store.scrapes.runningOf({ target })?.scrape, scrape);
  });

  test('is written with its only step and its end in one commit, its events in their order', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await beginInMemory(store, target);
    const [commits, events] = [store.environment.commitCounts().changes, store.events.last()];
    const begunAt = clock.now;
    clock.now += 300;
    const { outcome } = await commitStep(store, fence, step(50, page, {}));

    assert.equal(outcome, 'committed');
    assert.equal(store.environment.commitCounts().changes, commits + 1);
    assert.deepEqual(
      Array.from(store.events.rows({ after: events }), ({ type, at }) => [type, at]),
      [
        ['scrape.started', begunAt],
        ['record.added', clock.now],
        ['scrape.completed', clock.now],
      ],
    );
    const row = store.scrapes.get(fence.scrape);
    assert.deepEqual([row?.status, row?.startedAt, row?.endedAt, row?.steps], ['complete', begunAt, clock.now, 1]);
    assert.deepEqual([store.scrapes.countRunning(), [...store.scrapes.running()]], [0, []]);
    const { running, settled, epoch } = store.targets.get(target) ?? {};
    assert.deepEqual([running, settled, epoch], [undefined, fence.scrape, fence.epoch + 1]);
    assert.deepEqual(
      Array.from(store.scrapes.ofTarget(target), ({ scrape }) => scrape),
      [fence.scrape],
    );
  });

  test('is written with its first step where that is not its last', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await beginInMemory(store, target);
    const before = store.events.last();
    await commitStep(store, fence, step(50, page));
    assert.deepEqual(told(store, before), ['scrape.started', 'record.added']);
    assert.equal(store.targets.get(target)?.running, fence.scrape);
    assert.deepEqual(
      Array.from(store.scrapes.running(), ({ scrape, steps }) => [scrape, steps]),
      [[fence.scrape, 1]],
    );
    await commitStep(store, { ...fence, step: 2 }, step(60, page, {}));
    assert.deepEqual(told(store, before), ['scrape.started', 'record.added', 'scrape.completed']);
    assert.equal(store.scrapes.get(fence.scrape)?.steps, 2);
    assert.equal(store.scrapes.countRunning(), 0);
  });

  test('that is closed without a step is written with its end', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await beginInMemory(store, target);
    const before = store.events.last();
    await closeScrape(store, fence, { status: 'aborted', reason: 'unavailable', finished: false });
    assert.deepEqual(told(store, before), ['scrape.started', 'scrape.aborted']);
    assert.equal(store.scrapes.get(fence.scrape)?.status, 'aborted');
  });

  test('is written alone when it lasts, once, and goes on', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await beginInMemory(store, target);
    const before = store.events.last();
    await Promise.all([writeBegin(store, fence), writeBegin(store, fence)]);
    assert.deepEqual(told(store, before), ['scrape.started']);
    assert.equal(store.targets.get(target)?.running, fence.scrape);
    assert.equal((await commitStep(store, fence, step(50, page, {}))).outcome, 'committed');
    assert.deepEqual(told(store, before), ['scrape.started', 'record.added', 'scrape.completed']);
  });

  test('is written before the parts of a step that is too large for one transaction', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await beginInMemory(store, target);
    const before = store.events.last();
    const drafts = Array.from({ length: 500 }, (_, place) => item(`${place}`, { place }));
    await commitStep(store, fence, step(50, drafts, {}));
    const types = told(store, before);
    assert.deepEqual([types[0], types.at(-1), types.length], ['scrape.started', 'scrape.completed', 502]);
    assert.deepEqual(stepsOf(store, rowOf(store, fence.scrape)).at(0)?.counts.added, 500);
  });

  test('is begun in the store if a person asked for it, or if another has not ended', async (t) => {
    const { store } = await temporaryStore(t);
    const [asked = 0, open = 0] = await track(store, 'lamp', 'https://shop.test/1', 'https://shop.test/2');
    await beginInMemory(store, open);
    const request = await requestScrape(store, asked);
    const before = store.events.last();
    const begun = await beginScrape(store, asked, 'v1', { inMemory: true });
    assert.deepEqual(begun.ok && begun.fence.scrape, request.ok && request.scrape);
    const next = await beginScrape(store, open, 'v1', { inMemory: true });
    assert.deepEqual(told(store, before), ['scrape.started', 'scrape.started', 'scrape.cancelled', 'scrape.started']);
    assert.deepEqual(next.ok && store.targets.get(open)?.running, next.ok && next.fence.scrape);
  });

  test('leaves nothing when its store was not closed: what the next process finds never began', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const { scrape } = await beginInMemory(store, target);
    const next = await nextProcess(t, store);
    assert.equal(await closeOpenScrapes(next), 0);
    assert.equal(next.scrapes.get(scrape), undefined);
  });

  test('that is forgotten leaves nothing', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const { scrape } = await beginInMemory(store, target);
    const before = store.events.last();
    store.scrapes.forget(scrape);
    assert.equal(store.scrapes.get(scrape), undefined);
    await recordCrash(store, target, 'boom');
    assert.deepEqual(told(store, before), ['target.crashed']);
  });

  test('stays as it was where the change that writes it is undone, and is told once', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await beginInMemory(store, target);
    const before = store.events.last();
    const [written, thrown] = await Promise.allSettled([
      commitStep(store, fence, step(50, page, {})),
      store.write(() => {
        throw new Error('refused');
      }),
    ]);
    assert.deepEqual([written.status, thrown.status], ['fulfilled', 'rejected']);
    assert.deepEqual(told(store, before), ['scrape.started', 'record.added', 'scrape.completed']);
    assert.equal(store.scrapes.get(fence.scrape)?.steps, 1);
  });

  for (const [name, end, types] of [
    ['cancelled', ({ store, scrape }) => cancelScrape(store, scrape, 'by hand'), ['scrape.cancelled']],
    ['parked', ({ store, target }) => parkTarget(store, target, 'broken', 9e9), ['scrape.cancelled', 'target.parked']],
    ['archived', ({ store }) => archiveProject(store, 'lamp'), ['scrape.cancelled', 'project.archived']],
    ['crashed', ({ store, target }) => recordCrash(store, target, 'boom'), ['scrape.failed', 'target.crashed']],
  ] satisfies [string, (of: { store: Store; target: number; scrape: number }) => Promise<unknown>, string[]][])
    test(`is written when it is ${name}, and told as begun before that`, async (t) => {
      const { store } = await temporaryStore(t);
      const [target = 0] = await track(store, 'lamp');
      const { scrape } = await beginInMemory(store, target);
      const before = store.events.last();
      await end({ store, target, scrape });
      assert.deepEqual(told(store, before), ['scrape.started', ...types]);
      assert.deepEqual([store.scrapes.get(scrape)?.steps, store.scrapes.countRunning()], [0, 0]);
    });
});

describe('the number of a scrape', () => {
  test('is given once, also if the process was killed after it was given', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const { scrape } = await beginInMemory(store, target);
    assert.ok((await begin(await nextProcess(t, store), target)).scrape > scrape);
  });

  test('follows the last one where the store was closed', async (t) => {
    const first = await temporaryStore(t);
    const [target = 0] = await track(first.store, 'lamp');
    const { scrape } = await beginInMemory(first.store, target);
    await first.store.close();
    const { store } = await temporaryStore(t, { path: first.path });
    assert.equal((await begin(store, target)).scrape, scrape + 1);
  });

  test('counts on over many scrapes, in memory and in the store', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const numbers: number[] = [];
    for (let round = 0; round < 2_100; round += 1) {
      const result = await beginScrape(store, target, 'v1', { inMemory: round % 700 !== 0 });
      assert.ok(result.ok);
      const { fence } = result;
      numbers.push(fence.scrape);
      if (store.scrapes.isUnwritten(fence.scrape)) store.scrapes.forget(fence.scrape);
      else await closeScrape(store, fence, { status: 'complete', finished: false });
    }
    assert.deepEqual(
      numbers,
      Array.from(numbers, (_, place) => place + 1),
    );
  });
});

describe('the only step of a scrape', () => {
  test('is kept in the row of the scrape', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    for (const beginOne of [begin, beginInMemory]) {
      const fence = await beginOne(store, target);
      await commitStep(store, fence, step(50, page, {}));
      assert.equal(store.steps.count(), 0);
      const [only, ...others] = stepsOf(store, rowOf(store, fence.scrape));
      const { log } = step(50, page, {});
      const { counts } = rowOf(store, fence.scrape);
      assert.deepEqual([only, others], [{ step: 1, ...log, counts }, []]);
      assert.deepEqual(stepsOf(store, rowOf(store, fence.scrape), { afterStep: 1, limit: 10 }), []);
    }
  });

  test('keeps what its page lacked and what it could not read', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await beginInMemory(store, target);
    const { log, ...ops } = step(50, page, {});
    const lacking = {
      ...log,
      absent: ['stock'],
      unparsed: [{ record: 'a', field: 'rating', text: 'good', expected: 'number' }],
      errors: 1,
      notes: ['one item could not be read'],
    };
    await commitStep(store, fence, { ...ops, log: lacking });
    const [only] = stepsOf(store, rowOf(store, fence.scrape));
    assert.deepEqual(only, { step: 1, ...lacking, counts: rowOf(store, fence.scrape).counts });
  });

  test('has a row of its own where another follows', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await beginInMemory(store, target);
    await commitStep(store, fence, step(50, page));
    await commitStep(store, { ...fence, step: 2 }, step(60, page, {}));
    assert.equal(store.steps.count(), 2);
    assert.deepEqual(
      stepsOf(store, rowOf(store, fence.scrape)).map((each) => each.step),
      [1, 2],
    );
  });
});

async function requestOther(store: Store): Promise<number> {
  const [other = 0] = await track(store, 'other');
  const asked = await requestScrape(store, other);
  return asked.ok ? asked.scrape : 0;
}

function rowOf(store: Store, scrape: number) {
  const row = store.scrapes.get(scrape);
  if (row === undefined) throw new Error(`no scrape ${scrape}`);
  return row;
}

/** The store as the next process finds it where this one is killed now. */
async function nextProcess(t: TestContext, store: Store): Promise<Store> {
  const path = join(temporaryFolder(t), 'copy');
  await store.environment.copyTo(path);
  return (await temporaryStore(t, { path })).store;
}
