import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { reschedule } from '../../src/store/schedule.ts';
import type { Store } from '../../src/store/store.ts';
import { begin, hourly, item, step, temporaryStore, track } from './fixture.ts';

const names = ['price', 'state', 'title'];

/** Asks of every target when its fields were last verified, as it does of fields that are promised anew; notes what it was told. */
function asking(fields: readonly string[]) {
  const told = new Map<number, readonly (number | undefined)[]>();
  const scheduling: typeof hourly = {
    ...hourly,
    next(target, row, about, turn) {
      if (turn === undefined) told.set(target.target, fields.map(about.fieldVerifiedAt));
      return hourly.next(target, row, about, turn);
    },
  };
  return { scheduling, told };
}

/** The store as a walk over it sees it, with the records that were read in each of its writes. */
function counted(store: Store) {
  const reads: number[] = [];
  let read = 0;
  const walked: Store = {
    ...store,
    records: {
      ...store.records,
      *ofTarget(target, range) {
        for (const row of store.records.ofTarget(target, range)) {
          read += 1;
          yield row;
        }
      },
    },
    async write(run, options) {
      const result = await store.write((change) => {
        read = 0;
        return run(change);
      }, options);
      reads.push(read);
      return result;
    },
  };
  return { walked, reads };
}

/** A project of so many targets, each with so many records that have all fields. */
async function trackScraped(store: Store, targets: number, records: number): Promise<readonly number[]> {
  const urls = Array.from({ length: targets }, (_, each) => `https://shop.test/${each}`);
  const numbers = await track(store, 'a', ...urls);
  for (const target of numbers) {
    const drafts = Array.from({ length: records }, (_, each) =>
      item(`${target}-${each}`, Object.fromEntries(names.map((name) => [name, 'x']))),
    );
    await commitStep(store, await begin(store, target), step(900_000, drafts, {}));
  }
  return numbers;
}

/** How many turns the event loop has while something is done. */
async function turnsDuring(done: Promise<void>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await done.finally(() => (isOver = true));
  return turns;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

describe('targets that are planned anew', () => {
  test('have their records read once for all fields that are promised anew, and few of very many', async (t) => {
    const { scheduling, told } = asking(names);
    const { store } = await temporaryStore(t, { scheduling });
    const [target = assert.fail()] = await trackScraped(store, 1, 150);
    const { walked, reads } = counted(store);
    await reschedule(walked, ['shop']);
    assert.deepEqual(told.get(target), [900_000, 900_000, 900_000]);
    assert.ok(sum(reads) > 0 && sum(reads) <= 20, `${sum(reads)} records were read`);
  });

  for (const sources of [['shop'], 'all'] as const)
    test(`are a few at a time where records are read of them, with a turn of the event loop between: ${String(sources)}`, async (t) => {
      const { scheduling, told } = asking(names);
      const { store } = await temporaryStore(t, { scheduling });
      const numbers = await trackScraped(store, 70, 25);
      const { walked, reads } = counted(store);
      const turns = await turnsDuring(reschedule(walked, sources));
      assert.deepEqual([...told.keys()], numbers);
      assert.ok(Math.max(...reads) <= 400, `${Math.max(...reads)} records were read in one write`);
      assert.ok(reads.length > 1 && turns >= reads.length - 1, `${turns} turns in ${reads.length} writes`);
    });

  test('are many at a time where nothing is promised anew', async (t) => {
    const { scheduling, told } = asking([]);
    const { store } = await temporaryStore(t, { scheduling });
    const numbers = await trackScraped(store, 70, 25);
    const { walked, reads } = counted(store);
    await reschedule(walked, 'all');
    assert.deepEqual([...told.keys()], numbers);
    assert.deepEqual(reads, [0]);
  });
});
