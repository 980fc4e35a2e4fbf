import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Cookies } from '../../src/session/cookies.ts';

function jarOf(url: string, ...setCookies: string[]): Cookies {
  const cookies = new Cookies();
  cookies.take(url, setCookies, 0);
  return cookies;
}

describe('the cookies of a source', () => {
  const table: readonly (readonly [what: string, set: string, from: string, to: string, sent: boolean])[] = [
    ['go back where they came from', 'a=1', 'http://h.test/', 'http://h.test/x', true],
    ['go to no other host', 'a=1', 'http://h.test/', 'http://g.test/', false],
    ['without a domain go to no subdomain', 'a=1', 'http://h.test/', 'http://sub.h.test/', false],
    ['with a domain go to its subdomains', 'a=1; Domain=h.test', 'http://h.test/', 'http://sub.h.test/', true],
    ['may not be set for another host', 'a=1; Domain=g.test', 'http://h.test/', 'http://g.test/', false],
    ['may not be set for a public suffix', 'a=1; Domain=co.uk', 'http://h.co.uk/', 'http://g.co.uk/', false],
    [
      'may not be set for a private suffix',
      'a=1; Domain=github.io',
      'http://h.github.io/',
      'http://g.github.io/',
      false,
    ],
    ['go to paths below theirs', 'a=1; Path=/x', 'http://h.test/', 'http://h.test/x/y', true],
    ['go to no path beside theirs', 'a=1; Path=/x', 'http://h.test/', 'http://h.test/xy', false],
    ['that are secure go over TLS', 'a=1; Secure', 'https://h.test/', 'https://h.test/', true],
    ['that are secure go over nothing else', 'a=1; Secure', 'https://h.test/', 'http://h.test/', false],
    ['that are secure are not taken in the clear', 'a=1; Secure', 'http://h.test/', 'https://h.test/', false],
    ['with a __Host- prefix must deserve it', '__Host-a=1', 'https://h.test/', 'https://h.test/', false],
    ['work on loopback', 'a=1', 'http://127.0.0.1:81/', 'http://127.0.0.1:81/', true],
    ['work on an IPv6 address', 'a=1', 'http://[::1]:81/', 'http://[::1]:81/', true],
    ['work on localhost', 'a=1; Path=/', 'http://localhost/a', 'http://localhost/', true],
    ['of one address go to no other', 'a=1', 'http://127.0.0.1/', 'http://127.0.0.2/', false],
    ['that cannot be sent are not kept', 'a=\u{20ac}', 'http://h.test/', 'http://h.test/', false],
    ['that make no sense are not kept', 'nonsense', 'http://h.test/', 'http://h.test/', false],
  ];
  for (const [what, set, from, to, sent] of table)
    test(what, () => assert.equal(jarOf(from, set).headerFor(to, 0) !== undefined, sent));

  test('expire by the clock they are given, however often they are sent', () => {
    const cookies = jarOf('http://h.test/', 'a=1; Max-Age=10', 'b=1; Expires=Thu, 01 Jan 1970 00:00:20 GMT', 'c=1');
    assert.equal(cookies.headerFor('http://h.test/', 9_999), 'a=1; b=1; c=1');
    assert.equal(cookies.headerFor('http://h.test/', 10_000), 'b=1; c=1');
    assert.equal(cookies.headerFor('http://h.test/', 20_000), 'c=1');
    assert.equal(cookies.size, 1);
  });

  test('are taken away by a site that lets them expire', () => {
    const cookies = jarOf('http://h.test/', 'a=1', 'b=1', 'a=; Max-Age=0', 'b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT');
    assert.equal(cookies.size, 0);
  });

  test('come back from what was saved, in a few bytes each', () => {
    const cookies = jarOf('https://sub.h.test/', 'a=1; Secure', 'b=2; Domain=h.test; Max-Age=10; Path=/x');
    const saved = JSON.stringify(cookies.save(0));
    assert.equal(saved, '[["a","1","sub.h.test","/",3],["b","2","h.test","/x",0,10000]]');
    const restored = new Cookies(JSON.parse(saved));
    for (const url of ['https://sub.h.test/x', 'http://sub.h.test/x', 'https://h.test/x', 'https://h.test/'])
      assert.equal(restored.headerFor(url, 0), cookies.headerFor(url, 0), url);
    assert.equal(restored.headerFor('https://sub.h.test/x', 10_000), 'a=1');
  });

  test('beyond their number make room, those set longest ago first', () => {
    const cookies = new Cookies([], { count: 2, bytesEach: 100, bytesInAll: 1_000 });
    assert.equal(cookies.take('http://h.test/', ['a=1', 'b=1', 'a=2', 'c=1'], 0), 1);
    assert.equal(cookies.headerFor('http://h.test/', 0), 'a=2; c=1');
  });

  test('beyond their bytes make room, and one that is too large is not kept', () => {
    const cookies = new Cookies([], { count: 9, bytesEach: 10, bytesInAll: 12 });
    assert.equal(cookies.take('http://h.test/', [`a=${'x'.repeat(9)}`, `b=${'x'.repeat(10)}`, 'c=12345'], 0), 2);
    assert.equal(cookies.headerFor('http://h.test/', 0), 'c=12345');
  });

  test('of two sources never mix (O57)', () => {
    const one = jarOf('http://h.test/', 'a=1');
    const other = jarOf('http://h.test/', 'a=2');
    assert.equal(one.headerFor('http://h.test/', 0), 'a=1');
    assert.equal(other.headerFor('http://h.test/', 0), 'a=2');
  });
});
