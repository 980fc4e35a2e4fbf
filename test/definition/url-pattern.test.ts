import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fillUrl, matchUrl, placeholdersOf } from '../../src/definition/url-pattern.ts';

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
