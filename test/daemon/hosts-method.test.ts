import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { secretsFrom } from '../../src/session/secret-store.ts';
import { run } from '../cli/terminal.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { startAt, startTimed } from './passing.ts';
import { untilReady } from './tracking.ts';

const hour = 3_600_000;
const obeying = (id: string, more = '') => productSource(id, more).replace('robots: ignore\n', '');
const slow = (id: string) => productSource(id).replace('delay: 1ms, minDelay: 1ms', 'delay: 1h');

describe('host.list', () => {
  test('tells who waits for a host, when it can next be asked and why not sooner', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '1') });
    const { client, pass, track, clock } = await startTimed(t, {
      sources: { shop: slow('shop'), other: slow('other') },
    });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(2_000);
    await track('b', { source: 'other', url: site.url('/b') });
    await pass(2_000);
    const { hosts, next } = await client.call('host.list', {});
    assert.equal(next, undefined);
    assert.deepEqual(hosts, [
      {
        key: site.origin,
        sources: ['shop', 'other'].map((id) => ({ id, robots: 'ignore', delayMs: hour, concurrency: 1 })),
        waiting: 2,
        next: hosts[0]?.next,
        open: 0,
        nextAt: startAt + hour,
        hold: { kind: 'gap', delayMs: hour },
        delayMs: hour,
        failures: 0,
        backOffStep: 0,
      },
    ]);
    assert.deepEqual(
      hosts[0]?.next.map(({ source, dueAt }) => [source, dueAt <= clock.now()]),
      [
        ['shop', true],
        ['other', true],
      ],
    );
  });

  test('tells a Retry-After that is capped, the failures and the latency', async (t) => {
    const busy = { status: 503, headers: { 'retry-after': '1000000' } };
    const site = await openSite(t, { '/a': busy });
    const { client } = await startDaemon(t, { sources: { shop: productSource('shop') } });
    const before = Date.now();
    await client.call('source.try', { id: 'shop', url: site.url('/a') });
    const [host] = (await client.call('host.list', { key: site.origin })).hosts;
    assert.ok(host);
    const { hold, failures, backOffStep, retryAfter, nextAt = 0, latencyMs } = host;
    assert.deepEqual(
      { hold, failures, backOffStep },
      {
        hold: { kind: 'retry_after', capped: true },
        failures: 1,
        backOffStep: 1,
      },
    );
    assert.equal(retryAfter?.capped, true);
    assert.equal(retryAfter.until, nextAt);
    assert.ok(nextAt >= before + 24 * hour && nextAt <= Date.now() + 24 * hour + 1_000);
    assert.ok(latencyMs !== undefined && latencyMs >= 0);
  });

  test('tells what is known of robots.txt, of sources that obey it, and who calls itself something else', async (t) => {
    const robots = 'User-agent: *\nCrawl-delay: 0.01\nDisallow: /secret\n';
    const site = await openSite(t, {
      '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: robots },
      '/a': productPage('A', '1'),
    });
    const { client } = await startDaemon(t, {
      sources: { shop: obeying('shop'), named: productSource('named', 'userAgent: Named/2.0') },
    });
    for (const id of ['shop', 'named']) await client.call('source.try', { id, url: site.url('/a') });
    const [host] = (await client.call('host.list', {})).hosts;
    const [shop, named] = host?.sources ?? [];
    assert.ok(shop?.robotsTxt?.askedAt !== undefined && shop.robotsTxt.askAt !== undefined);
    const { askedAt, askAt, ...known } = shop.robotsTxt;
    assert.equal(askAt - askedAt, 24 * hour);
    assert.deepEqual(known, { origin: site.origin, status: 200, rules: 1, crawlDelayMs: 10 });
    assert.deepEqual(named, { id: 'named', robots: 'ignore', userAgent: 'Named/2.0', delayMs: 1, concurrency: 1 });
  });

  test('says of a robots.txt that is out of reach why it is', async (t) => {
    const site = await openSite(t, { '/robots.txt': { status: 500 } });
    const { client } = await startDaemon(t, { sources: { shop: obeying('shop') } });
    await client.call('source.try', { id: 'shop', url: site.url('/a') });
    const [host] = (await client.call('host.list', {})).hosts;
    assert.deepEqual(host?.sources[0]?.robotsTxt?.unreachable, { cause: 'answered with status 500', times: 1 });
    assert.equal(site.asked.filter(({ path }) => path === '/a').length, 0);
  });

  test('gives slices in the order of keys, and one key alone', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const ids = ['c', 'a', 'd', 'b', 'e'];
    const keyed = (id: string) => productSource(id).replace('politeness: {', `politeness: { key: shop-${id},`);
    const { client } = await startDaemon(t, { sources: Object.fromEntries(ids.map((id) => [id, keyed(id)])) });
    for (const id of ids) await client.call('source.try', { id, url: site.url('/a') });
    const keysOf = async (asked: Parameters<typeof client.call<'host.list'>>[1]) => {
      const { hosts, next } = await client.call('host.list', asked);
      return [hosts.map(({ key }) => key), next];
    };
    assert.deepEqual(await keysOf({ limit: 2 }), [['shop-a', 'shop-b'], 'shop-b']);
    assert.deepEqual(await keysOf({ limit: 2, after: 'shop-b' }), [['shop-c', 'shop-d'], 'shop-d']);
    assert.deepEqual(await keysOf({ limit: 2, after: 'shop-d' }), [['shop-e'], undefined]);
    assert.deepEqual(await keysOf({ key: 'shop-c' }), [['shop-c'], undefined]);
    assert.deepEqual(await keysOf({ key: 'nosuch' }), [[], undefined]);
  });
});

describe('a source that is stopped', () => {
  test('shows its circuit, on its host, in its targets and in itself, until it is asked again', async (t) => {
    const paths = ['a', 'b', 'c', 'd', 'e'];
    const site = await openSite(t, Object.fromEntries(paths.map((path) => [`/${path}`, { status: 500 }])));
    const gentle = productSource('shop').replace('delay: 1ms, minDelay: 1ms', 'delay: 1s');
    const { client, pass, track, socket, clock } = await startTimed(t, { sources: { shop: gentle } });
    for (const path of paths) await track(path, { source: 'shop', url: site.url(`/${path}`) });
    for (let round = 0; round < 100 && (await circuit()) === undefined; round += 1) await pass(5_000);
    const { state, nextAt, times } = (await circuit()) ?? {};
    assert.deepEqual({ state, times }, { state: 'open', times: 1 });
    assert.ok(nextAt !== undefined && nextAt > clock.now());
    await pass(2_000);
    assert.ok((await conditions('a')).includes('circuit_open'));
    const { out } = await run(['sources', '--socket', socket], { columns: 100, now: clock.now() });
    assert.match(out, /^shop +circuit_open +5 /m);
    assert.match(out, /^shop: circuit open, as most of its targets failed; tried again in /m);
    const [host] = (await client.call('host.list', {})).hosts;
    assert.equal(host?.sources[0]?.circuit?.state, 'open');

    async function circuit() {
      return (await client.call('source.get', { id: 'shop' })).circuit;
    }

    async function conditions(project: string) {
      return (await client.call('project.get', { id: project })).targets[0]?.conditions ?? [];
    }
  });
});

describe('a source with a session', () => {
  const bearer = 'auth: { type: bearer, token: { secret: SHOP_TOKEN }, origins: [ORIGIN] }';

  test('says which secret is missing, and is ready once a person has put that right and resets it', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const environment: Record<string, string> = {};
    const { client, socket } = await startDaemon(t, {
      sources: { shop: productSource('shop', bearer.replace('ORIGIN', site.origin)) },
      findSecrets: secretsFrom({ environment }),
      settings: { initialDelayMs: hour, everyMs: hour, timeLimitMs: hour, logLevel: 'silent' },
    });
    await untilReady(client);
    const { targets } = await client.call('project.add', {
      id: 'a',
      targets: [{ source: 'shop', url: site.url('/a') }],
    });
    assert.deepEqual(targets[0]?.conditions, ['not_initialised']);
    const { session } = await client.call('source.get', { id: 'shop' });
    assert.equal(session?.code, 'not_initialised');
    assert.match(session.message ?? '', /SHOP_TOKEN/);
    const { steps } = await client.call('source.try', { id: 'shop', url: site.url('/a') });
    assert.deepEqual(
      steps.map(({ wasAsked, failure }) => [wasAsked, failure?.code]),
      [[false, 'not_initialised']],
    );
    assert.match((await run(['sources', '--socket', socket])).out, /^shop\tnot_initialised\t1\t/m);

    environment['HERONRY_SECRET_SHOP_TOKEN'] = 'swordfish';
    const reset = await run(['sources', '--reset', 'shop', '--socket', socket]);
    assert.equal(reset.err, 'source shop: log-ins are tried again, now ready\n');
    assert.match(reset.out, /^shop\tready\t/m);
    const fetched = await run(['fetch', site.url('/a'), '--source', 'shop', '--socket', socket]);
    assert.match(fetched.out, /^ {3}session {6}sends authorization$/m);
    assert.ok(!JSON.stringify(fetched).includes('swordfish'));
    assert.equal(site.asked.at(-1)?.headers.authorization, 'Bearer swordfish');
  });

  test('gives up after three log-ins that lead nowhere, says so, and tries again when it is reset', async (t) => {
    const site = await openSite(t, {
      '/token': { headers: { 'content-type': 'application/json' }, body: '{"access_token":"t0ken"}' },
      '/a': { status: 401 },
    });
    const auth = `auth: { type: token, url: "${site.url('/token')}", fields: { grant: password } }`;
    const { client, socket } = await startDaemon(t, { sources: { shop: productSource('shop', auth) } });
    const asked = () => site.asked.filter(({ path }) => path === '/token').length;
    await untilReady(client);
    await client.call('source.try', { id: 'shop', url: site.url('/a') });
    assert.equal(asked(), 3);
    const { out } = await run(['sources', '--socket', socket]);
    assert.match(out, /^shop\tlogin_attempts\t/m);
    assert.match(out, /^shop: login_attempts: gave up after 3 log-ins .*; then: heronry sources --reset shop$/m);
    await client.call('source.try', { id: 'shop', url: site.url('/a') });
    assert.equal(asked(), 3);
    const { session } = await client.call('source.reset', { id: 'shop' });
    assert.ok(session?.code === 'ready' || session?.code === 'login_needed');
    site.answer('/a', productPage('A', '1'));
    const { failure } = await client.call('source.try', { id: 'shop', url: site.url('/a') });
    assert.equal(failure, undefined);
  });

  test('that is not there cannot be reset', async (t) => {
    const { socket } = await startDaemon(t, { sources: { shop: productSource('shop') } });
    const { status, err } = await run(['sources', '--reset', 'nosuch', '--socket', socket]);
    assert.deepEqual({ status, err }, { status: 3, err: 'heronry: no source "nosuch"\n' });
  });
});
