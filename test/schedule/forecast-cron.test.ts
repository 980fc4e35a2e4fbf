import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forecast, forecastSteps } from '../../src/schedule/forecast.ts';
import { forecastTarget, type PlainTarget } from './forecast-target.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const at = Date.parse('2026-11-23T00:00Z');
const host = { key: 'https://shop.test', delayMs: 1_000 };
const rows = (targets: readonly PlainTarget[]) => targets.map((target, slot) => forecastTarget(target, at, slot));
const of = (targets: readonly PlainTarget[], days = 1) => {
  const {
    busiest: [found = assert.fail()],
  } = forecast([{ ...host, targets: rows(targets) }], { at, days });
  return found;
};

describe('a forecast of patterns', () => {
  test('a turn at the very begin is one of the day', () => {
    const tenMinutes = { kind: 'cron', pattern: '*/10 * * * *', zone: 'UTC' } as const;
    assert.deepEqual(of([{ pace: tenMinutes }], 2).requests, [144, 144]);
    assert.equal(of([{ pace: tenMinutes }]).peak.at, at);
  });

  test('targets of one pattern ask at each of its instants, each from its first scrape on, within their hours', () => {
    const pace = { kind: 'cron', pattern: '0 * * * *', zone: 'UTC' } as const;
    const hours = [{ days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 390, toMinute: 480, zone: 'UTC' }];
    const targets: PlainTarget[] = [
      { pace },
      { pace, requests: 2 },
      { pace, firstAt: at + 22.5 * hourMs },
      // What is due from midnight on is asked for at 6:30, and then at 7:00.
      { pace, hours },
    ];
    assert.deepEqual(of(targets, 2).requests, [24 + 48 + 2 + 2, 24 + 48 + 24 + 2]);
  });

  test('an objective that asks far more often than a pattern asks evenly between its turns', () => {
    const pace = { kind: 'cron', pattern: '0 6 * * *', zone: 'UTC' } as const;
    assert.deepEqual(of([{ pace, recheck: { afterMs: 7 * minuteMs } }], 2).requests, [206, 206]);
    const tokens = { kind: 'tokens', bucket: { tokens: 0, day: at / (24 * hourMs) - 1 }, priority: 1 } as const;
    const [most = 0] = of([{ pace: tokens, recheck: { afterMs: 1_000 } }], 10).requests;
    assert.ok(Math.abs(most - 86_400) <= 1, String(most));
  });

  test('a year of targets for every minute is a matter of moments, and no step takes long', () => {
    const targets = Array.from({ length: 2_000 }, (_, index): PlainTarget => {
      const zone = index % 2 === 0 ? 'UTC' : 'Europe/Berlin';
      return { pace: { kind: 'cron', pattern: '* * * * *', zone } };
    });
    const begin = performance.now();
    let [longestMs, last] = [0, begin];
    const steps = forecastSteps([{ ...host, targets: rows(targets) }], { at, days: 366 });
    for (let step = steps.next(); step.done !== true; step = steps.next()) {
      const now = performance.now();
      [longestMs, last] = [Math.max(longestMs, now - last), now];
    }
    // It took half a minute in one step; what is asked for here leaves room for a machine that is busy.
    assert.ok(longestMs < 1_000, `a step took ${longestMs} ms`);
    assert.ok(performance.now() - begin < 10_000);
  });
});
