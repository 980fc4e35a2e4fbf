import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as z from 'zod';
import { Crawl } from '../../src/definition/crawl.ts';

function problemsOf(given: object): string[] {
  const parsed = Crawl.safeParse({ detail: ['/p/'], ...given });
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('the crawl of a definition', () => {
  test('needs to say which pages have records, and has a default for all else', () => {
    assert.deepEqual(Crawl.parse({ detail: ['/p/'] }), {
      detail: ['/p/'],
      maxDepth: 50,
      maxPages: 100_000,
      maxWithoutNew: 5_000,
      files: 'skip',
      keepParams: [],
      dropParams: [],
      errorCeiling: { share: 0.2, pages: 10 },
    });
    assert.equal(Crawl.safeParse({}).success, false);
  });

  for (const given of [
    { start: ['http://h.test/'], sitemaps: ['https://h.test/sitemap.xml'] },
    { follow: ['page=\\d+', '^https://h\\.test/c/'], deny: ['(?i)log(in|out)'] },
    { domains: ['shop.example', 'localhost', '127.0.0.1', '[::1]', 'münchen.example'] },
    { links: ['main a', 'ul.pages'] },
    { keepParams: ['gclid'], dropParams: ['sort', 'track_*'] },
    { maxDepth: 0, errorCeiling: { share: 0.5 } },
  ])
    test(`may have ${JSON.stringify(given)}`, () => assert.deepEqual(problemsOf(given), []));

  const refused: readonly (readonly [given: object, problem: RegExp])[] = [
    [
      { detail: ['(?=a)'] },
      /^detail\.0: expected a regular expression that runs in linear time, got "\(\?=a\)": invalid or unsupported Perl syntax/,
    ],
    [{ follow: ['('] }, /^follow\.0: .*missing closing \)/],
    [{ deny: [String.raw`(a)\1`] }, /^deny\.0: .*invalid escape sequence/],
    [{ detail: ['x{1001}'] }, /^detail\.0: .*invalid repeat count/],
    [{ detail: [] }, /^detail: /],
    [{ detail: [''] }, /^detail\.0: /],
    [{ start: ['ftp://h.test/'] }, /^start\.0: expected an http or https URL/],
    [{ domains: ['https://h.test'] }, /^domains\.0: expected a domain like "shop.example", got "https:\/\/h.test"/],
    [{ domains: ['h.test:80'] }, /^domains\.0: expected a domain/],
    [{ domains: ['.h.test'] }, /^domains\.0: expected a domain/],
    [{ links: ['a['] }, /^links\.0: expected a CSS selector/],
    [{ dropParams: ['a=b'] }, /^dropParams\.0: expected the name of a query parameter/],
    [{ dropParams: ['*_id'] }, /^dropParams\.0: expected the name of a query parameter/],
    [{ files: 'none' }, /^files: /],
    [{ errorCeiling: { share: 20 } }, /^errorCeiling\.share: /],
    [{ maxPages: 0 }, /^maxPages: /],
    [{ maxWithoutnew: 1 }, /unknown key "maxWithoutnew"; did you mean "maxWithoutNew"\?/],
  ];
  for (const [given, problem] of refused)
    test(`is refused with ${JSON.stringify(given)}`, () => {
      const problems = problemsOf(given);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? '', problem);
    });

  test('can be told as JSON Schema', () => assert.ok(z.toJSONSchema(Crawl, { io: 'input' })));
});
