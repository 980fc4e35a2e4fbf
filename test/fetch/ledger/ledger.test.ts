import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forgivingAnswers } from '../../../src/fetch/ledger/backoff.ts';
import { ledgerRow, isForgettable, restored } from '../../../src/fetch/ledger/ledger-row.ts';
import {
  earliestAt,
  type Ledger,
  longestRetryAfterMs,
  newLedger,
  slownessOf,
  withDone,
  withExpired,
  withSent,
  withTurn,
} from '../../../src/fetch/ledger/ledger.ts';
import { gapMs, type Policy, usualMs } from '../../../src/fetch/ledger/policy.ts';
import type { TurnOutcome } from '../../../src/fetch/ledger/turn-outcome.ts';
import { defaultPolicy, defaultThrottle } from '../../support/politeness.ts';

const policy: Policy = { concurrency: 2, delayMs: 1_000, minDelayMs: 600 };
const throttled: Policy = { ...policy, minDelayMs: 500, autoThrottle: defaultThrottle };
const day = 24 * 3_600_000;

function given(ledger: Ledger, number: number, at: number, by = policy): Ledger {
  return withTurn(ledger, { number, policy: by, givenAt: at, endsAt: at + 60_000 });
}

function sent(ledger: Ledger, number: number, at: number, draw = 0.5): Ledger {
  return withSent(ledger, { number, endsAt: at + 60_000 }, at, draw);
}

function done(ledger: Ledger, number: number, outcome: TurnOutcome, at: number, draw = 0.5): Ledger {
  return withDone(ledger, { number, outcome }, at, draw);
}

/** A turn that was given and sent at `at`. */
function turn(ledger: Ledger, number: number, at: number, by = policy): Ledger {
  return sent(given(ledger, number, at, by), number, at);
}

/** Asked at 0 with the middle gap, so that 1,000 is the next instant. */
function asked(by = policy): Ledger {
  return turn(newLedger(-10_000, 0.5), 1, 0, by);
}

describe('politeness', () => {
  test('a page whose scripts asked for more is paid for by the gap after it: the least of it for each request', () => {
    const ledger = done(asked(), 1, { kind: 'answered', more: 9 }, 4_000);
    assert.equal(earliestAt(ledger, policy), 4_000 + 10 * 600);
    const slow = { ...policy, crawlDelayMs: 20_000 };
    assert.equal(earliestAt(done(asked(slow), 1, { kind: 'answered', more: 4 }, 4_000), slow), 4_000 + 5 * 20_000);
    // The next request is paid for by an ordinary one.
    assert.equal(earliestAt(done(turn(ledger, 2, 10_000), 2, { kind: 'answered' }, 10_000), policy), 11_000);
  });

  test('a host whose pages ask for more is as slow as that makes it, by the policy that others ask it with', () => {
    const outcome = { kind: 'answered', status: 200, latencyMs: 100 } as const;
    const ledger = done(asked(), 1, { ...outcome, more: 9 }, 4_000);
    assert.deepEqual(slownessOf(ledger, policy), { gapMs: 6_000, latencyMs: 100, policy });
    const plain = done(turn(ledger, 2, 10_000), 2, outcome, 10_000);
    assert.deepEqual(slownessOf(plain, policy), { gapMs: 0, latencyMs: 100, policy });
  });

  test('what scripts asked for is paid for also where another page was asked for meanwhile', () => {
    const both = given(asked(), 2, 1_000);
    const first = done(both, 1, { kind: 'answered', more: 49 }, 2_000);
    assert.equal(earliestAt(done(sent(first, 2, 2_100), 2, { kind: 'answered' }, 2_200), policy), 2_000 + 50 * 600);
    const expired = withExpired(first, 2, 2_100, 0.5);
    assert.equal(earliestAt(expired, policy), 2_000 + 50 * 600);
  });

  test('what scripts asked for is paid for also where nothing came of the page, in 5 minutes at most', () => {
    assert.equal(earliestAt(done(asked(), 1, { kind: 'unused', more: 9 }, 4_000), policy), 10_000);
    assert.equal(earliestAt(done(asked(), 1, { kind: 'answered', more: 1e6 }, 4_000), policy), 304_000);
    const slow = { ...policy, crawlDelayMs: 600_000 };
    assert.equal(earliestAt(done(asked(slow), 1, { kind: 'answered', more: 3 }, 4_000), slow), 604_000);
  });

  test('a gap is drawn from half to one and a half times the delay, never under the least (O50)', () => {
    assert.equal(gapMs(policy, 0), 600);
    assert.equal(gapMs(policy, 0.5), 1_000);
    assert.equal(gapMs(policy, 0.9), 1_400);
    assert.equal(gapMs(defaultPolicy, 0), 500);
    fc.assert(
      fc.property(fc.nat(100_000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (delayMs, draw) => {
        const gap = gapMs({ concurrency: 1, delayMs, minDelayMs: 0 }, draw);
        assert.ok(gap >= delayMs / 2 && gap <= delayMs * 1.5);
      }),
    );
  });

  test('no gap is shorter than the crawl-delay, however it is drawn', () => {
    assert.equal(gapMs({ ...throttled, crawlDelayMs: 30_000 }, 0), 30_000);
    assert.equal(gapMs({ ...throttled, crawlDelayMs: 3_000 }, 0.5), 5_000);
  });

  test('a host of which nothing is known counts as asked at the start', () => {
    assert.equal(earliestAt(newLedger(5_000, 0.5), policy), 6_000);
    assert.equal(earliestAt(newLedger(5_000, 0.5), throttled), 10_000);
  });

  test('a turn that is not yet reported sent blocks its host, whatever the concurrency', () => {
    assert.equal(earliestAt(given(newLedger(0, 0.5), 1, 0), policy), undefined);
  });

  test('the gap counts from when the request was sent', () => {
    assert.equal(earliestAt(asked(), policy), 1_000);
  });

  test('as many turns as the concurrency are out at a time (O51)', () => {
    const two = turn(asked(), 2, 1_000);
    assert.equal(earliestAt(two, policy), undefined);
    assert.equal(earliestAt(done(two, 1, { kind: 'answered' }, 1_100), policy), 2_000);
  });

  test('of two sources with one key the stricter policy counts (B44)', () => {
    const ledger = asked();
    assert.equal(earliestAt(ledger, { ...policy, delayMs: 9_000 }), 9_000);
    assert.equal(earliestAt(ledger, { ...policy, delayMs: 1, minDelayMs: 0 }), 1_000);
    assert.equal(earliestAt(ledger, { ...policy, concurrency: 1 }), undefined);
  });

  test('a turn given back unused costs its host nothing', () => {
    const ledger = newLedger(0, 0.5);
    assert.deepEqual(done(given(ledger, 1, 0), 1, { kind: 'unused' }, 9_000), ledger);
  });

  test('a request that was sent and says nothing of its host counts as asked, and forgives nothing', () => {
    const refused = done(asked(), 1, { kind: 'refused' }, 400);
    const ledger = done(turn(refused, 2, 2_000), 2, { kind: 'unused' }, 9_000);
    assert.equal(earliestAt(ledger, policy), 3_000);
    assert.deepEqual([ledger.failures, ledger.backoff], [refused.failures, refused.backoff]);
  });

  test('a turn of which nothing was heard counts as asked when it expires', () => {
    const expired = withExpired(given(newLedger(0, 0.5), 1, 0), 1, 60_000, 0.5);
    assert.equal(earliestAt(expired, policy), 61_000);
  });

  test('a connection that failed counts as asked when it failed', () => {
    const ledger = done(given(newLedger(0, 0.5), 1, 0), 1, { kind: 'answered' }, 7_000);
    assert.equal(earliestAt(ledger, policy), 8_000);
  });

  test('a request reported sent after its turn expired still begins a gap', () => {
    const expired = withExpired(given(newLedger(0, 0.5), 1, 0), 1, 60_000, 0.5);
    assert.equal(earliestAt(sent(expired, 1, 60_900), policy), 61_900);
  });
});

describe('a host that refuses', () => {
  test('with Retry-After is left alone from the answer on (B51)', () => {
    const ledger = done(asked(), 1, { kind: 'refused', retryAfterMs: 5_000 }, 400);
    assert.equal(earliestAt(ledger, policy), 5_400);
  });

  test('with a Retry-After of more than a day is left alone for a day, which is told', () => {
    const ledger = done(asked(), 1, { kind: 'refused', retryAfterMs: day + 1 }, 400);
    assert.equal(earliestAt(ledger, policy), 400 + longestRetryAfterMs);
    assert.equal(ledger.rest?.isCapped, true);
    assert.equal(done(asked(), 1, { kind: 'refused', retryAfterMs: day }, 400).rest?.isCapped, false);
  });

  test('gets the rest that it asked for, whatever other answers come', () => {
    const two = turn(asked(), 2, 1_000);
    const refused = done(two, 1, { kind: 'refused', retryAfterMs: 60_000 }, 1_100);
    assert.equal(earliestAt(done(refused, 2, { kind: 'answered', status: 200 }, 1_200), policy), 61_100);
    assert.equal(earliestAt(done(refused, 2, { kind: 'refused', retryAfterMs: 1_000 }, 1_200), policy), 61_100);
  });

  test('is stepped back from once for a burst, and its Retry-After counts all the same', () => {
    let ledger = newLedger(-10_000, 0.5);
    for (let number = 1; number <= 8; number += 1) ledger = turn(ledger, number, number);
    for (let number = 1; number <= 8; number += 1)
      ledger = done(ledger, number, { kind: 'refused', ...(number === 8 && { retryAfterMs: 7_000 }) }, 100 + number);
    assert.deepEqual([ledger.backoff.step, ledger.failures], [1, 8]);
    assert.equal(ledger.backoff.until, 1_101);
    assert.equal(earliestAt(ledger, policy), 7_108);
  });

  test('is waited for twice as long each time, up to five minutes, until it has answered three times', () => {
    const waits: number[] = [];
    let ledger = newLedger(0, 0.5);
    let now = 0;
    for (let number = 1; number <= 12; number += 1) {
      now = earliestAt(ledger, policy) ?? assert.fail();
      ledger = done(turn(ledger, number, now), number, { kind: 'refused' }, now);
      waits.push(ledger.backoff.until - now);
    }
    assert.deepEqual(waits.slice(0, 4), [1_000, 2_000, 4_000, 8_000]);
    assert.equal(waits.at(-1), 300_000);
    for (let answer = 1; answer <= forgivingAnswers.refused; answer += 1) {
      now = earliestAt(ledger, policy) ?? assert.fail();
      ledger = done(turn(ledger, 12 + answer, now), 12 + answer, { kind: 'answered' }, now);
    }
    assert.deepEqual([ledger.failures, ledger.backoff.step], [0, 0]);
    ledger = done(turn(ledger, 99, now + 1_000), 99, { kind: 'failed' }, now + 1_000);
    assert.equal(ledger.backoff.until - now, 2_000);
  });

  test('is stepped back from also where a source asks without a pause', () => {
    const hasty: Policy = { concurrency: 64, delayMs: 0, minDelayMs: 0 };
    let ledger = newLedger(0, 0.5);
    const waits = [1, 2, 3, 4].map((number) => {
      const at = earliestAt(ledger, hasty) ?? Infinity;
      ledger = done(turn(ledger, number, at, hasty), number, { kind: 'refused' }, at);
      return (earliestAt(ledger, hasty) ?? Infinity) - at;
    });
    assert.deepEqual(waits, [1, 2, 4, 8]);
  });

  test('is stepped back from at the pace that its throttle has come to', () => {
    const slow = done(asked(throttled), 1, { kind: 'answered', status: 200, latencyMs: 20_000 }, 20_000);
    const refused = done(turn(slow, 2, 50_000, throttled), 2, { kind: 'refused' }, 50_100);
    assert.equal(refused.backoff.until, 70_100);
  });
});

describe('a throttled host', () => {
  test('is asked after the delay that its latency has taught, from the turn sent to the turn done (O48)', () => {
    let ledger = newLedger(0, 0.5);
    const learned: number[] = [];
    for (const number of [1, 2, 3]) {
      const at = earliestAt(ledger, throttled) ?? assert.fail();
      ledger = done(turn(ledger, number, at, throttled), number, { kind: 'answered', status: 200 }, at + 500);
      learned.push(ledger.throttleMs ?? 0);
      assert.equal(earliestAt(ledger, throttled), at + (ledger.throttleMs ?? 0));
    }
    assert.deepEqual(learned, [2_750, 1_625, 1_062.5]);
    assert.equal(ledger.latencyMs, 500);
  });

  test('is asked no sooner for anything but a plain page (O49)', () => {
    for (const outcome of [
      { kind: 'answered', status: 404 },
      { kind: 'answered', status: 301 },
      { kind: 'answered' },
      { kind: 'failed', status: 500 },
      { kind: 'failed', status: 200 },
      { kind: 'failed' },
      { kind: 'refused', status: 503 },
    ] as const) {
      const { throttleMs } = done(asked(throttled), 1, outcome, 100);
      assert.equal(usualMs(throttled, throttleMs), 5_000);
    }
  });

  test('is not judged by the time that our own reading took, when that is told', () => {
    const outcome = { kind: 'answered', status: 200, latencyMs: 500 } as const;
    assert.equal(done(asked(throttled), 1, outcome, 9_000).throttleMs, 2_750);
  });

  test('is asked by a source without a throttle at that source’s own delay', () => {
    const slow = done(asked(throttled), 1, { kind: 'answered', status: 200, latencyMs: 20_000 }, 20_000);
    assert.equal(usualMs(policy, slow.throttleMs), 1_000);
  });
});

describe('what of a host outlives the daemon', () => {
  test('is what it asked for, also when the wall clock was set', () => {
    const ledger = done(asked(), 1, { kind: 'refused', retryAfterMs: 60_000 }, 1_000);
    const row = ledgerRow(ledger, 2_000, 1_000_000) ?? assert.fail();
    assert.deepEqual(row, {
      failures: 1,
      rest: { until: 1_061_000, isCapped: false },
      backoff: { step: 1, until: 1_002_000, steppedAt: 1_001_000, answersLeft: 3 },
    });
    assert.equal(earliestAt(restored(newLedger(0, 0.5), row, 0, 1_030_000), policy), 31_000);
    assert.equal(earliestAt(restored(newLedger(0, 0.5), row, 0, -1e15), policy), longestRetryAfterMs);
  });

  test('is its back-off, which goes on where it was', () => {
    let ledger = done(asked(), 1, { kind: 'failed' }, 1_000);
    ledger = done(turn(ledger, 2, 2_500), 2, { kind: 'failed' }, 2_600);
    const row = ledgerRow(ledger, 2_600, 0) ?? assert.fail();
    const next = restored(newLedger(3_000, 0.5), row, 3_000, 0);
    assert.deepEqual([next.failures, next.backoff.step, earliestAt(next, policy)], [2, 2, 4_600]);
    assert.equal(done(turn(next, 3, 4_600), 3, { kind: 'failed' }, 4_700).backoff.step, 3);
  });

  test('is its throttle, rounded up so that few turns write anything and no restart makes it quicker', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60_000 }), (latencyMs) => {
        const ledger = done(asked(throttled), 1, { kind: 'answered', status: 200, latencyMs }, 100);
        const row = ledgerRow(ledger, 100, 0) ?? assert.fail();
        const next = restored(newLedger(200, 0.5), row, 200, 0);
        const [before, after] = [ledger, next].map(({ throttleMs }) => usualMs(throttled, throttleMs));
        assert.ok(before !== undefined && after !== undefined && after >= before && after <= 2 * before);
      }),
    );
  });

  test('are its turns that are out, which block it until they come back or expire', () => {
    const row = ledgerRow(asked({ ...policy, concurrency: 1 }), 2_000, 1_000_000) ?? assert.fail();
    const next = restored(newLedger(0, 0.5), JSON.parse(JSON.stringify(row)), 0, 1_002_000);
    assert.equal(earliestAt(next, policy), undefined);
    assert.equal(next.open[0]?.endsAt, 58_000);
    assert.equal(earliestAt(done(next, 1, { kind: 'answered' }, 500), policy), 1_000);
    assert.equal(earliestAt(withExpired(next, 1, 58_000, 0.5), policy), 1_000);
  });

  test('is nothing when it answers, and it is forgotten ten minutes later', () => {
    const ledger = done(asked(), 1, { kind: 'answered', status: 200 }, 100);
    assert.equal(ledgerRow(ledger, 100, 0), undefined);
    assert.equal(isForgettable(ledger, 599_999), false);
    assert.equal(isForgettable(ledger, 600_000), true);
  });

  test('is remembered for a day when it fails or is slow', () => {
    const failing = done(asked(), 1, { kind: 'failed' }, 100);
    const slow = done(asked(throttled), 1, { kind: 'answered', status: 200, latencyMs: 20_000 }, 100);
    for (const ledger of [failing, slow]) {
      assert.equal(isForgettable(ledger, day - 1), false);
      assert.equal(isForgettable(ledger, day), true);
    }
  });
});
