import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changeLists } from '../../src/control/handlers/change-lists.ts';
import { commitStep } from '../../src/store/commit.ts';
import type { WantedChanges } from '../../src/store/newest-changes.ts';
import type { HistoryPlace } from '../../src/store/tables/history-packing.ts';
import { begin, forgetHistory, historyOf, item, step, temporaryStore, track } from '../store/fixture.ts';

/** A store with changes of 40 records, and a reader of lists that counts its searches: each looks at the records of the target. */
async function listed(t: Parameters<typeof temporaryStore>[0]) {
  const { store } = await temporaryStore(t);
  const [target = 0] = await track(store, 'lamp');
  const fence = await begin(store, target);
  const keys = Array.from({ length: 40 }, (_, index) => `${index}`);
  for (let at = 1; at <= 5; at += 1) await commitStep(store, { ...fence, step: at }, step(at, keys.map((key) => item(key, { at })))); // prettier-ignore
  let searches = 0;
  const records = {
    ...store.records,
    removedOfTarget: (...given: Parameters<typeof store.records.removedOfTarget>) => {
      searches += 1;
      return store.records.removedOfTarget(...given);
    },
  };
  const read = changeLists(() => ({ ...store, records }));
  return { store, target, all: historyOf(store, target), read, searches: () => searches };
}

describe('a list of changes that is read slice by slice', () => {
  test('is the same as the whole, with few searches, whatever is read beside it', async (t) => {
    const { target, all, read, searches } = await listed(t);
    const wanted: WantedChanges = { limit: 5 };
    const found = [];
    let place: HistoryPlace | undefined;
    do {
      const slice = await read([target], wanted, place);
      found.push(...slice.changes);
      place = slice.next;
    } while (place !== undefined);
    assert.deepEqual(found, all);
    assert.equal(searches(), 3, 'the first slice, those in between, and the last');
    const { next } = await read([target], { ...wanted, key: '7' }, undefined);
    assert.equal(next, undefined);
    assert.deepEqual((await read([target], { limit: 3 }, all[49])).changes, all.slice(50, 53));
  });

  test('leaves out what went meanwhile, and ends', async (t) => {
    const { store, target, read, all } = await listed(t);
    const { next: second } = await read([target], { limit: 5 }, undefined);
    const { next: third } = await read([target], { limit: 5 }, second);
    assert.equal(third?.serial, all[9]?.serial);
    await forgetHistory(store);
    let place: HistoryPlace | undefined = third;
    for (let slices = 0; place !== undefined && slices < 50; slices += 1) {
      const slice = await read([target], { limit: 5 }, place);
      assert.deepEqual(slice.changes, []);
      place = slice.next;
    }
    assert.equal(place, undefined);
  });
});
