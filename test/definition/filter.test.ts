import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Filter } from '../../src/definition/filter.ts';
import { expectation } from '../../src/definition/problem.ts';

describe('a filter in a definition', () => {
  for (const [input, plan] of [
    ['trim', { type: 'trim' }],
    ['number', { type: 'number' }],
    ['json', { type: 'json' }],
    [{ replace: { from: 'a', to: '' } }, { type: 'replace', from: 'a', to: '' }],
    [{ regex: String.raw`(\d+)` }, { type: 'regex', pattern: String.raw`(\d+)` }],
    [{ cut: 3 }, { type: 'cut', characters: 3 }],
    [{ split: ',' }, { type: 'split', by: ',' }],
    [{ join: '' }, { type: 'join', by: '' }],
    [{ number: { decimal: ',' } }, { type: 'number', decimal: ',' }],
    [{ money: { currency: 'EUR' } }, { type: 'money', currency: 'EUR' }],
    [{ date: { formats: '%B %Y', locale: 'de' } }, { type: 'date', formats: ['%B %Y'], locale: 'de' }],
    [{ map: { Ja: true } }, { type: 'map', values: { Ja: true } }],
    [
      { map: { Ja: true }, else: false },
      { type: 'map', values: { Ja: true }, else: false },
    ],
    [{ default: [1] }, { type: 'default', value: [1] }],
    [{ json: '$.a' }, { type: 'json', path: '$.a' }],
  ] as const) {
    test(`${JSON.stringify(input)} is read`, () => {
      assert.deepEqual(Filter.parse(input), plan);
    });
  }

  for (const [input, path, message] of [
    ['trimm', '', /^unknown filter "trimm"; did you mean "trim"\?$/],
    ['strip', '', /^unknown filter "strip": it is called "trim" here$/],
    [{ re: 'a' }, 're', /^unknown filter "re": it is called "regex" here$/],
    [{ regx: 'a' }, 'regx', /did you mean "regex"/],
    [{ banana: 1 }, 'banana', /expected one of trim, upper/],
    ['regex', '', /takes, like \{regex: /],
    [{ trim: true }, 'trim', /takes nothing/],
    [{ regex: '(?=a)' }, 'regex', /expected a regular expression of RE2, got "\(\?=a\)": /],
    [{ regex: String.raw`(a)\1` }, 'regex', /RE2/],
    [{ regex: 'a{1001}' }, 'regex', /: invalid repeat count/],
    [{ regex: '(' }, 'regex', /RE2/],
    [{ replace: { from: '(?<!a)b', to: '' } }, 'replace.from', /RE2/],
    [{ replace: { form: 'a', to: '' } }, 'replace', /unknown key "form"; did you mean "from"/],
    [{ json: '$.a[?match(@.b, "x")]' }, 'json', /match\(\) is not available/],
    [{ json: 'a.b' }, 'json', /expected a JSON path/],
    [{ date: { formats: ['%Y', '%d %B'] } }, 'date.formats.1', /got "%d %B": it has no year \(%Y\)/],
    [{ date: { formats: '%Q' } }, 'date.formats', /"%Q" is no token of strptime/],
    [{ date: { zone: 'Mars/Base' } }, 'date.zone', /expected a time zone/],
    [{ money: { currency: 'EURO' } }, 'money.currency', /ISO 4217/],
    [{ unit: { to: 'g' } }, 'unit', /unknown filter "unit"/],
    [{ money: { scale: 3 } }, 'money.scale', /power of ten/],
    [{ trim: 1, upper: 1 }, '', /one filter in each mapping, got 2: trim, upper/],
    [{}, '', /one filter in each mapping/],
    [5, '', /expected the name of a filter/],
    [{ split: '' }, 'split', /at least 1 character/],
  ] as const) {
    test(`${JSON.stringify(input)} is refused (P19)`, () => {
      const read = Filter.safeParse(input, { error: expectation });
      const issues = read.error?.issues ?? [];
      const issue = issues.find((each) => message.test(each.message));
      assert.ok(issue, JSON.stringify(issues));
      assert.ok(issue.path.join('.').startsWith(path), issue.path.join('.'));
    });
  }
});
