import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { importHistory, type PastRecord } from '../../src/store/import-history.ts';
import { begin, item, step, temporaryStore, told, track } from './fixture.ts';

const url = 'https://shop.test/lamp';

function past(...texts: readonly (readonly [at: number, text: string])[]): PastRecord {
  return {
    source: 'shop',
    url,
    type: 'item',
    key: 'a',
    versions: texts.map(([at, text]) => ({ at, fields: { text } })),
  };
}

describe('a history that is imported', () => {
  test('has each change at its instant, and one event tells of it', async (t) => {
    const { store } = await temporaryStore(t);
    const found = await importHistory(store, past([20, 'two'], [10, 'one'], [30, 'two'], [40, 'three']));
    assert.deepEqual(found, { changes: 3, same: 1, skipped: 0 });
    const record = store.records.get('shop', 'item', 'a');
    assert.deepEqual(
      [...store.history.ofRecord(record?.record ?? 0)].map(({ at, kind, fields, scrape }) => [
        at,
        kind,
        fields,
        scrape,
      ]),
      [
        [10, 'added', { text: { new: 'one' } }, 0],
        [20, 'changed', { text: { old: 'one', new: 'two' } }, 0],
        [40, 'changed', { text: { old: 'two', new: 'three' } }, 0],
      ],
    );
    assert.deepEqual([record?.firstSeenAt, record?.updatedAt], [10, 40]);
    assert.deepEqual(told(store), ['history.imported']);
  });

  test('belongs to the target of a project that comes later, whose first scrape compares with the last of it', async (t) => {
    const { store } = await temporaryStore(t);
    await importHistory(store, past([10, 'one'], [20, 'two']));
    const [target = 0] = await track(store, 'lamp', url);
    assert.equal(store.targets.get(target)?.status, 'active');
    const before = store.events.last();
    await commitStep(store, await begin(store, target), step(500_000, [item('a', { text: 'three' })], {}));
    const [, change] = [...store.events.rows({ after: before })];
    assert.equal(change?.type, 'record.changed');
    assert.deepEqual(change.data.fields, { text: { old: 'two', new: 'three' } });
    assert.deepEqual(
      [...store.records.ofTarget(target)].map(({ record }) => [...store.history.ofRecord(record)].length),
      [3],
    );
  });

  test('goes on where it was interrupted, and changes nothing the second time', async (t) => {
    const { store } = await temporaryStore(t);
    await importHistory(store, past([10, 'one']));
    assert.deepEqual(await importHistory(store, past([10, 'one'], [20, 'two'])), {
      changes: 1,
      same: 0,
      skipped: 1,
    });
    const last = store.events.last();
    assert.deepEqual(await importHistory(store, past([10, 'one'], [20, 'two'])), {
      changes: 0,
      same: 0,
      skipped: 2,
    });
    assert.equal(store.events.last(), last);
  });

  test('is left out once a scrape has seen the record, and where it is of the future', async (t) => {
    const { store, clock } = await temporaryStore(t);
    assert.deepEqual(await importHistory(store, past([clock.now + 1, 'one'])), {
      changes: 0,
      same: 0,
      skipped: 1,
    });
    const [target = 0] = await track(store, 'lamp', url);
    await commitStep(store, await begin(store, target), step(100, [item('a', { text: 'now' })], {}));
    assert.deepEqual(await importHistory(store, past([10, 'one'], [200, 'two'])), {
      changes: 0,
      same: 0,
      skipped: 2,
    });
    assert.equal(store.history.count(), 1);
  });
});
