import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExtractOutcome } from '../../src/extract/draft.ts';
import { extract } from '../../src/extract/extract.ts';
import { openPool, pageNumber, planOfFifty, shuffled } from './many-pages.ts';

test('a definition of 50 fields gives the same of 1,000 pages on threads as inline, in any order', async (context) => {
  const readPooled = await openPool(context);
  const plan = planOfFifty();
  const inline: ExtractOutcome[] = [];
  for (let page = 0; page < 1_000; page += 1) inline.push(await extract(pageNumber(page, plan)));
  for (const seed of [1, 2]) {
    const order = shuffled(1_000, seed);
    const pooled = await Promise.all(order.map((page) => readPooled(pageNumber(page, plan))));
    for (const [index, page] of order.entries()) assert.deepEqual(pooled[index], inline[page]);
  }
});
