import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Backoff,
  backoffMs,
  forgivingAnswers,
  forgivingQuietMs,
  isForgiven,
  noBackoff,
  withAnswer,
  withRefusal,
} from '../../../src/fetch/ledger/backoff.ts';

const options = { baseMs: 1_000, maxMs: 300_000 };

function refused(backoff: Backoff, sentAt: number, now: number, kind: 'refused' | 'failed' = 'refused'): Backoff {
  return withRefusal(backoff, { kind, sentAt, now, draw: 0.5 }, options);
}

describe('a back-off', () => {
  test('doubles with each step, up to its maximum', () => {
    const pauses = [0, 1, 2, 3, 4, 9, 10, 60].map((step) => backoffMs(step, options, 0.5));
    assert.deepEqual(pauses, [0, 1_000, 2_000, 4_000, 8_000, 256_000, 300_000, 300_000]);
  });

  test('varies by a tenth either way', () => {
    assert.equal(backoffMs(1, options, 0), 900);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (step, draw) => {
          const middle = backoffMs(step, options, 0.5);
          const pause = backoffMs(step, options, draw);
          assert.ok(pause >= middle * 0.9 - 1e-6 && pause <= middle * 1.1 + 1e-6);
        },
      ),
    );
  });

  test('takes one step for a burst of refusals that were in flight together', () => {
    let backoff = noBackoff;
    for (const sentAt of [0, 10, 20, 30]) backoff = refused(backoff, sentAt, 100 + sentAt);
    assert.deepEqual(backoff, { step: 1, until: 1_100, steppedAt: 100, answersLeft: 3 });
  });

  test('takes the next step for a request that was sent after the last one', () => {
    const backoff = refused(refused(noBackoff, 0, 100), 1_100, 1_200);
    assert.deepEqual([backoff.step, backoff.until], [2, 3_200]);
  });

  test('for failures is forgiven after one answer to what was sent since its last step', () => {
    const failed = refused(noBackoff, 0, 100, 'failed');
    assert.equal(withAnswer(failed, 50), failed);
    assert.equal(withAnswer(failed, 2_000), noBackoff);
  });

  test('for refusals is forgiven after three such answers', () => {
    const once = refused(noBackoff, 0, 100);
    let backoff = withAnswer(once, 50);
    assert.equal(backoff, once, 'an answer that was in flight forgives nothing');
    for (let answer = 1; answer < forgivingAnswers.refused; answer += 1) backoff = withAnswer(backoff, 2_000 + answer);
    assert.equal(backoff.step, 1);
    assert.equal(withAnswer(backoff, 3_000), noBackoff);
    assert.equal(refused(backoff, 3_000, 3_100).answersLeft, 3, 'another refusal asks for all three again');
  });

  test('is forgiven after a quiet of ten minutes', () => {
    const third = [0, 2_000, 5_000].reduce((backoff, at) => refused(backoff, at, at), noBackoff);
    assert.equal(third.step, 3);
    const quietAt = third.until + forgivingQuietMs;
    assert.equal(isForgiven(third, quietAt - 1), false);
    assert.equal(refused(third, quietAt - 2, quietAt - 1).step, 4);
    assert.equal(refused(third, quietAt - 1, quietAt).step, 1);
  });
});
