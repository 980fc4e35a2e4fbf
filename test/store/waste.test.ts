import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { commitRecheck } from '../../src/store/recheck.ts';
import type { StepOps } from '../../src/store/ops.ts';
import { addPulseWaste, tallyOf, trimWaste } from '../../src/store/waste.ts';
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
    await commitStep(store, await begin(store, target), {
      ...step(clock.now, [], { copy }),
      unmodified: 'target' as const,
    });
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

  test('leaves out what nobody was asked for', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    clock.now = 10 * day;
    const failure = { code: 'disallowed', message: 'robots.txt forbids it' };
    const ops = { ...step(clock.now, [], { status: 'failed', failure }), spent: { unasked: 1 } };
    await commitStep(store, await begin(store, target), ops);
    const { scrapes, requests } = tallyOf(store, target, clock.now, clock.now);
    assert.deepEqual([scrapes, requests], [1, 0]);
  });

  test('tells apart the scrapes that nobody answered, and their requests', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    clock.now = 10 * day;
    const scrape = async (code: string, bytes: number, spent: StepOps['spent'] = {}) => {
      const failure = { code, message: 'it failed' };
      const { log, ...ops } = step(clock.now, [], { status: 'failed', failure });
      await commitStep(store, await begin(store, target), { ...ops, log: { ...log, bytes }, spent });
    };
    await scrape('status', 100);
    await scrape('unreachable', 0);
    await scrape('disallowed', 0, { unasked: 1 });
    clock.now = 11 * day;
    await scrape('timeout', 0);
    const { scrapes, requests, unanswered } = tallyOf(store, target, 10 * day, clock.now);
    assert.deepEqual([scrapes, requests, unanswered], [4, 3, { scrapes: 3, requests: 2 }]);
  });

  test('has what pulses cost beside it, by target, and by source where one request asked for many', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    clock.now = 10 * day;
    const cost = { requests: 1, notModified: 1, bytes: 20, cpuMs: 0.5 };
    for (const _ of [1, 2])
      await addPulseWaste(
        store,
        'shop',
        new Map([
          [target, cost],
          [undefined, { ...cost, bytes: 70 }],
        ]),
      );
    await commitStep(store, await begin(store, target), step(clock.now, [], {}));
    const { requests, pulses } = tallyOf(store, target, clock.now, clock.now);
    assert.deepEqual([requests, pulses], [1, { requests: 2, notModified: 2, bytes: 40, cpuMs: 1 }]);
    assert.deepEqual(tallyOf(store, 'shop', clock.now, clock.now).pulses?.bytes, 140);
    assert.equal(tallyOf(store, 'other', clock.now, clock.now).pulses, undefined);
    clock.now = 50 * day;
    assert.equal(await trimWaste(store, clock.now), 2);
  });

  test('has what re-checks cost among it, written with what they found', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    clock.now = 10 * day;
    const before = store.environment.commitCounts().transactions;
    const cost = { requests: 1, bytes: 100, notModified: 1, cpuMs: 2 };
    const ops = { target, record: 7, url: 'https://shop.test/lamp', observedAt: clock.now, retryAt: () => clock.now };
    const result = { kind: 'failed', code: 'status', message: 'gone' } as const;
    await commitRecheck(store, { ...ops, source: 'shop', result, cost });
    assert.equal(store.environment.commitCounts().transactions, before + 1);
    // It was asked for even if nobody wants the answer any more.
    await commitRecheck(store, { ...ops, source: 'other', result, cost });
    const { pulses } = tallyOf(store, target, clock.now, clock.now);
    assert.deepEqual(pulses, { requests: 2, bytes: 200, notModified: 2, cpuMs: 4 });
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
