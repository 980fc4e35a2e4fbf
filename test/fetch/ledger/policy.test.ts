import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextThrottledMs, throttledMs } from '../../../src/fetch/ledger/policy.ts';
import { defaultThrottle } from '../../support/politeness.ts';

const second = 1_000;

/** The delays after responses of these latencies, in seconds, and of these statuses; the policy's delay is a second. */
function delays(responses: readonly (readonly [latency: number, status: number])[]): number[] {
  let delayMs = throttledMs(undefined, defaultThrottle, second);
  return responses.map(([latency, status]) => {
    const response = { latencyMs: latency * second, isPlain: status === 200 };
    delayMs = nextThrottledMs(delayMs, response, defaultThrottle, second);
    return delayMs / second;
  });
}

describe('the throttle', () => {
  test('starts at five seconds', () => {
    assert.equal(throttledMs(undefined, defaultThrottle, second), 5 * second);
  });

  test('comes half-way down to the latency with each page, and never under the delay of the policy (O48)', () => {
    assert.deepEqual(
      delays([
        [0.5, 200],
        [0.5, 200],
        [0.5, 200],
        [0.5, 200],
      ]),
      [2.75, 1.625, 1.0625, 1],
    );
  });

  test('goes up to a long latency at once, at most to a minute (O49)', () => {
    assert.deepEqual(
      delays([
        [8, 200],
        [90, 200],
      ]),
      [8, 60],
    );
  });

  test('does not come down for an answer other than 200, but goes up for one (O49)', () => {
    assert.deepEqual(
      delays([
        [0.2, 404],
        [0.2, 500],
        [0.2, 304],
        [8, 503],
        [0.2, 404],
        [0.2, 200],
        [90, 200],
        [0.1, 503],
      ]),
      [5, 5, 5, 8, 8, 4.1, 60, 60],
    );
  });

  test('aims at as many requests at a time as it is told', () => {
    const two = { ...defaultThrottle, concurrency: 2 };
    assert.equal(nextThrottledMs(5 * second, { latencyMs: 2 * second, isPlain: true }, two, second), 3 * second);
  });

  test('leaves a delay alone that is longer than its maximum', () => {
    assert.equal(throttledMs(undefined, defaultThrottle, 90 * second), 90 * second);
    assert.equal(
      nextThrottledMs(90 * second, { latencyMs: 10, isPlain: true }, defaultThrottle, 90 * second),
      90 * second,
    );
  });

  test('whatever it is told, stays between the delay of the policy and its maximum', () => {
    const response = fc.record({ latencyMs: fc.nat(200_000), isPlain: fc.boolean() });
    fc.assert(
      fc.property(fc.array(response), fc.integer({ min: 1, max: 60_000 }), (responses, floorMs) => {
        let delayMs = throttledMs(undefined, defaultThrottle, floorMs);
        for (const each of responses) {
          const before = delayMs;
          delayMs = nextThrottledMs(before, each, defaultThrottle, floorMs);
          assert.ok(delayMs >= floorMs && delayMs <= defaultThrottle.maxMs);
          assert.ok(each.isPlain || delayMs >= before);
        }
      }),
    );
  });
});
