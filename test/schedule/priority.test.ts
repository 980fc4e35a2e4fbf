import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { priorityOf, withResult } from '../../src/schedule/priority.ts';

const times = (count: number, found: number): number[] => Array.from({ length: count }, () => found);
const close = (actual: number, expected: number): void =>
  assert.ok(Math.abs(actual - expected) < 1e-5, `expected ${expected}, got ${actual}`);

/** What scrapes found, newest first, and the priority that follows. */
const worked: readonly (readonly [what: string, found: readonly number[], priority: number])[] = [
  ['nothing known (J1)', [], 1],
  ['[0] (J2)', [0], 0.07],
  ['[1] (J2)', [1], 1.75],
  ['[100] (J2)', [100], 1.75],
  ['[1,0] (J3)', [1, 0], 1.233077],
  ['[0,1] (J3)', [0, 1], 0.5869231],
  ['[1,0,0] (J4)', [1, 0, 0], 0.9968965],
  ['[0,1,0] (J4)', [0, 1, 0], 0.5913793],
  ['[0,0,1] (J4)', [0, 0, 1], 0.3017241],
  ['[0,0,3] (J5)', [0, 0, 3], 0.7651724],
  ['[0,0,50] (J5)', [0, 0, 50], 0.7651724],
  ['[0,0,2]', [0, 0, 2], 0.5334483],
  ['30 empty ones', times(30, 0), 0.07],
  ['1 before 29 empty ones (J6)', [1, ...times(29, 0)], 0.2250149],
  ['3 before 29 empty ones (J6)', [3, ...times(29, 0)], 0.5350446],
  ['50 before 29 empty ones', [50, ...times(29, 0)], 0.5350446],
  ['3 after 29 empty ones (J7)', [...times(29, 0), 3], 0.07193567],
  ['1 after 29 empty ones', [...times(29, 0), 1], 0.07064522],
  ['(1,0) 15 times (J8)', times(15, 0).flatMap(() => [1, 0]), 0.9499233],
  ['(0,1) 15 times (J8)', times(15, 0).flatMap(() => [0, 1]), 0.8700768],
  ['1 every seventh time', times(30, 0).map((_, i) => (i % 7 === 0 ? 1 : 0)), 0.3821267],
  ['15 empty ones before 15 of 1', [...times(15, 0), ...times(15, 1)], 0.3111522],
  ['15 of 1 before 15 empty ones', [...times(15, 1), ...times(15, 0)], 1.508848],
  ['5 empty ones before 25 of 1', [...times(5, 0), ...times(25, 1)], 1.070096],
  ...[0.5350446, 0.9705703, 1.377545, 1.75].map(
    (priority, i) =>
      [`${i + 1} of 3 before empty ones (J11)`, [...times(i + 1, 3), ...times(29 - i, 0)], priority] as const,
  ),
  ...(
    [
      [8, 1.75],
      [10, 1.671767],
      [12, 1.264792],
      [15, 0.7934566],
      [20, 0.3143783],
      [30, 0.07],
    ] as const
  ).map(([k, priority]) => [`${k} empty ones before 3s`, [...times(k, 0), ...times(30 - k, 3)], priority] as const),
];

describe('priority', () => {
  for (const [what, found, priority] of worked)
    test(`a target with the results ${what} has priority ${priority}`, () => close(priorityOf(found), priority));

  test('a result that lies 31 back has no influence (J9)', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10), { minLength: 30, maxLength: 30 }), fc.nat(10), (found, older) => {
        assert.equal(priorityOf([...found, older]), priorityOf(found));
      }),
    );
  });

  test('no history and no multiplier lead out of 0.07 to 1.75 (J10)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1_000), { maxLength: 40 }),
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        (found, by) => {
          const priority = priorityOf(found, by);
          assert.ok(priority >= 0.07 && priority <= 1.75);
        },
      ),
    );
  });

  test('more found never means less priority', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 30 }), fc.nat(29), (found, place) => {
        const more = found.map((each, i) => (i === place ? each + 1 : each));
        assert.ok(priorityOf(more) >= priorityOf(found));
      }),
    );
  });

  test('a scrape that failed says nothing of what there is to find (J13)', () => {
    const found = [1, 0, 2];
    assert.deepEqual(withResult(found, { ok: false, found: 0 }), found);
  });

  test('results made at any priority are one history of the newest 30 (J14)', () => {
    let found: readonly number[] = [];
    for (let i = 0; i < 40; i += 1) found = withResult(found, { ok: true, found: i });
    assert.deepEqual(
      found,
      Array.from({ length: 30 }, (_, i) => 39 - i),
    );
  });

  test('a multiplier of 2 doubles the priority before it is held within its bounds (J15)', () => {
    close(priorityOf([0, 0, 1], 2), 2 * 0.3017241);
    assert.equal(priorityOf([1, 0], 2), 1.75);
    assert.equal(priorityOf([0], 0.5), 0.07);
  });
});
