import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { commitRecheck } from '../../src/store/recheck.ts';
import { reportTrouble } from '../../src/store/tickets.ts';
import { begin, item, step, temporaryStore, track } from './fixture.ts';

test('a re-check that finds a value that is held is repeated after pauses that grow, until it is believed', async (t) => {
  const { store } = await temporaryStore(t);
  const [target = 0] = await track(store, 'lamp');
  const guards = { missing: true, empty: true, fields: { item: { price: { jump: { factor: 5 } } } } };
  await commitStep(store, await begin(store, target), step(10, [item('a', { price: 1 })], {}));
  await store.write((change) => {
    // While something is unusual, no second look releases anything.
    reportTrouble(
      store,
      change,
      { source: 'shop', member: 7 },
      {
        at: change.at,
        symptoms: [{ kind: 'records', measure: 'records', observed: 0 }],
        projects: [],
      },
    );
  });
  const { record = 0, url = '' } = store.records.get('shop', 'item', 'a') ?? {};
  let observedAt = 1_000;
  const recheck = (price: number) =>
    commitRecheck(store, {
      ...{ source: 'shop', target, record, url, guards, observedAt: (observedAt += 1_000) },
      result: { kind: 'read', version: 'v1', drafts: [item('a', { price })], validators: { etag: 'x' } },
      retryAt: (times) => observedAt + times,
    });
  await recheck(99);
  await recheck(99);
  assert.deepEqual(
    [store.ages.missedOf(target, record)?.times, store.ages.missedOf(target, record)?.code],
    [2, 'unverified'],
  );
  // Asked whether it has changed, its page would say no.
  assert.equal(store.pages.get(target, url)?.etag, undefined);
  await recheck(2);
  assert.equal(store.records.get('shop', 'item', 'a')?.fields['price']?.value, 2);
  assert.equal(store.pages.get(target, url)?.etag, 'x');
});
