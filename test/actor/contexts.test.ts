import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stage } from './support.ts';

describe('async contexts', () => {
  test('what a life leaves behind belongs to it, in its first turn as in later ones', async () => {
    for (const turns of [1, 2, 5]) {
      const { spawn, system } = stage();
      const [one, other] = [await spawn(blamer, 'one'), await spawn(blamer, 'other')];
      for (let turn = 1; turn < turns; turn += 1) {
        for (const ref of [one, other]) {
          ref.send(() => {});
          await system.idle();
        }
      }
      one.send(() => setImmediate(() => system.blame(new Error('stray'))));
      assert.deepEqual(await system.ended(one), ['error', new Error('stray')]);
      assert.deepEqual(
        system.inspect().map(({ name }) => name),
        ['other'],
      );
    }
  });

  test('lives whose contexts are kept in one place are told apart', async () => {
    const { spawn, system } = stage();
    const lives = await Promise.all(Array.from({ length: 65 }, (_, n) => spawn(blamer, `life-${n}`)));
    const [first, last] = [lives[0] ?? assert.fail(), lives[64] ?? assert.fail()];
    for (let turn = 0; turn < 3; turn += 1) {
      first.send(() => {});
      await system.idle();
    }
    last.send(() => setImmediate(() => system.blame(new Error('stray'))));
    assert.deepEqual(await system.ended(last), ['error', new Error('stray')]);
    assert.equal(system.inspect().length, 64);
  });

  test('code outside of all lives belongs to none, also after a life had its turn', async () => {
    const { spawn, system } = stage();
    const ref = await spawn(blamer);
    for (let turn = 0; turn < 3; turn += 1) {
      ref.send(() => {});
      await system.idle();
      assert.equal(system.blame(new Error('of nobody')), false);
    }
  });
});

/** Does what it is told. */
function blamer(): { receive(message: () => void): void } {
  return { receive: (message) => message() };
}
