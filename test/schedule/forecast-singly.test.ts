import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { forecast } from '../../src/schedule/forecast.ts';
import { at, hostsOf, singly } from './forecast-singly.ts';

describe('a forecast against walking every target singly', () => {
  test('keeps and breaks the same objectives by the same time, for 50 targets', () => {
    fc.assert(
      fc.property(hostsOf(50), fc.integer({ min: 1, max: 8 }), (hosts, days) => {
        const { requests, bytes, objectives } = forecast(hosts, { at, days });
        const real = singly(hosts, days);
        assert.deepEqual(
          { requests, bytes, objectives },
          { requests: real.requests, bytes: real.bytes, objectives: real.objectives },
        );
      }),
      { numRuns: Number(process.env['RUNS'] ?? 40) },
    );
  });
});
