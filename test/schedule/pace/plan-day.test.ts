import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { dayWindow, planDay, type PlanTarget } from '../../../src/schedule/pace/plan-day.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const today = 20_000;
const target = (number: number, tokens: number, priority = 1): PlanTarget => ({
  target: number,
  bucket: { tokens: tokens - priority, day: today - 1 },
  priority,
});
const plan = (targets: readonly PlanTarget[], at = today * dayMs) =>
  planDay({ day: today, window: dayWindow('UTC', today, at), targets });

describe('plan of a day', () => {
  test('six targets of one key are evenly over the day (J31)', () => {
    const { turns } = plan([0, 1, 2, 3, 4, 5].map((number) => target(number, 1)));
    assert.deepEqual(
      turns.map(({ dueAt }) => dueAt - today * dayMs),
      [12_368_571, 24_707_143, 37_045_714, 49_384_286, 61_722_857, 74_061_429],
    );
  });

  test('repeats of a target are as far apart as can be (J35)', () => {
    const { turns } = plan([target(1, 3), target(2, 2)]);
    assert.deepEqual(
      turns.map((turn) => turn.target),
      [1, 2, 1, 2, 1],
    );
  });

  test('the same inputs give the same plan, in whatever order (J38)', () => {
    const targets = [3, 1, 2, 9, 4].map((number) => target(number, 1 + (number % 3)));
    assert.deepEqual(plan(targets.toReversed()).turns, plan(targets).turns);
  });

  test('what is pending is told with target and time, sorted by time (J39)', () => {
    const { turns } = plan(Array.from({ length: 100 }, (_, number) => target(number, 1 + (number % 3))));
    assert.deepEqual(
      turns,
      turns.toSorted((a, b) => a.dueAt - b.dueAt),
    );
    assert.equal(turns.length, 199);
  });

  test('a plan that is made in mid-day has all of it in what is left (J29)', () => {
    const at = today * dayMs + 15 * hourMs;
    const { turns } = plan([target(1, 3), target(2, 2)], at);
    assert.equal(turns.length, 5);
    assert.ok(turns.every(({ dueAt }) => dueAt > at && dueAt < (today + 1) * dayMs));
  });

  test('a second plan for the day is empty (J26)', () => {
    const first = plan([target(1, 2.5), target(2, 0.5)]);
    const again = plan(first.buckets.map(({ target: number, bucket }) => ({ target: number, bucket, priority: 1 })));
    assert.deepEqual(again, { turns: [], buckets: [] });
  });

  test('what is disabled or waits is not planned (J28, J58)', () => {
    const { turns, buckets } = plan([
      { ...target(1, 2), state: 'disabled' },
      { ...target(2, 2), state: 'waiting' },
    ]);
    assert.deepEqual(turns, []);
    assert.deepEqual(
      buckets.map(({ bucket }) => bucket.tokens),
      [1, 2],
    );
  });

  test('within hours, all of it is in them; a day without any costs no token (O43)', () => {
    const monday = Math.floor(Date.parse('2026-11-23T00:00Z') / dayMs);
    const hours = [{ days: [1], fromMinute: 360, toMinute: 480, zone: 'UTC' }];
    const given = { hours, targets: [{ target: 1, bucket: { tokens: 2, day: monday - 1 }, priority: 1 }] };
    const open = planDay({ ...given, day: monday, window: dayWindow('UTC', monday, monday * dayMs) });
    assert.deepEqual(
      open.turns.map(({ dueAt }) => dueAt / hourMs - monday * 24),
      [6.5, 7, 7.5],
    );
    const closed = planDay({ ...given, day: monday + 1, window: dayWindow('UTC', monday + 1, (monday + 1) * dayMs) });
    assert.deepEqual(closed, { turns: [], buckets: [{ target: 1, bucket: { tokens: 4, day: monday + 1 } }] });
  });

  test('a day of a zone is as long as its clocks make it', () => {
    const spring = Math.floor(Date.parse('2026-03-29T00:00Z') / dayMs);
    const { from, to } = dayWindow('Europe/Berlin', spring, 0);
    assert.equal(to - from, 23 * hourMs - 30_000);
  });

  test('turns are what the tokens pay for, evenly apart and within the window', () => {
    const targets = fc.array(fc.record({ tokens: fc.nat(400), priority: fc.integer({ min: 7, max: 175 }) }), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(targets, fc.nat(dayMs - 60_000), (given, offset) => {
        const all = given.map(({ tokens, priority }, number) => ({
          target: number,
          bucket: { tokens: tokens / 100, day: today - 1 },
          priority: priority / 100,
        }));
        const at = today * dayMs + offset;
        const { turns, buckets } = plan(all, at);
        for (const { target: number, bucket } of buckets) {
          const { bucket: before, priority } = all[number] ?? assert.fail();
          const scrapes = turns.filter((turn) => turn.target === number).length;
          assert.ok(Math.abs(Math.min(4, before.tokens + priority) - scrapes - bucket.tokens) < 1e-6);
          assert.ok(scrapes <= 3);
        }
        const gapMs = ((today + 1) * dayMs - at - 30_000) / (turns.length + 1);
        const instants = [at + 30_000, ...turns.map(({ dueAt }) => dueAt), (today + 1) * dayMs];
        for (const [index, instant] of instants.entries())
          if (index > 0) assert.ok(Math.abs(instant - (instants[index - 1] ?? 0) - gapMs) <= 1);
      }),
    );
  });
});
