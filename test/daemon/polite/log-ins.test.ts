import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { productPage } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { startTimed, type TimedDaemon } from '../passing.ts';
import { canaries, findSecrets, openTokenSite, tokenAuth, type TokenSite } from './login-site.ts';
import { lastScrape, minute, politeSource, second } from './support.ts';

async function rescraped(id: string, { client, pass, settle }: TimedDaemon): Promise<string> {
  await client.call('project.rescrape', { id });
  await pass(30 * second);
  await settle();
  const { scrape } = await lastScrape(id, client);
  return scrape.failure?.code ?? scrape.status;
}

/** A daemon that tracks each path of the site by a project of its own, with a log-in. */
async function tracking(
  t: Parameters<typeof startTimed>[0],
  site: TokenSite,
  paths: readonly string[],
  more = '',
): Promise<TimedDaemon> {
  const sources = { shop: politeSource('shop', { more: tokenAuth(site, more) }) };
  const timed = await startTimed(t, { sources, findSecrets });
  for (const path of paths) await timed.track(path.slice(1), { source: 'shop', url: site.url(path) });
  await timed.pass(minute);
  await timed.settle();
  return timed;
}

describe('a log-in that works', () => {
  test('is tried again as often as sessions end, though pages redirect', async (t) => {
    const site = await openTokenSite(t);
    site.page('/b');
    site.answer('/a', (request, response) => {
      if (request.headers.authorization !== `Bearer ${canaries.access}${site.logins.length}` || isOver())
        return void response.writeHead(401).end();
      return void response.writeHead(301, { location: '/b' }).end();
    });
    let over = 0;
    const isOver = (): boolean => site.logins.length === over;
    const timed = await tracking(t, site, ['/a']);
    const came: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      over = site.logins.length;
      came.push(await rescraped('a', timed));
    }
    assert.deepEqual(
      came,
      Array.from({ length: 5 }, () => 'complete'),
    );
    assert.equal(site.logins.length, 6);
  });

  test('is tried again as often as sessions end, though one page is gone', async (t) => {
    const site = await openTokenSite(t);
    site.mood.expiresIn = 600;
    site.page('/a');
    site.answer('/gone', { status: 404 });
    const timed = await tracking(t, site, ['/gone', '/a']);
    const came: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      await timed.pass(11 * minute);
      await rescraped('gone', timed);
      came.push(await rescraped('a', timed));
    }
    assert.deepEqual(
      came,
      Array.from({ length: 5 }, () => 'complete'),
    );
  });

  test('is renewed by its token as long as that works, though pages redirect', async (t) => {
    const site = await openTokenSite(t);
    site.mood.expiresIn = 600;
    site.page('/b');
    site.answer('/a', { status: 301, headers: { location: '/b' } });
    const timed = await tracking(t, site, ['/a'], 'refresh: {}');
    for (let round = 0; round < 4; round += 1) {
      await timed.pass(11 * minute);
      assert.equal(await rescraped('a', timed), 'complete');
    }
    assert.deepEqual(site.logins, ['login', 'refresh', 'refresh', 'refresh', 'refresh']);
  });

  test('is not tried for a challenge, whatever its status means to the definition', async (t) => {
    const site = await openTokenSite(t);
    site.answer('/a', { status: 403, headers: { 'cf-mitigated': 'challenge' } });
    const timed = await tracking(t, site, ['/a'], 'expiredStatus: [401, 403]');
    assert.equal((await lastScrape('a', timed.client)).scrape.failure?.cause, 'blocked');
    assert.deepEqual(site.logins, ['login']);
  });

  test('is not counted as lost where a challenge comes in its place', async (t) => {
    const site = await openTokenSite(t);
    site.page('/a');
    const { answer } = site;
    answer('/token', { status: 403, headers: { 'cf-mitigated': 'challenge' } });
    const timed = await tracking(t, site, ['/a']);
    const came: string[] = [];
    for (let round = 0; round < 4; round += 1) came.push(await rescraped('a', timed));
    assert.deepEqual([...new Set(came)], ['login_unavailable']);
  });
});

describe('what is shown', () => {
  test('of a pulse holds no session that the site sets and repeats in an address', async (t) => {
    const site = await openTokenSite(t);
    site.page('/a');
    const value = `${canaries.cookie}77`;
    site.answer('/pulse', {
      status: 302,
      headers: { location: `/p;jsessionid=${value}`, 'set-cookie': `JSESSIONID="${value}"; Path=/` },
    });
    const pulse = `pulse: { every: 30s, url: "${site.origin}/pulse", record: product, fields: { sku: { css: h1 } } }`;
    const more = `url: "${site.origin}/{name}"\n${pulse}`;
    const timed = await startTimed(t, { sources: { shop: politeSource('shop', { more }) }, findSecrets });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(40 * second);
    await timed.settle();
    const shown = (await timed.client.call('source.get', { id: 'shop' })).pulse?.lastFailure;
    assert.match(shown?.message ?? '', /jsessionid=…/);
  });
});

test('a request that waits while its source is loaded anew goes with the session that the source has then', async (t) => {
  const site = await openSite(t, { '/a': productPage('a', '1.00') });
  const politeness = 'autoThrottle: false, delay: 10m, minDelay: 10m';
  const definitionOf = (user: string): string => {
    const more = `auth: { type: basic, user: ${user}, password: { secret: SHOP_PASSWORD }, origins: ["${site.origin}"] }`;
    return politeSource('shop', { more, politeness });
  };
  const timed = await startTimed(t, { sources: { shop: definitionOf('one') }, findSecrets });
  await timed.track('a', { source: 'shop', url: site.url('/a') });
  await timed.pass(minute);
  await timed.settle();
  assert.equal(site.asked.length, 0);
  await writeFile(join(timed.folder, 'sources', 'shop.yaml'), definitionOf('two'));
  await timed.client.call('source.reload', {});
  await timed.pass(30 * minute);
  await timed.settle();
  const users = site.asked.map(({ headers }) =>
    Buffer.from(headers.authorization?.slice('Basic '.length) ?? '', 'base64')
      .toString()
      .replace(/:.*/, ''),
  );
  assert.deepEqual(users, ['two']);
});
