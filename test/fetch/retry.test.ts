import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type FailedTry, isTransient, nextRetry } from '../../src/fetch/retry.ts';
import { defaultRetry } from '../support/politeness.ts';

const many = { ...defaultRetry, retries: 20, capMs: Infinity, budgetMs: Infinity };

/** The pauses when each try takes `tryMs`, and when the last of them is over. */
function chain(policy: typeof many, tryMs = 0, draw = () => 0.5): { delays: number[]; endedAt: number } {
  const delays = [0];
  let now = tryMs;
  for (let attempt = 1; ; attempt += 1) {
    const failed = {
      trouble: { code: 'timeout' },
      attempt,
      startedAt: 0,
      now,
      nextDueAt: Infinity,
      draw: draw(),
      policy,
    };
    const next = nextRetry(failed);
    if (next.do === 'give-up') break;
    delays.push(next.delayMs);
    now += next.delayMs + tryMs;
  }
  return { delays, endedAt: now };
}

describe('the pauses between tries', () => {
  test('are 10 ms, doubled with each; the first try is immediate (B35)', () => {
    assert.deepEqual(chain({ ...many, retries: 4 }).delays, [0, 10, 20, 40, 80]);
  });

  test('are at most as long as the cap, variation included (B36)', () => {
    const { delays } = chain({ ...many, capMs: 1_000 }, 0, () => 0.999);
    assert.ok(Math.max(...delays) <= 1_000);
    assert.equal(delays.at(-1), 1_000);
  });

  test('lie within a tenth of their base, either way (B37)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 20 }),
        (draws) => {
          let drawn = 0;
          const { delays } = chain(many, 0, () => draws[drawn++ % draws.length] ?? 0);
          for (const [place, delay] of delays.slice(1).entries()) {
            const base = 10 * 2 ** place;
            assert.ok(delay >= base * 0.9 - 1e-6 && delay <= base * 1.1 + 1e-6);
          }
        },
      ),
    );
  });

  test('end within the budget and one try (B38)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 700 }), fc.double({ min: 0, max: 0.99, noNaN: true }), (tryMs, draw) => {
        const { endedAt } = chain({ ...many, budgetMs: 1_000 }, tryMs, () => draw);
        assert.ok(endedAt <= 1_000 + tryMs + 1e-6);
      }),
    );
  });

  test('end with one last try after what is left of the budget, if that is a tenth of a second', () => {
    assert.deepEqual(chain({ ...many, budgetMs: 1_000 }).delays, [0, 10, 20, 40, 80, 160, 320, 370]);
    assert.deepEqual(chain({ ...many, budgetMs: 700 }).delays, [0, 10, 20, 40, 80, 160, 320]);
  });

  test('are bounded by default', () => {
    assert.deepEqual(chain(defaultRetry).delays, [0, 10, 20]);
  });
});

describe('what is tried again', () => {
  for (const status of [500, 502, 503, 504, 408, 429]) {
    test(`status ${status} (O52)`, () => assert.ok(isTransient({ code: 'status', status })));
  }
  for (const code of ['timeout', 'unreachable', 'truncated', 'bad_response', 'proxy_failed'])
    test(`${code} (O53)`, () => assert.ok(isTransient({ code })));
});

describe('what is not tried again', () => {
  for (const status of [404, 410, 403, 401, 400, 501])
    test(`status ${status} (O52)`, () => assert.equal(isTransient({ code: 'status', status }), false));
  for (const code of ['too_large', 'refused_address', 'bad_encoding', 'bad_certificate', 'cancelled', 'no_record'])
    test(code, () => assert.equal(isTransient({ code, status: 200 }), false));
});

describe('after a try that failed', () => {
  const failed: FailedTry = {
    trouble: { code: 'status', status: 500 },
    attempt: 1,
    startedAt: 0,
    now: 1_000,
    nextDueAt: 60_000,
    draw: 0.5,
    policy: defaultRetry,
  };
  const table: readonly (readonly [string, Partial<FailedTry>, ReturnType<typeof nextRetry>])[] = [
    [
      'another follows in a moment, and ends by the next turn of the target',
      {},
      { do: 'wait', delayMs: 10, endsBy: 60_000 },
    ],
    ['a second one follows after twice as long', { attempt: 2 }, { do: 'wait', delayMs: 20, endsBy: 60_000 }],
    ['a third one does not follow (O52)', { attempt: 3 }, { do: 'give-up', reason: 'attempts' }],
    [
      'none follows a 404 (O52)',
      { trouble: { code: 'status', status: 404 } },
      { do: 'give-up', reason: 'not_transient' },
    ],
    [
      'none follows that would begin when the target is next due (B39)',
      { now: 59_990 },
      { do: 'give-up', reason: 'due' },
    ],
    ['one follows that begins just before that', { now: 59_989 }, { do: 'wait', delayMs: 10, endsBy: 60_000 }],
    [
      'the next waits for as long as Retry-After says',
      { trouble: { code: 'status', status: 429, retryAfterMs: 5_000 } },
      { do: 'wait', delayMs: 5_000, endsBy: 60_000 },
    ],
    [
      'none follows when Retry-After lasts until the target is next due (B39)',
      { trouble: { code: 'status', status: 503, retryAfterMs: 59_000 } },
      { do: 'give-up', reason: 'due' },
    ],
    [
      'none follows beyond the budget',
      { trouble: { code: 'status', status: 503, retryAfterMs: 700_000 }, nextDueAt: 1e9 },
      { do: 'give-up', reason: 'budget' },
    ],
    ['none follows when the budget is spent', { now: 600_000, nextDueAt: 1e9 }, { do: 'give-up', reason: 'budget' }],
  ];
  for (const [name, differs, expected] of table)
    test(name, () => assert.deepEqual(nextRetry({ ...failed, ...differs }), expected));

  test('no chain goes on past the next turn of its target, whatever happens (B39)', () => {
    const any = fc.record({
      attempt: fc.integer({ min: 1, max: 4 }),
      now: fc.nat(100_000),
      nextDueAt: fc.nat(100_000),
      draw: fc.double({ min: 0, max: 0.99, noNaN: true }),
    });
    fc.assert(
      fc.property(any, (given) => {
        const next = nextRetry({ ...failed, ...given });
        if (next.do === 'give-up') return;
        const at = given.now + next.delayMs;
        assert.ok(at < given.nextDueAt && next.endsBy === given.nextDueAt);
        assert.ok(given.attempt <= 2);
      }),
    );
  });
});
