import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { secretsFrom } from '../../../src/session/secret-store.ts';
import { productPage } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { startTimed, type TimedDaemon } from '../passing.ts';
import { canaries, findSecrets, openTokenSite, tokenAuth } from './login-site.ts';
import { afterEnd, lastScrape, minute, politeSource, second } from './support.ts';

const ten = Array.from({ length: 10 }, (_, index) => `p${index}`);
const atOnce = 'autoThrottle: false, concurrency: 10, delay: 1ms, minDelay: 1ms';

async function rescraped(id: string, { client, pass, settle }: TimedDaemon) {
  await client.call('project.rescrape', { id });
  await pass(30 * second);
  await settle();
  return (await lastScrape(id, client)).scrape;
}

describe('a source with a log-in', () => {
  test('is logged in to when its session has expired, and the same page is asked again (J53)', async (t) => {
    const site = await openTokenSite(t);
    site.page('/a');
    const sources = { shop: politeSource('shop', { more: tokenAuth(site) }) };
    const timed = await startTimed(t, { sources, findSecrets });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(minute);
    site.revoke();
    const { status } = await rescraped('a', timed);
    assert.equal(status, 'complete');
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      ['/token', '/a', '/a', '/token', '/a'],
    );
    const { steps } = await lastScrape('a', timed.client);
    assert.deepEqual(
      steps.map(({ status: each, failure }) => [each, failure?.cause]),
      [
        [401, 'login_expired'],
        [200, undefined],
      ],
    );
  });

  test('is logged in to when it is led to a log-in that its definition does not name', async (t) => {
    const site = await openTokenSite(t);
    site.answer('/a', ({ headers }, response) => {
      const isIn = headers.authorization === `Bearer ${canaries.access}2`;
      if (isIn) return void response.setHeader('content-type', 'text/html').end(productPage('a', '1.00'));
      return void response.writeHead(302, { location: '/user/sign-in?next=%2Fa' }).end();
    });
    const timed = await startTimed(t, {
      sources: { shop: politeSource('shop', { more: tokenAuth(site) }) },
      findSecrets,
    });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(minute);
    await timed.settle();
    const { scrape, steps } = await lastScrape('a', timed.client);
    assert.deepEqual([scrape.status, steps.length], ['complete', 2]);
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      ['/token', '/a', '/token', '/a'],
    );
  });

  test('keeps what it sent out of what is shown where the site repeats it in an address', async (t) => {
    const site = await openTokenSite(t);
    const echo = (path: string): void =>
      site.answer(path, ({ headers }, response) => {
        const location = `/b?token=${encodeURIComponent(headers.authorization?.slice(7) ?? '')}&page=1`;
        response.writeHead(302, { location }).end();
      });
    for (const path of ['/a', '/pulse']) echo(path);
    site.answer('/b', productPage('b', '1.00'));
    const pulse = 'pulse: { every: 30s, url: "ORIGIN/pulse", record: product, fields: { sku: { css: h1 } } }';
    const more = `${tokenAuth(site)}\nurl: "${site.origin}/{name}"\n${pulse.replace('ORIGIN', site.origin)}`;
    const timed = await startTimed(t, { sources: { shop: politeSource('shop', { more }) }, findSecrets });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(minute);
    await timed.settle();
    const { scrape, steps } = await lastScrape('a', timed.client);
    assert.equal(scrape.status, 'complete');
    assert.ok(site.asked.some(({ path }) => path === `/b?token=${canaries.access}1&page=1`));
    assert.equal(steps[1]?.url, site.url('/b?token=…&page=1'));
    let tried: unknown;
    const trying = timed.client
      .call('source.try', { id: 'shop', url: site.url('/a') })
      .then((steps) => (tried = steps));
    while (tried === undefined) await Promise.race([trying, timed.pass(second)]);
    const shown = JSON.stringify([
      steps,
      tried,
      timed.events,
      await timed.client.call('source.get', { id: 'shop' }),
      await timed.client.call('project.get', { id: 'a' }),
    ]);
    assert.match(shown, /redirected to .*token=…/);
    assert.ok(!shown.includes(canaries.access), shown);
  });

  test('is logged in to by its pulse as well, and the same page is asked again (J53)', async (t) => {
    const site = await openTokenSite(t);
    for (const path of ['/a', '/pulse']) site.page(path);
    const pulse = 'pulse: { every: 30s, url: "ORIGIN/pulse", record: product, fields: { sku: { css: h1 } } }';
    const more = `${tokenAuth(site)}\nurl: "${site.origin}/{name}"\n${pulse.replace('ORIGIN', site.origin)}`;
    const timed = await startTimed(t, { sources: { shop: politeSource('shop', { more }) }, findSecrets });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(20 * second);
    site.revoke();
    await timed.pass(20 * second);
    await timed.settle();
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      ['/token', '/a', '/pulse', '/token', '/pulse'],
    );
    assert.equal((await timed.client.call('source.get', { id: 'shop' })).pulse?.lastFailure, undefined);
  });

  for (const how of ['stopped', 'killed'] as const)
    test(`that always answers 401 is logged in to three times and then given up, also after it is ${how} (J54)`, async (t) => {
      const site = await openTokenSite(t);
      site.page('/a');
      site.mood.accepts = false;
      const sources = { shop: politeSource('shop', { more: tokenAuth(site) }) };
      const timed = await startTimed(t, { sources, findSecrets });
      await timed.track('a', { source: 'shop', url: site.url('/a') });
      await timed.pass(minute);
      await timed.settle();
      const logIns = (): number => site.logins.filter((each) => each === 'login').length;
      assert.equal(logIns(), 3);
      const { scrape } = await lastScrape('a', timed.client);
      assert.deepEqual([scrape.status, scrape.failure?.code], ['failed', 'login_attempts']);
      assert.match(scrape.failure?.message ?? '', /gave up after 3 log-ins/);
      assert.equal((await rescraped('a', timed)).failure?.code, 'login_attempts');
      const again = await startTimed(t, { sources, findSecrets, ...(await afterEnd(t, timed, how)) });
      assert.equal((await rescraped('a', again)).failure?.code, 'login_attempts');
      assert.equal(logIns(), 3);
    });

  test('has its token refreshed before it is logged in to again (J55)', async (t) => {
    const site = await openTokenSite(t);
    site.page('/a');
    site.mood.expiresIn = 600;
    const timed = await startTimed(t, {
      sources: { shop: politeSource('shop', { more: tokenAuth(site, 'refresh: {}') }) },
      findSecrets,
    });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(minute);
    assert.deepEqual(site.logins, ['login']);
    timed.clock.advance(10 * minute);
    await timed.settle();
    assert.equal((await rescraped('a', timed)).status, 'complete');
    assert.deepEqual(site.logins, ['login', 'refresh']);
    site.mood.refreshes = false;
    timed.clock.advance(10 * minute);
    await timed.settle();
    assert.equal((await rescraped('a', timed)).status, 'complete');
    assert.deepEqual(site.logins, ['login', 'refresh', 'refresh', 'login']);
  });

  test('is logged in to once for ten targets, and its session outlives a restart (J56)', async (t) => {
    const site = await openTokenSite(t);
    for (const id of ten) site.page(`/${id}`);
    const sources = { shop: politeSource('shop', { more: tokenAuth(site), politeness: atOnce }) };
    const timed = await startTimed(t, { sources, findSecrets });
    for (const id of ten) await timed.track(id, { source: 'shop', url: site.url(`/${id}`) });
    await timed.pass(minute);
    await timed.settle();
    assert.equal((await timed.client.call('scrape.list', { status: 'complete' })).scrapes.length, 10);
    assert.deepEqual(site.logins, ['login']);
    const again = await startTimed(t, { sources, findSecrets, ...(await afterEnd(t, timed, 'killed')) });
    assert.equal((await rescraped('p3', again)).status, 'complete');
    assert.deepEqual(site.logins, ['login']);
  });

  test('is logged in to once when ten of its pages answer 401 at the same time (J57)', async (t) => {
    const site = await openTokenSite(t);
    const sources = { shop: politeSource('shop', { more: tokenAuth(site), politeness: atOnce }) };
    const timed = await startTimed(t, { sources, findSecrets });
    for (const id of ten) site.page(`/${id}`);
    for (const id of ten) await timed.track(id, { source: 'shop', url: site.url(`/${id}`) });
    await timed.pass(minute);
    site.revoke();
    for (const id of ten) await timed.client.call('project.rescrape', { id });
    await timed.pass(minute);
    await timed.settle();
    assert.equal((await timed.client.call('scrape.list', { status: 'complete' })).scrapes.length, 20);
    assert.deepEqual(site.logins, ['login', 'login']);
  });

  test('whose secret is missing is skipped and says which, the rest works, and it does as soon as the secret is there (J58)', async (t) => {
    const site = await openTokenSite(t);
    for (const id of ['a', 'b']) site.page(`/${id}`);
    const open = await openSite(t, { '/c': productPage('C', '1.00') });
    const environment: Record<string, string> = {};
    const sources = { shop: politeSource('shop', { more: tokenAuth(site) }), open: politeSource('open', {}) };
    const timed = await startTimed(t, { sources, findSecrets: secretsFrom({ environment }) });
    for (const id of ['a', 'b']) await timed.track(id, { source: 'shop', url: site.url(`/${id}`) });
    await timed.track('c', { source: 'open', url: open.url('/c') });
    await timed.pass(minute);
    await timed.settle();
    for (const id of ['a', 'b']) {
      const { scrape } = await lastScrape(id, timed.client);
      assert.equal(scrape.failure?.code, 'not_initialised');
      assert.match(scrape.failure?.message ?? '', /HERONRY_SECRET_SHOP_PASSWORD/);
    }
    assert.equal(site.asked.length, 0);
    assert.equal((await timed.client.call('source.get', { id: 'shop' })).session?.code, 'not_initialised');
    const [skipped] = (await timed.client.call('project.get', { id: 'a' })).targets;
    assert.deepEqual(skipped?.conditions, ['not_initialised']);
    assert.equal((await lastScrape('c', timed.client)).scrape.status, 'complete');
    environment['HERONRY_SECRET_SHOP_PASSWORD'] = (await findSecrets(['SHOP_PASSWORD'])).ok
      ? 'canary-password-4711'
      : '';
    assert.equal((await rescraped('a', timed)).status, 'complete');
    assert.deepEqual(site.logins, ['login']);
  });

  test('that gave up is logged in to again once a person has seen to it (J54)', async (t) => {
    const site = await openTokenSite(t);
    site.page('/a');
    site.mood.accepts = false;
    const sources = { shop: politeSource('shop', { more: tokenAuth(site) }) };
    const timed = await startTimed(t, { sources, findSecrets });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    const codeNow = async () => (await timed.client.call('source.get', { id: 'shop' })).session?.code;
    // A log-in is under way on its own, so that time may pass before it has ended.
    while ((await codeNow()) !== 'login_attempts') await timed.pass(second);
    site.mood.accepts = true;
    await timed.client.call('source.reset', { id: 'shop' });
    assert.equal((await rescraped('a', timed)).status, 'complete');
  });

  test('lets go of a project that is archived during a log-in at once', async (t) => {
    const site = await openTokenSite(t);
    site.page('/a');
    const sources = { shop: politeSource('shop', { more: tokenAuth(site) }) };
    const timed = await startTimed(t, { sources, findSecrets });
    const reached = Promise.withResolvers<void>();
    site.answer('/token', () => reached.resolve());
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.settle();
    timed.clock.advance(second);
    await reached.promise;
    await timed.client.call('project.archive', { id: 'a' });
    const hasEnded = async (): Promise<boolean> => {
      const { children = [] } = await timed.client.call('tree.get', {});
      return children.find(({ id }) => id === 'projects')?.children?.length === 0;
    };
    while (!(await hasEnded()));
    assert.deepEqual((await timed.client.call('scrape.list', { project: 'a' })).scrapes, []);
  });

  test('whose actor ends during a log-in scrapes nothing, and nothing else ends with it', async (t) => {
    const site = await openTokenSite(t);
    site.page('/a');
    const sources = { shop: politeSource('shop', { more: tokenAuth(site) }) };
    const timed = await startTimed(t, { sources, findSecrets });
    const reached = Promise.withResolvers<void>();
    site.answer('/token', () => reached.resolve());
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.settle();
    timed.clock.advance(second);
    await reached.promise;
    // A file that is gone takes the actor of its source with it.
    await rm(join(timed.folder, 'sources', 'shop.yaml'));
    await timed.client.call('source.reload', { force: true });
    await timed.settle();
    const [target] = (await timed.client.call('project.get', { id: 'a' })).targets;
    assert.deepEqual([target?.status, target?.crashes.total], ['active', 0]);
    assert.deepEqual((await timed.client.call('scrape.list', { project: 'a' })).scrapes, []);
    const { children = [] } = await timed.client.call('tree.get', {});
    assert.deepEqual(
      children.map(({ restarts }) => restarts).filter((restarts) => restarts > 0),
      [],
    );
  });
});
