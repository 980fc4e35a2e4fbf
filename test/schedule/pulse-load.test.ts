import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pulseTurnsPerDay, roundEveryMs } from '../../src/schedule/pulse-load.ts';

const minuteMs = 60_000;

describe('the load of a pulse', () => {
  test('is its requests at each of its times', () => {
    assert.equal(pulseTurnsPerDay({ requests: 3, everyMs: 5 * minuteMs }, { delayMs: 1_000 }), 3 * 288);
  });

  test('is less where a round takes longer than from one time to the next, as there are never two at once', () => {
    const load = { requests: 400, everyMs: 5 * minuteMs };
    assert.equal(roundEveryMs(load, { delayMs: 1_000 }), 10 * minuteMs);
    assert.equal(pulseTurnsPerDay(load, { delayMs: 1_000 }), 400 * 144);
  });
});
