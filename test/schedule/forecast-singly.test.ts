import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { forecast } from '../../src/schedule/forecast.ts';
import { at, hostsOf, singly } from './forecast-singly.ts';
import { forecastTarget } from './forecast-target.ts';

const hourMs = 3_600_000;

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

  test('has the requests and the longest wait of each host, for thousands of targets that are scraped seldom and differ in their phase alone', () => {
    const recheckMs = 24 * hourMs;
    const targets = Array.from({ length: 3_000 }, (_, index) => {
      const [part, other] = [(index * 0.618_034) % 1, (index * index * 0.754_878) % 1];
      const everyMs = 33 * hourMs;
      const pace = { kind: 'interval', everyMs, nextAt: at + Math.floor(part * everyMs) } as const;
      const recheck = { afterMs: recheckMs, nextAt: at + Math.floor(other * recheckMs) };
      return forecastTarget({ pace, recheck, objectiveMs: 27 * hourMs }, at, 0);
    });
    const hosts = [targets.slice(0, 1_500), targets.slice(1_500)].map((own, place) => ({
      key: `host-${place}`,
      delayMs: 34_000,
      targets: own,
    }));
    const { busiest } = forecast(hosts, { at, days: 4 });
    for (const host of hosts) {
      const told = busiest.find(({ key }) => key === host.key);
      const { requests, peak, longestWaitMs } = singly([host], 4);
      assert.deepEqual(
        [told?.requests, told?.peak.requests, told?.longestWaitMs],
        [requests, peak, longestWaitMs],
        host.key,
      );
    }
  });
});
