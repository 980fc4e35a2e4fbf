import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Ring, RingItem } from '../../src/actor/ring.ts';

describe('ring', () => {
  test('whatever comes and goes, it holds the rest in the order they came', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 60 }), (steps) => {
        const items = Array.from({ length: 10 }, () => new RingItem());
        const ring = new Ring<RingItem>();
        let model: RingItem[] = [];
        for (const step of steps) {
          const item = items[step] ?? new RingItem();
          if (model.includes(item)) {
            assert.equal(ring.delete(item), true);
            model = model.filter((other) => other !== item);
            assert.equal(ring.delete(item), false);
          } else {
            ring.add(item);
            model.push(item);
          }
          assert.deepEqual([ring.size, ring.first], [model.length, model[0]]);
          assert.ok([...ring].every((each, n) => each === model[n]));
        }
      }),
    );
  });

  test('the item at hand may be deleted', () => {
    const ring = new Ring<RingItem>();
    for (let n = 0; n < 5; n += 1) ring.add(new RingItem());
    let seen = 0;
    for (const item of ring) {
      ring.delete(item);
      seen += 1;
    }
    assert.deepEqual([seen, ring.size, ring.first], [5, 0, undefined]);
  });
});
