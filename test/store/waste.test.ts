import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { tallyOf, trimWaste } from '../../src/store/waste.ts';
import { begin, item, step, temporaryStore, track } from './fixture.ts';

const day = 86_400_000;

describe('what scrapes cost', () => {
  test('is summed by target and day, with what was for nothing new', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    clock.now = 10 * day;
    await commitStep(store, await begin(store, target), {
      ...step(clock.now, [item('a', { price: 1 })], {}),
      spent: { validated: 1, cpuMs: 2.5 },
    });
    await commitStep(store, await begin(store, target), {
      ...step(clock.now + 1, [item('a', { price: 1 })], {}),
      spent: { cpuMs: 2 },
    });
    clock.now = 11 * day;
    const copy = { url: 'https://shop.test/lamp', version: 'v1', observedAt: clock.now };
    await commitStep(store, await begin(store, target), { ...step(clock.now, [], { copy }), unmodified: true });
    const failure = { code: 'timeout', message: 'no answer' };
    await commitStep(store, await begin(store, target), step(clock.now, [], { status: 'failed', failure }));
    assert.deepEqual(tallyOf(store, target, 10 * day, clock.now), {
      scrapes: 4,
      unchanged: 2,
      requests: 4,
      notModified: 1,
      validated: 1,
      bytes: 400,
      unchangedBytes: 200,
      cpuMs: 4.5,
    });
    assert.equal(tallyOf(store, target, 11 * day, clock.now).scrapes, 2);
    assert.equal(tallyOf(store, target + 1, 0, clock.now).scrapes, 0);
  });

  test('is forgotten after a month', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    for (const days of [0, 20, 40]) {
      clock.now = (100 + days) * day;
      await commitStep(store, await begin(store, target), step(clock.now, [], {}));
    }
    assert.equal(store.waste.count(), 3);
    assert.equal(await trimWaste(store, clock.now), 1);
    assert.equal(await trimWaste(store, clock.now), 0);
    assert.equal(tallyOf(store, target, 0, clock.now).scrapes, 2);
  });
});
