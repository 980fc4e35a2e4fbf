import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { BodyBudget } from '../../../src/fetch/body-budget.ts';
import { createClient } from '../../../src/fetch/wire/client.ts';
import { describeFailure, type FetchFailure } from '../../../src/fetch/failure.ts';
import type { FetchLimits } from '../../../src/fetch/request.ts';
import { burst, type Fault, openFaultServer, refusingOrigin, resettingOrigin } from '../../support/fault-server.ts';
import { openSite } from '../../support/site.ts';
import { failureOf, textOf } from '../support.ts';
import { defaultLimits } from '../../support/politeness.ts';

const small: FetchLimits = { ...defaultLimits, maxBytes: 1024 * 1024 };
const quick: FetchLimits = { connectMs: 150, headersMs: 150, bodyMs: 150, totalMs: 400, maxBytes: 1024 * 1024 };

async function fetchOne(t: TestContext, url: string, limits: FetchLimits = small, allowPrivate = true) {
  const budget = new BodyBudget();
  const client = createClient({ budget });
  t.after(() => client.close());
  const signal = new AbortController().signal;
  const request = { url, limits, allowPrivate };
  const outcome = await client.fetchPage(request, { signal, now: () => Date.UTC(2026, 0, 1), onSent: () => undefined });
  assert.equal(budget.usedBytes, 0, 'bytes left in the budget');
  return outcome;
}

const limit = { code: 'too_large', limitBytes: quick.maxBytes } as const;
const connect = { code: 'timeout', stage: 'connect', afterMs: 150 } as const;
const headers = { code: 'timeout', stage: 'headers', afterMs: 150 } as const;
const body = { code: 'timeout', stage: 'body', afterMs: 150 } as const;
const total = { code: 'timeout', stage: 'total', afterMs: 1_000 } as const;

/** A busy machine may take its time for what does not stall. */
const patient: FetchLimits = { ...quick, connectMs: 5_000, totalMs: 20_000 };

/** Each stall, the limits it meets, and the one that ends it. */
const stalls: readonly (readonly [Fault, FetchLimits, FetchFailure])[] = [
  ['stall-head', patient, headers],
  ['drip-head', patient, headers],
  ['stall-body', { ...patient, headersMs: 5_000 }, body],
  ['drip-body', { ...patient, headersMs: 5_000, bodyMs: 500, totalMs: 1_000 }, total],
];

/** Each other fault and the failure it is. */
const table: readonly (readonly [Fault, FetchFailure])[] = [
  ['reset', { code: 'unreachable', cause: 'connection reset' }],
  ['reset-head', { code: 'unreachable', cause: 'connection reset' }],
  ['hang-up', { code: 'unreachable', cause: 'connection closed by the site' }],
  ['endless-head', { code: 'too_large', limitBytes: 64 * 1024, part: 'head' }],
  ['reset-body', { code: 'truncated', cause: 'connection reset' }],
  ['truncated', { code: 'truncated', cause: 'connection closed by the site' }],
  ['truncated-chunks', { code: 'truncated', cause: 'connection closed by the site' }],
  ['truncated-last', { code: 'truncated', cause: 'connection closed in the middle of a response' }],
  ['garbage', { code: 'bad_response', cause: 'Expected HTTP/, RTSP/ or ICE/' }],
  ['bad-chunks', { code: 'bad_response', cause: 'Invalid character in chunk size' }],
  ['switched', { code: 'bad_response', cause: 'it switches to a protocol that nobody asked for' }],
  ['switched-upgrade', { code: 'bad_response', cause: 'it switches to a protocol that nobody asked for' }],
  ['two-lengths', { code: 'bad_response', cause: 'its head contradicts itself on the length of the body' }],
  ['length-and-chunks', { code: 'bad_response', cause: 'its head contradicts itself on the length of the body' }],
  ['chunks-and-length', { code: 'bad_response', cause: "Content-Length can't be present with Transfer-Encoding" }],
  ['truncated-gzip', { code: 'truncated', cause: 'the gzip stream ends early' }],
  ['truncated-deflate', { code: 'truncated', cause: 'the deflate stream ends early' }],
  ['truncated-br', { code: 'truncated', cause: 'the br stream ends early' }],
  ['truncated-zstd', { code: 'truncated', cause: 'the zstd stream ends early' }],
  ['overstated-length', limit],
  ['not-gzip', { code: 'bad_encoding', encoding: 'gzip' }],
  ['not-deflate', { code: 'bad_encoding', encoding: 'deflate' }],
  ['not-br', { code: 'bad_encoding', encoding: 'br' }],
  ['not-zstd', { code: 'bad_encoding', encoding: 'zstd' }],
  ['unknown-encoding', { code: 'bad_encoding', encoding: 'rot13' }],
  ['gzip-bomb', limit],
  ['deflate-bomb', limit],
  ['br-bomb', limit],
  ['zstd-bomb', limit],
  ['wide-zstd', { code: 'bad_encoding', encoding: 'zstd' }],
  ['error-bomb', { code: 'status', status: 500 }],
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
  for (const [fault, limits, expected] of stalls) {
    test(`${fault}: ${describeFailure(expected)}`, async (t) => {
      const server = await openFaultServer(t);
      assert.deepEqual(failureOf(await fetchOne(t, server.url(fault), limits)), expected);
    });
  }

  for (const [fault, expected] of table) {
    test(`${fault}: ${describeFailure(expected)}`, async (t) => {
      const server = await openFaultServer(t);
      assert.deepEqual(failureOf(await fetchOne(t, server.url(fault))), expected);
      assert.equal(server.asked.length, 1);
    });
  }

  for (const fault of ['continue', 'continue-twice', 'every-interim'] as const)
    test(`${fault}: what comes before the response is not taken for it, on each use of a connection`, async (t) => {
      const server = await openFaultServer(t);
      const client = createClient({ budget: new BodyBudget() });
      t.after(() => client.close());
      const options = { signal: new AbortController().signal, now: () => 0, onSent: () => undefined };
      const request = { url: server.url(fault), limits: small, allowPrivate: true };
      for (let count = 0; count < 4; count += 1)
        assert.equal(textOf(await client.fetchPage(request, options)), 'the page');
      assert.ok(server.connections() < 4);
    });

  test('refuse: a port at which nobody listens is out of reach', async (t) => {
    const outcome = await fetchOne(t, await refusingOrigin());
    assert.deepEqual(failureOf(outcome), { code: 'unreachable', cause: 'connection refused' });
  });

  test('reset-connect: a connection that is reset at once is a site out of reach', async (t) => {
    const outcome = await fetchOne(t, `${await resettingOrigin(t)}/`);
    assert.deepEqual(failureOf(outcome), { code: 'unreachable', cause: 'connection reset' });
  });

  for (const [fault, failure] of [
    ['burst-of-429', { code: 'status', status: 429, retryAfterMs: 1_000, excerpt: 'slow down' }],
    ['burst-of-503', { code: 'status', status: 503, retryAfterMs: 120_000, excerpt: 'back soon' }],
  ] as const) {
    test(`${fault}: each refusal is told, and then the page`, async (t) => {
      const server = await openFaultServer(t);
      for (let count = 0; count < burst; count += 1)
        assert.deepEqual(failureOf(await fetchOne(t, server.url(fault))), failure);
      assert.equal(textOf(await fetchOne(t, server.url(fault))), 'the page');
    });
  }

  test('redirect-to-metadata: the next hop is refused, though private addresses are allowed', async (t) => {
    const server = await openFaultServer(t);
    const outcome = await fetchOne(t, server.url('redirect-to-metadata'));
    assert.equal(outcome.kind, 'redirect');
    const next = await fetchOne(t, outcome.kind === 'redirect' ? outcome.url : '');
    assert.equal(failureOf(next).code, 'refused_address');
  });

  test('redirect-to-oddly-spelled-private: the next hop is refused', async (t) => {
    const server = await openFaultServer(t);
    const outcome = await fetchOne(t, server.url('redirect-to-oddly-spelled-private'));
    assert.equal(outcome.kind, 'redirect');
    const next = await fetchOne(t, outcome.kind === 'redirect' ? outcome.url : '', small, false);
    assert.deepEqual(failureOf(next), {
      code: 'refused_address',
      address: '10.0.0.1',
      range: 'private use',
      needs: ['allowPrivate'],
    });
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

describe('while all faults happen at once', () => {
  test('each ends within its limits, and a healthy site is asked as quickly as ever', async (t) => {
    const server = await openFaultServer(t);
    const site = await openSite(t, { '/': 'hello' });
    const budget = new BodyBudget();
    const client = createClient({ budget });
    t.after(() => client.close());
    const options = { signal: new AbortController().signal, now: () => 0, onSent: () => undefined };
    const ask = (url: string, limits: FetchLimits) => client.fetchPage({ url, limits, allowPrivate: true }, options);
    const short = { ...quick, totalMs: 2_000 };
    const pace = async () => {
      const startedAt = performance.now();
      // A busy machine may take longer than the short limits; how long is compared below.
      assert.equal(textOf(await ask(site.url('/'), defaultLimits)), 'hello');
      return performance.now() - startedAt;
    };
    const alone: number[] = [];
    for (let count = 0; count < 20; count += 1) alone.push(await pace());
    const faults = [...stalls, ...table].map(([fault]) => fault);
    let isOver = false;
    const ending = Promise.all([...faults, ...faults].map((fault) => ask(server.url(fault), short))).finally(
      () => (isOver = true),
    );
    const paces: number[] = [];
    while (!isOver) paces.push(await pace());
    for (const outcome of await ending) {
      assert.equal(outcome.kind, 'failure');
      if (outcome.kind === 'failure') assert.ok(outcome.cost.elapsedMs < 3_000, JSON.stringify(outcome));
    }
    // A stall of one would cost the others its time limit, some hundred times what a request takes; a busy machine slows both.
    const [before, beside] = [medianOf(alone), medianOf(paces)];
    assert.ok(beside < 20 * before + 20, `a healthy request took ${before} ms alone and ${beside} ms beside faults`);
    assert.equal(budget.usedBytes, 0);
  });
});

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Infinity;
}
