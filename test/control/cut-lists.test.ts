import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CutLists } from '../../src/control/handlers/cut-lists.ts';

test('lists of an answer that are cut are named, each once, and whole ones are not', () => {
  const cut = new CutLists<'cut' | 'whole'>();
  assert.deepEqual(cut.first('whole', [1, 2], 2), [1, 2]);
  assert.equal(cut.names, undefined);
  let taken = 0;
  const endless = function* endless() {
    for (;;) yield (taken += 1);
  };
  assert.deepEqual(cut.first('cut', endless(), 2), [1, 2]);
  assert.equal(taken, 3);
  assert.deepEqual(cut.first('cut', [4], 0), []);
  assert.deepEqual(cut.names, ['cut']);
});
