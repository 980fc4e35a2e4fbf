import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Value } from '../../src/extract/value/value.ts';
import { isEmptyValue, isJump, isMostMissing, isNearlyAll, type Jump } from '../../src/health/guard.ts';

const euros = (amount: string, currency = 'EUR') => ({ amount, currency });

describe('a jump', () => {
  const cases: readonly (readonly [Jump, Value, Value, boolean])[] = [
    [{ part: 0.8 }, 100, 181, true],
    [{ part: 0.8 }, 100, 180, false],
    [{ part: 0.8 }, 100, 19, true],
    [{ part: 0.8 }, 100, 20, false],
    [{ part: 0.8 }, -100, 20, true],
    [{ part: 3 }, 100, 1, false],
    [{ factor: 5 }, 100, 501, true],
    [{ factor: 5 }, 100, 500, false],
    [{ factor: 5 }, 100, 19, true],
    [{ factor: 5 }, 100, 0, true],
    [{ factor: 5 }, 100, -100, true],
    [{ factor: 5 }, 0, 1_000, false],
    [{ factor: 5 }, 100, null, false],
    [{ factor: 5 }, null, 100, false],
    [{ factor: 5 }, euros('10.00'), euros('51.00'), true],
    [{ factor: 5 }, euros('10.00'), euros('11.00'), false],
    [{ factor: 5 }, euros('10.00'), euros('10.00', 'USD'), true],
    [{ factor: 5 }, { amount: 10, unit: 'g' }, { amount: 10, unit: 'kg' }, true],
  ];
  for (const [jump, before, after, expected] of cases)
    test(`${JSON.stringify(jump)} ${expected ? 'is' : 'is not'} ${JSON.stringify(before)} to ${JSON.stringify(after)}`, () =>
      assert.equal(isJump(jump, before, after), expected));
});

test('null, zero, an amount of zero and what has nothing in it are empty, and no other values are', () => {
  const empty: readonly Value[] = [null, 0, '', [], {}, euros('0.00'), { amount: 0, unit: 'g' }];
  const full: readonly Value[] = [false, 1, '0', ' ', [null], { a: null }, euros('0.01')];
  assert.deepEqual([...empty, ...full].map(isEmptyValue), [...empty.map(() => true), ...full.map(() => false)]);
});

test('nearly all are nine of ten and five at least; most are more than half of ten', () => {
  assert.deepEqual(
    [isNearlyAll(4, 4), isNearlyAll(5, 5), isNearlyAll(5, 6), isNearlyAll(9, 10), isNearlyAll(8, 9)],
    [false, true, false, true, false],
  );
  assert.deepEqual([isMostMissing(9, 9), isMostMissing(5, 10), isMostMissing(6, 10)], [false, false, true]);
});
