import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { retryAfterMs } from '../../src/fetch/retry-after.ts';

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
