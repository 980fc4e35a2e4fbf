import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { VirtualClock } from '../../src/clock.ts';
import { forecast, forecastHosts, type ForecastTarget } from '../../src/schedule/forecast.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const clock = new VirtualClock(Date.parse('2026-11-23T00:00Z'));
const at = clock.now();
const host = { key: 'https://shop.test', delayMs: 1_000, concurrency: 1 };
const every = (everyMs: number, phaseMs: number, more: Partial<ForecastTarget> = {}): ForecastTarget => ({
  pace: { kind: 'interval', everyMs, nextAt: at + phaseMs },
  ...more,
});
const of = (targets: readonly ForecastTarget[], days = 1, pace = host) => {
  const [found = assert.fail()] = forecastHosts([{ ...pace, targets }], { at, days });
  return found;
};

describe('forecast', () => {
  test('tells requests by day, bytes and the fullest minute', () => {
    const targets = [
      every(4 * hourMs, 0, { requests: 2, bytes: 1_000 }),
      every(4 * hourMs, 0),
      every(12 * hourMs, hourMs),
    ];
    const found = of(targets, 2);
    assert.deepEqual(found.requests, [20, 20]);
    assert.equal(found.bytes, 12_000);
    assert.deepEqual(found.peak, { at, requests: 3 });
  });

  test('an interval that is overdue is asked for once at first', () => {
    assert.deepEqual(of([every(4 * hourMs, -dayMs - hourMs)], 1).requests, [7]);
  });

  test('what comes often, follows on itself or holds an objective comes evenly', () => {
    const targets: ForecastTarget[] = [
      every(10 * minuteMs, 0),
      { pace: { kind: 'continuous', sleepMs: hourMs - minuteMs, tookMs: minuteMs } },
      { pace: { kind: 'objective', objectiveMs: 2 * hourMs, leadMs: hourMs } },
    ];
    assert.deepEqual(of(targets).requests, [144 + 24 + 24]);
  });

  test('a cron pattern is followed by the clocks of its zone', () => {
    const weekly = { kind: 'cron', pattern: '0 6 * * 1', zone: 'Europe/Berlin' } as const;
    const found = of([{ pace: weekly }], 8);
    assert.deepEqual(found.requests, [1, 0, 0, 0, 0, 0, 0, 1]);
    assert.equal(found.peak.at, at + 5 * hourMs);
  });

  test('tokens are spent day by day', () => {
    const pace = { kind: 'tokens', bucket: { tokens: 0, day: 0 }, priority: 1.75 } as const;
    assert.deepEqual(of([{ pace }], 8).requests, [1, 2, 2, 2, 1, 2, 2, 2]);
  });

  test('objectives are kept or not, and by how much', () => {
    const targets = [
      every(4 * hourMs, 0, { objectiveMs: 5 * hourMs }),
      every(4 * hourMs, hourMs, { objectiveMs: 3 * hourMs }),
    ];
    assert.deepEqual(of(targets).objectives, { kept: 1, broken: 1, worstByMs: hourMs });
  });

  test('a host that is asked for more than it allows makes its targets wait', () => {
    const slow = { ...host, delayMs: minuteMs };
    const targets = Array.from({ length: 100 }, () => every(dayMs, 0, { objectiveMs: dayMs + hourMs }));
    const found = of(targets, 1, slow);
    assert.equal(found.longestWaitMs, 99 * minuteMs);
    assert.deepEqual(found.objectives, { kept: 0, broken: 100, worstByMs: 39 * minuteMs });
    const load = of(
      Array.from({ length: 2_880 }, (_, k) => every(dayMs, k * 30_000)),
      1,
      slow,
    ).load;
    assert.equal(load, 2);
  });

  test('what is closed is asked when it opens, and is as old by then', () => {
    const hours = [{ days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 360, toMinute: 480, zone: 'UTC' }];
    const found = of([every(12 * hourMs, 0, { hours, objectiveMs: dayMs })], 2);
    assert.deepEqual(found.requests, [1, 2]);
    assert.equal(found.objectives.broken, 1);
  });

  test('all hosts together are their sum, and the busiest are told first', () => {
    const hosts = Array.from({ length: 30 }, (_, index) => ({
      ...host,
      key: `host-${index}`,
      targets: Array.from({ length: index + 1 }, (__, k) =>
        every(4 * hourMs, k * minuteMs, { objectiveMs: 4 * hourMs }),
      ),
    }));
    const found = forecast(hosts, { at, days: 1 }, 3);
    assert.deepEqual([found.hosts, found.targets, found.requests], [30, 465, [465 * 6]]);
    assert.deepEqual(
      found.busiest.map(({ key }) => key),
      ['host-29', 'host-28', 'host-27'],
    );
    assert.deepEqual(found.peak, { at, requests: 30 });
    assert.deepEqual(found.objectives, { kept: 465, broken: 0, worstByMs: 0 });
  });

  test('requests of intervals are as many as there are turns', () => {
    const target = fc.record({
      everyMs: fc.integer({ min: hourMs, max: 3 * dayMs }),
      phase: fc.double({ min: 0, max: 0.999, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(target, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 5 }), (given, days) => {
        const targets = given.map(({ everyMs, phase }) => every(everyMs, Math.floor(phase * everyMs)));
        const exact = given.reduce(
          (sum, { everyMs, phase }) =>
            sum + Math.max(0, Math.ceil((days * dayMs - Math.floor(phase * everyMs)) / everyMs)),
          0,
        );
        assert.equal(
          of(targets, days).requests.reduce((a, b) => a + b, 0),
          exact,
        );
      }),
    );
  });
});
