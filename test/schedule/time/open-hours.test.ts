import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'node:test';
import {
  type OpenHours,
  closesAt,
  isAvailable,
  nextAvailable,
  openSpans,
  opennessOf,
} from '../../../src/schedule/time/open-hours.ts';
import { continuousAt, defaultContinuous } from '../../../src/schedule/pace/continuous.ts';

const at = (text: string): number => Date.parse(text);
const iso = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString().replace(':00.000Z', 'Z');

/** Mondays, Wednesdays and Thursdays, 06:00 to 08:00. */
const mornings: OpenHours[] = [{ days: [1, 3, 4], fromMinute: 360, toMinute: 480, zone: 'UTC' }];
const nights: OpenHours[] = [{ days: [5], fromMinute: 22 * 60, toMinute: 4 * 60, zone: 'UTC' }];

describe('available', () => {
  test('a source is asked within its hours and not outside (O43)', () => {
    // 23 November 2026 is a Monday.
    for (const [instant, open] of [
      ['2026-11-23T05:59:59Z', false],
      ['2026-11-23T06:00:00Z', true],
      ['2026-11-23T07:59:59Z', true],
      ['2026-11-23T08:00:00Z', false],
      ['2026-11-24T07:00:00Z', false],
      ['2026-11-25T07:00:00Z', true],
      ['2026-11-26T07:00:00Z', true],
      ['2026-11-28T07:00:00Z', false],
    ] as const)
      assert.equal(isAvailable(mornings, at(instant)), open, instant);
  });

  test('what comes outside the hours waits for the next opening (O43)', () => {
    assert.equal(iso(nextAvailable(mornings, at('2026-11-23T08:00Z'))), '2026-11-25T06:00Z');
    assert.equal(iso(nextAvailable(mornings, at('2026-11-26T09:00Z'))), '2026-11-30T06:00Z');
    assert.equal(iso(nextAvailable(mornings, at('2026-11-23T07:10Z'))), '2026-11-23T07:10Z');
  });

  test('hours across midnight belong to the day on which they begin', () => {
    assert.ok(isAvailable(nights, at('2026-11-28T03:59Z')));
    assert.ok(!isAvailable(nights, at('2026-11-27T03:59Z')));
    assert.equal(iso(closesAt(nights, at('2026-11-27T23:00Z'))), '2026-11-28T04:00Z');
  });

  test('several hours are open when any is, and those that touch are one opening', () => {
    const both = [...mornings, { days: [1], fromMinute: 480, toMinute: 600, zone: 'UTC' }];
    assert.equal(iso(closesAt(both, at('2026-11-23T06:30Z'))), '2026-11-23T10:00Z');
    assert.equal(iso(closesAt(both, at('2026-11-24T06:30Z'))), '2026-11-24T06:30Z');
  });

  test('without hours, and with hours for always, it is always open', () => {
    assert.equal(nextAvailable([], 5), 5);
    assert.equal(closesAt([], 5), undefined);
    assert.equal(
      closesAt([{ days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 0, toMinute: 1_440, zone: 'UTC' }], 5),
      undefined,
    );
  });

  test('hours go by the clocks of their zone across a change, and what the gap swallows is no opening', () => {
    const daily = (fromMinute: number, toMinute: number): OpenHours[] => [
      { days: [1, 2, 3, 4, 5, 6, 7], fromMinute, toMinute, zone: 'Europe/Berlin' },
    ];
    assert.equal(iso(nextAvailable(daily(360, 480), at('2026-03-28T12:00Z'))), '2026-03-29T04:00Z');
    assert.equal(iso(nextAvailable(daily(120, 180), at('2026-03-28T12:00Z'))), '2026-03-30T00:00Z');
    assert.deepEqual(
      openSpans(daily(150, 240), { from: at('2026-10-24T22:00Z'), to: at('2026-10-25T12:00Z') }).map((span) => [
        iso(span.from),
        iso(span.to),
      ]),
      [['2026-10-25T00:30Z', '2026-10-25T03:00Z']],
    );
  });

  test('the open spans of a day are those instants that are open', () => {
    const hour = fc.record({
      days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      fromMinute: fc.nat(1_439),
      toMinute: fc.nat(1_440),
      zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu'),
    });
    const from = at('2026-10-20T00:00Z');
    fc.assert(
      fc.property(fc.array(hour, { minLength: 1, maxLength: 3 }), fc.nat(9 * 86_400_000 - 1), (hours, offset) => {
        const spans = openSpans(hours, { from, to: from + 9 * 86_400_000 });
        const instant = from + offset;
        const isIn = spans.some((span) => span.from <= instant && instant < span.to);
        assert.equal(isAvailable(hours, instant), isIn);
        const next = nextAvailable(hours, instant);
        if (next !== undefined) assert.ok(next >= instant && isAvailable(hours, next));
      }),
      { numRuns: 60 },
    );
  });
});

describe('continuous', () => {
  test('a scrape follows an hour after the end of the last (O38)', () => {
    assert.equal(continuousAt({ endedAt: 1_000, failures: 0 }, defaultContinuous, 0.3), 3_601_000);
    assert.equal(continuousAt({ endedAt: 1_000, failures: 0 }, { sleepMs: 0, longestMs: 0 }, 0.3), 1_000);
  });

  test('failures make the pause grow, to a limit (O39)', () => {
    const pauses = [1, 2, 3, 4, 9].map(
      (failures) => continuousAt({ endedAt: 0, failures }, defaultContinuous, 0.5) / 3_600_000,
    );
    assert.deepEqual(pauses, [1, 2, 4, 6, 6]);
    assert.equal(continuousAt({ endedAt: 0, failures: 1 }, { sleepMs: 0, longestMs: 600_000 }, 0.5), 60_000);
  });

  test('no pause after a failure is shorter than the sleep, and none longer than a tenth above the longest', () => {
    fc.assert(
      fc.property(
        fc.nat(1e8),
        fc.nat(1e8),
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (sleepMs, longestMs, failures, draw) => {
          const pause = continuousAt({ endedAt: 0, failures }, { sleepMs, longestMs }, draw);
          assert.ok(pause >= sleepMs && pause <= 1.1 * Math.max(sleepMs, longestMs) + 1);
        },
      ),
    );
  });
});

const hourMs = 3_600_000;
const allDays = [1, 2, 3, 4, 5, 6, 7];

function open(from: number, to: number, more: Partial<OpenHours> = {}): OpenHours {
  return { days: allDays, fromMinute: from * 60, toMinute: to * 60, zone: 'UTC', ...more };
}

describe('what hours leave of the time', () => {
  for (const [what, hours, closedHours, openHours] of [
    ['one hour a day', [open(1, 2)], 23, 7],
    ['a night', [open(22, 6)], 16, 56],
    ['work days, closed over the end of the week', [open(9, 17, { days: [1, 2, 3, 4, 5] })], 64, 40],
    ['one day a week', [open(0, 24, { days: [7] })], 144, 24],
    ['hours that overlap or touch', [open(1, 5), open(3, 6), open(6, 7)], 18, 42],
    // From Saturday on there are two in 49 hours besides the 47.
    ['short openings in a row', [open(0, 1, { days: [1, 2] }), open(0, 24, { days: [4, 5, 6] })], 47, (168 * 2) / 49],
  ] as const)
    test(`${what}: closed for ${closedHours} h at most, open for ${Math.floor(openHours)} h a week at least`, () => {
      const { closedMs = 0, openPart = 1 } = opennessOf(hours) ?? {};
      assert.equal(closedMs / hourMs, closedHours);
      assert.ok(Math.abs(openPart * 168 - openHours) < 1e-6, String(openPart * 168));
    });

  test('always open is no limit', () => {
    assert.equal(opennessOf([]), undefined);
    assert.equal(opennessOf([open(0, 24)]), undefined);
    assert.equal(opennessOf([open(0, 12), open(12, 24)]), undefined);
  });

  test('a closed time over a change of the clocks is an hour longer', () => {
    const { closedMs = 0 } = opennessOf([open(1, 2, { zone: 'Europe/Berlin' })]) ?? {};
    assert.equal(closedMs / hourMs, 24);
  });

  test('is what is found by looking every half an hour', () => {
    const hour = fc.integer({ min: 0, max: 23 });
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
            from: hour,
            length: fc.integer({ min: 1, max: 20 }),
          }),
          { minLength: 1, maxLength: 3 },
        ),
        (given) => {
          const hours = given.map(({ days, from, length }) => open(from, (from + length) % 24, { days }));
          let [closed, longest] = [0, 0];
          for (let at = Date.UTC(2026, 4, 4); at < Date.UTC(2026, 4, 4) + 3 * 7 * 24 * hourMs; at += hourMs / 2) {
            closed = isAvailable(hours, at) ? 0 : closed + hourMs / 2;
            longest = Math.max(longest, closed);
          }
          assert.equal(opennessOf(hours)?.closedMs ?? 0, longest);
        },
      ),
      { numRuns: 50 },
    );
  });
});
