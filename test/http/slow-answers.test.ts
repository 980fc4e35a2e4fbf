import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { SlowAnswers } from '../../src/http/slow-answers.ts';

/** SlowAnswers whose answers come when they are given. */
function counted() {
  const clock = new VirtualClock();
  const counts = new SlowAnswers(clock);
  const asked: PromiseWithResolvers<unknown>[] = [];
  const find = () =>
    counts.find('late', () => {
      const answer = Promise.withResolvers<unknown>();
      asked.push(answer);
      return answer.promise;
    });
  /** Looks and gives up waiting. */
  const glance = async () => {
    const found = find();
    clock.advance(100);
    return found;
  };
  const give = async (answer: unknown) => {
    asked.at(-1)?.resolve(answer);
    await asked.at(-1)?.promise;
    await new Promise(setImmediate);
  };
  return { clock, asked, find, glance, give };
}

describe('a count over all targets', () => {
  test('is that of now where it is found soon', async () => {
    const { asked, find } = counted();
    for (const each of [1, 2]) {
      const found = find();
      asked.at(-1)?.resolve(each);
      assert.equal(await found, each);
    }
  });

  test('is waited for no longer than a moment, and shared by all who ask meanwhile', async () => {
    const { asked, find, glance, give } = counted();
    assert.deepEqual([await glance(), await glance()], [undefined, undefined]);
    assert.equal(asked.length, 1);
    await give(7);
    assert.equal(await find(), 7);
  });

  test('that took long is shown at once for twenty times as long, then counted anew beside it', async () => {
    const { clock, asked, find, glance, give } = counted();
    await glance();
    clock.advance(900);
    await give(7);
    clock.advance(19_999);
    assert.deepEqual([await find(), asked.length], [7, 1]);
    clock.advance(1);
    assert.deepEqual([await find(), asked.length], [7, 2]);
    clock.advance(500);
    await give(8);
    assert.equal(await find(), 8);
  });

  test('is not shown after five minutes', async () => {
    const { clock, glance, give } = counted();
    await glance();
    await give(7);
    clock.advance(300_000);
    assert.equal(await glance(), undefined);
  });

  test('that fails fails those who wait for it, and is tried again', async () => {
    const { asked, find } = counted();
    const first = find();
    asked[0]?.reject(new Error('the store is closed'));
    await assert.rejects(first, /the store is closed/);
    const second = find();
    asked[1]?.resolve(3);
    assert.equal(await second, 3);
  });
});
