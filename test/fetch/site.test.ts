import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutUser } from '../../src/fetch/site.ts';

test('an address is told without user name and password, also where it is none that could be asked', () => {
  for (const [given, told] of [
    ['http://bob:hunter22@shop.example/a?b@c', 'http://shop.example/a?b@c'],
    ['https://bob@shop.example', 'https://shop.example/'],
    ['ftp://bob:hunter22@shop.example/', 'ftp://shop.example/'],
    ['http://bob:hunter22@shop.example:99999/', 'http://shop.example:99999/'],
    ['//bob:hunter22@shop.example:99999/', '//shop.example:99999/'],
    [String.raw`http:\\bob:hun@ter22@[::zz]/a@b`, String.raw`http:\\[::zz]/a@b`],
    ['/a@b', '/a@b'],
    ['mailto:bob@shop.example', 'mailto:bob@shop.example'],
    ['', ''],
  ] as const)
    assert.equal(withoutUser(given), told);
});
