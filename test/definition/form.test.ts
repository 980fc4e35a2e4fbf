import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';

function problemsOf(request: string, more = ''): string[] {
  const yaml = `id: s\nurl: "https://site.test/#{tag}"\nrequest: ${request}\n${more}\nrecords: { item: { key: id, fields: { id: h1 } } }\n`;
  const parsed = parseSource(yaml, 's.yaml');
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('the forms of a source', () => {
  for (const given of [
    '{ form: {} }',
    '{ form: { page: "https://site.test/{tag}", css: form, fields: { a: "{tag} {}", b: { css: i }, c: "" }, button: false } }',
    '{ form: [{}, { fields: { a: "{tag}" }, button: .go, origins: ["https://other.test"] }] }',
  ])
    test(`may be ${given}`, () => assert.deepEqual(problemsOf(given), []));
  test('may have the page of a list in a control, and links to later pages', () => {
    assert.deepEqual(problemsOf('{ form: {} }', 'feed: { by: page, in: form }'), []);
    assert.deepEqual(problemsOf('{ form: {} }', 'feed: { by: link }'), []);
  });

  const refused: readonly (readonly [request: string, problem: RegExp, more?: string])[] = [
    ['{ form: {}, json: {} }', /^request: expected at most one of fields, json and form/],
    ['{ form: {}, method: POST }', /^request\.method: expected none beside "form"/],
    ['{ fields: { a: b }, method: GET }', /^request\.method: expected POST/],
    [
      '{ form: [{}, { page: "https://site.test/" }] }',
      /^request\.form\[1\]\.page: expected a page for the first form only/,
    ],
    ['{ form: [{}, {}, {}, {}, {}, {}] }', /^request\.form: expected at most 5 forms/],
    [
      '{ form: { fields: { a: "{sort}" } } }',
      /^request\.form\.fields\.a: expected only placeholders .* got "\{sort\}"/,
    ],
    ['{ form: {} }', /^feed\.in: expected form, a control .* or "by: link"/, 'feed: { by: page }'],
    ['{ form: {} }', /^feed\.url: expected none beside/, 'feed: { by: page, url: "https://site.test/{page}" }'],
    ['{ form: {} }', /^request\.form: expected none beside "crawl"/, 'crawl: {}'],
    ['{ form: {} }', /^request\.form: expected none beside "render: browser"/, 'render: browser'],
  ];
  for (const [given, problem, more = ''] of refused)
    test(`are refused as ${given} ${more}`, () => {
      const problems = problemsOf(given, more).filter((each) => !each.startsWith('crawl'));
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems[0] ?? '', problem);
    });
});
