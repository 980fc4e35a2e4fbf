import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextOf, retryAfterMs } from '../../../src/fetch/wire/head.ts';

const now = Date.UTC(2026, 10, 8, 8, 49, 0);

describe('Retry-After', () => {
  const table: readonly (readonly [string, number | undefined])[] = [
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['Sun, 08 Nov 2026 08:49:37 GMT', 37_000],
    ['Sunday, 08-Nov-26 08:49:37 GMT', 37_000],
    ['Sun Nov  8 08:49:37 2026', 37_000],
    ['Sunday, 08-Nov-94 08:49:37 GMT', 0],
    ['Sun, 08 Nov 2020 08:49:37 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['', undefined],
    ['Sun, 08 Foo 2026 08:49:37 GMT', undefined],
    ['2026-11-08T08:49:37Z', undefined],
    ['99999999999', 9_999_999_999_000],
    ['9'.repeat(400), 9_999_999_999_000],
    ['120, 120', 120_000],
    ['10,3600, 60 , 5', 3_600_000],
    ['soon, 7', 7_000],
    ['soon, later', undefined],
    ['5, Sun, 08 Nov 2026 08:49:37 GMT, 9', 37_000],
    ['Sunday, 08-Nov-26 08:49:37 GMT, 120', 120_000],
  ];
  for (const [text, expected] of table) {
    test(`"${text.slice(0, 60)}" means ${expected === undefined ? 'nothing' : `${expected} ms`}`, () => {
      assert.equal(retryAfterMs({ 'retry-after': text }, now), expected);
    });
  }

  test('is not there', () => assert.equal(retryAfterMs({}, now), undefined));

  test("as a date is read against the site's own clock", () => {
    const headers = { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT', date: 'Wed, 21 Oct 2015 07:26:30 GMT' };
    assert.equal(retryAfterMs(headers, now), 90_000);
  });
});

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
