import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { openEnvironment } from '../../src/store/lmdb/environment.ts';
import type { GridPlace } from '../../src/schedule/time/grid.ts';
import type { ScheduleRow } from '../../src/schedule/row.ts';
import { type ScheduleTable, scheduleTable } from '../../src/store/tables/schedule.ts';
import { hourMs, temporaryFolder } from './fixture.ts';

interface Scheduled {
  readonly schedule: ScheduleTable;
  readonly write: <T>(run: () => T) => Promise<T>;
}

function temporarySchedule(t: TestContext): Scheduled {
  const environment = openEnvironment({ path: temporaryFolder(t) });
  t.after(() => environment.close());
  return { schedule: scheduleTable(environment), write: (run) => environment.commit(run) };
}

function row(target: number, dueAt: number, grid: Partial<GridPlace> = {}): ScheduleRow {
  const place = { originAt: 500, everyMs: hourMs, slot: target - 1, phaseMs: 0, key: 'https://shop.test', ...grid };
  return { target, dueAt, since: 0, pace: { kind: 'interval', grid: place } };
}

const due = (schedule: ScheduleTable, before?: number): number[] =>
  [...schedule.byDue(before === undefined ? {} : { before })].map(({ target }) => target);

describe('the schedule', () => {
  test('gives rows by the instant at which they are due, also after that has changed', async (t) => {
    const { schedule, write } = temporarySchedule(t);
    await write(() => [row(1, 300), row(2, 100), row(3, 200)].forEach((each) => schedule.set(each)));
    assert.deepEqual(due(schedule), [2, 3, 1]);
    assert.deepEqual(due(schedule, 300), [2, 3]);
    await write(() => schedule.set(row(2, 400)));
    await write(() => schedule.remove(3));
    assert.deepEqual(due(schedule), [1, 2]);
  });

  test("counts a person's request from when it was made, until it is met", async (t) => {
    const { schedule, write } = temporarySchedule(t);
    await write(() => [row(1, 100), { ...row(2, 200), manualAt: 50 }].forEach((each) => schedule.set(each)));
    assert.deepEqual(due(schedule), [2, 1]);
    await write(() => schedule.set(row(2, 200)));
    assert.deepEqual(due(schedule), [1, 2]);
  });

  test('keeps where a grid begins from its first target on', async (t) => {
    const { schedule, write } = temporarySchedule(t);
    assert.equal(schedule.originOf('https://shop.test', hourMs), undefined);
    await write(() => schedule.set(row(1, 100)));
    await write(() => schedule.set(row(2, 100, { originAt: 900 })));
    await write(() => schedule.remove(1));
    assert.equal(schedule.originOf('https://shop.test', hourMs), 500);
  });
});

describe('the lowest free slot', () => {
  const free = (schedule: ScheduleTable, everyMs = hourMs): number => schedule.freeSlot('https://shop.test', everyMs);

  test('is the next one as long as none was given back', async (t) => {
    const { schedule, write } = temporarySchedule(t);
    assert.equal(free(schedule), 0);
    await write(() => [row(1, 1), row(2, 1)].forEach((each) => schedule.set(each)));
    assert.equal(free(schedule), 2);
    assert.equal(free(schedule, 60_000), 0);
    assert.equal(schedule.freeSlot('https://other.test', hourMs), 0);
  });

  test('is the lowest of those given back', async (t) => {
    const { schedule, write } = temporarySchedule(t);
    await write(() => [1, 2, 3, 4].forEach((target) => schedule.set(row(target, 1))));
    await write(() => [3, 2].forEach((target) => schedule.remove(target)));
    assert.equal(free(schedule), 1);
    await write(() => schedule.set(row(5, 1, { slot: 1 })));
    assert.equal(free(schedule), 2);
  });

  test('is given back by a target that moves to another grid, and kept by one that is only due later', async (t) => {
    const { schedule, write } = temporarySchedule(t);
    await write(() => [1, 2].forEach((target) => schedule.set(row(target, 1))));
    await write(() => schedule.set(row(1, 999)));
    assert.equal(free(schedule), 2);
    await write(() => schedule.set(row(1, 1, { everyMs: 60_000, slot: 0 })));
    assert.deepEqual([free(schedule), free(schedule, 60_000)], [0, 1]);
  });

  test('counts slots that were passed over', async (t) => {
    const { schedule, write } = temporarySchedule(t);
    await write(() => schedule.set(row(1, 1, { slot: 2 })));
    assert.equal(free(schedule), 0);
    await write(() => [0, 1].forEach((slot) => schedule.set(row(slot + 2, 1, { slot }))));
    assert.equal(free(schedule), 3);
  });

  test('costs the same among many as among few', async (t) => {
    const { schedule, write } = temporarySchedule(t);
    const fill = (from: number, to: number): Promise<void> =>
      write(() => {
        for (let target = from; target < to; target += 1) schedule.set(row(target, 1, { slot: free(schedule) }));
      });
    // CPU time of this thread: neither other programs nor collections of what other tests left count.
    const costOf = async (run: () => Promise<void>): Promise<number> => {
      const began = process.threadCpuUsage();
      await run();
      const { user, system } = process.threadCpuUsage(began);
      return user + system;
    };
    await fill(1, 2_000);
    const first = await costOf(() => fill(2_000, 4_000));
    await fill(4_000, 20_000);
    const last = await costOf(() => fill(20_000, 22_000));
    assert.equal(free(schedule), 21_999);
    // A walk over all slots would cost ten times as much and more.
    assert.ok(last < first * 4 + 50_000, `2,000 targets took ${first} µs at first, ${last} µs among 20,000`);
  });
});
