import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Value } from '../../../src/extract/value/value.ts';
import { compileFilter, type FilterPlan } from '../../../src/extract/filter/all.ts';
import { FilterError } from '../../../src/extract/filter/kind.ts';
import { threadMsOf } from '../../support/thread-time.ts';

function run(value: Value, ...plans: readonly FilterPlan[]): Value {
  return plans.reduce((each, plan) => compileFilter(plan)(each, 'http://site.test/a/'), value);
}

const price: FilterPlan = { type: 'regex', pattern: String.raw`(?P<cur>\$)\s*(?P<amt>[\d.]+)` };

const cases: readonly (readonly [plan: FilterPlan, value: Value, result: Value])[] = [
  [{ type: 'trim' }, ' x\n', 'x'],
  [{ type: 'upper' }, 'straße', 'STRASSE'],
  [{ type: 'lower' }, 'ÀB', 'àb'],
  [{ type: 'collapse' }, ' a \n b ', 'a b'],
  [{ type: 'upper' }, null, null],
  [{ type: 'upper' }, ['a', null, 'b'], ['A', null, 'B']],
  [{ type: 'upper' }, 5, '5'],
  [{ type: 'url' }, '../b', 'http://site.test/b'],
  [{ type: 'replace', from: 'a+', to: '-' }, 'baac', 'b-c'],
  [{ type: 'replace', from: String.raw`(\d+)-(?P<m>\d+)`, to: '$<m>.$1$$&$3' }, '2026-11', '11.2026$&$3'],
  [{ type: 'replace', from: '', to: '.' }, 'ab', '.a.b.'],
  [{ type: 'regex', pattern: String.raw`(\d+)` }, 'p 12.5', '12'],
  [{ type: 'regex', pattern: String.raw`(\d+)` }, 'p', null],
  [{ type: 'regex', pattern: 'p' }, 'up', 'p'],
  [{ type: 'regex', pattern: String.raw`\d+` }, ['No. 7', 'No. 8', 'none'], ['7', '8', null]],
  [{ type: 'regex', pattern: '(x)?p' }, 'p', null],
  [{ type: 'regex', pattern: '(?i)A(.)' }, 'xab', 'b'],
  [price, '$ 12.5', { cur: '$', amt: '12.5' }],
  [{ type: 'split', by: ',' }, 'a, b,,c ', ['a', 'b', 'c']],
  [{ type: 'split', by: ',' }, ['a,b', null, 'c'], ['a', 'b', 'c']],
  [{ type: 'split', by: ',' }, null, null],
  [{ type: 'join', by: ' ' }, ['a', null, 5], 'a 5'],
  [{ type: 'join', by: ' ' }, 'a', 'a'],
  [{ type: 'number' }, '482 backers', 482],
  [{ type: 'number' }, '12k', 12_000],
  [{ type: 'number' }, '1.2M views', 1_200_000],
  [{ type: 'number' }, '€1.2 million', 1_200_000],
  [{ type: 'number' }, '12 months', 12],
  [{ type: 'number' }, '5m cable', 5],
  [{ type: 'number' }, 'Pack of 6', 6],
  [{ type: 'number' }, '.5 l', 0.5],
  [{ type: 'number' }, '-5 %', -5],
  [{ type: 'number' }, '1.234,56', 1234.56],
  [{ type: 'number' }, '1,234.56', 1234.56],
  [{ type: 'number' }, '1 234 pieces', 1234],
  [{ type: 'number' }, "1'234", 1234],
  [{ type: 'number', decimal: ',' }, 'ca. 1.234 Stück', 1234],
  [{ type: 'number' }, 'iPhone-15', 15],
  [{ type: 'money', currency: 'USD' }, '$5', { amount: '5.00', currency: 'USD' }],
  [{ type: 'date', formats: ['%B %Y'] }, 'May 2026', '2026-05-01'],
  [{ type: 'map', values: { Ja: true, Nein: null } }, 'Ja', true],
  [{ type: 'map', values: { Ja: true, Nein: null } }, 'Nein', null],
  [{ type: 'map', values: { Ja: true }, else: false }, 'toString', false],
  [{ type: 'map', values: { Ja: true }, else: null }, 'x', null],
  ...(['number', 'money', 'date', 'url', 'json'] as const).map((type) => [{ type }, ' ', ' '] as const),
  [{ type: 'lines' }, 'a  \r\n\n  b\n', 'a\n  b'],
  [{ type: 'lines', drop: '^Visitors: ' }, 'a\nVisitors: 17\nb', 'a\nb'],
  [{ type: 'lines', keep: '(?i)sale|new', drop: 'old' }, 'Sale\nb\nold sale\nNews', 'Sale\nNews'],
  [{ type: 'lines', unique: true }, 'b\na\nb', 'b\na'],
  [{ type: 'lines', sort: true }, 'b\na\nb', 'a\nb\nb'],
  [{ type: 'lines', drop: '.' }, 'a', ''],
  [{ type: 'default', value: 0 }, null, 0],
  [{ type: 'default', value: 0 }, ' ', 0],
  [{ type: 'default', value: 0 }, 'x', 'x'],
  [{ type: 'default', value: 0 }, [null], [null]],
  [{ type: 'json' }, '{"a":[1]}', { a: [1] }],
  [{ type: 'json', path: '$.a[0]' }, '{"a":[1,2]}', 1],
  [{ type: 'json', path: '$.b' }, '{"a":[1,2]}', null],
  [{ type: 'json', path: '$.a[*]' }, '{"a":[1,2]}', [1, 2]],
  [{ type: 'json', path: '$.a' }, { a: 3 }, 3],
  [(value) => (value === null ? 'none' : 'some'), null, 'none'],
];

describe('filters', () => {
  for (const [plan, value, result] of cases) {
    const name = typeof plan === 'function' ? 'a function' : JSON.stringify(plan);
    test(`${name} makes ${JSON.stringify(value)} ${JSON.stringify(result)} (P18)`, () => {
      assert.deepEqual(run(value, plan), result);
    });
  }

  for (const [plan, value] of [
    [{ type: 'upper' }, { a: 1 }],
    [{ type: 'number' }, '3 of 5'],
    [{ type: 'number' }, 'none'],
    [{ type: 'number' }, '10-20'],
    [{ type: 'number' }, '1.2.3'],
    [{ type: 'money' }, 'free'],
    [{ type: 'money' }, '$5'],
    [{ type: 'date' }, 'today'],
    [{ type: 'url' }, 'mailto:a@b.test'],
    [{ type: 'map', values: { Ja: true } }, 'Vielleicht'],
    [{ type: 'json' }, '{'],
    [{ type: 'split', by: ',' }, 'a,'.repeat(10_001)],
    [{ type: 'split', by: ',' }, `${','.repeat(10_001)}a`],
    [{ type: 'replace', from: 'a', to: 'b'.repeat(1_000) }, 'a'.repeat(1_001)],
  ] as const satisfies readonly (readonly [FilterPlan, Value])[]) {
    test(`${JSON.stringify(plan).slice(0, 60)} refuses ${JSON.stringify(value).slice(0, 40)} and says what it expected`, () => {
      assert.throws(
        () => run(value, plan),
        (error) => error instanceof FilterError && error.expected !== '' && error.text.length <= 200,
      );
    });
  }

  test('run from left to right (P18)', () => {
    assert.equal(run(' x ', { type: 'trim' }, { type: 'upper' }), 'X');
    assert.deepEqual(run('a-1; b-2', { type: 'split', by: ';' }, { type: 'regex', pattern: String.raw`(\d)` }), [
      '1',
      '2',
    ]);
  });

  test('a pattern that makes a backtracking engine hang takes no time', () => {
    const took = threadMsOf(() => {
      assert.equal(run(`${'a'.repeat(50_000)}b`, { type: 'regex', pattern: '^(a+)+$' }), null);
    });
    assert.ok(took < 5_000, `${took} ms`);
  });

  test('a literal replaced twice over is what JavaScript makes of it', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('a', 'b ', '.'), fc.string(), (text, from, to) => {
        const pattern = `\\Q${from}\\E`;
        assert.equal(
          run(text, { type: 'replace', from: pattern, to }),
          text.replaceAll(from, to.replaceAll(/\$[`']/g, '$$$&')),
        );
      }),
    );
  });
});
