import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cronTimes, instantsOf } from '../../../src/schedule/pace/cron-times.ts';

const dayMs = 86_400_000;
const patterns = [
  '*/10 * * * *',
  '30 2 * * *',
  '*/20 0-3 * * *',
  '0 6 * * 1',
  '15 2,14 1,15 * *',
  '0 12 L * *',
  '0 9 * * 5#2',
  '59 23 29 2 *',
  '*/30 * * * 7',
];
/** Their clocks are changed by an hour, by half an hour, at midnight, and never. */
const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'UTC'];

function turnsOf(pattern: string, zone: string, from: number, until: number): Float64Array {
  const steps = instantsOf({ pattern, zone }, { from, to: until });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe('the turns of a pattern in a span', () => {
  for (const zone of zones)
    test(`are those that it comes to from turn to turn, also where clocks are changed: ${zone}`, () => {
      for (const begin of ['2026-03-05T10:07:30Z', '2026-09-01T00:00:00Z', '2026-10-20T22:59:59Z']) {
        const from = Date.parse(begin);
        const until = from + 40 * dayMs;
        for (const pattern of patterns) {
          const found = [...turnsOf(pattern, zone, from, until)];
          assert.deepEqual(found, [...cronTimes({ pattern, zone }, from - 1, until - 1)], `${pattern} from ${begin}`);
        }
      }
    });
});
