import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import type { LoggedRequest } from '../support/web/request-log.ts';
import { heldWeb, noon, type HeldWeb } from '../support/web/held-web.ts';

const minute = 60_000;

async function logOf(web: HeldWeb): Promise<LoggedRequest[]> {
  return (await web.control('GET', 'log')) as LoggedRequest[];
}

describe('the web of the tests', () => {
  test('two webs of one seed say the same, and one of another seed does not', async (t) => {
    const [one, same, other] = await Promise.all([heldWeb(t), heldWeb(t), heldWeb(t, { seed: 2 })]);
    for (const path of ['/crowd/moss-lamp', '/shop/c/bags', '/social/u/heron', '/register/recent']) {
      const page = await one.text(path);
      assert.equal(await same.text(path), page);
      assert.notEqual(await other.text(path), page);
    }
  });

  test('pages move with time, and the control route moves time', async (t) => {
    const web = await heldWeb(t);
    const before = await web.text('/crowd/moss-lamp');
    web.now = noon + minute;
    const after = await web.text('/crowd/moss-lamp');
    assert.notEqual(after, before);
    web.now = noon;
    assert.equal(await web.text('/crowd/moss-lamp'), before);
    await web.control('POST', 'clock', { offsetMs: minute });
    assert.equal(await web.text('/crowd/moss-lamp'), after);
  });

  test('a page that did not change is answered 304 to its ETag and to its date', async (t) => {
    const web = await heldWeb(t);
    const first = await web.get('/crowd/moss-lamp');
    const [etag, modified] = [first.headers.get('etag') ?? '', first.headers.get('last-modified') ?? ''];
    const again = await web.get('/crowd/moss-lamp', { 'if-none-match': `"other", ${etag}` });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get('etag'), etag);
    assert.equal((await web.get('/crowd/moss-lamp', { 'if-modified-since': modified })).status, 304);
    web.now += minute;
    assert.equal((await web.get('/crowd/moss-lamp', { 'if-none-match': etag })).status, 200);
    assert.equal((await web.get('/crowd/moss-lamp', { 'if-modified-since': modified })).status, 200);
    assert.equal(
      (
        await web.get('/crowd/moss-lamp', {
          'if-none-match': etag,
          'if-modified-since': new Date(web.now).toUTCString(),
        })
      ).status,
      200,
    );
  });

  test('a page is as large as the request wants it', async (t) => {
    const web = await heldWeb(t);
    assert.equal((await web.text('/crowd/moss-lamp')).length > 4_000, true);
    for (const kB of [20, 50, 400]) {
      assert.equal((await (await web.get(`/crowd/moss-lamp?pad=${kB}`)).arrayBuffer()).byteLength, kB * 1_024);
    }
  });

  test('a HEAD request gets the head of the answer alone', async (t) => {
    const web = await heldWeb(t);
    const response = await fetch(`${web.origin}/crowd/moss-lamp`, { method: 'HEAD' });
    assert.equal(
      response.headers.get('content-length'),
      String((await (await web.get('/crowd/moss-lamp')).arrayBuffer()).byteLength),
    );
    assert.equal(await response.text(), '');
    assert.equal((await fetch(`${web.origin}/crowd/moss-lamp`, { method: 'PUT' })).status, 405);
  });

  test('a part of the web that is out of order says so for as long as it was told to, and the rest answers', async (t) => {
    const web = await heldWeb(t);
    await web.control('POST', 'faults', {
      prefix: '/crowd/',
      kind: { type: 'status', status: 429, retryAfterS: 7 },
      forMs: minute,
    });
    await web.control('POST', 'faults', { prefix: '/crowd/pulse/', kind: { type: 'status', status: 503 } });
    const refused = await web.get('/crowd/moss-lamp');
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '7']);
    assert.equal((await web.get('/crowd/pulse/moss-lamp')).status, 503);
    assert.equal((await web.get('/shop/')).status, 200);
    web.now += minute;
    assert.equal((await web.get('/crowd/moss-lamp')).status, 200);
    assert.equal((await web.get('/crowd/pulse/moss-lamp')).status, 503);
    await web.control('DELETE', 'faults');
    assert.equal((await web.get('/crowd/pulse/moss-lamp')).status, 200);
  });

  test('an answer can be cut in half, be late, or never come', async (t) => {
    const web = await heldWeb(t);
    await web.control('POST', 'faults', { prefix: '/crowd/', kind: { type: 'cut' } });
    const cut = await web.get('/crowd/moss-lamp');
    assert.equal(cut.status, 200);
    await assert.rejects(cut.text());
    await web.control('POST', 'faults', { prefix: '/crowd/', kind: { type: 'slow', delayMs: 1 } });
    assert.equal((await web.get('/crowd/moss-lamp')).status, 200);
    await web.control('POST', 'faults', { prefix: '/crowd/', kind: { type: 'silence' } });
    await assert.rejects(fetch(`${web.origin}/crowd/moss-lamp`, { signal: AbortSignal.timeout(50) }));
    assert.equal((await logOf(web)).at(-1)?.status, undefined);
  });

  test('a site that was rebuilt answers as before and has none of its marks', async (t) => {
    const web = await heldWeb(t);
    const usual = await web.text('/shop/p/bags-1000');
    await web.control('POST', 'layout', { prefix: '/shop/', layout: 'changed' });
    const changed = await web.text('/shop/p/bags-1000');
    assert.match(usual, /class="price"/);
    assert.doesNotMatch(changed, /class="price"|<article|ld\+json/);
    assert.match(await web.text('/crowd/moss-lamp'), /class="pledged"/);
    await web.control('POST', 'layout', { prefix: '/shop/', layout: 'usual' });
    assert.equal(await web.text('/shop/p/bags-1000'), usual);
  });

  test('the log tells of each request when it came, what it asked and what it got', async (t) => {
    const web = await heldWeb(t);
    await web.text('/crowd/moss-lamp');
    web.now += 1_500;
    await web.text('/crowd/none');
    const log = await logOf(web);
    assert.deepEqual(
      log.map(({ at, path, status }) => [at - noon, path, status]),
      [
        [0, '/crowd/moss-lamp', 200],
        [1_500, '/crowd/none', 404],
      ],
    );
    assert.deepEqual(await web.control('GET', 'log?after=1'), log.slice(1));
  });

  test('robots.txt and the sitemaps name pages that are there', async (t) => {
    const web = await heldWeb(t);
    const robots = await web.text('/robots.txt');
    const maps = robots.match(/(?<=^Sitemap: ).*$/gm) ?? [];
    assert.equal(maps.length, 4);
    for (const map of maps) {
      const pages = (await (await fetch(map)).text()).match(/(?<=<loc>)[^<]+/g) ?? [];
      assert.ok(pages.length > 3, map);
      for (const page of [pages[0], pages.at(-1)]) assert.equal((await fetch(page ?? '')).status, 200, page);
    }
    await web.control('POST', 'robots', { text: 'User-agent: *\nDisallow: /\n' });
    assert.match(await web.text('/robots.txt'), /Disallow: \/\n/);
  });

  test('a control request that makes no sense is refused with the reason, and changes nothing', async (t) => {
    const web = await heldWeb(t);
    await assert.rejects(
      web.control('POST', 'faults', { prefix: 'crowd', kind: { type: 'status', status: 200 } }),
      /prefix/,
    );
    await assert.rejects(web.control('POST', 'clock', { offset: 5 }), /offsetMs/);
    await assert.rejects(web.control('GET', 'nothing'), /no control route/);
    assert.equal(((await web.control('GET', 'state')) as { offsetMs: number }).offsetMs, 0);
  });

  test('paths that nobody serves, broken escapes and bodies over the limit are answered', async (t) => {
    const web = await heldWeb(t);
    for (const path of ['/nowhere', '/crowd/%E0%A4%A', '/crowd/a/b/c', '/shop/p/__proto__', '/shop/c/constructor']) {
      assert.equal((await web.get(path)).status, 404, path);
    }
    const response = await fetch(`${web.origin}/social/login`, { method: 'POST', body: 'x'.repeat(100_000) }).catch(
      () => undefined,
    );
    assert.ok(response === undefined || response.status === 413);
    const socket = connect(web.port, '127.0.0.1').end('GET * HTTP/1.1\r\nHost: a b\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1.1 400/);
  });

  test('a thousand hosts answer on addresses of their own, and on loopback only', async (t) => {
    const web = await heldWeb(t, { hosts: 1_000 });
    assert.equal(new Set(web.addresses).size, 1_000);
    assert.ok(web.addresses.every((address) => address.startsWith('127.1.')));
    const statuses = await Promise.all(
      web.addresses.map((address, index) => statusAt(address, web.port, `/crowd/campaign-${index}`)),
    );
    assert.ok(statuses.every((status) => status === 200));
    const hosts = new Set((await logOf(web)).map(({ host }) => host));
    assert.deepEqual(hosts, new Set(web.addresses.map((address) => `${address}:${web.port}`)));
  });
});

async function statusAt(host: string, port: number, path: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const asked = request({ host, port, path, agent: false }, (response) => {
    response.resume().once('end', () => resolve(response.statusCode));
  });
  asked.once('error', reject).end();
  return promise;
}
