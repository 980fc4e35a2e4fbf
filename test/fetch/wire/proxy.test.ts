import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refusingOrigin } from '../../support/fault-server.ts';
import { openProxy } from '../../support/proxy.ts';
import { certificate, openSecureSite } from '../../support/secure-site.ts';
import { openSite } from '../../support/site.ts';
import { failureOf, openClient, textOf } from '../support.ts';

const resolve = (name: string, _: unknown, tell: (error: null, found: { address: string; family: number }[]) => void) =>
  tell(null, [{ address: name === 'inside.test' ? '169.254.169.254' : '127.0.0.1', family: 4 }]);

describe('a proxy', () => {
  test('is asked for the whole URL of a page without TLS, and its credentials go no further', async (t) => {
    const proxy = await openProxy(t, 'Basic dXNlcjpwYXNz');
    const site = await openSite(t, { '/': 'hello' });
    const fetch = openClient(t);
    const through = { proxy: { url: proxy.url, authorization: 'Basic dXNlcjpwYXNz' } };
    assert.equal(textOf(await fetch(site.url('/?q=1'), through)), 'hello');
    assert.deepEqual(proxy.asked, [site.url('/?q=1')]);
    assert.equal(site.asked[0]?.headers['proxy-authorization'], undefined);
    assert.equal(site.asked[0]?.headers.host, new URL(site.origin).host);
  });

  test('is only a tunnel for a page with TLS, whose certificate is verified as ever', async (t) => {
    const proxy = await openProxy(t);
    const site = await openSecureSite(t, (request, response) => void response.end(request.httpVersion), {
      http2: true,
    });
    const through = { proxy: { url: proxy.url } };
    assert.equal(textOf(await openClient(t, { ca: [certificate('localhost')] })(`${site.origin}/`, through)), '2.0');
    assert.deepEqual(proxy.asked, [new URL(site.origin).host]);
    assert.equal(failureOf(await openClient(t)(`${site.origin}/`, through)).code, 'bad_certificate');
  });

  for (const scheme of ['http', 'https']) {
    test(`that asks for other credentials is a failure of the proxy (${scheme})`, async (t) => {
      const proxy = await openProxy(t, 'Basic dXNlcjpwYXNz');
      const outcome = await openClient(t)(`${scheme}://127.0.0.1:9/`, { proxy: { url: proxy.url } });
      assert.deepEqual(failureOf(outcome), { code: 'proxy_failed', cause: 'answered with status 407' });
    });

    test(`at which nobody listens is a failure of the proxy (${scheme})`, async (t) => {
      const outcome = await openClient(t)(`${scheme}://127.0.0.1:9/`, { proxy: { url: await refusingOrigin() } });
      assert.deepEqual(failureOf(outcome), { code: 'proxy_failed', cause: 'connection refused' });
    });

    test(`is not asked for a name that means a refused address (${scheme})`, async (t) => {
      const proxy = await openProxy(t);
      const fetch = openClient(t, { resolve });
      const through = { proxy: { url: proxy.url } };
      assert.deepEqual(failureOf(await fetch(`${scheme}://inside.test/`, through)), {
        code: 'refused_address',
        address: '169.254.169.254',
        range: 'metadata of a cloud',
      });
      assert.equal(failureOf(await fetch(`${scheme}://169.254.169.254/`, through)).code, 'refused_address');
      assert.deepEqual(proxy.asked, []);
    });

    test(`may be on a private address, by its name too, for sites that may not (${scheme})`, async (t) => {
      const proxy = await openProxy(t, 'Basic 1');
      const fetch = openClient(t, {
        resolve: (name, _, tell) =>
          tell(null, [{ address: name === 'shop.test' ? '8.8.8.8' : '127.0.0.1', family: 4 }]),
      });
      for (const [asked, url] of [proxy.url, proxy.url.replace('127.0.0.1', 'proxy.test')].entries()) {
        const through = { proxy: { url }, allowPrivate: false };
        // It was asked: that it wants other credentials is its own answer.
        assert.equal(failureOf(await fetch(`${scheme}://shop.test/`, through)).code, 'proxy_failed');
        for (const site of ['inside.test', '127.0.0.1:9', 'localhost:9', '10.0.0.1'])
          assert.equal(failureOf(await fetch(`${scheme}://${site}/`, through)).code, 'refused_address', site);
        assert.equal(proxy.asked.length, asked + 1);
      }
    });

    test(`is never a metadata service (${scheme})`, async (t) => {
      const fetch = openClient(t, { resolve });
      for (const url of ['http://inside.test/', 'http://169.254.169.254/']) {
        const outcome = await fetch(`${scheme}://shop.test/`, { proxy: { url } });
        assert.deepEqual(failureOf(outcome), {
          code: 'refused_address',
          address: '169.254.169.254',
          range: 'metadata of a cloud',
        });
      }
    });

    test(`is asked by who may only ask loopback if it is there (${scheme})`, async (t) => {
      const fetch = openClient(t, { resolve });
      const through = { proxy: { url: 'http://10.0.0.1:9' }, onlyLoopback: true };
      assert.equal(failureOf(await fetch(`${scheme}://127.0.0.1:9/`, through)).code, 'refused_address');
    });
  }

  for (const url of ['socks5://127.0.0.1:9', 'no url']) {
    test(`must be one of http: ${url}`, async (t) => {
      const outcome = await openClient(t)('http://127.0.0.1:9/', { proxy: { url } });
      assert.deepEqual(failureOf(outcome), { code: 'proxy_failed', cause: 'its address is no http or https URL' });
    });
  }

  test('may be one of very many, each with its own credentials', async (t) => {
    const proxy = await openProxy(t, 'Basic 99');
    const site = await openSite(t, { '/': 'hello' });
    const fetch = openClient(t);
    for (let number = 0; number < 99; number += 1) {
      const outcome = await fetch(site.url('/'), { proxy: { url: proxy.url, authorization: `Basic ${number}` } });
      assert.equal(failureOf(outcome).code, 'proxy_failed');
    }
    const last = await fetch(site.url('/'), { proxy: { url: `${proxy.url}/path?query`, authorization: 'Basic 99' } });
    assert.equal(textOf(last), 'hello');
  });
});
