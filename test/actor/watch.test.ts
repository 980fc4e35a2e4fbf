import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Watch, type Watched } from '../../src/actor/watch.ts';

/** Three watches of one life, and what they told. */
function three() {
  const told: string[] = [];
  const life: Watched = { watches: undefined };
  const watches = ['a', 'b', 'c'].map((name) => new Watch((reason) => told.push(`${name} ${String(reason)}`)));
  for (const watch of watches) watch.set(life);
  const end = () => {
    for (let watch = life.watches; watch !== undefined; watch = life.watches) watch.fire('normal');
  };
  const [a, b, c] = watches as [Watch, Watch, Watch];
  return { told, life, a, b, c, end };
}

describe('a watch', () => {
  test('that is cleared is so once, and tells nothing', () => {
    const { told, b, end } = three();
    assert.deepEqual([b.clear(), b.clear()], [true, false]);
    b.fire('killed');
    end();
    assert.deepEqual(told, ['a normal', 'c normal']);
  });

  test('may be set again, on another life as well, and leaves the others as they are', () => {
    for (const which of ['a', 'b', 'c'] as const) {
      const { told, end, ...all } = three();
      const other: Watched = { watches: undefined };
      all[which].clear();
      all[which].set(other);
      assert.equal(other.watches, all[which]);
      all[which].fire('shutdown');
      assert.equal(other.watches, undefined);
      end();
      const left = ['a', 'b', 'c'].filter((name) => name !== which).map((name) => `${name} normal`);
      assert.deepEqual(told, [`${which} shutdown`, ...left]);
    }
  });
});
