import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { nextOnGrid, slotFraction } from '../../../src/schedule/time/grid.ts';

describe('grid', () => {
  test('slots halve the largest gap in turn', () => {
    assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 7].map(slotFraction), [0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875]);
  });

  test('no two of the first n slots are closer than 1/(2n) of the interval, around its end too (B40)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 3_000 }), (n) => {
        const fractions = Array.from({ length: n }, (_, slot) => slotFraction(slot)).sort((a, b) => a - b);
        const gaps = fractions.map((fraction, index) => (fractions[index + 1] ?? 1 + (fractions[0] ?? 0)) - fraction);
        assert.ok(Math.min(...gaps) >= 1 / (2 * n));
      }),
      { numRuns: 50 },
    );
  });

  test('the next instant is later than the one given, by the interval at most, and on the grid', () => {
    fc.assert(
      fc.property(
        fc.record({
          originAt: fc.integer({ min: 0, max: 2 ** 41 }),
          everyMs: fc.integer({ min: 1, max: 2 ** 31 }),
          phaseMs: fc.nat(2 ** 20),
        }),
        fc.integer({ min: 0, max: 2 ** 41 }),
        (grid, at) => {
          const due = nextOnGrid(grid, at);
          assert.ok(due > at && due <= at + grid.everyMs);
          assert.ok(Number.isInteger((due - grid.originAt - grid.phaseMs) / grid.everyMs));
        },
      ),
    );
  });
});
