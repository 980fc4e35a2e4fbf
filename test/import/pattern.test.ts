import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findAll, pythonPattern, wordOrPattern } from '../../src/import/pattern.ts';
import { jqPlace } from '../../src/import/place.ts';
import { snapshotFilter, snapshotText } from '../../src/import/snapshot.ts';

describe('what patterns find', () => {
  const text = 'v1.2 of May\nand v3.4, v5.6\nend';
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['/v\\d\\.\\d/'], 'v1.2\nv3.4\nv5.6'],
    [['/v(\\d)\\.(\\d)/'], '12\n34\n56'],
    [['may', '/end$/'], 'May\nend'],
    [['nothing'], ''],
    [['/v(?:\\d)[(]?/'], 'v1\nv3\nv5'],
  ];
  for (const [patterns, found] of cases)
    test(`${patterns.join(' and ')} is left of a text, a line for each`, () => {
      const read = patterns.map((each) => {
        const pattern = wordOrPattern(each);
        return pattern.ok ? pattern.pattern : assert.fail(pattern.why);
      });
      const filters = findAll(read, 'groups').map((each) => (each === 'lines' ? { lines: {} } : each));
      assert.equal(snapshotFilter(filters as object[])(text), found);
    });

  test('is refused where RE2 cannot say it', () => {
    for (const pattern of ['a(?=b)', '(a)\\1', '(', 'a'.repeat(1_001)]) {
      const read = pythonPattern(pattern);
      assert.ok(!read.ok && read.why.length > 10);
    }
  });
});

describe('a filter of jq', () => {
  for (const [filter, path] of [
    ['.', '$'],
    ['.a.b_c[0]', '$["a"]["b_c"][0]'],
    ['.[].name', '$[*]["name"]'],
    ['.["a b"]?.c', '$["a b"]["c"]'],
    ['.a | .b', undefined],
    ['map(.a)', undefined],
    ['.a..b', undefined],
  ] as const)
    test(`${filter} is ${path ?? 'no path'}`, () => {
      const place = jqPlace(filter);
      assert.equal(place.ok ? place.text : undefined, path);
    });
});

test('a snapshot is brought into the lines that a page is read in', () => {
  assert.equal(
    snapshotText('\n  Terms \r\n\n  * one  two\n    1. three\n* four\n o five'),
    'Terms\none two\nthree\n* four\no five',
  );
});
