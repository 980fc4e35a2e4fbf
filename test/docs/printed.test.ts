import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isShown } from './printed.ts';

describe('what a page shows of a command', () => {
  const cases: readonly [shown: string, printed: string, isSo: boolean][] = [
    ['one\ntwo\n', 'one\ntwo\n', true],
    ['one\n', 'one\ntwo\n', false],
    ['one\ntwo\n', 'one\n', false],
    ['two\none\n', 'one\ntwo\n', false],
    ['a  b\n', 'a\tb\n\n', true],
    ['took …ms\n', 'took 12ms\n', true],
    ['took …ms\n', 'took long\n', false],
    ['took …\n', 'took 12ms\nmore\n', false],
    ['one\n…\nthree\n', 'one\nthree\n', true],
    ['one\n…\nthree\n', 'one\ntwo\ntwo\nthree\n', true],
    ['one\n…\nthree\n', 'one\ntwo\n', false],
    ['f(x) [1] $\n', 'f(x) [1] $\n', true],
    ['one\n', 'scrape 1 waits to begin\none\n', true],
  ];
  for (const [shown, printed, isSo] of cases)
    test(`${JSON.stringify(shown)} is ${isSo ? '' : 'not '}${JSON.stringify(printed)}`, () => {
      assert.equal(isShown(shown, printed), isSo);
    });
});
