import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noValues, sumOfTops, topShare, topValues } from '../../src/health/top-values.ts';

const times = (value: number, count: number): number[] => Array.from({ length: count }, () => value);
const apart = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1_000);

test('the share of a frequent value is right to a ninth of the others', () => {
  const top = topValues([...apart(50), ...times(7, 80), ...apart(50)]);
  const share = topShare(top);
  assert.ok(share <= 80 / 180 && share >= (80 - 100 / 9) / 180, `${share}`);
});

test('few different values are counted exactly', () => {
  const top = topValues([...times(1, 5), ...times(2, 3), 3]);
  assert.deepEqual(top, { total: 9, values: [1, 2, 3], counts: [5, 3, 1] });
  assert.equal(topShare(noValues), 0);
});

test('the sum of many pages has eight values at most, and a frequent one among them', () => {
  const pages = Array.from({ length: 100 }, (_, page) =>
    topValues([...apart(10).map((each) => each * 31 + page), ...times(7, 10)]),
  );
  const sum = pages.reduce(sumOfTops, noValues);
  assert.equal(sum.total, 2_000);
  assert.ok(sum.values.length <= 8);
  assert.ok(topShare(sum) <= 0.5 && topShare(sum) > 0.43, `${topShare(sum)}`);
});
