import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openBatches } from '../../src/plugin/batches.ts';
import type { Batch } from '../../src/plugin/protocol.ts';

test('whatever the sizes, batches hold everything once, in order, and one at a time is with the daemon', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 700 }), async (sizes) => {
      const taken: Batch[] = [];
      let withDaemon = 0;
      const batches = openBatches(async (batch) => {
        withDaemon += 1;
        assert.equal(withDaemon, 1);
        await Promise.resolve();
        withDaemon -= 1;
        taken.push(batch);
      });
      for (const [index, size] of sizes.entries())
        await batches.addDraft({ type: 'n', key: `${index}`, fields: {} }, size);
      await batches.finish();
      assert.deepEqual(
        taken.flatMap(({ drafts }) => drafts.map(({ key }) => key)),
        sizes.map((_, index) => `${index}`),
      );
      assert.ok(taken.every(({ drafts }) => drafts.length <= 200));
    }),
    { numRuns: 50 },
  );
});

test('a batch that the daemon refuses is met by whoever goes on', async () => {
  const batches = openBatches(() => Promise.reject(new Error('refused')));
  await batches.addFailure({ url: 'https://a.test/', message: 'x' });
  await assert.rejects(batches.finish(), /refused/);
});
