import assert from 'node:assert/strict';
import { test } from 'node:test';
import { studentT } from '../../src/health/student-t.ts';

/** Two-sided quantiles as tables of the distribution print them. */
const tabled: readonly (readonly [chance: number, freedom: number, quantile: number])[] = [
  [0.05, 1, 12.706],
  [0.05, 2, 4.303],
  [0.05, 9, 2.262],
  [0.01, 4, 4.604],
  [0.01, 10, 3.169],
  [0.001, 4, 8.61],
  [0.001, 9, 4.781],
  [0.001, 30, 3.646],
];

test('quantiles are those of printed tables, but for the rounding of the chance', () => {
  for (const [chance, freedom, quantile] of tabled) {
    const off = studentT(chance, freedom) / quantile;
    assert.ok(off > 0.93 && off < 1.07, `${chance} ${freedom}: ${off}`);
  }
});

test('limits grow as the chance becomes less, and shrink with more values', () => {
  const grows = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7].map((chance) => studentT(chance, 9));
  const shrinks = [4, 5, 9, 17, 35].map((freedom) => studentT(4e-5, freedom));
  assert.deepEqual(
    grows,
    grows.toSorted((one, other) => one - other),
  );
  assert.deepEqual(
    shrinks,
    shrinks.toSorted((one, other) => other - one),
  );
  assert.ok(
    Math.abs(studentT(4e-5, 1_000) - 4.3) < 0.2,
    'that of many values is nearly that of the normal distribution',
  );
});
