import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keysOf } from '../../../src/fetch/ledger/ledger-view.ts';

describe('a slice of keys', () => {
  test('holds the first of those after a key, in order, whatever order they come in', () => {
    const keys = fc.uniqueArray(fc.string({ maxLength: 3 }), { maxLength: 200 });
    fc.assert(
      fc.property(
        keys,
        fc.option(fc.string({ maxLength: 3 }), { nil: undefined }),
        fc.integer({ min: 1, max: 20 }),
        (all, after, limit) => {
          const expected = [...all]
            .sort()
            .filter((key) => after === undefined || key > after)
            .slice(0, limit);
          assert.deepEqual(keysOf(all, { after, limit }), expected);
        },
      ),
    );
  });

  test('walks from slice to slice over all of them, each once', () => {
    const all = Array.from({ length: 1_000 }, (_, index) => `key ${(index * 7_919) % 1_000}`);
    const walked: string[] = [];
    for (
      let slice = keysOf(all, { limit: 64 });
      slice.length > 0;
      slice = keysOf(all, { after: slice.at(-1), limit: 64 })
    )
      walked.push(...slice);
    assert.deepEqual(walked, all.toSorted());
  });
});
