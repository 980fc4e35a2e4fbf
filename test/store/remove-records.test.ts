import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { removeRecords } from '../../src/store/remove-records.ts';
import type { Store } from '../../src/store/store.ts';
import { begin, item, step, temporaryStore, told, track } from './fixture.ts';

/** A target of which a scrape has seen items under these keys, and its page. */
async function seen(store: Store, ...keys: readonly string[]): Promise<number> {
  const [target = 0] = await track(store, 'lamp');
  await see(store, target, ...keys);
  return target;
}

async function see(store: Store, target: number, ...keys: readonly string[]): Promise<void> {
  const drafts = keys.map((key) => item(key, { price: 1 }));
  const page = { url: 'https://shop.test/', version: 'v1', etag: '"1"' };
  await commitStep(store, await begin(store, target), { ...step(10, drafts, {}), page });
}

function numberOf(store: Store, key: string): number {
  return store.records.get('shop', 'item', key)?.record ?? 0;
}

function keysOf(store: Store, target: number): string[] {
  return [...store.records.ofTarget(target)].map(({ key }) => key);
}

describe('a record that is removed', () => {
  test('is in no list any more, its history stays, and an event tells', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await seen(store, 'a', 'b');
    const before = store.events.last();
    const removed = await removeRecords(store, [numberOf(store, 'a')]);
    assert.deepEqual(
      removed.map(({ key }) => key),
      ['a'],
    );
    assert.equal(store.records.get('shop', 'item', 'a'), undefined);
    assert.deepEqual([keysOf(store, target), store.records.count(), [...store.records.rows()].length], [['b'], 1, 1]);
    assert.equal(store.records.countOfTarget(target, 9), 1);
    assert.equal(store.history.count(), 2);
    const [event] = [...store.events.rows({ after: before })];
    assert.deepEqual([event?.type, event?.target, event?.data], ['record.removed', target, { type: 'item', key: 'a' }]);
  });

  for (const last of ['a', 'b'])
    test(`is a new one when it is seen again, under a number of its own (${last})`, async (t) => {
      const { store } = await temporaryStore(t);
      const target = await seen(store, 'a', 'b');
      const { record = 0, id } = store.records.get('shop', 'item', last) ?? {};
      await removeRecords(store, [record]);
      const before = store.events.last();
      await see(store, target, 'a', 'b');
      assert.ok(told(store, before).includes('record.added'));
      const again = store.records.get('shop', 'item', last);
      assert.ok(again !== undefined && again.record > 2 && again.id !== id);
      assert.deepEqual(keysOf(store, target).toSorted(), ['a', 'b']);
    });

  test('is asked for anew: its page is no copy any more', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await seen(store, 'a', 'b');
    assert.equal(store.pages.get(target, 'https://shop.test/')?.etag, '"1"');
    await removeRecords(store, [numberOf(store, 'a')]);
    const page = store.pages.get(target, 'https://shop.test/');
    assert.deepEqual([page?.etag, page?.records], [undefined, [numberOf(store, 'b')]]);
    await removeRecords(store, [numberOf(store, 'b')]);
    assert.equal(store.pages.get(target, 'https://shop.test/'), undefined);
  });

  test('is removed only if it is still to be when its turn comes, however many there are', async (t) => {
    const { store } = await temporaryStore(t);
    const keys = Array.from({ length: 600 }, (_, index) => `${index}`);
    const target = await seen(store, ...keys);
    const numbers = keys.map((key) => numberOf(store, key));
    const removed = await removeRecords(store, [...numbers, 9_999], ({ key }) => key !== '7');
    assert.deepEqual([removed.length, keysOf(store, target)], [599, ['7']]);
  });
});
