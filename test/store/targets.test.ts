import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import type { Store } from '../../src/store/store.ts';
import { parkTarget, recordCrash, releaseTarget } from '../../src/store/targets.ts';
import { begin, step, temporaryStore, told, track } from './fixture.ts';

async function crash(store: Store, target: number): Promise<boolean> {
  const result = await recordCrash(store, target, 'boom');
  return result.ok && result.parks;
}

describe('a target that crashes', () => {
  test('parks at the fourth crash within five seconds, also when steps were committed (B29)', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const parks: boolean[] = [];
    for (const later of [0, 1_600, 1_600, 1_600]) {
      clock.now += later;
      await commitStep(store, await begin(store, target), step(50, []));
      parks.push(await crash(store, target));
    }
    assert.deepEqual(parks, [false, false, false, true]);
    await crash(store, target);
    assert.equal(store.targets.get(target)?.crashes.recent.length, 4);
  });

  test('does not park when its fourth crash comes five seconds after the first, with steps committed', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    for (const later of [0, 1_700, 1_700, 1_700, 1_700, 1_700]) {
      clock.now += later;
      await commitStep(store, await begin(store, target), step(50, []));
      assert.equal(await crash(store, target), false);
    }
  });

  test('parks at the fourth crash in a row without a committed step, however slowly they come', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const parks: boolean[] = [];
    for (let crashes = 0; crashes < 4; crashes += 1) {
      clock.now += 3_600_000;
      parks.push(await crash(store, target));
    }
    assert.deepEqual(parks, [false, false, false, true]);
  });

  test('keeps when it is due, so that it is tried again at once (B28)', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const before = store.schedule.get(target);
    await begin(store, target);
    await crash(store, target);
    assert.deepEqual(store.schedule.get(target), before);
    assert.deepEqual(store.targets.get(target)?.crashes, { recent: [1_000_000], inRow: 1, total: 1, last: 'boom' });
    assert.deepEqual(told(store).slice(-2), ['scrape.failed', 'target.crashed']);
  });
});

describe('a target that is parked', () => {
  test('shows why and until when, and is not scheduled (B30)', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    assert.deepEqual(await parkTarget(store, target, 'boom', 9e9), { ok: true });
    const row = store.targets.get(target);
    assert.deepEqual([row?.status, row?.parked], ['parked', { at: clock.now, reason: 'boom', retryAt: 9e9, times: 1 }]);
    assert.equal(store.schedule.get(target)?.dueAt, undefined);
    assert.deepEqual([...store.schedule.byDue()], []);
    assert.equal(told(store).filter((type) => type === 'target.parked').length, 1);
  });

  test('leaves the other targets of its project alone', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0, other = 0] = await track(store, 'lamp', 'https://shop.test/1', 'https://shop.test/2');
    await parkTarget(store, target, 'boom', 9e9);
    assert.equal((await begin(store, other)).target, other);
  });

  test('begins anew when it is released, with no crashes in a row (B31)', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    for (let crashes = 0; crashes < 4; crashes += 1) await crash(store, target);
    await parkTarget(store, target, 'boom', 9e9);
    clock.now += 10;
    await releaseTarget(store, target);
    assert.deepEqual(
      [store.targets.get(target)?.status, store.schedule.get(target)?.dueAt],
      ['active', clock.now + 1_000],
    );
    assert.equal(await crash(store, target), false);
  });

  test('counts how often it was parked until a step commits', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    for (const times of [1, 2]) {
      await parkTarget(store, target, 'boom', 9e9);
      assert.equal(store.targets.get(target)?.parked?.times, times);
      await releaseTarget(store, target);
    }
    await commitStep(store, await begin(store, target), step(50, []));
    assert.equal(store.targets.get(target)?.parked, undefined);
    await parkTarget(store, target, 'boom', 9e9);
    assert.equal(store.targets.get(target)?.parked?.times, 1);
  });

  test('is left as it is when it is parked again, and an active one when it is released', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await parkTarget(store, target, 'boom', 9e9);
    await parkTarget(store, target, 'again', 1);
    assert.equal(store.targets.get(target)?.parked?.reason, 'boom');
    await releaseTarget(store, target);
    const { epoch } = store.targets.get(target) ?? {};
    await releaseTarget(store, target);
    assert.equal(store.targets.get(target)?.epoch, epoch);
  });

  test('is not found when it is unknown', async (t) => {
    const { store } = await temporaryStore(t);
    const results = await Promise.all([
      parkTarget(store, 9, 'boom', 1),
      releaseTarget(store, 9),
      recordCrash(store, 9, 'boom'),
    ]);
    assert.deepEqual(
      results,
      [1, 2, 3].map(() => ({ ok: false, why: 'not_found' })),
    );
  });
});
