import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseCsv } from '../../../src/extract/document/csv.ts';
import type { CsvOptions } from '../../../src/extract/document/kind.ts';

describe('a table', () => {
  for (const [text, options, rows] of [
    [
      'a,b\n1,2\n3,4\n',
      {},
      [
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ],
    ],
    ['\ufeffa;b\r\n"x;y";" z ""q"""\r\n', {}, [{ a: 'x;y', b: ' z "q"' }]],
    ['a\tb\n1\t2', {}, [{ a: '1', b: '2' }]],
    ['"a,x";b|c\n1;2', {}, [{ 'a,x': '1', 'b|c': '2' }]],
    ['a b c', {}, []],
    ['a\n1\n\n2\n', {}, [{ a: '1' }, { a: '2' }]],
    ['a,b\n1', {}, [{ a: '1' }]],
    ['a\n1,2', { delimiter: ',' }, [{ a: '1', 2: '2' }]],
    [' a ,a,\n1,2,3', {}, [{ a: '1', 2: '2', 3: '3' }]],
    ['1|2', { header: false }, [{ 1: '1', 2: '2' }]],
    ['1,2', { header: ['x', 'y'] }, [{ x: '1', y: '2' }]],
    ['a.b\n1', { delimiter: '.' }, [{ a: '1' }]],
    ['', {}, []],
  ] as const satisfies readonly (readonly [string, CsvOptions, readonly object[]])[]) {
    test(`${JSON.stringify(text)} with ${JSON.stringify(options)} is ${JSON.stringify(rows)}`, () => {
      assert.deepEqual(parseCsv(text, options), { ok: true, value: rows });
    });
  }

  for (const text of ['a,b\n"1,2\n', 'a\n1"x"']) {
    test(`${JSON.stringify(text)} is refused, with its line`, () => {
      const parsed = parseCsv(text);
      assert.match(parsed.ok ? '' : parsed.message, /line \d/);
    });
  }

  test('of absurdly many columns is none', () => {
    const parsed = parseCsv(','.repeat(10_001));
    assert.match(parsed.ok ? '' : parsed.message, /10002 columns/);
  });

  test('is what was written, whatever its cells hold', () => {
    const cell = fc.string().filter((text) => !text.includes('\ufeff'));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell), { minLength: 1 }),
        fc.constantFrom(',', ';', '\t'),
        (rows, delimiter) => {
          const lines = rows.map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(delimiter));
          const parsed = parseCsv(['x', ...lines].join('\n').replace('x', `x${delimiter}y`), { delimiter });
          assert.deepEqual(parsed, { ok: true, value: rows.map(([x, y]) => ({ x, y })) });
        },
      ),
    );
  });
});
