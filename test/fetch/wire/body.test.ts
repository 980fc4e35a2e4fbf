import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BodyBudget } from '../../../src/fetch/body-budget.ts';
import { createClient } from '../../../src/fetch/wire/client.ts';
import { openSite } from '../../support/site.ts';
import { failureOf, openClient, pageOf, textOf } from '../support.ts';
import { defaultLimits } from '../../support/politeness.ts';

describe('bodies in flight', () => {
  test('wait for each other within their budget, and all get to their end', async (t) => {
    const kibibyte = 1024;
    const budget = new BodyBudget({ limitBytes: 512 * kibibyte, reserveBytes: 256 * kibibyte });
    const site = await openSite(t, { '/': 'x'.repeat(200 * kibibyte) });
    const fetch = openClient(t, { budget });
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => fetch(site.url('/'))));
    assert.deepEqual(new Set(outcomes.map((outcome) => textOf(outcome).length)), new Set([200 * kibibyte]));
    assert.equal(budget.usedBytes, 0);
  });

  test('are counted until their holder lets go, and one that waits is held back within its own total limit', async (t) => {
    const budget = new BodyBudget({ limitBytes: 1_000_000, reserveBytes: 0 });
    const client = createClient({ budget });
    t.after(() => client.close());
    const site = await openSite(t, { '/': 'x'.repeat(900_000) });
    const request = { url: site.url('/'), limits: defaultLimits, allowPrivate: true };
    const options = { signal: new AbortController().signal, now: () => 0, onSent: () => undefined };
    const hold = budget.open();
    pageOf(await client.fetchPage(request, { ...options, hold }));
    assert.equal(budget.usedBytes, 900_000);
    const held = await client.fetchPage(
      { ...request, limits: { ...defaultLimits, bodyMs: 20, totalMs: 200 } },
      options,
    );
    assert.deepEqual(failureOf(held), { code: 'timeout', stage: 'total', afterMs: 200 });
    hold.release();
    pageOf(await client.fetchPage(request, options));
    assert.equal(budget.usedBytes, 0);
  });

  test('larger than every buffer on their way arrive whole', async (t) => {
    const body = Buffer.alloc(8 * 1024 * 1024, 'bytes ');
    const site = await openSite(t, {
      '/': (_, response) => {
        response.write(body.subarray(0, 3));
        response.end(body.subarray(3));
      },
    });
    assert.ok(body.equals(new Uint8Array(pageOf(await openClient(t)(site.url('/'))).body)));
  });
});
