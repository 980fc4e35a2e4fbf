import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { turnOutcome } from '../../../src/fetch/ledger/turn-outcome.ts';

describe('what a step means for its host', () => {
  const table = [
    [undefined, { kind: 'answered' }],
    [
      { code: 'status', status: 404 },
      { kind: 'answered', status: 404 },
    ],
    [
      { code: 'status', status: 429 },
      { kind: 'refused', status: 429 },
    ],
    [
      { code: 'status', status: 503, retryAfterMs: 5 },
      { kind: 'refused', retryAfterMs: 5, status: 503 },
    ],
    [
      { code: 'status', status: 500 },
      { kind: 'failed', status: 500 },
    ],
    [{ code: 'timeout' }, { kind: 'failed' }],
    [{ code: 'unreachable' }, { kind: 'failed' }],
    [{ code: 'too_large' }, { kind: 'answered' }],
    [{ code: 'no_record' }, { kind: 'answered' }],
    [{ code: 'proxy_failed' }, { kind: 'failed' }],
    [{ code: 'refused_address' }, { kind: 'unused' }],
    [{ code: 'url_too_long' }, { kind: 'unused' }],
    [{ code: 'cancelled' }, { kind: 'unused' }],
    [{ code: 'cancelled', status: 200 }, { kind: 'unused' }],
    [{ code: 'time_limit' }, { kind: 'unused' }],
    [{ code: 'renderer_missing' }, { kind: 'unused' }],
    [{ code: 'render_crashed' }, { kind: 'unused' }],
  ] as const;
  for (const [trouble, outcome] of table) {
    test(`${trouble ? Object.values(trouble).join(' ') : 'no trouble'}: ${outcome.kind}`, () => {
      assert.deepEqual(turnOutcome(trouble), outcome);
    });
  }

  test('a page and a redirect are told by their status, and by how long they took', () => {
    for (const status of [200, 301, 304])
      assert.deepEqual(turnOutcome(undefined, { status, latencyMs: 70 }), { kind: 'answered', status, latencyMs: 70 });
  });
});
