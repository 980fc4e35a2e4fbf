import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fillUrl, HttpUrl, matchUrl, placeholdersOf, UrlPattern } from '../../src/definition/url-pattern.ts';

const pattern = 'http://site.test/{year}/p/{slug}?ref={slug}&x=(1)';

describe('an address pattern', () => {
  test('names its parameters in order, each once', () => {
    assert.deepEqual(placeholdersOf(pattern), ['year', 'slug']);
  });

  test('is filled with parameters that can add no path, query or host', () => {
    assert.deepEqual(fillUrl(pattern, { year: '2026', slug: 'a/../b?c#d&e' }), {
      ok: true,
      url: 'http://site.test/2026/p/a%2F..%2Fb%3Fc%23d%26e?ref=a%2F..%2Fb%3Fc%23d%26e&x=(1)',
    });
  });

  test('says which parameters are missing and which it does not know', () => {
    assert.deepEqual(fillUrl(pattern, { slug: '..', toString: 'x' }), {
      ok: false,
      missing: ['year', 'slug'],
      unknown: ['toString'],
    });
    assert.deepEqual(fillUrl('http://h/{constructor}', {}), { ok: false, missing: ['constructor'], unknown: [] });
  });

  for (const url of [
    'http://site.test/2026/p/a?ref=b&x=(1)',
    'http://site.test/2026/p/a',
    'http://site.test/2026/p/?ref=&x=(1)',
    'http://other.test/2026/p/a?ref=a&x=(1)',
    'http://site.test/2026/q/p/a?ref=a&x=(1)',
  ]) {
    test(`does not match ${url}`, () => {
      assert.equal(matchUrl(pattern, url), undefined);
    });
  }

  test('matches other spellings of one address', () => {
    assert.deepEqual(matchUrl('HTTP://Site.test:80/{slug}?q=ü', 'http://site.test/a%20b?q=%C3%BC'), { slug: 'a b' });
    assert.deepEqual(matchUrl('http://site.test/zz/{slug}', 'http://SITE.test/zz/./x'), { slug: 'x' });
    assert.deepEqual(matchUrl('http://site.test/{slug}?of={slug}', "http://site.test/o'hara?of=o%27hara"), {
      slug: "o'hara",
    });
  });

  test('is filled with half a character as with one that is not known', () => {
    assert.deepEqual(fillUrl('http://h/{slug}', { slug: 'a\uD800' }), { ok: true, url: 'http://h/a%EF%BF%BD' });
  });

  test('matches an address with a stray percent sign as it is written', () => {
    assert.deepEqual(matchUrl('http://h/{slug}', 'http://h/100%'), { slug: '100%' });
  });

  test('gives back the parameters that it was filled with', () => {
    const param = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !/^\.{1,2}$/.test(text));
    fc.assert(
      fc.property(param, param, (year, slug) => {
        const filled = fillUrl(pattern, { year, slug });
        assert.ok(filled.ok);
        assert.deepEqual(matchUrl(pattern, filled.url), { year, slug });
      }),
    );
  });
});

describe('an address', () => {
  const credentials: readonly [string, typeof HttpUrl][] = [
    ['http://user:hunter2@site.test/', HttpUrl],
    ['http://hunter2@site.test/', HttpUrl],
    ['http://user:hunter2@site.test/{slug}', UrlPattern],
    ['http://user:hunter2@[bad/', HttpUrl],
    ['ftp://user:hun@ter2@site.test/', HttpUrl],
    ['http://user:hunter2@site.test/{slug', UrlPattern],
  ];
  for (const [url, schema] of credentials) {
    test(`with credentials is refused without a word of them: ${url}`, () => {
      const message = schema.safeParse(url).error?.issues[0]?.message ?? '';
      assert.match(message, /^expected /);
      assert.doesNotMatch(message, /hun|ter2/);
    });
  }

  test('with credentials is refused with where they belong', () => {
    const { error } = HttpUrl.safeParse('http://user:pass@site.test/');
    assert.match(error?.issues[0]?.message ?? '', /without user name and password: they belong under `auth`/);
  });

  test('has at most 2083 characters', () => {
    const longest = `http://site.test/${'x'.repeat(2_083 - 17)}`;
    for (const schema of [HttpUrl, UrlPattern]) {
      assert.ok(schema.safeParse(longest).success);
      assert.match(
        schema.safeParse(`${longest}x`).error?.issues[0]?.message ?? '',
        /at most 2083 characters, got 2084$/,
      );
    }
  });

  for (const wrong of ['site.test', '//site.test/', 'javascript:alert(1)', 'http://', 'http://a.test/\u0000', ''])
    test(`is none: ${JSON.stringify(wrong)}`, () => assert.ok(!HttpUrl.safeParse(wrong).success));
});
