import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  defaultPolicy,
  earliestAt,
  gapMs,
  hostRow,
  isForgettable,
  type Ledger,
  longestRetryAfterMs,
  newLedger,
  restored,
  turnOutcome,
  withDone,
  withExpired,
  withSent,
  withTurn,
} from '../../src/fetch/politeness.ts';

const policy = { concurrency: 2, delayMs: 1_000, minDelayMs: 600 };

/** Asked at 0 with the middle gap, so that 1,000 is the next instant. */
function asked(): Ledger {
  return withSent(withTurn(newLedger(-10_000, 0.5), 1, policy), 1, 0, 0.5);
}

describe('politeness', () => {
  test('a gap is drawn from half to one and a half times the delay, never under the least', () => {
    assert.equal(gapMs(policy, 0), 600);
    assert.equal(gapMs(policy, 0.5), 1_000);
    assert.equal(gapMs(policy, 0.9), 1_400);
    assert.equal(gapMs(defaultPolicy, 0), 500);
  });

  test('a host of which nothing is known counts as asked at the start', () => {
    assert.equal(earliestAt(newLedger(5_000, 0.5), policy), 6_000);
  });

  test('a turn that is not yet reported sent blocks its host, whatever the concurrency', () => {
    const ledger = withTurn(newLedger(0, 0.5), 1, policy);
    assert.equal(earliestAt(ledger, policy), undefined);
  });

  test('the gap counts from when the request was sent', () => {
    assert.equal(earliestAt(asked(), policy), 1_000);
  });

  test('as many turns as the concurrency are out at a time', () => {
    const two = withSent(withTurn(asked(), 2, policy), 2, 1_000, 0.5);
    assert.equal(earliestAt(two, policy), undefined);
    assert.equal(earliestAt(withDone(two, 1, { kind: 'answered' }, 1_100, 0.5), policy), 2_000);
  });

  test('of two sources with one key the stricter policy counts', () => {
    const ledger = asked();
    assert.equal(earliestAt(ledger, { ...policy, delayMs: 9_000 }), 9_000);
    assert.equal(earliestAt(ledger, { ...policy, delayMs: 1, minDelayMs: 0 }), 1_000);
    assert.equal(earliestAt(ledger, { ...policy, concurrency: 1 }), undefined);
  });

  test('a turn given back unused costs its host nothing', () => {
    const ledger = newLedger(0, 0.5);
    assert.deepEqual(withDone(withTurn(ledger, 1, policy), 1, { kind: 'unused' }, 9_000, 0.5), ledger);
  });

  test('a turn of which nothing was heard counts as asked when it expires', () => {
    const expired = withExpired(withTurn(newLedger(0, 0.5), 1, policy), 1, 60_000, 0.5);
    assert.equal(earliestAt(expired, policy), 61_000);
  });

  test('a connection that failed counts as asked when it failed', () => {
    const ledger = withDone(withTurn(newLedger(0, 0.5), 1, policy), 1, { kind: 'answered' }, 7_000, 0.5);
    assert.equal(earliestAt(ledger, policy), 8_000);
  });

  test('a request reported sent after its turn expired still begins a gap', () => {
    const expired = withExpired(withTurn(newLedger(0, 0.5), 1, policy), 1, 60_000, 0.5);
    assert.equal(earliestAt(withSent(expired, 1, 60_900, 0.5), policy), 61_900);
  });

  test('Retry-After is honoured from the answer on (B51)', () => {
    const ledger = withDone(asked(), 1, { kind: 'refused', retryAfterMs: 5_000 }, 400, 0.5);
    assert.equal(earliestAt(ledger, policy), 5_400);
  });

  test('Retry-After is honoured up to a day', () => {
    const ledger = withDone(asked(), 1, { kind: 'refused', retryAfterMs: 1e12 }, 400, 0.5);
    assert.equal(earliestAt(ledger, policy), 400 + longestRetryAfterMs);
  });

  test('an answer does not shorten a wait that the host asked for before', () => {
    const two = withSent(withTurn(asked(), 2, policy), 2, 1_000, 0.5);
    const refused = withDone(two, 1, { kind: 'refused', retryAfterMs: 60_000 }, 1_100, 0.5);
    assert.equal(earliestAt(withDone(refused, 2, { kind: 'answered' }, 1_200, 0.5), policy), 61_100);
  });

  test('failures in a row are waited after twice as long each, up to five minutes, until an answer comes', () => {
    const waits: number[] = [];
    let ledger = newLedger(0, 0.5);
    for (let number = 1; number <= 12; number += 1) {
      ledger = withSent(withTurn(ledger, number, policy), number, 0, 0);
      ledger = withDone({ ...ledger, refusedUntil: 0 }, number, { kind: 'failed' }, 0, 0.5);
      waits.push(ledger.refusedUntil);
    }
    assert.deepEqual(waits.slice(0, 4), [1_000, 2_000, 4_000, 8_000]);
    assert.equal(waits.at(-1), 300_000);
    ledger = withSent(withTurn(ledger, 13, policy), 13, 300_000, 0.5);
    assert.equal(earliestAt(withDone(ledger, 13, { kind: 'answered' }, 300_100, 0.5), policy), 301_000);
  });

  test('what a host asked for outlives the daemon, also when the wall clock was set', () => {
    const ledger = withDone(asked(), 1, { kind: 'refused', retryAfterMs: 60_000 }, 1_000, 0.5);
    const row = hostRow(ledger, 2_000, 1_000_000);
    assert.deepEqual(row, { refusedUntil: 1_061_000, failures: 1 });
    if (!row) return;
    assert.equal(earliestAt(restored(newLedger(0, 0.5), row, 0, 1_030_000), policy), 31_000);
    assert.equal(earliestAt(restored(newLedger(0, 0.5), row, 0, -1e15), policy), longestRetryAfterMs);
  });

  test('a host that answers leaves nothing to keep, and is forgotten after its gap', () => {
    const ledger = withDone(asked(), 1, { kind: 'answered' }, 100, 0.5);
    assert.equal(hostRow(ledger, 100, 0), undefined);
    assert.equal(isForgettable(ledger, 999), false);
    assert.equal(isForgettable(ledger, 1_000), true);
  });
});

describe('what a step means for its host', () => {
  const table = [
    [undefined, { kind: 'answered' }],
    [{ code: 'status', status: 404 }, { kind: 'answered' }],
    [{ code: 'status', status: 429 }, { kind: 'refused' }],
    [
      { code: 'status', status: 503, retryAfterMs: 5 },
      { kind: 'refused', retryAfterMs: 5 },
    ],
    [{ code: 'status', status: 500 }, { kind: 'failed' }],
    [{ code: 'timeout' }, { kind: 'failed' }],
    [{ code: 'unreachable' }, { kind: 'failed' }],
    [{ code: 'too_large' }, { kind: 'answered' }],
    [{ code: 'no_record' }, { kind: 'answered' }],
    [{ code: 'refused_address' }, { kind: 'unused' }],
  ] as const;
  for (const [trouble, outcome] of table) {
    test(`${trouble ? Object.values(trouble).join(' ') : 'no trouble'}: ${outcome.kind}`, () => {
      assert.deepEqual(turnOutcome(trouble), outcome);
    });
  }
});
