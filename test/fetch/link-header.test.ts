import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextOf } from '../../src/fetch/link-header.ts';

const base = 'https://site.test/api/items?page=1';

const headers: readonly (readonly [string, string | undefined])[] = [
  ['<https://site.test/2>; rel="next"', 'https://site.test/2'],
  ['<?page=2>; rel=next', 'https://site.test/api/items?page=2'],
  ['<https://site.test/0>; rel="prev", <https://site.test/2>; rel="next"', 'https://site.test/2'],
  ['<https://site.test/2>; title="a, b; c"; rel="last Next"', 'https://site.test/2'],
  ['<https://site.test/2> ; REL = "NEXT"', 'https://site.test/2'],
  ['<https://site.test/2,3;x>; rel=next', 'https://site.test/2,3;x'],
  ['<https://site.test/2>; rel="prev"; rel="next"', undefined],
  ['<https://site.test/2>; title="; rel=next"', undefined],
  ['<https://site.test/2>; rel="nextish"', undefined],
  ['<javascript:alert(1)>; rel="next"', undefined],
  ['<https://site.test/2>', undefined],
  ['https://site.test/2; rel="next"', undefined],
  ['<https://site.test/2', undefined],
  ['', undefined],
];

describe('a Link header', () => {
  for (const [header, expected] of headers)
    test(`"${header}" leads ${expected === undefined ? 'nowhere' : `to ${expected}`}`, () => {
      assert.equal(nextOf(header, base), expected);
    });

  test('of any length and shape is read in linear time', () => {
    for (const text of ['<', '<a>;', '; rel="', '<a>; a="\\', '<a>; rel '.repeat(3)])
      assert.ok(nextOf(text.repeat(20_000), base) === undefined);
  });
});
