import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OneByOne } from '../../src/control/handlers/one-by-one.ts';

const never = new AbortController().signal;

/** Work that ends when the test says so. */
function held(begun: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const work = (): Promise<string> => {
    begun.push(name);
    return promise;
  };
  return { work, end: () => resolve(name), fail: (error: Error) => reject(error) };
}

describe('one thing after the other', () => {
  test('is done in the order asked for, also after one that failed', async () => {
    const begun: string[] = [];
    const line = new OneByOne(2);
    const [a, b, c] = [held(begun, 'a'), held(begun, 'b'), held(begun, 'c')];
    const [first, second, third] = [line.run(a.work, never), line.run(b.work, never), line.run(c.work, never)];
    assert.deepEqual(begun, ['a']);
    a.fail(new Error('no'));
    await assert.rejects(first, /no/);
    b.end();
    assert.equal(await second, 'b');
    c.end();
    assert.equal(await third, 'c');
    assert.deepEqual(begun, ['a', 'b', 'c']);
  });

  test('is not done where as many wait as may', async () => {
    const begun: string[] = [];
    const line = new OneByOne(1);
    const [a, b, c] = [held(begun, 'a'), held(begun, 'b'), held(begun, 'c')];
    const [first, second] = [line.run(a.work, never), line.run(b.work, never)];
    assert.equal(await line.run(c.work, never), undefined);
    a.end();
    b.end();
    assert.deepEqual([await first, await second, begun], ['a', 'b', ['a', 'b']]);
  });

  test('is not done for one who has gone meanwhile, whose place is free for another', async () => {
    const begun: string[] = [];
    const line = new OneByOne(1);
    const gone = new AbortController();
    const [a, b, c] = [held(begun, 'a'), held(begun, 'b'), held(begun, 'c')];
    const first = line.run(a.work, never);
    const second = line.run(b.work, gone.signal);
    gone.abort(new Error('gone'));
    await assert.rejects(second, /gone/);
    const third = line.run(c.work, never);
    a.end();
    c.end();
    assert.deepEqual([await first, await third, begun], ['a', 'c', ['a', 'c']]);
  });
});
