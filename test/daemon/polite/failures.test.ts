import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productPage } from '../../support/daemon.ts';
import { type Answer, openSite } from '../../support/site.ts';
import { startTimed } from '../passing.ts';
import { findSecrets, openTokenSite, tokenAuth } from './login-site.ts';
import { lastScrape, minute, politeSource } from './support.ts';

const page = productPage('A', '1.00');
const sources = { shop: politeSource('shop', {}) };

/** Failures, by what the site answers. */
const failures: readonly {
  readonly what: string;
  readonly answer: Answer;
  readonly code: string;
  readonly cause: string;
  readonly status?: number;
  readonly message: RegExp;
  readonly excerpt?: RegExp;
}[] = [
  {
    what: 'a refusal has its status, what was said and a sentence (J60)',
    answer: { status: 403, body: '<h1>Keep out</h1><p>members only</p>' },
    code: 'status',
    cause: 'blocked',
    status: 403,
    message: /answered with status 403/,
    excerpt: /Keep out/,
  },
  {
    what: 'a broken connection has a sentence (J60)',
    answer: (_request, response) => void response.destroy(),
    code: 'unreachable',
    cause: 'network',
    message: /could not reach the site/,
  },
  {
    what: 'a 200 that is not what its definition reads has what was missing, not nothing found (J61)',
    answer: '<!doctype html><p>We have moved.</p>',
    code: 'no_record',
    cause: 'unexpected',
    status: 200,
    message: /no record on the page: missing/,
    excerpt: /We have moved/,
  },
  {
    what: 'a 200 whose scripts may show what is missing says how these are run',
    answer: '<!doctype html><h2>Sayings</h2><a href="/">Home</a><script>show()</script>',
    code: 'no_record',
    cause: 'unexpected',
    status: 200,
    message: /no record on the page: missing .*; what scripts show, `render: browser` reads/,
  },
  {
    what: 'a 200 that is no page at all says so (J61)',
    answer: { headers: { 'content-type': 'application/json' }, body: '{"items":[' },
    code: 'not_html',
    cause: 'unexpected',
    status: 200,
    message: /not an HTML page: application\/json/,
  },
  {
    what: 'a challenge that only its header tells of is named',
    answer: { status: 403, headers: { 'cf-mitigated': 'challenge' }, body: '<h1>Hold on</h1>' },
    code: 'status',
    cause: 'blocked',
    status: 403,
    message: /answered with status 403/,
  },
  {
    what: 'a challenge that says 202 is named, whatever could be read from it',
    answer: { status: 202, headers: { 'x-amzn-waf-action': 'challenge' }, body: page },
    code: 'status',
    cause: 'blocked',
    status: 202,
    message: /answered with status 202/,
  },
  {
    what: 'a challenge with 429 is no request for patience',
    answer: { status: 429, headers: { 'x-vercel-mitigated': 'challenge' }, body: '' },
    code: 'status',
    cause: 'blocked',
    status: 429,
    message: /answered with status 429/,
  },
  {
    what: 'a 200 without a body says so (J61, P52)',
    answer: { body: '' },
    code: 'empty',
    cause: 'unexpected',
    status: 200,
    message: /the page is empty/,
  },
];

describe('the record of a failure', () => {
  for (const { what, answer, code, cause, status, message, excerpt } of failures)
    test(what, async (t) => {
      const site = await openSite(t, { '/a': answer });
      const { client, pass, settle, track } = await startTimed(t, { sources });
      await track('a', { source: 'shop', url: site.url('/a') });
      await pass(minute);
      await settle();
      const { scrape, steps } = await lastScrape('a', client);
      assert.deepEqual([scrape.status, scrape.failure?.code, scrape.failure?.cause], ['failed', code, cause]);
      assert.match(scrape.failure?.message ?? '', message);
      if (excerpt !== undefined) assert.match(scrape.failure?.excerpt ?? '', excerpt);
      assert.equal(steps[0]?.status, status);
      const { targets } = await client.call('project.get', { id: 'a' });
      assert.deepEqual(targets[0]?.lastError, scrape.failure);
    });

  test('of a page in a charset that does not exist is none: it is read as far as it can be (P52)', async (t) => {
    const headers = { 'content-type': 'text/html; charset=no-such-thing' };
    const site = await openSite(t, { '/a': { headers, body: page } });
    const { client, pass, settle, track } = await startTimed(t, { sources });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(minute);
    await settle();
    assert.equal((await lastScrape('a', client)).scrape.status, 'complete');
  });
});

describe('a redirect', () => {
  test('is followed twenty times, each hop a step and a turn of its own, and the 21st fails (O54)', async (t) => {
    const site = await openSite(t, { '/end': page });
    for (let hop = 0; hop < 30; hop += 1) {
      const hopTo = (last: number): string => (hop + 1 === last ? '/end' : `/${last}/${hop + 1}`);
      for (const last of [20, 21]) site.answer(`/${last}/${hop}`, { status: 302, headers: { location: hopTo(last) } });
    }
    const { client, pass, sent, settle, track } = await startTimed(t, { sources });
    await track('twenty', { source: 'shop', url: site.url('/20/0') });
    await track('more', { source: 'shop', url: site.url('/21/0') });
    await pass(minute);
    await settle();
    const good = await lastScrape('twenty', client);
    assert.deepEqual([good.scrape.status, good.steps.length], ['complete', 21]);
    const bad = await lastScrape('more', client);
    assert.deepEqual([bad.scrape.failure?.code, bad.steps.length], ['redirect_loop', 21]);
    assert.equal(bad.scrape.failure?.cause, 'unexpected');
    assert.equal(sent.length, 42);
  });

  test('to another origin takes neither body nor headers of the definition along, and 303 asks with GET', async (t) => {
    const other = await openSite(t, { '/page': page });
    const site = await openSite(t, {
      '/away': { status: 307, headers: { location: other.url('/page').replace('//', '//bob:hunter22@') } },
      '/seen': { status: 303, headers: { location: '/page' } },
      '/kept': { status: 308, headers: { location: '/page' } },
      '/page': page,
    });
    const more = 'request: { fields: { q: canary-body }, headers: { x-api-key: canary-key } }';
    const { client, pass, track } = await startTimed(t, { sources: { shop: politeSource('shop', { more }) } });
    for (const id of ['away', 'seen', 'kept']) await track(id, { source: 'shop', url: site.url(`/${id}`) });
    await pass(minute);
    assert.deepEqual(
      other.asked.map(({ method, headers }) => [method, headers['x-api-key'], headers.authorization]),
      [['GET', undefined, undefined]],
    );
    const pages = site.asked.filter(({ path }) => path === '/page');
    assert.deepEqual(pages.map(({ method, headers }) => `${method} ${String(headers['x-api-key'])}`).sort(), [
      'GET canary-key',
      'POST canary-key',
    ]);
    const { steps } = await lastScrape('away', client);
    assert.equal(steps[1]?.url, other.url('/page'));
    const trial = client.call('source.try', { id: 'shop', url: site.url('/away') });
    await pass(minute);
    const shown = JSON.stringify(await trial);
    assert.match(shown, /"location":/);
    assert.doesNotMatch(shown, /hunter22/);
  });

  test('to what looks like a log-in is not followed where there is none to be made', async (t) => {
    const location = '/account/login?ReturnUrl=%2Fa%3Fx%3D1';
    const site = await openSite(t, { '/a': { status: 302, headers: { location } }, '/account/login': page });
    const { client, pass, settle, track } = await startTimed(t, { sources });
    await track('a', { source: 'shop', url: site.url('/a?x=1') });
    await pass(minute);
    await settle();
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      ['/a?x=1'],
    );
    const { failure } = (await lastScrape('a', client)).scrape;
    assert.deepEqual([failure?.code, failure?.cause], ['login_required', 'login_expired']);
    assert.match(failure?.message ?? '', /log-in, at http.*\/account\/login; the definition has no auth/);
  });

  test('to a log-in page that names no page fails as one, not for want of records', async (t) => {
    const form = '<form method=post><input name=user><input name=p type=password></form>';
    const site = await openSite(t, { '/a': { status: 302, headers: { location: '/login' } }, '/login': form });
    const { client, pass, settle, track } = await startTimed(t, { sources });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(minute);
    await settle();
    const { failure } = (await lastScrape('a', client)).scrape;
    assert.deepEqual([failure?.code, failure?.cause], ['login_required', 'login_expired']);
    assert.equal(
      failure?.message,
      `got what looks like a log-in page, at ${site.url('/login')}; the definition has no auth`,
    );
  });

  test('to an URL of more than 2,083 characters is not followed (O54)', async (t) => {
    const long = `/${'x'.repeat(2_100)}`;
    const site = await openSite(t, { '/a': { status: 302, headers: { location: long } }, [long]: page });
    const { client, pass, settle, track } = await startTimed(t, { sources });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(minute);
    await settle();
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      ['/a'],
    );
    const { failure } = (await lastScrape('a', client)).scrape;
    assert.equal(failure?.code, 'url_too_long');
    assert.match(failure.message, /expected at most 2083/);
  });
});

describe('the user agent', () => {
  test('of the bot is on every request: robots.txt, log-in, page, redirect and pulse (J82)', async (t) => {
    const site = await openTokenSite(t);
    site.answer('/from', { status: 302, headers: { location: '/a' } });
    site.page('/a');
    site.page('/pulse');
    const pulse = 'pulse: { every: 30s, url: "ORIGIN/pulse", record: product, fields: { sku: { css: h1 } } }';
    const more = `${tokenAuth(site)}\nurl: "${site.origin}/{name}"\n${pulse.replace('ORIGIN', site.origin)}`;
    const userAgent = 'Petrel/1.0 (+https://petrel.example/bot)';
    const { pass, track } = await startTimed(t, {
      sources: { shop: politeSource('shop', { more, robots: 'obey' }) },
      bot: { name: 'Petrel', userAgent, onlyLoopback: true },
      findSecrets,
    });
    await track('a', { source: 'shop', url: site.url('/from') });
    await pass(minute);
    const paths = new Set(site.asked.map(({ path }) => path));
    assert.deepEqual([...paths].sort(), ['/a', '/from', '/pulse', '/robots.txt', '/token']);
    assert.deepEqual([...new Set(site.asked.map(({ headers }) => headers['user-agent']))], [userAgent]);
  });

  test('of a source is on every request of it, and robots.txt is read for its first word (J82)', async (t) => {
    const robots = 'User-agent: Heronry\nDisallow: /\n\nUser-agent: gannet\nDisallow: /no\n';
    const site = await openSite(t, {
      '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: robots },
      '/a': page,
      '/no': page,
    });
    const more = 'userAgent: "Gannet/2.0 (+https://gannet.example)"';
    const { client, pass, settle, track } = await startTimed(t, {
      sources: { shop: politeSource('shop', { more, robots: 'obey' }) },
    });
    for (const id of ['a', 'no']) await track(id, { source: 'shop', url: site.url(`/${id}`) });
    await pass(minute);
    await settle();
    assert.deepEqual([...new Set(site.asked.map(({ path }) => path))].sort(), ['/a', '/robots.txt']);
    assert.ok(site.asked.every(({ headers }) => headers['user-agent'] === 'Gannet/2.0 (+https://gannet.example)'));
    assert.equal((await lastScrape('no', client)).scrape.failure?.code, 'robots_disallowed');
  });
});
