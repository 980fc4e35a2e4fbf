import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextAvailable, type OpenHours } from '../../src/schedule/available.ts';
import { MinuteHours } from '../../src/schedule/minute-hours.ts';

const minuteMs = 60_000;
const minutes = 10 * 1_440;
const at = Date.parse('2026-03-25T10:07:30Z');

function followed(hours: readonly OpenHours[], span = minutes): MinuteHours {
  const found = new MinuteHours(at, span);
  for (const _ of found.follow(hours));
  return found;
}

describe('hours by the minutes of a span', () => {
  const lists: Record<string, OpenHours[]> = {
    'of nights, over a change of the clocks': [
      { days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 1_320, toMinute: 360, zone: 'Europe/Berlin' },
    ],
    'of working days and of a weekend': [
      { days: [1, 2, 3, 4, 5], fromMinute: 480, toMinute: 481, zone: 'UTC' },
      { days: [6, 7], fromMinute: 0, toMinute: 1_440, zone: 'Europe/Berlin' },
    ],
    'that are always': [{ days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 0, toMinute: 1_440, zone: 'UTC' }],
  };
  for (const [name, hours] of Object.entries(lists))
    test(`${name} say from which minute on it is open`, () => {
      const found = followed(hours);
      for (let minute = 0; minute < minutes; minute += 1) {
        const instant = at + minute * minuteMs;
        const next = Math.ceil(((nextAvailable(hours, instant) ?? Infinity) - at) / minuteMs);
        assert.equal(found.opensAt(hours, minute), next < minutes ? next : -1, `minute ${minute}`);
      }
    });

  test('have openings and a longest closed time', () => {
    const hours = [{ days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 720, toMinute: 780, zone: 'UTC' }];
    const found = followed(hours, 2_880);
    // Noon is 112.5 minutes after the begin, and whole minutes are counted.
    assert.deepEqual(
      [...found.openings(hours)],
      [
        [113, 173],
        [1_553, 1_613],
      ],
    );
    assert.equal(found.closedMs(hours), 1_380 * minuteMs);
  });
});
