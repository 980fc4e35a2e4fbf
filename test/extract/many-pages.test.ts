import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ExtractOutcome } from '../../src/extract/draft.ts';
import { extract } from '../../src/extract/extract.ts';
import { openPool, pageNumber, planOfFifty } from './many-pages.ts';

test('a definition of 50 fields gives the same on threads as inline, in any order', async (context) => {
  const readPooled = await openPool(context);
  const plan = planOfFifty();
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(10_000), { minLength: 25, maxLength: 25 }), async (pages) => {
      const inline = new Map<number, ExtractOutcome>();
      for (const page of [...pages].sort((a, b) => a - b)) inline.set(page, await extract(pageNumber(page, plan)));
      const pooled = await Promise.all(pages.map((page) => readPooled(pageNumber(page, plan))));
      for (const [index, page] of pages.entries()) assert.deepEqual(pooled[index], inline.get(page));
      assert.ok([...inline.values()].some(({ ok }) => ok));
    }),
    { numRuns: 4 },
  );
});
