import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isAvailable, type OpenHours } from '../../src/schedule/available.ts';
import { opennessOf } from '../../src/schedule/openness.ts';

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
