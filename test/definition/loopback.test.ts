import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopbackUrl, privateReach } from '../../src/definition/loopback.ts';
import { strangerAt } from '../../src/definition/source.ts';
import { definitionText } from '../../src/draft/definition.ts';

const own = ['http://127.0.0.1/', 'https://127.9.8.7:8080/a', 'http://127.1/', 'http://[::1]:80/', 'http://LOCALHOST/'];
const others = [
  ...['http://127.attacker.example/', 'http://127.0.0.1.attacker.example/', 'http://127.0.0.example/'],
  ...['http://localhost.attacker.example/', 'http://a.localhost/', 'http://127.0.0.1@attacker.example/'],
  ...['http://[::ffff:10.0.0.1]/', 'http://10.0.0.1/', 'http://128.0.0.1/', 'http://[::]/', 'https://shop.example/'],
];

test('an URL names this machine by a loopback address or as localhost, and in no other way', () => {
  for (const url of own) assert.equal(isLoopbackUrl(url), true, url);
  for (const url of others) assert.equal(isLoopbackUrl(url), false, url);
});

test('a page of no source, and a draft of one, may reach loopback only where its URL names this machine', () => {
  for (const url of own) assert.equal(strangerAt(url).allowPrivate, 'loopback', url);
  for (const url of others) assert.equal(strangerAt(url).allowPrivate, false, url);
  const draftAt = (url: string): string => definitionText({ provider: 'html', found: [] }, { id: 'shop', url });
  for (const url of own) assert.match(draftAt(url), /^allowPrivate: loopback$/m);
  for (const url of others) assert.doesNotMatch(draftAt(url), /allowPrivate/);
});

test('loopback is allowed for each URL by itself', () => {
  const [here = '', away = ''] = [own[0], others[0]];
  assert.equal(privateReach({ allowPrivate: 'loopback' }, here), 'loopback');
  assert.equal(privateReach({ allowPrivate: 'loopback' }, away), false);
  for (const allowPrivate of [true, false]) assert.equal(privateReach({ allowPrivate }, away), allowPrivate);
});
