import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { canonicalOptions, canonicalUrl, requestKey } from '../../src/frontier/canonical.ts';

describe('the canonical URL', () => {
  const table: readonly (readonly [what: string, given: string, canonical: string | undefined])[] = [
    ['has no fragment', 'http://h.test/a#b', 'http://h.test/a'],
    ['has no default port', 'http://h.test:80/a', 'http://h.test/a'],
    ['has any other port', 'http://h.test:443/a', 'http://h.test:443/a'],
    ['has scheme and host in small letters', 'HTTPS://H.Test/A', 'https://h.test/A'],
    ['has a path', 'http://h.test', 'http://h.test/'],
    ['has arguments by name, then by value', 'http://h.test/?b=1&a=2&a=10&B=0', 'http://h.test/?B=0&a=10&a=2&b=1'],
    ['has an argument as often as it was given', 'http://h.test/?a=1&b&a=1', 'http://h.test/?a=1&a=1&b'],
    ['tells an argument without a value from an empty one', 'http://h.test/?b=&b', 'http://h.test/?b&b='],
    ['has no empty query', 'http://h.test/?', 'http://h.test/'],
    ['has no empty arguments', 'http://h.test/?&&a=1&', 'http://h.test/?a=1'],
    ['has escapes in capitals', 'http://h.test/%c3%a9?q=%c3%a9', 'http://h.test/%C3%A9?q=%C3%A9'],
    ['escapes nothing that needs none', 'http://h.test/%7Ea%2d%5F?%61=%2E', 'http://h.test/~a-_?a=.'],
    ['keeps an escaped mark', 'http://h.test/a%2Fb?c=%26%3D', 'http://h.test/a%2Fb?c=%26%3D'],
    ['makes no escape of a stray percent', 'http://h.test/%%34%31', 'http://h.test/%%341'],
    ['escapes what a browser does', 'http://h.test/ö?q=ö x', 'http://h.test/%C3%B6?q=%C3%B6%20x'],
    ['keeps a plus', 'http://h.test/?q=a+b', 'http://h.test/?q=a+b'],
    ['has no name of a campaign', 'http://h.test/?UTM_Source=x&a=1&fbclid=2&gclid=3', 'http://h.test/?a=1'],
    ['has no id of a session', 'http://h.test/a;jsessionid=1F?PHPSESSID=2', 'http://h.test/a'],
    [
      'leads to the same path without the session',
      'http://h.test/..;jsessionid=1/b',
      'http://h.test/..;jsessionid=1/b',
    ],
    ['keeps slashes', 'http://h.test//a//', 'http://h.test//a//'],
    ['is none for another scheme', 'ftp://h.test/', undefined],
    ['is none for a script', 'javascript:alert(1)', undefined],
    ['is none with credentials', 'http://me:secret@h.test/', undefined],
    ['is none for what is no URL', '/a', undefined],
  ];
  for (const [what, given, canonical] of table)
    test(`${what}: ${given}`, () => assert.equal(canonicalUrl(given), canonical));

  for (const [one, other] of [
    ['http://h.test/', 'https://h.test/'],
    ['http://h.test/a', 'http://h.test/a/'],
    ['http://h.test/?a=1', 'http://h.test/?a=1&a=1'],
  ] as const)
    test(`tells ${one} from ${other}`, () => assert.notEqual(canonicalUrl(one), canonicalUrl(other)));

  test('keeps and drops the parameters that it is told to', () => {
    const options = canonicalOptions({ keepParams: ['utm_content', 'JSESSIONID'], dropParams: ['sort', 'x_*'] });
    assert.equal(
      canonicalUrl('http://h.test/a;jsessionid=1?utm_content=a&utm_source=b&Sort=c&x_y=d&z=e', options),
      'http://h.test/a;jsessionid=1?utm_content=a&z=e',
    );
  });

  const part = fc.stringMatching(/^(?:[a-zA-Z0-9.~_;:@'!*(),+$ -]|%[0-9a-fA-F]{0,2}|%2[eE]|;jsessionid=|[éß/]){0,12}$/);
  const query = fc.array(
    fc.oneof(
      part,
      fc.tuple(part, part).map(([name, value]) => `${name}=${value}`),
    ),
    { maxLength: 6 },
  );
  const url = fc.tuple(part, query).map(([path, given]) => `http://h.test/${path}?${given.join('&')}#`);

  test('of a canonical URL is that URL', () =>
    fc.assert(
      fc.property(fc.oneof(url, fc.webUrl({ withQueryParameters: true, withFragments: true })), (text) => {
        const once = canonicalUrl(text) ?? '';
        assert.equal(canonicalUrl(once), once);
      }),
      { numRuns: 3_000 },
    ));

  test('is the same in whatever order the arguments are given (O46)', () =>
    fc.assert(
      fc.property(
        query.chain((given) => fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length }))),
        ([given, shuffled]) => {
          assert.equal(
            canonicalUrl(`http://h.test/?${shuffled.join('&')}#`),
            canonicalUrl(`http://h.test/?${given.join('&')}#`),
          );
        },
      ),
    ));

  test('asks for what was asked but for order, campaigns and sessions', () =>
    fc.assert(
      fc.property(url, (text) => {
        const [given, asked] = [new URL(text), new URL(canonicalUrl(text) ?? '')];
        const all = new Set(Array.from(given.searchParams, String));
        for (const argument of asked.searchParams) assert.ok(all.has(String(argument)));
        const kept = [...given.searchParams].filter(([name]) => !canonicalOptions().isDropped(name));
        assert.equal(asked.searchParams.size, kept.length);
      }),
    ));
});

describe('the key of a request', () => {
  test('is its URL, unless it has another method or a body (O46)', () => {
    const url = 'http://h.test/';
    const keys = [
      { url },
      { url, method: 'POST' },
      { url, method: 'POST', body: 'a' },
      { url, method: 'POST', body: 'b' },
      { url, method: 'HEAD' },
    ];
    assert.equal(new Set(keys.map(requestKey)).size, keys.length);
    assert.equal(requestKey({ url, method: 'get', body: '' }), url);
  });
});
