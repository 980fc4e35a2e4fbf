import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyJob } from '../../src/reextraction/apply.ts';
import { commitStep } from '../../src/store/commit.ts';
import { begin, item, step, temporaryStore, track } from '../store/fixture.ts';
import { jobOf } from './corrected.ts';

test('whoever hears of an applied job reads every present value corrected', async (t) => {
  const { store } = await temporaryStore(t);
  const [target = 0] = await track(store, 'solar', 'https://shop.test/a');
  const drafts = Array.from({ length: 230 }, (_, key) => item(`${key}`, { price: 1 }));
  await commitStep(store, await begin(store, target), step(10, drafts, {}));
  const job = await jobOf(store, store.history.rows(), { price: 2 });
  const prices: unknown[] = [];
  t.after(
    store.onEvents((_, told) => {
      if (told.some(({ type }) => type === 'reextraction.applied'))
        prices.push(...Array.from(store.records.rows(), ({ fields }) => fields['price']?.value));
    }),
  );
  await applyJob(store, job);
  assert.deepEqual(
    prices,
    drafts.map(() => 2),
  );
  assert.equal([...store.history.rows()].filter(({ corrects }) => corrects !== undefined).length, drafts.length);
});
