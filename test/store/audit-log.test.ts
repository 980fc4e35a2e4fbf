import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { AuditLog } from '../../src/store/audit-log.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryStore } from './fixture.ts';

const dayMs = 86_400_000;

/** An audit log over a store, by whose clock it goes. */
async function openLog(t: TestContext) {
  const { store, clock } = await temporaryStore(t);
  const failures: unknown[] = [];
  let isFull = false;
  const log = new AuditLog({
    store() {
      if (isFull) throw new Error('no room');
      return store;
    },
    monotonic: () => clock.now,
    failed: (error) => failures.push(error),
  });
  return { clock, store, log, failures, fill: (full: boolean) => (isFull = full) };
}

async function rowsOf(store: Store, list: 'changes' | 'denied') {
  // What was noted before is in an earlier change.
  await store.write(() => undefined);
  return Array.from(store.audit[list](), ({ row }) => row);
}

describe('the audit log', () => {
  test('keeps changes and denied calls, each with when it was', async (t) => {
    const { store, log, clock } = await openLog(t);
    log.note({ who: 'local', method: 'project.archive', subject: 'solar', outcome: 'done' });
    const [change] = await rowsOf(store, 'changes');
    assert.equal(change?.subject, 'solar');
    clock.now += 5;
    const { now } = clock;
    log.note({ from: '127.0.0.1', outcome: 'denied', code: 'unauthorized' });
    assert.deepEqual(await rowsOf(store, 'denied'), [
      { at: now, from: '127.0.0.1', outcome: 'denied', code: 'unauthorized' },
    ]);
  });

  test('keeps what happens in one millisecond in its order, and follows a clock that is set back', async (t) => {
    const { store, log, clock } = await openLog(t);
    const { now } = clock;
    log.note({ method: 'a', outcome: 'done' });
    log.note({ method: 'b', outcome: 'done' });
    log.note({ method: 'c', outcome: 'denied', code: 'forbidden' });
    log.note({ method: 'd', outcome: 'done' });
    const rows = async () => [...(await rowsOf(store, 'changes')), ...(await rowsOf(store, 'denied'))];
    assert.deepEqual(
      (await rows()).toSorted((one, other) => one.at - other.at).map(({ method, at }) => [method, at - now]),
      [
        ['a', 0],
        ['b', 0],
        ['c', 1],
        ['d', 2],
      ],
    );
    clock.now -= 3_600_000;
    log.note({ method: 'e', outcome: 'done' });
    assert.equal((await rowsOf(store, 'changes')).at(-1)?.at, now - 3_600_000);
  });

  test('counts denied calls beyond a burst, and tells their number with the next one', async (t) => {
    const { store, log, clock } = await openLog(t);
    for (let calls = 0; calls < 1_000; calls += 1) log.note({ outcome: 'denied', code: 'forbidden' });
    assert.equal((await rowsOf(store, 'denied')).length, 60);
    log.note({ who: 'local', outcome: 'done' });
    clock.now += 6_000;
    log.note({ outcome: 'denied', code: 'forbidden' });
    const denied = await rowsOf(store, 'denied');
    assert.deepEqual([denied.length, denied.at(-1)?.unlogged], [61, 940]);
    assert.deepEqual(
      (await rowsOf(store, 'changes')).map(({ unlogged }) => unlogged),
      [undefined],
    );
  });

  test('keeps what known callers were denied, however many unknown ones there are', async (t) => {
    const { store, log } = await openLog(t);
    const kept = Array.from({ length: 100 }, () => log.note({ outcome: 'denied', code: 'unauthorized' }));
    assert.equal(kept.filter(Boolean).length, 60);
    assert.equal(log.note({ who: 'token', outcome: 'denied', code: 'forbidden' }), true);
    const denied = await rowsOf(store, 'denied');
    assert.deepEqual([denied.at(-1)?.who, denied.at(-1)?.unlogged], ['token', undefined]);
  });

  test('keeps the newest 10,000 denied calls, which drive out no change', async (t) => {
    const { store } = await openLog(t);
    await store.write(({ at }) => {
      store.audit.add({ at, outcome: 'done' });
      for (let calls = 0; calls < 10_005; calls += 1) store.audit.add({ at, outcome: 'denied', subject: `${calls}` });
    });
    const denied = await rowsOf(store, 'denied');
    assert.deepEqual([denied.length, denied[0]?.subject], [10_000, '5']);
    assert.equal((await rowsOf(store, 'changes')).length, 1);
  });

  test('forgets what is older than 400 days as more comes', async (t) => {
    const { store, log, clock } = await openLog(t);
    log.note({ outcome: 'done', subject: 'old' });
    await rowsOf(store, 'changes');
    clock.now += 401 * dayMs;
    log.note({ outcome: 'done', subject: 'new' });
    assert.deepEqual(
      (await rowsOf(store, 'changes')).map(({ subject }) => subject),
      ['new'],
    );
  });

  test('says once that it cannot be written, and goes on when it can', async (t) => {
    const { store, log, failures, fill } = await openLog(t);
    fill(true);
    for (let times = 0; times < 3; times += 1) log.note({ outcome: 'done' });
    await rowsOf(store, 'changes');
    assert.equal(failures.length, 1);
    fill(false);
    log.note({ outcome: 'done' });
    assert.equal((await rowsOf(store, 'changes')).length, 1);
  });
});
