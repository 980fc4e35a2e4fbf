import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PriorityMap } from '../../../src/fetch/ledger/priority-map.ts';

test('equals leave in the order in which they came', () => {
  const map = new PriorityMap<string>();
  for (const key of ['a', 'b', 'c', 'd', 'e']) map.set(key, 1);
  map.set('c', 0);
  assert.deepEqual(drained(map), ['c', 'a', 'b', 'd', 'e']);
});

test('an empty one has no first key, and a lowest priority that nothing reaches', () => {
  const map = new PriorityMap<string>();
  assert.equal(map.first, undefined);
  assert.equal(map.lowest, Infinity);
  assert.equal(map.delete('a'), false);
});

test('whatever is set, moved and deleted, the rest leaves lowest first', () => {
  const step = fc.record({ key: fc.nat(20), priority: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const map = new PriorityMap<number>();
      const model = new Map<number, number>();
      for (const { key, priority } of steps) {
        if (priority === undefined) {
          assert.equal(map.delete(key), model.delete(key));
        } else {
          map.set(key, priority);
          model.set(key, priority);
        }
        assert.equal(map.size, model.size);
        assert.equal(map.lowest, Math.min(...model.values()));
      }
      const expected = Array.from(model.values()).sort((a, b) => a - b);
      assert.deepEqual(
        drained(map).map((key) => model.get(key)),
        expected,
      );
    }),
  );
});

function drained<K>(map: PriorityMap<K>): K[] {
  const keys: K[] = [];
  for (let key = map.first; key !== undefined; key = map.first) {
    keys.push(key);
    map.delete(key);
  }
  return keys;
}
