import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productPage } from '../../support/daemon.ts';
import { openSecureSite } from '../../support/secure-site.ts';
import { openSite, type Site } from '../../support/site.ts';
import { startAt, startTimed, type TimedDaemon } from '../passing.ts';
import { afterEnd, gapsOf, lastScrape, minute, politeSource, second } from './support.ts';

const page = productPage('A', '1.00');
const sources = { shop: politeSource('shop', { robots: 'obey' }) };
const day = 24 * 60 * minute;

function robotsTxt(...lines: readonly string[]): { readonly headers: Record<string, string>; readonly body: string } {
  return { headers: { 'content-type': 'text/plain' }, body: lines.join('\n') };
}

function asked(site: Site, path: string): number {
  return site.asked.filter((each) => each.path === path).length;
}

/** Scrapes a project at once; what came of it. */
async function scraped(id: string, { client, pass, settle }: TimedDaemon) {
  await client.call('project.rescrape', { id });
  await pass(30 * second);
  await settle();
  return (await lastScrape(id, client)).scrape;
}

describe('the robots.txt of an origin', () => {
  test('is looked at again where a turn came long after it had agreed', async (t) => {
    const site = await openSite(t, { '/robots.txt': robotsTxt(), '/a': page, '/b': page });
    const politeness = 'autoThrottle: false, delay: 13h, minDelay: 13h';
    const definition = politeSource('shop', { robots: 'obey', politeness });
    const timed = await startTimed(t, { sources: { shop: definition } });
    const { client, clock, pass, sent, settle, track } = timed;
    for (const id of ['a', 'b']) await track(id, { source: 'shop', url: site.url(`/${id}`) });
    const told: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await pass(10 * second);
      clock.advance(13 * 60 * minute);
      await settle();
      await pass(second);
      await settle();
      // What it says is known until a day has passed since.
      site.answer('/robots.txt', robotsTxt('User-agent: *', 'Disallow: /'));
      told.push(sent.map(({ url }) => new URL(url).pathname).join(' '));
    }
    assert.deepEqual(told, [
      '/robots.txt',
      '/robots.txt /a',
      '/robots.txt /a /robots.txt',
      '/robots.txt /a /robots.txt',
    ]);
    assert.equal((await lastScrape('b', client)).scrape.failure?.code, 'robots_disallowed');
  });

  test('keeps no page from its turn though it fails and has its host rest for hours', async (t) => {
    const site = await openSite(t, {
      '/robots.txt': robotsTxt('User-agent: *', 'Disallow: /x'),
      '/a': page,
      '/b': page,
    });
    const { clock, pass, sent, settle, track } = await startTimed(t, { sources });
    for (const id of ['a', 'b']) await track(id, { source: 'shop', url: site.url(`/${id}`) });
    await pass(minute);
    site.answer('/robots.txt', { status: 503, headers: { 'retry-after': '7200' } });
    clock.advance(day);
    for (let hours = 0; hours < 16; hours += 1) {
      await settle();
      await pass(minute);
      clock.advance(59 * minute);
    }
    const later = sent.filter(({ at }) => at > startAt + day + minute).map(({ url }) => new URL(url).pathname);
    assert.deepEqual([...new Set(later)].sort(), ['/a', '/b', '/robots.txt']);
  });

  test('is asked for once a day, first of all and in a turn, however many targets there are', async (t) => {
    const site = await openSite(t, {
      '/robots.txt': robotsTxt('User-agent: *', 'Disallow: /no'),
      '/a': page,
      '/b': page,
    });
    const politeness = 'autoThrottle: false, delay: 10s, minDelay: 10s';
    const timed = await startTimed(t, { sources: { shop: politeSource('shop', { robots: 'obey', politeness }) } });
    const { clock, pass, sent, settle, track } = timed;
    for (const id of ['a', 'b']) await track(id, { source: 'shop', url: site.url(`/${id}`) });
    await pass(minute);
    assert.deepEqual(
      sent.map(({ url }) => url).sort(),
      [site.url('/a'), site.url('/b'), site.url('/robots.txt')].sort(),
    );
    assert.equal(sent[0]?.url, site.url('/robots.txt'));
    assert.ok(gapsOf(sent).every((gap) => gap >= 10 * second));
    clock.advance(day / 2);
    await settle();
    await pass(minute);
    assert.equal(asked(site, '/robots.txt'), 1);
    clock.advance(day / 2);
    await settle();
    await pass(minute);
    assert.equal(asked(site, '/robots.txt'), 2);
  });

  test('is obeyed: what it refuses is not requested, and the failure says by which rule (O55)', async (t) => {
    const rules = robotsTxt('User-agent: *', 'Disallow: /private', 'Allow: /private/open');
    const site = await openSite(t, { '/robots.txt': rules, '/private/a': page, '/private/open': page });
    const timed = await startTimed(t, { sources });
    await timed.track('a', { source: 'shop', url: site.url('/private/a') });
    await timed.track('open', { source: 'shop', url: site.url('/private/open') });
    await timed.pass(minute);
    await timed.settle();
    assert.equal(asked(site, '/private/a'), 0);
    const { scrape, steps } = await lastScrape('a', timed.client);
    assert.deepEqual(
      [scrape.failure?.code, scrape.failure?.message],
      ['robots_disallowed', 'robots.txt refuses it: "Disallow: /private"'],
    );
    assert.deepEqual([steps.length, steps[0]?.status, scrape.bytes], [1, undefined, 0]);
    assert.equal((await lastScrape('open', timed.client)).scrape.status, 'complete');
  });

  test('refuses the hop that a redirect leads to as well (O55)', async (t) => {
    const site = await openSite(t, {
      '/robots.txt': robotsTxt('User-agent: *', 'Disallow: /private'),
      '/a': { status: 302, headers: { location: '/private' } },
      '/private': page,
    });
    const timed = await startTimed(t, { sources });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(minute);
    await timed.settle();
    assert.equal(asked(site, '/private'), 0);
    assert.equal((await lastScrape('a', timed.client)).scrape.failure?.code, 'robots_disallowed');
  });

  test('is neither obeyed nor asked for by a source that turns it off, which its definition shows (O55)', async (t) => {
    const site = await openSite(t, { '/robots.txt': robotsTxt('User-agent: *', 'Disallow: /'), '/a': page });
    const timed = await startTimed(t, { sources: { shop: politeSource('shop', { robots: 'ignore' }) } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(minute);
    await timed.settle();
    assert.deepEqual([asked(site, '/a'), asked(site, '/robots.txt')], [1, 0]);
    const { definition } = await timed.client.call('source.get', { id: 'shop' });
    assert.equal((definition as { robots: string }).robots, 'ignore');
  });

  test('is obeyed by a source that says nothing of it (O55)', async (t) => {
    const site = await openSite(t, { '/robots.txt': robotsTxt('User-agent: *', 'Disallow: /'), '/a': page });
    const silent = politeSource('shop', {}).replace('robots: ignore\n', '');
    const timed = await startTimed(t, { sources: { shop: silent } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(minute);
    assert.equal(asked(site, '/a'), 0);
  });

  test('may ask for a longer pause than the source does', async (t) => {
    const rules = robotsTxt('User-agent: *', 'Crawl-delay: 20');
    const site = await openSite(t, { '/robots.txt': rules, '/a': page, '/b': page, '/c': page });
    const timed = await startTimed(t, { sources });
    for (const id of ['a', 'b', 'c']) await timed.track(id, { source: 'shop', url: site.url(`/${id}`) });
    await timed.pass(2 * minute);
    assert.equal(timed.sent.length, 4);
    assert.ok(
      gapsOf(timed.sent).every((gap) => gap >= 20 * second),
      gapsOf(timed.sent).join(),
    );
  });

  test('that cannot be had for a fault of the server refuses everything until it can', async (t) => {
    const site = await openSite(t, { '/robots.txt': { status: 503 }, '/a': page });
    const timed = await startTimed(t, { sources });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(10 * second);
    await timed.settle();
    const { scrape } = await lastScrape('a', timed.client);
    assert.equal(scrape.failure?.code, 'robots_unreachable');
    assert.match(scrape.failure?.message ?? '', /answered with status 503/);
    assert.equal(asked(site, '/a'), 0);
    site.answer('/robots.txt', { status: 404 });
    await timed.pass(2 * minute);
    assert.equal((await scraped('a', timed)).status, 'complete');
  });

  test('that cannot be had as its site is out of reach, or is not to be trusted, fails as the site does', async (t) => {
    const closed = await openSite(t);
    await closed.close();
    const untrusted = await openSecureSite(t, (_request, response) => void response.end());
    const retry = 'times: 2';
    const timed = await startTimed(t, { sources: { shop: politeSource('shop', { robots: 'obey', retry }) } });
    await timed.track('closed', { source: 'shop', url: closed.url('/a') });
    await timed.track('untrusted', { source: 'shop', url: `${untrusted.origin}/a` });
    await timed.pass(10 * second);
    await timed.settle();
    const told = (await lastScrape('untrusted', timed.client)).scrape;
    assert.deepEqual([told.status, told.failure?.code, told.failure?.cause], ['failed', 'bad_certificate', 'network']);
    assert.match(told.failure?.message ?? '', /^robots\.txt: the site's certificate is not to be trusted: /);
    await timed.pass(10 * minute);
    await timed.settle();
    const { scrape, steps } = await lastScrape('closed', timed.client);
    assert.deepEqual([scrape.failure?.code, scrape.failure?.cause], ['unreachable', 'network']);
    assert.match(scrape.failure?.message ?? '', /^robots\.txt: could not reach the site: connection refused; /);
    assert.equal(steps.length, 3);
  });

  test('serves on while later ones cannot be had', async (t) => {
    const site = await openSite(t, {
      '/robots.txt': robotsTxt('User-agent: *', 'Disallow: /no'),
      '/a': page,
      '/no': page,
    });
    const timed = await startTimed(t, { sources });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.track('no', { source: 'shop', url: site.url('/no') });
    await timed.pass(minute);
    site.answer('/robots.txt', { status: 500 });
    timed.clock.advance(day);
    await timed.settle();
    assert.equal((await scraped('a', timed)).status, 'complete');
    assert.equal((await scraped('no', timed)).failure?.code, 'robots_disallowed');
    assert.ok(asked(site, '/robots.txt') > 1);
    assert.equal(asked(site, '/no'), 0);
  });

  test('is not asked for again after a restart', async (t) => {
    const site = await openSite(t, {
      '/robots.txt': robotsTxt('User-agent: *', 'Disallow: /no'),
      '/a': page,
      '/no': page,
    });
    const timed = await startTimed(t, { sources });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.track('no', { source: 'shop', url: site.url('/no') });
    await timed.pass(minute);
    await timed.settle();
    const again = await startTimed(t, { sources, ...(await afterEnd(t, timed, 'stopped')) });
    assert.equal((await scraped('a', again)).status, 'complete');
    assert.equal((await scraped('no', again)).failure?.code, 'robots_disallowed');
    assert.deepEqual([asked(site, '/robots.txt'), asked(site, '/no')], [1, 0]);
  });
});

describe('without a contact', () => {
  test('nothing but loopback is asked, the failure says why, and nothing is held against the origin', async (t) => {
    const site = await openSite(t, { '/a': page });
    const timed = await startTimed(t, { sources });
    await timed.track('far', { source: 'shop', url: 'http://10.255.255.1/a' });
    await timed.track('near', { source: 'shop', url: site.url('/a') });
    await timed.pass(minute);
    for (const scrape of [(await lastScrape('far', timed.client)).scrape, await scraped('far', timed)]) {
      assert.equal(scrape.failure?.code, 'refused_address');
      assert.match(
        scrape.failure?.message ?? '',
        /10\.255\.255\.1 may not be asked \(private use\): it needs `bot\.contact` in heronry\.yaml, so that sites know whom to write to$/,
      );
    }
    assert.equal((await lastScrape('near', timed.client)).scrape.status, 'complete');
  });
});
