import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LoopShare } from '../../src/engine/loop-share.ts';

test('work that comes together is parted among turns of the loop, in its order', async () => {
  let now = 0;
  const share = new LoopShare(() => now);
  const turns: number[] = [];
  let turn = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turn += 1) await nextTurn();
  })();
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      await share.begin();
      order.push(index);
      turns.push(turn);
      now += 0.5;
    }),
  );
  isOver = true;
  await counting;
  assert.deepEqual(
    order,
    [...order].sort((a, b) => a - b),
  );
  const most = Math.max(...Array.from(Map.groupBy(turns, (each) => each).values(), ({ length }) => length));
  assert.equal(most, 2);
});

test('short work does not wait for a turn', async () => {
  const share = new LoopShare(() => 0);
  let isLater = false;
  setImmediate(() => (isLater = true));
  for (let count = 0; count < 10; count += 1) await share.begin();
  assert.equal(isLater, false);
});
