import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';

function problemsOf(page: string, { key = 'id', more = '' } = {}): string[] {
  const yaml = `id: list\n${more}\nrecords: { item: { key: ${key}, each: li, fields: { id: "@id", title: h1 }, page: ${page} } }\n`;
  const parsed = parseSource(yaml, 'list.yaml');
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('the page that an item leads to', () => {
  const given: readonly (readonly [page: string, more?: string])[] = [
    ['{ url: a, fields: { price: .price } }'],
    ['{ url: { css: a, attr: data-href }, provider: json, fields: { price: $.price } }'],
    ['{ url: a, fields: { ends: { css: time, type: datetime } } }', 'finished: { record: item, when: ends < now }'],
    ['{ url: a, fields: { price: .price } }', 'objectives: { fields: { price: { errorAfter: 1h } } }'],
  ];
  for (const [page, more = ''] of given)
    test(`may be ${page}${more === '' ? '' : ` with ${more}`}`, () => assert.deepEqual(problemsOf(page, { more }), []));

  const refused: readonly (readonly [page: string, problem: RegExp, key?: string])[] = [
    [
      '{ url: a, fields: { title: h1 } }',
      /^records\.item\.page\.fields\.title: expected it either here or in the fields/,
    ],
    ['{ url: a, fields: { sku: .sku } }', /^records\.item\.key: expected a field of the list, .* got "sku"$/, 'sku'],
    ['{ fields: { price: .price } }', /^records\.item\.page\.url: missing/],
    [
      '{ url: { css: a, type: number }, fields: { price: .price } }',
      /^records\.item\.page\.url: expected a rule for an address/,
    ],
    ['{ url: $.link, fields: { price: .price } }', /^records\.item\.page\.url: expected a CSS selector or an XPath/],
    [
      '{ url: a, fields: { price: $.price } }',
      /^records\.item\.page\.fields\.price: expected a CSS .*"provider" of the page says/,
    ],
    ['{ url: a, each: li, fields: { price: .price } }', /^records\.item\.page\.each: unknown/],
  ];
  for (const [page, problem, key] of refused)
    test(`is refused as ${page}${key === undefined ? '' : ` with the key ${key}`}`, () => {
      const problems = problemsOf(page, { ...(key !== undefined && { key }) });
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems[0] ?? '', problem);
    });
});
