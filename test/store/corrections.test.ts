import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCorrections } from '../../src/store/corrections.ts';
import type { CorrectionSlice } from '../../src/view/correction.ts';
import { exportingDaemon } from '../export/exporting.ts';
import { item } from './fixture.ts';

test('a corrected value holds until the next change of its field, whichever slice has it', async (t) => {
  const { store, see, correct } = await exportingDaemon(t, { title: 'text', stock: 'integer' });
  await see([item('a', { title: 'one', stock: 1 }), item('b', { title: 'B' })], 1_000);
  await see([item('a', { stock: 2 })], 2_000);
  await see([item('a', { title: 'two' })], 3_000);
  await correct(({ key, at }) => `${key} at ${at}`);
  const event = store.events.last();
  const expected = [
    [1_000, { value: 'a at 1000', until: 2_000 }],
    [2_000, { value: 'a at 2000', until: 3_000 }],
    [3_000, { value: 'a at 3000' }],
    [1_000, { value: 'b at 1000' }],
  ];
  for (const limit of [1, 2, 10]) {
    const read: unknown[] = [];
    let slice: CorrectionSlice | undefined;
    do {
      slice = readCorrections(store, event, { after: slice?.last, limit });
      read.push(...(slice?.rows ?? []).map(({ at, fields }) => [at, fields['title']]));
    } while (slice?.last !== undefined);
    assert.deepEqual(read, expected, `by ${limit}`);
  }
});
