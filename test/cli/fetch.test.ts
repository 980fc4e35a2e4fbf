import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serve } from '../control/daemon.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from './terminal.ts';

const obeying = (more = '') => productSource('shop', more).replace('robots: ignore\n', '');
const robotsTxt = (body: string) => ({ headers: { 'content-type': 'text/plain' }, body });

/** What was printed, without what differs from run to run. */
function steady(out: string, origin: string): string {
  return out.replaceAll(origin, 'ORIGIN').replaceAll(/(in|waited) [\d.]+m?s/g, '$1 TIME');
}

describe('fetch', () => {
  test('shows every decision on the way to a page that is behind a redirect', async (t) => {
    const site = await openSite(t, {
      '/robots.txt': robotsTxt('User-agent: *\nDisallow: /b\nAllow: /b/1\n'),
      '/a': { status: 302, headers: { location: '/b/1' } },
      '/b/1': { headers: { etag: '"1"' }, body: productPage('B', '12.50') },
    });
    const more = 'request: { headers: { x-shop: "1" } }\nuserAgent: Named/2.0';
    const { socket } = await startDaemon(t, { sources: { shop: obeying(more) } });
    const { status, out, err } = await run(['fetch', site.url('/a'), '--source', 'shop', '--socket', socket]);
    // What a slow machine is told while it waits.
    assert.match(err, /^(?:waiting for a turn at .*\n)?$/);
    assert.equal(status, 0);
    assert.equal(
      steady(out, site.origin),
      `1  GET ORIGIN/a
   host         ORIGIN
   robots.txt   allows it: no rule concerns it
   addresses    loopback only, as no contact is configured
   user agent   Named/2.0
   headers      x-shop
   session      sends nothing
   turn         waited TIME
   answer       302 to ORIGIN/b/1, 0 B in TIME
   then         follows it, as a request of its own
2  GET ORIGIN/b/1
   host         ORIGIN
   robots.txt   allows it by "Allow: /b/1"
   addresses    loopback only, as no contact is configured
   user agent   Named/2.0
   headers      x-shop
   session      sends nothing
   turn         waited TIME
   answer       200, 96 B in TIME
   validators   etag
   then         a scrape is complete
   read         1 record
`,
    );
  });

  test('shows what a request waited for', async (t) => {
    const site = await openSite(t, {
      '/a': { status: 302, headers: { location: '/b' } },
      '/b': productPage('B', '12.50'),
    });
    const gentle = productSource('shop').replace('delay: 1ms', 'delay: 400ms');
    const { socket } = await startDaemon(t, { sources: { shop: gentle } });
    const { out } = await run(['fetch', site.url('/a'), '--source', 'shop', '--socket', socket]);
    assert.match(out, /^2 .*(?:\n .*)*\n {3}turn {9}waited \d+ms: gap of 400ms$/m);
  });

  test('says on the error stream what a page waits for that takes long', async (t) => {
    const { promise: looked, resolve } = Promise.withResolvers<void>();
    const host = { key: 'http://a.test', sources: [], waiting: 1, next: [], open: 0, failures: 0, backOffStep: 0 };
    const { path } = await serve(t, {
      'source.try': async () => {
        await looked;
        return {
          url: 'http://a.test/a',
          drafts: [],
          finished: false,
          absent: [],
          unparsed: [],
          explained: [],
          steps: [],
        };
      },
      'host.list': () => {
        resolve();
        return { hosts: [{ ...host, nextAt: 9_000, hold: { kind: 'gap', delayMs: 10_000 } }] };
      },
    });
    const words = ['fetch', 'http://a.test/a', '--source', 'shop', '--socket', path];
    assert.equal(
      (await run(words)).err,
      'waiting for a turn at http://a.test, which can be asked in 9s (gap of 10s), or for the answer\n',
    );
    assert.equal((await run([...words, '--json'])).err, '');
  });

  test('shows the rule by which robots.txt refuses a page, which is not asked for then', async (t) => {
    const site = await openSite(t, { '/robots.txt': robotsTxt('User-agent: *\nDisallow: /a\n') });
    const { socket } = await startDaemon(t, { sources: { shop: obeying() } });
    const { status, out, err } = await run(['fetch', site.url('/a'), '--source', 'shop', '--socket', socket]);
    assert.equal(status, 1);
    assert.equal(err, 'heronry: fetch: robots_disallowed: robots.txt refuses it: "Disallow: /a"\n');
    assert.match(out, /^ {3}robots.txt {3}refuses it by "Disallow: \/a"$/m);
    assert.match(out, /^ {3}turn {9}took none\n {3}answer {7}none, as it was not asked$/m);
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      ['/robots.txt'],
    );
  });

  test('shows what a failure was taken for, by what sign, and when a scrape would ask again', async (t) => {
    const site = await openSite(t, { '/a': { status: 503, body: 'busy' } });
    const source = productSource('shop').replace('times: 0', 'times: 2, first: 3s, longest: 3s');
    const { socket } = await startDaemon(t, { sources: { shop: source } });
    const { status, out } = await run(['fetch', site.url('/a'), '--source', 'shop', '--socket', socket]);
    assert.equal(status, 1);
    assert.match(
      steady(out, site.origin),
      new RegExp(
        `^   answer       503, 4 B in TIME
   failure      status: answered with status 503
   taken for    origin_down
   then         a scrape asks again after 3s at the earliest
$`,
        'm',
      ),
    );
  });

  test('shows which addresses may be asked, and which one was refused', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { socket } = await startDaemon(t, {
      sources: { shop: productSource('shop').replace('allowPrivate: true\n', '') },
    });
    const { status, out } = await run(['fetch', site.url('/a'), '-s', 'shop', '--socket', socket]);
    assert.equal(status, 1);
    assert.match(out, /^ {3}addresses {4}none: no contact is configured/m);
    assert.match(out, /^ {3}failure {6}refused_address: /m);
    assert.equal(site.asked.length, 0);
  });

  test('of a source that is not there leaves with 3', async (t) => {
    const { socket } = await startDaemon(t, { sources: {} });
    const { status, err } = await run(['fetch', 'http://127.0.0.1/', '-s', 'nosuch', '--socket', socket]);
    assert.deepEqual({ status, err }, { status: 3, err: 'heronry: no source "nosuch"\n' });
  });
});

describe('try', () => {
  test('says where the page was found in the end', async (t) => {
    const site = await openSite(t, {
      '/a': { status: 302, headers: { location: '/b' } },
      '/b': productPage('B', '12.50'),
    });
    const { socket } = await startDaemon(t, { sources: { shop: productSource('shop') } });
    const { out } = await run(['try', 'shop', site.url('/a'), '--socket', socket]);
    assert.match(steady(out, site.origin), /^ORIGIN\/b {2}200, 96 B, .*\nafter 1 redirect from ORIGIN\/a$/m);
  });

  test('reads the address of its source where that has no parameters, and says which it lacks where it has', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '12.50') });
    const { socket } = await startDaemon(t, {
      sources: {
        one: productSource('one', `url: "${site.origin}/a"`),
        many: productSource('many', `url: "${site.origin}/{sku}"`),
      },
    });
    const { out } = await run(['try', 'one', '--socket', socket]);
    assert.match(steady(out, site.origin), /^ORIGIN\/a {2}200/m);
    const { status, err } = await run(['try', 'many', '--socket', socket]);
    assert.equal(status, 2);
    assert.match(err, /expected a value for "sku"/);
  });
});
