import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { newestChanges } from '../../src/store/newest-changes.ts';
import { removeRecords } from '../../src/store/remove-records.ts';
import type { Store } from '../../src/store/store.ts';
import { begin, item, step, temporaryStore, track } from './fixture.ts';

async function see(store: Store, target: number, at: number, ...keys: readonly string[]): Promise<void> {
  const drafts = keys.map((key) => item(key, { at, ...(at % 2 === 0 && { even: at }) }));
  await commitStep(store, await begin(store, target), step(at, drafts, {}));
}

describe('the changes of targets', () => {
  test('come by the instant of the observation, in slices that fit together, whatever was committed first', async (t) => {
    const { store } = await temporaryStore(t);
    const [one = 0, other = 0] = await track(store, 'lamp', 'https://shop.test/1', 'https://shop.test/2');
    for (const at of [10, 30, 50]) await see(store, one, at, 'a', 'b');
    for (const at of [20, 40]) await see(store, other, at, 'c', 'd', 'e');
    await removeRecords(store, [store.records.get('shop', 'item', 'c')?.record ?? 0]);
    const { changes: all } = await newestChanges(store, [one, other], { limit: 100 });
    assert.deepEqual(
      all.map(({ at, key }) => `${at} ${key}`),
      ['50 b', '50 a', '40 e', '40 d', '40 c', '30 b', '30 a', '20 e', '20 d', '20 c', '10 b', '10 a'],
    );
    const found = [];
    let before: Awaited<ReturnType<typeof newestChanges>>['next'];
    do {
      const slice = await newestChanges(store, [one, other], { limit: 5, before });
      found.push(...slice.changes);
      before = slice.next;
    } while (before !== undefined);
    assert.deepEqual(found, all);

    const keysOf = async (wanted: object): Promise<string> => {
      const { changes } = await newestChanges(store, [one, other], { limit: 100, ...wanted });
      return changes.map(({ at, key }) => `${at} ${key}`).join(', ');
    };
    assert.equal(await keysOf({ since: 40, before: 50 }), '40 e, 40 d, 40 c');
    assert.equal(await keysOf({ key: 'c' }), '40 c, 20 c');
    assert.equal(await keysOf({ key: 'a', field: 'even' }), '50 a, 30 a, 10 a');
    assert.equal(await keysOf({ type: 'nosuch' }), '');
  });

  test('are those that each target saw itself, where two see one record', async (t) => {
    const { store } = await temporaryStore(t);
    const [one = 0] = await track(store, 'lamp');
    const [other = 0] = await track(store, 'chair');
    await see(store, one, 10, 'a');
    await see(store, other, 20, 'a');
    const times = async (...targets: number[]) =>
      (await newestChanges(store, targets, { limit: 9 })).changes.map(({ at }) => at);
    assert.deepEqual([await times(one), await times(other), await times(one, other)], [[10], [20], [20, 10]]);
  });

  test('leave the event loop free while they are looked for', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const keys = Array.from({ length: 3_000 }, (_, index) => `${index}`);
    await see(store, target, 10, ...keys);
    let turns = 0;
    const looking = newestChanges(store, [target], { limit: 1_000 });
    const turn = (): void => {
      turns += 1;
      timer = setImmediate(turn);
    };
    let timer = setImmediate(turn);
    const { changes } = await looking;
    clearImmediate(timer);
    assert.deepEqual([changes.length, changes[0]?.key], [1_000, '2999']);
    assert.ok(turns >= 3, `the loop turned ${turns} times`);
  });
});

describe('the history of one record', () => {
  test('is read from an instant on, up to another, of one field, from either end', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    for (const at of [10, 21, 30, 41, 50]) await see(store, target, at, 'a', 'b');
    const { record = 0 } = store.records.get('shop', 'item', 'a') ?? {};
    const at = (range: Parameters<Store['history']['ofRecord']>[1]) =>
      Array.from(store.history.ofRecord(record, range), (change) => change.at);
    assert.deepEqual(at({}), [10, 21, 30, 41, 50]);
    assert.deepEqual(at({ since: 21, before: 50 }), [21, 30, 41]);
    assert.deepEqual(at({ field: 'even', newestFirst: true }), [50, 30, 10]);
    assert.deepEqual(at({ newestFirst: true, limit: 2 }), [50, 41]);
    const [, second] = store.history.ofRecord(record);
    assert.deepEqual([at({ after: second }), at({ before: second })], [[30, 41, 50], [10]]);
  });
});
