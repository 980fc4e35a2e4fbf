import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsAfter } from '../../src/store/fields-after.ts';
import { exportingDaemon } from '../export/exporting.ts';
import { item } from './fixture.ts';

test('the fields of a record after an event are without what later events told, whatever a re-extraction corrects', async (t) => {
  const { store, see, correct } = await exportingDaemon(t, { title: 'text', stock: 'integer', note: 'text' });
  await see([item('a', { title: 'one', stock: 1 })], 1_000);
  await see([item('a', { stock: 2 })], 2_000);
  await see([item('a', { title: 'two', note: 'new' })], 3_000);
  const serials = [...store.events.rows()].filter(({ type }) => type.startsWith('record.')).map(({ id }) => id);
  const record = () => store.records.get('shop', 'item', 'a') ?? assert.fail('no record');
  const after = () => serials.map((serial) => fieldsAfter(store, record(), serial));
  const expected = [
    { title: 'one', stock: 1 },
    { title: 'one', stock: 2 },
    { title: 'two', stock: 2, note: 'new' },
  ];
  assert.deepEqual(after(), expected);
  await correct(({ at }) => `at ${at}`);
  assert.deepEqual(after(), expected);
});
