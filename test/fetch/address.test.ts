import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openSite } from '../support/site.ts';
import { failureOf, openClient, textOf } from './support.ts';

describe('an address', () => {
  const refused = [
    '10.0.0.1',
    '169.254.169.254',
    '192.0.2.1',
    '0.0.0.0',
    '[::ffff:10.0.0.1]',
    '[fe80::1]',
    '0x0a000001',
  ];
  for (const host of refused) {
    test(`that is not loopback is refused before anything is connected: ${host}`, async (t) => {
      const failure = failureOf(await openClient(t)(`http://${host}:9/`));
      assert.equal(failure.code, 'refused_address');
    });
  }

  test('that is loopback is refused unless it is allowed, also behind a name', async (t) => {
    const site = await openSite(t, { '/': 'hello' });
    const fetch = openClient(t);
    const port = new URL(site.origin).port;
    for (const host of ['127.0.0.1', '127.1', '2130706433', '[::1]', 'localhost']) {
      const outcome = await fetch(`http://${host}:${port}/`, { allowPrivate: false });
      assert.equal(failureOf(outcome).code, 'refused_address', host);
    }
    assert.equal(site.asked.length, 0);
  });

  test('that was allowed to one request does not let another through on its connection', async (t) => {
    const site = await openSite(t, { '/': 'hello' });
    const fetch = openClient(t);
    const named = site.url('/').replace('127.0.0.1', 'localhost');
    assert.equal(textOf(await fetch(named)), 'hello');
    assert.equal(failureOf(await fetch(named, { allowPrivate: false })).code, 'refused_address');
    assert.equal(site.asked.length, 1);
  });

  for (const url of ['ftp://127.0.0.1/', 'file:///etc/hosts', 'no url', 'http://']) {
    test(`that is no http or https URL is out of reach: ${url}`, async (t) => {
      assert.equal(failureOf(await openClient(t)(url)).code, 'unreachable');
    });
  }
});
