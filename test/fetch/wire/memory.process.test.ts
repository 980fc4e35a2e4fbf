import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BodyBudget } from '../../../src/fetch/body-budget.ts';
import { createClient } from '../../../src/fetch/wire/client.ts';
import { defaultLimits } from '../../support/politeness.ts';
import { type Fault, openFaultServer } from '../../support/fault-server.ts';
import { failureOf } from '../support.ts';

/** Does it, and returns how much more memory the process had meanwhile than before, in MiB. */
async function memoryFor(act: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss() - before)), 5);
  await act();
  clearInterval(timer);
  return Math.round(most / 1024 / 1024);
}

describe('the memory that pages take', () => {
  const bodies: readonly Fault[] = ['endless-body', 'gzip-bomb', 'deflate-bomb', 'br-bomb', 'zstd-bomb', 'error-bomb'];
  for (const fault of bodies) {
    test(`is not taken beyond the limits by twenty at once: ${fault}`, async (t) => {
      const server = await openFaultServer(t);
      const budget = new BodyBudget({ limitBytes: 16 * 1024 * 1024, reserveBytes: 8 * 1024 * 1024 });
      const client = createClient({ budget });
      t.after(() => client.close());
      const limits = { ...defaultLimits, maxBytes: 8 * 1024 * 1024, totalMs: 30_000 };
      const request = { url: server.url(fault), limits, allowPrivate: true };
      const options = { signal: new AbortController().signal, now: () => 0, onSent: () => undefined };
      const codes = new Set<string>();
      const taken = await memoryFor(() =>
        Promise.all(
          Array.from({ length: 20 }, async () => codes.add(failureOf(await client.fetchPage(request, options)).code)),
        ),
      );
      assert.deepEqual([...codes], [fault === 'error-bomb' ? 'status' : 'too_large']);
      assert.equal(budget.usedBytes, 0);
      // The server is in this process too, with a bomb of ten mebibytes.
      assert.ok(taken < 400, `${taken} MiB more than before`);
    });
  }
});
