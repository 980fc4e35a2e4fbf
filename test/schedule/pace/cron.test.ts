import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cronFault, cronTimes, nextCron } from '../../../src/schedule/pace/cron-times.ts';
import { nextOnGrid } from '../../../src/schedule/time/grid.ts';
import { dayNumber, dayStart, instantOf, isZone, localMs, weekday } from '../../../src/schedule/time/zone.ts';
import { threadMsOf } from '../../support/thread-time.ts';

const berlin = 'Europe/Berlin';

function times(pattern: string, zone: string, after: string, until: string): string[] {
  return Array.from(cronTimes({ pattern, zone }, Date.parse(after), Date.parse(until)), (at) =>
    new Date(at).toISOString().replace(':00.000Z', 'Z'),
  );
}

describe('cron', () => {
  test('goes by the clocks of its zone on both sides of a change (S17)', () => {
    assert.deepEqual(times('0 6 * * *', berlin, '2026-03-27T12:00Z', '2026-03-30T12:00Z'), [
      '2026-03-28T05:00Z',
      '2026-03-29T04:00Z',
      '2026-03-30T04:00Z',
    ]);
    assert.deepEqual(times('0 6 * * 1', 'America/New_York', '2026-10-30T00:00Z', '2026-11-10T00:00Z'), [
      '2026-11-02T11:00Z',
      '2026-11-09T11:00Z',
    ]);
  });

  test('what a skipped hour swallows happens once, at its end (S17)', () => {
    const night = ['2026-03-28T23:00Z', '2026-03-29T04:00Z'] as const;
    assert.deepEqual(times('30 2 * * *', berlin, ...night), ['2026-03-29T01:00Z']);
    assert.deepEqual(times('*/15 2 * * *', berlin, ...night), ['2026-03-29T01:00Z']);
    assert.deepEqual(times('0 */2 * * *', berlin, ...night), [
      '2026-03-29T01:00Z',
      '2026-03-29T02:00Z',
      '2026-03-29T04:00Z',
    ]);
  });

  test('what comes twice in a doubled hour happens the first time (S17)', () => {
    const night = ['2026-10-24T22:00Z', '2026-10-25T04:00Z'] as const;
    assert.deepEqual(times('30 2 * * *', berlin, ...night), ['2026-10-25T00:30Z']);
    assert.deepEqual(times('*/30 2 * * *', berlin, ...night), ['2026-10-25T00:00Z', '2026-10-25T00:30Z']);
  });

  test('a pattern for every hour goes on by real hours', () => {
    for (const night of ['2026-03-28', '2026-10-24']) {
      const found = times(
        '0 * * * *',
        berlin,
        `${night}T20:30Z`,
        new Date(Date.parse(night) + 30 * 3_600_000).toISOString(),
      );
      assert.equal(found.length, 10);
    }
  });

  test('an interval keeps its real length across a change of the clocks (S17)', () => {
    const grid = { originAt: Date.parse('2026-03-28T22:00Z'), everyMs: 14_400_000, phaseMs: 0 };
    assert.equal(nextOnGrid(grid, grid.originAt) - grid.originAt, 14_400_000);
  });

  test('the next instant is later, on the pattern, and none is left out', () => {
    const from = Date.parse('2026-03-20T00:00Z');
    fc.assert(
      fc.property(fc.nat(30 * 86_400_000), fc.constantFrom('UTC', berlin, 'Asia/Kolkata'), (offset, zone) => {
        const after = from + offset;
        const next = nextCron({ pattern: '*/20 * * * *', zone }, after) ?? 0;
        assert.ok(next > after && next <= after + 1_200_000);
        assert.equal(new Date(localMs(zone, next)).getUTCMinutes() % 20, 0);
      }),
      { numRuns: 60 },
    );
  });

  test('a pattern for a time of day has one instant on each day of the calendar, in any zone', () => {
    const zones = fc.constantFrom(berlin, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC');
    fc.assert(
      fc.property(zones, fc.nat(23), fc.nat(59), (zone, hour, minute) => {
        const from = dayStart(zone, dayNumber(zone, Date.parse('2026-03-20T12:00Z')));
        const days = Array.from(
          cronTimes({ pattern: `${minute} ${hour} * * *`, zone }, from - 1, from + 24 * 86_400_000 - 1),
          (at) => dayNumber(zone, at),
        );
        assert.ok(days.length >= 23);
        assert.deepEqual(days, [...new Set(days)]);
      }),
      { numRuns: 15 },
    );
  });

  test('arms no timer', () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    nextCron({ pattern: '* * * * *', zone: 'Pacific/Chatham' }, Date.now());
    assert.equal(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length, before);
  });

  test('hundreds of patterns that are asked for again and again cost little after the first time', () => {
    const after = Date.parse('2026-01-01T00:00Z');
    const patterns = Array.from({ length: 300 }, (_, k) => `${k % 60} ${Math.floor(k / 60)} * * *`);
    const roundMs = (): number =>
      threadMsOf(() => {
        for (const pattern of patterns) nextCron({ pattern, zone: 'Asia/Kolkata' }, after);
      });
    const first = roundMs();
    const others = Array.from({ length: 10 }, roundMs);
    const sum = others.reduce((ms, each) => ms + each, 0);
    assert.ok(sum < first, `once through them took ${first} ms, ten times more ${sum} ms`);
  });

  test('what was asked before, of whatever instant, changes no answer', () => {
    const dayMs = 86_400_000;
    const from = Date.parse('2026-01-01T00:00Z');
    const asked = fc.record({ hour: fc.nat(3), offset: fc.nat(4 * dayMs) });
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 40 }), (all) => {
        for (const { hour, offset } of all) {
          const after = from + offset;
          const today = Math.floor(after / dayMs) * dayMs + hour * 3_600_000;
          const next = nextCron({ pattern: `0 ${hour} * * *`, zone: 'UTC' }, after);
          assert.equal(next, today > after ? today : today + dayMs);
        }
      }),
    );
  });

  test('more patterns than are kept give the same answers', () => {
    const after = Date.parse('2026-01-01T00:00Z');
    for (let minute = 0; minute < 60; minute += 1)
      for (const hour of [1, 2])
        assert.equal(
          nextCron({ pattern: `${minute} ${hour} * * *`, zone: 'UTC' }, after),
          after + (hour * 60 + minute) * 60_000,
        );
    assert.equal(nextCron({ pattern: '0 1 * * *', zone: 'UTC' }, after), after + 3_600_000);
  });

  for (const pattern of ['0 6 * * 1', '*/5 * * * *', '0 0 29 2 *', '0 6 LW * *', '0 9-17/2 * * mon-fri'])
    test(`takes ${pattern}`, () => assert.equal(cronFault(pattern), undefined));

  for (const [pattern, fault] of [
    ['61 * * * *', /minute: 61/],
    ['0 25 * * *', /hour: 25/],
    ['0 0 31 2 *', /no day of the calendar/],
    ['@daily', /five fields/],
    ['* * * * * *', /five fields/],
    ['', /five fields/],
    ['9-3 * * * *', /larger/],
    ['*/0 * * * *', /stepping/],
    ['a b c d e', /minute \(a\) contains illegal characters$/],
    ['0 0 0 * *', /day: 0$/],
    ['0 0 * 13 *', /month: 13$/],
    ['0 0 * * 8', /weekday: 8$/],
  ] as const)
    test(`refuses "${pattern}" and says why`, () => assert.match(cronFault(pattern) ?? '', fault));
});

describe('zone', () => {
  test('knows names of places, and no offsets or abbreviations', () => {
    for (const name of ['UTC', berlin, 'America/Argentina/Ushuaia']) assert.ok(isZone(name), name);
    for (const name of ['Mars/Base', 'CET', '+02:00', '', 'europe', '../etc/passwd']) assert.ok(!isZone(name), name);
  });

  test('a local time is the first instant that shows it, and in a gap the end of the gap', () => {
    assert.equal(instantOf(berlin, Date.UTC(2026, 2, 29, 2, 30)), Date.UTC(2026, 2, 29, 1));
    assert.equal(instantOf(berlin, Date.UTC(2026, 9, 25, 2, 30)), Date.UTC(2026, 9, 25, 0, 30));
    assert.equal(instantOf('Asia/Kolkata', Date.UTC(2026, 0, 1, 5, 30)), Date.UTC(2026, 0, 1));
  });

  test('days are numbered by the calendar of the zone', () => {
    assert.equal(weekday(dayNumber('UTC', Date.UTC(2026, 10, 21))), 6);
    assert.equal(weekday(dayNumber('Pacific/Auckland', Date.UTC(2026, 10, 21, 12))), 7);
    assert.equal(dayStart(berlin, dayNumber(berlin, Date.UTC(2026, 2, 29, 12))), Date.UTC(2026, 2, 28, 23));
  });

  test('an instant and its local time lead to one another, but for what is doubled', () => {
    const zones = fc.constantFrom(berlin, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia');
    fc.assert(
      fc.property(zones, fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2035, 0) }), (zone, at) => {
        const back = instantOf(zone, localMs(zone, at));
        assert.ok(back <= at && at - back <= 3_600_000);
        assert.equal(localMs(zone, back), localMs(zone, at));
      }),
    );
  });
});
