import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';

function problemsOf(feed: string, url = 'https://site.test/tag/{tag}'): string[] {
  const yaml = `id: list\nurl: "${url}"\nfeed: ${feed}\nrecords: { item: { key: id, fields: { id: { css: h1 } } } }\n`;
  const parsed = parseSource(yaml, 'list.yaml');
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('the addresses of the pages of a list', () => {
  for (const given of [
    '{ by: page, url: "https://site.test/tag/{tag}/page/{page}" }',
    '{ by: offset, url: "https://site.test/tag/{tag}?from={offset}" }',
    '{ by: cursor, next: { css: b }, url: "https://site.test/after/{cursor}" }',
  ])
    test(`may be ${given}`, () => assert.deepEqual(problemsOf(given), []));

  const refused: readonly (readonly [feed: string, problem: RegExp, url?: string])[] = [
    ['{ by: page, url: "https://site.test/next" }', /^feed\.url: expected "\{page\}" in the address/],
    ['{ by: page, url: "https://site.test/{page}/{sort}" }', /^feed\.url: expected only "\{page\}" .* got "\{sort\}"/],
    ['{ by: link, url: "https://site.test/{link}" }', /^feed\.url: expected no address beside links/],
    ['{ by: page, param: p, url: "https://site.test/{page}" }', /^feed\.url: expected either an address/],
    ['{ by: page }', /^url: expected "\{page\}" in feed\.url/, 'https://site.test/page/{page}/'],
  ];
  for (const [given, problem, url] of refused)
    test(`are refused as ${given}${url === undefined ? '' : ` of ${url}`}`, () => {
      const problems = problemsOf(given, url);
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems[0] ?? '', problem);
    });
});
