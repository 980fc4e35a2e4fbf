import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { VirtualClock } from '../../src/clock.ts';
import { forecast } from '../../src/schedule/forecast.ts';
import { forecastTarget, type PlainTarget } from './forecast-target.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const clock = new VirtualClock(Date.parse('2026-11-23T00:00Z'));
const at = clock.now();
/** The day that begins with the forecast. */
const today = at / dayMs;
const host = { key: 'https://shop.test', delayMs: 1_000 };
const every = (everyMs: number, phaseMs: number, more: Partial<PlainTarget> = {}): PlainTarget => ({
  pace: { kind: 'interval', everyMs, nextAt: at + phaseMs },
  ...more,
});
const rows = (targets: readonly PlainTarget[]) => targets.map((target, slot) => forecastTarget(target, at, slot));
const of = (targets: readonly PlainTarget[], days = 1, pace = host) => {
  const {
    busiest: [found = assert.fail()],
  } = forecast([{ ...pace, targets: rows(targets) }], { at, days });
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
    const targets: PlainTarget[] = [
      every(10 * minuteMs, 0),
      { pace: { kind: 'continuous', sleepMs: hourMs - minuteMs, tookMs: minuteMs } },
      { pace: { kind: 'objective' }, recheck: { afterMs: hourMs } },
    ];
    assert.deepEqual(of(targets).requests, [144 + 24 + 24]);
  });

  test('a cron pattern is followed by the clocks of its zone', () => {
    const weekly = { kind: 'cron', pattern: '0 6 * * 1', zone: 'Europe/Berlin' } as const;
    const found = of([{ pace: weekly }], 8);
    assert.deepEqual(found.requests, [1, 0, 0, 0, 0, 0, 0, 1]);
    assert.equal(found.peak.at, at + 5 * hourMs);
  });

  test('an objective draws turns of an interval forward, and each stands in for the one that it came before', () => {
    const recheck = { afterMs: 3.6 * hourMs };
    const drawn = every(4 * hourMs, 4 * hourMs, { recheck, objectiveMs: 4 * hourMs });
    // Six drawn forward, up to 21.6 h; then the one at 24 h, which the last of them is too far from.
    const found = of([drawn], 7);
    assert.deepEqual(found.requests, [6, 7, 7, 7, 7, 7, 7]);
    assert.deepEqual(found.objectives, { kept: 1, broken: 0, worstByMs: 0 });
    assert.deepEqual(of([every(10 * minuteMs, 0, { recheck: { afterMs: 9 * minuteMs } })], 1).requests, [168]);
    assert.deepEqual(of([every(4 * hourMs, 0, { recheck: { afterMs: 5 * hourMs } })], 1).requests, [6]);
  });

  test('a page that is gone is asked ever more seldom, whatever asks for it, and keeps no objective', () => {
    const gone = { cause: 'gone', since: at - 5 * hourMs, at: at - hourMs, times: 3 } as const;
    // 3, 11, 27, 59 and 123 hours after the begin.
    const targets: PlainTarget[] = [
      every(hourMs, 0),
      { pace: { kind: 'cron', pattern: '0 * * * *', zone: 'UTC' } },
      { pace: { kind: 'continuous', sleepMs: hourMs, tookMs: 0, nextAt: at } },
      {
        pace: {
          kind: 'tokens',
          bucket: { tokens: 4, day: today },
          priority: 3,
          planned: [2, 10].map((hour) => at + hour * hourMs),
        },
      },
      every(hourMs, 0, { recheck: { afterMs: 30 * minuteMs }, objectiveMs: hourMs }),
    ];
    for (const target of targets) {
      const { requests, objectives } = of([{ ...target, gone }], 4);
      assert.deepEqual(requests, [2, 1, 1, 0], target.pace.kind);
      assert.equal(objectives.kept, 0);
    }
    assert.deepEqual(of([{ ...every(hourMs, 0), gone, endsWhenGone: true }], 4).requests, [2, 1, 0, 0]);
  });

  test('an objective asks besides cron, tokens and what follows on itself', () => {
    const daily = { kind: 'cron', pattern: '0 6 * * *', zone: 'UTC' } as const;
    const tokens = { kind: 'tokens', bucket: { tokens: 0, day: today - 1 }, priority: 1 } as const;
    const recheck = { afterMs: 10 * hourMs };
    assert.deepEqual(of([{ pace: daily, recheck }], 4).requests, [2, 3, 3, 3]);
    assert.deepEqual(of([{ pace: tokens, recheck }], 4).requests, [3, 3, 3, 3]);
    const often = { kind: 'continuous', sleepMs: 20 * hourMs, tookMs: 0 } as const;
    assert.deepEqual(of([{ pace: often, recheck }], 5).requests, [2, 3, 2, 3, 2]);
  });

  test('pulses are counted, those that ask for many targets as one request each', () => {
    const pulses = [
      { requests: 3, everyMs: 5 * minuteMs, bytes: 100 },
      { requests: 2, everyMs: 12 * hourMs },
    ];
    const {
      busiest: [found = assert.fail()],
    } = forecast([{ ...host, targets: rows([every(4 * hourMs, 0)]), pulses }], {
      at,
      days: 1,
    });
    assert.deepEqual([found.targets, found.requests, found.pulses], [1, [6 + 864 + 2], 866]);
    assert.equal(found.bytes, 86_400);
    const all = forecast([{ ...host, targets: [], pulses }], { at, days: 2 });
    assert.deepEqual([all.requests, all.pulses], [[866, 868], 1_734]);
  });

  test('tokens are spent day by day', () => {
    const pace = { kind: 'tokens', bucket: { tokens: 0, day: today - 1 }, priority: 1.75 } as const;
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

  test('a host that is asked for twice what it allows makes half of it, and nothing waits longer than once round', () => {
    const targets = Array.from({ length: 20 }, () => every(1_000, 0));
    const found = of(targets, 2, { ...host, delayMs: 100 });
    assert.deepEqual(found.requests, [1_728_000, 1_728_000]);
    assert.deepEqual(found.undone, [864_000, 864_000]);
    assert.deepEqual([found.load, found.peak.requests, found.longestWaitMs], [2, 600, 2_000]);
    const all = forecast(
      [
        { ...host, delayMs: 100, targets: rows(targets) },
        { ...host, key: 'idle', targets: [] },
      ],
      { at, days: 1 },
    );
    assert.deepEqual([all.overloaded, all.undone, all.peak.requests], [1, [864_000], 600]);
  });

  test('the fullest minute is of what is made, which is no more than hosts allow', () => {
    const targets = Array.from({ length: 700 }, () => every(dayMs, hourMs));
    const found = of(targets);
    assert.deepEqual([found.requests, found.undone], [[700], [0]]);
    assert.deepEqual(found.peak, { at: at + hourMs, requests: 60 });
    const hosts = Array.from({ length: 10 }, (_, index) => ({ ...host, key: `host-${index}`, targets: rows(targets) }));
    assert.deepEqual(forecast(hosts, { at, days: 1 }).peak, { at: at + hourMs, requests: 600 });
    assert.equal(of([every(10 * minuteMs, 0)]).peak.requests, 1);
  });

  test('a pace begins after the first scrape, which has its own time', () => {
    const first = (pace: PlainTarget['pace'], firstMs: number, days = 2) =>
      of([{ pace, firstAt: at + firstMs }], days).requests;
    assert.deepEqual(first({ kind: 'interval', everyMs: minuteMs, nextAt: at }, 20 * hourMs), [240, 1_440]);
    // One at 24 h, then the grid of its own at 25, 29 … 45 h.
    assert.deepEqual(first({ kind: 'interval', everyMs: 4 * hourMs, nextAt: at + 25 * hourMs }, dayMs), [0, 7]);
    assert.deepEqual(first({ kind: 'continuous', sleepMs: hourMs, tookMs: 0 }, 20 * hourMs), [4, 24]);
    assert.deepEqual(first({ kind: 'cron', pattern: '0 6 * * *', zone: 'UTC' }, 7 * hourMs, 3), [1, 1, 1]);
    assert.deepEqual(first({ kind: 'cron', pattern: '0 6 * * *', zone: 'UTC' }, 5 * dayMs, 3), [0, 0, 0]);
    const bucket = { tokens: 0, day: today };
    // The days until then are saved, up to four tokens of which a day spends three.
    assert.deepEqual(first({ kind: 'tokens', bucket, priority: 1 }, 3 * dayMs, 6), [0, 0, 0, 1, 3, 2]);
    const recheck = { afterMs: hourMs };
    assert.deepEqual(of([{ pace: { kind: 'objective' }, recheck, firstAt: at + 20 * hourMs }]).requests, [4]);
    const late = of([every(hourMs, 0, { firstAt: at + 5 * hourMs, objectiveMs: 2 * hourMs })]);
    assert.deepEqual(late.objectives, { kept: 0, broken: 1, worstByMs: 3 * hourMs });
  });

  test('what is closed is asked once when it opens, and is as old by then', () => {
    const hours = [{ days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 360, toMinute: 480, zone: 'UTC' }];
    const found = (objectiveMs: number) => of([every(12 * hourMs, 0, { hours, objectiveMs })], 2);
    assert.deepEqual(found(dayMs).requests, [1, 1]);
    // It is asked at six each day.
    assert.deepEqual(found(dayMs).objectives, { kept: 1, broken: 0, worstByMs: 0 });
    assert.deepEqual(found(22 * hourMs).objectives, { kept: 0, broken: 1, worstByMs: 2 * hourMs });
  });

  test('all hosts together are their sum, and the busiest are told first', () => {
    const hosts = Array.from({ length: 30 }, (_, index) => ({
      ...host,
      key: `host-${index}`,
      targets: rows(
        Array.from({ length: index + 1 }, (__, k) => every(4 * hourMs, k * minuteMs, { objectiveMs: 4 * hourMs })),
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
