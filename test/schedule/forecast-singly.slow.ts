import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { forecast } from '../../src/schedule/forecast.ts';
import { at, hostsOf, singly } from './forecast-singly.ts';

const isNear = (told: number, real: number, part: number): boolean => Math.abs(told - real) <= part * real;

test('a forecast of 10,000 targets has daily sums within 2 %, peak and wait within 10 % of walking every target singly', () => {
  fc.assert(
    fc.property(hostsOf(10_000), fc.integer({ min: 1, max: 4 }), (hosts, days) => {
      const { requests, bytes, peak, busiest } = forecast(hosts, { at, days });
      const real = singly(hosts, days);
      for (const [day, made] of real.requests.entries())
        assert.ok(
          isNear(requests[day] ?? 0, made, 0.02),
          `day ${day}: told ${requests.join(' ')}, made ${real.requests.join(' ')}`,
        );
      assert.ok(isNear(bytes, real.bytes, 0.02), `bytes: told ${bytes}, made ${real.bytes}`);
      assert.ok(isNear(peak.requests, real.peak, 0.1), `peak: told ${peak.requests}, made ${real.peak}`);
      const waitMs = Math.max(...busiest.map(({ longestWaitMs }) => longestWaitMs));
      assert.ok(isNear(waitMs, real.longestWaitMs, 0.1), `wait: told ${waitMs}, real ${real.longestWaitMs}`);
    }),
    { numRuns: Number(process.env['RUNS'] ?? 20), endOnFailure: true },
  );
});
