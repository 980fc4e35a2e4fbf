import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import type { HistoryLimits } from '../../src/store/history-plan.ts';
import { HistorySweep } from '../../src/store/history-sweep.ts';
import { removeRecords } from '../../src/store/remove-records.ts';
import { trim } from '../../src/store/retention.ts';
import type { Store } from '../../src/store/store.ts';
import { begin, historyOf, hourMs, item, step, temporaryStore, track } from './fixture.ts';

const dayMs = 24 * hourMs;
const six = ['a', 'b', 'c', 'd', 'e', 'f'];
const limits: HistoryLimits = { detailMs: 90 * dayMs, changes: 1_000 };

/** A store in which the price and the name of records differ every hour of some days; its events are trimmed. */
async function hourlyPrices(t: Parameters<typeof temporaryStore>[0], days: number, ...keys: readonly string[]) {
  const { store, path } = await temporaryStore(t);
  const [target = 0] = await track(store, 'lamp');
  const fence = await begin(store, target);
  for (let hour = 0; hour < days * 24; hour += 1) {
    const price = (hour * 7) % 24;
    const drafts = keys.map((key) =>
      item(key, { price: { amount: `${price}.90`, currency: 'EUR' }, name: `n ${price}` }),
    );
    await commitStep(store, { ...fence, step: hour + 1 }, step(hour * hourMs, drafts));
  }
  await trim(store, { events: 1, scrapes: 1, steps: 1 });
  return { store, path, target };
}

/** Makes steps until all records are looked at for the day. */
async function sweepAll(
  store: Store,
  now: number,
  limitsOf: (source: string) => HistoryLimits = () => limits,
): Promise<number> {
  return new HistorySweep(limitsOf).step(store, now);
}

function hoursOf(store: Store, target: number, key = 'a'): number[] {
  return historyOf(store, target)
    .filter((change) => change.key === key)
    .map(({ at }) => at / hourMs)
    .reverse();
}

describe('the history of records', () => {
  test('is thinned a day at a time once the day is old enough, and the current value stays', async (t) => {
    const { store, target } = await hourlyPrices(t, 4, 'a', 'b');
    const before = store.records.get('shop', 'item', 'a');
    const all = hoursOf(store, target);
    assert.equal(await sweepAll(store, 90 * dayMs), 0);
    const removed = await sweepAll(store, 92 * dayMs + 1);
    assert.deepEqual(hoursOf(store, target), [0, 17, 23, 24, 41, 47, ...all.filter((hour) => hour >= 48)]);
    assert.equal(removed, 2 * (48 - 6));
    const prices = historyOf(store, target).filter(({ key, at }) => key === 'a' && at < dayMs);
    assert.deepEqual(
      prices.map(({ fields }) => fields['price']?.new).reverse(),
      ['0.90', '23.90', '17.90'].map((amount) => ({ amount, currency: 'EUR' })),
    );
    assert.deepEqual(store.records.get('shop', 'item', 'a'), before);
    assert.equal(await sweepAll(store, 92 * dayMs + 1), 0);
  });

  test('is the same in the end, wherever the sweep is killed', async (t) => {
    const { store, target } = await hourlyPrices(t, 4, ...six);
    const whole = await hourlyPrices(t, 4, ...six);
    await sweepAll(whole.store, 93 * dayMs);
    let kills = 0;
    for (let isKilled = true; isKilled; kills += Number(isKilled)) {
      let writes = 0;
      const mortal = {
        ...store,
        write: (...given: Parameters<typeof store.write>) => {
          writes += 1;
          if (writes > 1) throw new Error('killed');
          return store.write(...given);
        },
      } as Store;
      isKilled = await sweepAll(mortal, 93 * dayMs).then(
        () => false,
        () => true,
      );
    }
    assert.ok(kills > 0);
    assert.deepEqual(historyOf(store, target), historyOf(whole.store, whole.target));
  });

  test('goes for its age and its number, by source, but never before its event', async (t) => {
    const { store, target } = await hourlyPrices(t, 3, 'a');
    const limitsOf = (source: string): HistoryLimits =>
      source === 'shop' ? { detailMs: 9_999 * dayMs, keepMs: dayMs, changes: 30 } : limits;
    await sweepAll(store, 2 * dayMs, limitsOf);
    assert.deepEqual(
      hoursOf(store, target),
      Array.from({ length: 30 }, (_, index) => 42 + index),
    );
    await sweepAll(store, 3 * dayMs, limitsOf);
    assert.deepEqual(hoursOf(store, target)[0], 48);
    await sweepAll(store, 99 * dayMs, limitsOf);
    assert.deepEqual(hoursOf(store, target), [71], 'the event of the last change is kept');
    assert.equal([...store.events.rows()].at(-1)?.type, 'record.changed');
  });

  test('leaves nothing of a removed record when the last of its changes goes', async (t) => {
    const { store, target } = await hourlyPrices(t, 1, 'a');
    await removeRecords(store, [1]);
    await trim(store, { events: 1, scrapes: 1, steps: 1 });
    assert.equal(store.records.removedOfTarget(target).length, 1);
    await sweepAll(store, 9 * dayMs, () => ({ ...limits, keepMs: dayMs }));
    assert.deepEqual([store.history.count(), store.records.removedOfTarget(target)], [0, []]);
    assert.equal(store.records.nameOf(1)?.key, '');
  });

  test('is gone through once a day, a part at each step, without a transaction where nothing is to be done', async (t) => {
    const { store } = await hourlyPrices(t, 2, 'a');
    let writes = 0;
    const counted = {
      ...store,
      write: (...given: Parameters<typeof store.write>) => {
        writes += 1;
        return store.write(...given);
      },
    } as Store;
    const sweep = new HistorySweep(() => limits);
    for (const now of [80 * dayMs, 80 * dayMs + 1, 95 * dayMs, 95 * dayMs + 1, 96 * dayMs])
      await sweep.step(counted, now);
    assert.equal(writes, 1);
  });
});
