import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextHop, redirectAfter } from '../../src/request/redirects.ts';

test('307 and 308 keep the method of the request', () => {
  for (const [status, keepsMethod] of [
    [301, false],
    [302, false],
    [303, false],
    [307, true],
    [308, true],
  ] as const)
    assert.deepEqual(redirectAfter({ location: 'https://shop.test/', status }, 0), {
      url: 'https://shop.test/',
      keepsMethod,
    });
});

test('the twenty-first redirect of a page is a failure', () => {
  assert.ok('url' in redirectAfter({ location: 'https://shop.test/', status: 302 }, 19));
  const failure = redirectAfter({ location: 'https://shop.test/', status: 302 }, 20);
  assert.ok('code' in failure);
  assert.equal(failure.code, 'redirect_loop');
});

test('a chain that left its origin or its method does not take it up again', () => {
  const start = 'https://shop.test/';
  const away = nextHop(undefined, { url: 'https://else.test/', keepsMethod: false }, start);
  assert.deepEqual(away, { isHome: false, keepsMethod: false });
  assert.deepEqual(nextHop(away, { url: 'https://shop.test/b', keepsMethod: true }, start), away);
});
