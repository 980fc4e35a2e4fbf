import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportHistory } from '../../src/store/export.ts';
import { temporaryStore } from './fixture.ts';

test('an export of the history leaves the event loop free while the log tells of no change', async (t) => {
  const { store } = await temporaryStore(t);
  await store.write((change) => {
    for (let told = 0; told < 1_000; told += 1)
      change.tell({ type: 'project.finished', projects: ['quiet'], data: {} });
  });
  let ms = 0;
  const room = { limit: 1_000, now: () => (ms += 10) };
  const slice = exportHistory(store, { upTo: 1_000, log: 0 }, { isOfType: () => true }, room);
  assert.deepEqual(slice.rows, []);
  const upTo = slice.next?.log ?? 0;
  assert.ok(upTo > 0 && upTo < 200, `read to event ${upTo} in one turn`);
});
