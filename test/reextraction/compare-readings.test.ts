import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordDraft } from '../../src/extract/draft.ts';
import { compareReadings } from '../../src/reextraction/compare-readings.ts';

const draft = (key: string, fields: RecordDraft['fields']): RecordDraft => ({ type: 'it', key, fields });

test('records and fields that only one version reads, or that both read differently, are counted and shown', () => {
  const before = [draft('a', { price: 1, tags: ['x'], note: 'n' }), draft('b', { price: 2 })];
  const now = [draft('a', { price: 10, tags: ['x'], size: 'L' }), draft('c', { price: 3 })];
  assert.deepEqual(compareReadings([{ page: 'p', before, now }]), {
    before: 2,
    records: 2,
    lost: 1,
    added: 1,
    byField: {
      'it.price': { changed: 1, lost: 0, gained: 0 },
      'it.note': { changed: 0, lost: 1, gained: 0 },
      'it.size': { changed: 0, lost: 0, gained: 1 },
    },
    examples: [
      { kind: 'changed', type: 'it', key: 'a', field: 'price', page: 'p', old: 1, new: 10 },
      { kind: 'changed', type: 'it', key: 'a', field: 'note', page: 'p', old: 'n' },
      { kind: 'changed', type: 'it', key: 'a', field: 'size', page: 'p', new: 'L' },
      { kind: 'lost', type: 'it', key: 'b', page: 'p' },
      { kind: 'added', type: 'it', key: 'c', page: 'p' },
    ],
  });
});

test('a few of many alike differences are shown, and all are counted', () => {
  const drafts = (price: number) => Array.from({ length: 100 }, (_, index) => draft(`k${index}`, { price }));
  const { byField, examples } = compareReadings([{ page: 'p', before: drafts(1), now: drafts(2) }]);
  assert.deepEqual([byField['it.price']?.changed, examples.length], [100, 3]);
});

test('versions that read the same differ in nothing', () => {
  const read = [draft('a', { price: { amount: '1.00', currency: 'EUR' } })];
  const found = compareReadings([{ page: 'p', before: read, now: structuredClone(read) }]);
  assert.deepEqual([found.lost, found.added, found.byField, found.examples], [0, 0, {}, []]);
});
