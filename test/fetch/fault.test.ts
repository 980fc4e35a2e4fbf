import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { BodyBudget } from '../../src/fetch/body-budget.ts';
import { createClient } from '../../src/fetch/client.ts';
import { describeFailure } from '../../src/fetch/describe.ts';
import type { FetchFailure } from '../../src/fetch/failure.ts';
import { defaultLimits, type FetchLimits } from '../../src/fetch/request.ts';
import { type Fault, openFaultServer, refusingOrigin } from '../support/fault-server.ts';
import { failureOf } from './support.ts';

const small: FetchLimits = { ...defaultLimits, maxBytes: 1024 * 1024 };
const quick: FetchLimits = { connectMs: 150, headersMs: 150, bodyMs: 150, totalMs: 400, maxBytes: 1024 * 1024 };

async function fetchOne(t: TestContext, url: string, limits: FetchLimits = small) {
  const budget = new BodyBudget();
  const client = createClient({ budget });
  t.after(() => client.close());
  const signal = new AbortController().signal;
  const request = { url, limits, allowPrivate: true };
  const outcome = await client.fetchPage(request, { signal, now: () => Date.UTC(2026, 0, 1), onSent: () => undefined });
  assert.equal(budget.usedBytes, 0, 'bytes left in the budget');
  return outcome;
}

const limit = { code: 'too_large', limitBytes: quick.maxBytes } as const;
const connect = { code: 'timeout', stage: 'connect', afterMs: 150 } as const;
const headers = { code: 'timeout', stage: 'headers', afterMs: 150 } as const;
const body = { code: 'timeout', stage: 'body', afterMs: 150 } as const;
const total = { code: 'timeout', stage: 'total', afterMs: 400 } as const;

/** Each stall and the limit that ends it. */
const stalls: readonly (readonly [Fault, FetchFailure])[] = [
  ['stall-head', headers],
  ['drip-head', headers],
  ['stall-body', body],
  ['drip-body', total],
];

/** Each other fault and the failure it is. */
const table: readonly (readonly [Fault, FetchFailure])[] = [
  ['reset', { code: 'unreachable', cause: 'connection reset' }],
  ['hang-up', { code: 'unreachable', cause: 'connection closed by the site' }],
  ['endless-head', { code: 'too_large', limitBytes: 64 * 1024 }],
  ['reset-body', { code: 'truncated', cause: 'connection reset' }],
  ['truncated', { code: 'truncated', cause: 'connection closed by the site' }],
  ['truncated-chunks', { code: 'truncated', cause: 'connection closed by the site' }],
  ['truncated-last', { code: 'truncated', cause: 'connection closed in the middle of a response' }],
  ['garbage', { code: 'bad_response', cause: 'Expected HTTP/, RTSP/ or ICE/' }],
  ['bad-chunks', { code: 'bad_response', cause: 'Invalid character in chunk size' }],
  ['truncated-gzip', { code: 'truncated', cause: 'the gzip stream ends early' }],
  ['overstated-length', limit],
  ['not-gzip', { code: 'bad_encoding', encoding: 'gzip' }],
  ['unknown-encoding', { code: 'bad_encoding', encoding: 'rot13' }],
  ['gzip-bomb', limit],
  ['endless-body', limit],
  ['gibibyte', limit],
  ['endless-error', { code: 'status', status: 500 }],
  ['stalled-error', { code: 'status', status: 500 }],
  ['redirect-nowhere', { code: 'bad_redirect', location: '' }],
  ['redirect-to-file', { code: 'bad_redirect', location: 'file:///etc/hosts' }],
  ['too-many-requests', { code: 'status', status: 429, retryAfterMs: 5_000 }],
  ['unavailable', { code: 'status', status: 503, retryAfterMs: 120_000 }],
];

describe('what a site does wrong', () => {
  for (const [fault, expected] of stalls) {
    test(`${fault}: ${describeFailure(expected)}`, async (t) => {
      const server = await openFaultServer(t);
      assert.deepEqual(failureOf(await fetchOne(t, server.url(fault), quick)), expected);
    });
  }

  for (const [fault, expected] of table) {
    test(`${fault}: ${describeFailure(expected)}`, async (t) => {
      const server = await openFaultServer(t);
      assert.deepEqual(failureOf(await fetchOne(t, server.url(fault))), expected);
      assert.equal(server.asked.length, 1);
    });
  }

  test('refuse: a port at which nobody listens is out of reach', async (t) => {
    const outcome = await fetchOne(t, await refusingOrigin());
    assert.deepEqual(failureOf(outcome), { code: 'unreachable', cause: 'connection refused' });
  });

  test('stall-connect: a connection that never gets through its handshake is given up in time', async (t) => {
    const server = await openFaultServer(t);
    const outcome = await fetchOne(t, server.url('stall-head').replace('http:', 'https:'), quick);
    assert.deepEqual(failureOf(outcome), connect);
  });
});

describe('what a site does oddly', () => {
  test('a body longer than its length says is the page of that length', async (t) => {
    const server = await openFaultServer(t);
    const outcome = await fetchOne(t, server.url('understated-length'));
    assert.equal(outcome.kind === 'page' && new TextDecoder().decode(outcome.page.body), 'half');
  });

  test('binary that calls itself HTML is a page all the same', async (t) => {
    const server = await openFaultServer(t);
    const outcome = await fetchOne(t, server.url('binary'));
    assert.equal(outcome.kind === 'page' && outcome.page.body.byteLength, 4_096);
  });

  test('a loop of redirects is followed no step', async (t) => {
    const server = await openFaultServer(t);
    assert.equal((await fetchOne(t, server.url('loop'))).kind, 'redirect');
    assert.equal(server.asked.length, 1);
  });

  test('bytes without end behind a compressed page are cut off', async (t) => {
    const server = await openFaultServer(t);
    const outcome = await fetchOne(t, server.url('gzip-and-more'));
    assert.equal(outcome.kind === 'page' && new TextDecoder().decode(outcome.page.body), 'the page');
    await server.idle();
  });
});

describe('after a failure', () => {
  for (const fault of [
    'endless-head',
    'drip-head',
    'drip-body',
    'endless-body',
    'gzip-bomb',
    'endless-error',
  ] as const) {
    test(`no connection is left open (${fault})`, async (t) => {
      const server = await openFaultServer(t);
      await fetchOne(t, server.url(fault), quick);
      await server.idle();
    });
  }

  test('its cost is known', async (t) => {
    const server = await openFaultServer(t);
    const outcome = await fetchOne(t, server.url('stall-body'), quick);
    assert.equal(outcome.kind, 'failure');
    if (outcome.kind !== 'failure') return;
    assert.equal(outcome.cost.status, 200);
    assert.equal(outcome.cost.encodedBytes, 4);
    assert.ok(outcome.cost.elapsedMs >= 149);
  });
});

test('a hundred endless bodies at once take no more memory than their limits', async (t) => {
  const server = await openFaultServer(t);
  const budget = new BodyBudget({ limitBytes: 16 * 1024 * 1024, reserveBytes: 8 * 1024 * 1024 });
  const client = createClient({ budget });
  t.after(() => client.close());
  const before = process.memoryUsage.rss();
  const limits = { ...defaultLimits, maxBytes: 8 * 1024 * 1024, totalMs: 20_000 };
  let most = 0;
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const request = { url: server.url('endless-body'), limits, allowPrivate: true };
      const outcome = await client.fetchPage(request, {
        signal: new AbortController().signal,
        now: () => 0,
        onSent: () => undefined,
      });
      most = Math.max(most, process.memoryUsage.rss() - before);
      return outcome;
    }),
  );
  assert.deepEqual(new Set(outcomes.map((outcome) => failureOf(outcome).code)), new Set(['too_large']));
  assert.ok(most < 300 * 1024 * 1024, `${Math.round(most / 1024 / 1024)} MiB more than before`);
});
