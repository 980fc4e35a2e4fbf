import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firstScale, type Load, nextScale, type Scale, type ScaleLimits } from '../../src/engine/scale.ts';

const pace = { lateMs: 2_000, addAfterMs: 10_000, removeAfterMs: 60_000, concurrency: 4 };
const stepMs = 1_000;

const anyLimits = fc
  .tuple(fc.nat(8), fc.nat(8))
  .map(([one, other]): ScaleLimits => ({ min: Math.min(one, other), max: Math.max(one, other) }));

const anyLoad = fc
  .record({ turns: fc.nat(100), oldestMs: fc.nat(10_000), workers: fc.nat(8), running: fc.nat(32) })
  .map(({ turns, oldestMs, workers, running }): Load => ({
    ...{ turns, oldestMs: turns === 0 ? undefined : oldestMs, workers },
    ...{ running: Math.min(running, 4 * workers), slots: 4 * workers },
  }));

const idle: Load = { turns: 0, oldestMs: undefined, workers: 3, running: 0, slots: 12 };
const late: Load = { turns: 5, oldestMs: 2_001, workers: 3, running: 12, slots: 12 };
const busy: Load = { ...late, oldestMs: 2_000 };

/** The numbers that are wanted after each look, one a second. */
function wantedAfter(first: number, limits: ScaleLimits, loads: readonly Load[]): number[] {
  let scale: Scale = firstScale(first, limits);
  return loads.map((load, index) => {
    scale = nextScale(scale, load, index * stepMs, { pace, limits });
    return scale.wanted;
  });
}

/** The same load at so many looks. */
function during(seconds: number, load: Load): Load[] {
  return Array.from({ length: seconds }, () => load);
}

describe('the number of worker processes that is wanted', () => {
  test('is within its limits, grows only where turns were late all the while, and shrinks by one only where one was spare all the while', () => {
    fc.assert(
      fc.property(anyLimits, fc.nat(10), fc.array(anyLoad, { maxLength: 200 }), (limits, first, loads) => {
        const wanted = wantedAfter(first, limits, loads);
        for (const [index, now] of wanted.entries()) {
          assert.ok(now >= limits.min && now <= limits.max);
          const before = wanted[index - 1] ?? firstScale(first, limits).wanted;
          const [addTicks, removeTicks] = [pace.addAfterMs / stepMs, pace.removeAfterMs / stepMs];
          const past = (ticks: number): readonly Load[] => loads.slice(index - ticks, index + 1);
          if (now > before) {
            assert.ok(index >= addTicks && past(addTicks).every(({ oldestMs = 0 }) => oldestMs > pace.lateMs));
            assert.ok(now <= Math.max(1, 2 * before));
          }
          if (now < before) {
            assert.equal(now, before - 1);
            assert.ok(index >= removeTicks && past(removeTicks).every(({ turns }) => turns === 0));
          }
        }
      }),
    );
  });

  test('comes to rest under any steady demand, with enough slots for it where the limits allow', () => {
    fc.assert(
      fc.property(anyLimits, fc.nat(40), fc.nat(8), (limits, demand, first) => {
        let scale = firstScale(first, limits);
        const seen: number[] = [];
        let waitsSince: number | undefined;
        for (let now = 0; now < 1_200_000; now += stepMs) {
          const slots = scale.wanted * pace.concurrency;
          const turns = Math.max(0, demand - slots);
          waitsSince = turns === 0 ? undefined : (waitsSince ?? now);
          const oldestMs = waitsSince === undefined ? undefined : now - waitsSince;
          const load = { turns, oldestMs, workers: scale.wanted, running: Math.min(demand, slots), slots };
          scale = nextScale(scale, load, now, { pace, limits });
          seen.push(scale.wanted);
        }
        assert.equal(new Set(seen.slice(-300)).size, 1, 'it does not go up and down');
        assert.ok(scale.wanted * pace.concurrency >= demand || scale.wanted === limits.max);
      }),
    );
  });

  test('grows with a backlog that stays late, by what waits, and no sooner', () => {
    const limits = { min: 1, max: 9 };
    const wanted = wantedAfter(2, limits, during(21, late));
    assert.deepEqual([wanted[9], wanted[10], wanted[19], wanted[20]], [2, 4, 4, 6]);
    assert.deepEqual(new Set(wantedAfter(2, limits, [...during(10, late), busy, ...during(10, late)])), new Set([2]));
  });

  test('shrinks one by one to its minimum while nothing is to be done, and not while the others would be full', () => {
    const limits = { min: 1, max: 9 };
    const wanted = wantedAfter(3, limits, during(200, idle));
    assert.deepEqual([wanted[59], wanted[60], wanted[119], wanted[120], wanted[199]], [3, 2, 2, 1, 1]);
    assert.deepEqual(new Set(wantedAfter(3, limits, during(200, { ...idle, running: 6 }))), new Set([3]));
  });

  test('begins with none where none is the minimum, and comes back to none', () => {
    const limits = { min: 0, max: 2 };
    const first: Load = { turns: 9, oldestMs: 60_000, workers: 0, running: 0, slots: 0 };
    const alone: Load = { turns: 0, oldestMs: undefined, workers: 1, running: 0, slots: 4 };
    const wanted = wantedAfter(0, limits, [...during(11, first), ...during(61, alone)]);
    assert.deepEqual([wanted[9], wanted[10], wanted[70], wanted[71]], [0, 1, 1, 0]);
  });

  test('follows limits that are changed at once', () => {
    const scale = firstScale(3, { min: 1, max: 4 });
    assert.equal(nextScale(scale, busy, 0, { pace, limits: { min: 5, max: 8 } }).wanted, 5);
    assert.equal(nextScale(scale, busy, 0, { pace, limits: { min: 0, max: 2 } }).wanted, 2);
  });
});
