import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';
import type { Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import { VirtualClock } from '../../../src/clock.ts';
import {
  type Admission,
  type EgressProxy,
  type EgressEntry,
  openEgress,
  type Pass,
} from '../../../src/fetch/browser/egress.ts';
import { SharedBrowser, Slots } from '../../../src/fetch/browser/shared-browser.ts';
import { describeFailure } from '../../../src/fetch/failure.ts';
import { siteRule } from '../../../src/fetch/site.ts';
import { openProxy } from '../../support/proxy.ts';
import { openSite } from '../../support/site.ts';

/** Loopback, as a look-up that must not be asked would not find it. */
const way: Admission['way'] = {
  rules: { allowPrivate: true },
  resolve: (_, __, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
};
const admission: Admission = { way, maxRequests: 10, maxBytes: 1_000, mayAsk: () => true, onTooLarge: () => undefined };

async function openTrialEgress(t: TestContext): Promise<EgressProxy & { readonly entries: readonly EgressEntry[] }> {
  const entries: EgressEntry[] = [];
  const egress = await openEgress((entry) => void entries.push(entry));
  t.after(() => egress.close());
  return { ...egress, entries };
}

interface Through {
  readonly pass?: Pick<Pass, 'username' | 'password'>;
  readonly method?: string;
}

/** The status of a request through the egress proxy; with `CONNECT`, of the tunnel, which is closed. */
async function ask(
  egress: EgressProxy,
  target: string,
  { pass, method = 'GET' }: Through,
): Promise<number | undefined> {
  const { hostname, port } = new URL(egress.url);
  const credential = pass && `Basic ${Buffer.from(`${pass.username}:${pass.password}`).toString('base64')}`;
  const headers = { host: 'site', ...(credential !== undefined && { 'proxy-authorization': credential }) };
  const asking = openRequest({ hostname, port, method, path: target, headers, agent: false }).end();
  const event = method === 'CONNECT' ? 'connect' : 'response';
  const [response, socket] = (await once(asking, event)) as [IncomingMessage, Socket | undefined];
  socket?.destroy();
  response.resume();
  return response.statusCode;
}

describe('the egress proxy', () => {
  for (const method of ['GET', 'CONNECT']) {
    const at = (origin: string, path = '/'): string => (method === 'GET' ? `${origin}${path}` : new URL(origin).host);

    test(`lets nobody through without the credential of a page that is open (${method})`, async (t) => {
      const egress = await openTrialEgress(t);
      const site = await openSite(t, { '/': 'hello' });
      const pass = egress.admit(admission);
      assert.equal(await ask(egress, at(site.origin), { method }), 407);
      assert.equal(await ask(egress, at(site.origin), { method, pass: { ...pass, password: 'guessed' } }), 407);
      assert.equal(await ask(egress, at(site.origin), { method, pass }), 200);
      pass.revoke();
      assert.equal(await ask(egress, at(site.origin), { method, pass }), 407);
      assert.deepEqual(
        egress.entries.map(({ refused }) => refused),
        ['credential', 'credential', undefined, 'credential'],
      );
    });

    test(`refuses other hosts, refused addresses and too many requests (${method})`, async (t) => {
      const egress = await openTrialEgress(t);
      const site = await openSite(t, { '/': 'hello' });
      const { port } = new URL(site.origin);
      const mayAsk = (host: string): boolean => host !== 'other.test';
      const pass = egress.admit({ ...admission, mayAsk, maxRequests: 3 });
      assert.equal(await ask(egress, at(`http://other.test:${port}`), { method, pass }), 403);
      assert.equal(await ask(egress, at('http://169.254.169.254:80'), { method, pass }), 403);
      assert.equal(await ask(egress, at(`http://named.test:${port}`), { method, pass }), 200);
      assert.equal(await ask(egress, at('http://127.0.0.1:9'), { method, pass }), 502);
      assert.equal(await ask(egress, at(site.origin), { method, pass }), 403);
      const outside = egress.admit({ ...admission, way: { ...way, rules: { allowPrivate: false } } });
      assert.equal(await ask(egress, at(`http://named.test:${port}`), { method, pass: outside }), 403);
      assert.deepEqual(
        egress.entries.map(({ refused }) => refused),
        ['host', 'address', undefined, 'network', 'count', 'address'],
      );
    });

    test(`goes on through the proxy of the source, which it does not ask for a refused name (${method})`, async (t) => {
      const egress = await openTrialEgress(t);
      const proxy = await openProxy(t, 'Basic dXNlcjpwYXNz');
      const site = await openSite(t, { '/': 'hello' });
      const through = { url: proxy.url, authorization: 'Basic dXNlcjpwYXNz' };
      const pass = egress.admit({ ...admission, way: { ...way, proxy: through } });
      assert.equal(await ask(egress, at(site.origin), { method, pass }), 200);
      assert.equal(await ask(egress, at('http://169.254.169.254:80'), { method, pass }), 403);
      assert.deepEqual(proxy.asked, [at(site.origin)]);
    });
  }

  test('cuts a page off that has had its bytes', async (t) => {
    const egress = await openTrialEgress(t);
    const site = await openSite(t, { '/': 'x'.repeat(100_000) });
    const { promise: tooLarge, resolve } = Promise.withResolvers<void>();
    const pass = egress.admit({ ...admission, onTooLarge: resolve });
    await ask(egress, site.url('/'), { pass });
    await tooLarge;
    assert.ok(pass.bytes > 1_000);
  });
});

test('a page may ask all hosts below the domain that somebody registered, and those it is allowed', () => {
  const table: readonly (readonly [string, string, boolean])[] = [
    ['http://www.shop.co.uk/', 'shop.co.uk', true],
    ['http://www.shop.co.uk/', 'api.eu.shop.co.uk', true],
    ['http://www.shop.co.uk/', 'other.co.uk', false],
    ['http://www.shop.co.uk/', 'co.uk', false],
    ['http://www.shop.co.uk/', 'notshop.co.uk', false],
    ['http://www.shop.co.uk/', 'a.cdn.net', true],
    ['http://www.shop.co.uk/', 'xcdn.net', false],
    ['http://127.0.0.1:80/', '127.0.0.1', true],
    ['http://127.0.0.1:80/', '1.127.0.0.1', false],
    ['http://[::1]/', '::1', true],
    ['http://localhost/', 'localhost', true],
    ['http://co.uk/', 'shop.co.uk', true],
  ];
  for (const [page, host, may] of table) assert.equal(siteRule(page, ['cdn.net'])(host), may, `${page} → ${host}`);
});

test('slots are given in order of arrival, and not to those who left', async () => {
  const slots = new Slots(1);
  const { signal } = new AbortController();
  const leaving = new AbortController();
  const first = await slots.take(signal);
  const order: string[] = [];
  const second = slots.take(leaving.signal).then((free) => order.push(free ? 'second' : 'left'));
  const third = slots.take(signal).then((free) => (order.push('third'), free));
  leaving.abort();
  await second;
  first?.();
  (await third)?.();
  assert.deepEqual(order, ['left', 'third']);
  assert.equal(await slots.take(AbortSignal.abort()), undefined);
  assert.ok(await slots.take(signal));
});

describe('the shared browser', () => {
  /** A browser that knows only how to end. */
  class Fake extends EventEmitter {
    state: 'running' | 'closed' = 'running';
    close(): Promise<void> {
      this.state = 'closed';
      this.emit('disconnected');
      return Promise.resolve();
    }
    contexts = (): readonly unknown[] => [];
    newBrowserCDPSession = (): Promise<unknown> => Promise.resolve({});
  }

  function openShared() {
    const clock = new VirtualClock();
    const fakes: Fake[] = [];
    const shared = new SharedBrowser({
      ...{ clock, idleMs: 1_000, maxProcessBytes: 1 },
      launch() {
        const fake = new Fake();
        fakes.push(fake);
        return Promise.resolve(fake as unknown as Browser);
      },
    });
    return { clock, fakes, shared };
  }

  test('is one for all pages at a time, and ends when it was idle for long enough', async () => {
    const { clock, fakes, shared } = openShared();
    const [one, two] = await Promise.all([shared.take(), shared.take()]);
    assert.equal(fakes.length, 1);
    one.release();
    clock.advance(5_000);
    two.release();
    clock.advance(999);
    const three = await shared.take();
    clock.advance(5_000);
    three.release();
    assert.equal(fakes[0]?.state, 'running');
    const ended = once(fakes[0] ?? new Fake(), 'disconnected');
    clock.advance(1_000);
    await ended;
    (await shared.take()).release();
    assert.equal(fakes.length, 2);
    await shared.close();
    await assert.rejects(shared.take(), /no browser/);
  });

  test('is replaced when it has ended by itself, and when it has had many pages', async () => {
    const { fakes, shared } = openShared();
    await shared.take();
    fakes[0]?.emit('disconnected');
    for (let pages = 1; pages <= 501; pages += 1) (await shared.take()).release();
    assert.equal(fakes.length, 3);
    assert.equal(fakes[1]?.state, 'closed');
    await shared.close();
    assert.equal(fakes[2]?.state, 'closed');
  });

  test('that does not start is tried again by the next', async () => {
    let launches = 0;
    const launch = (): Promise<Browser> =>
      (launches += 1) === 1
        ? Promise.reject(new Error('no library'))
        : Promise.resolve(new Fake() as unknown as Browser);
    const shared = new SharedBrowser({ clock: new VirtualClock(), idleMs: 1_000, maxProcessBytes: 1, launch });
    await assert.rejects(shared.take(), /no library/);
    (await shared.take()).release();
    await shared.close();
    assert.equal(launches, 2);
  });
});

test('a person reads what is wrong with the browser', () => {
  const sentences = [
    describeFailure({ code: 'renderer_missing', cause: 'install it' }),
    describeFailure({ code: 'render_crashed', cause: 'the browser ended' }),
    describeFailure({ code: 'timeout', stage: 'render', afterMs: 30_000 }),
    describeFailure({ code: 'cancelled' }),
  ];
  assert.deepEqual(sentences, [
    'no browser to render the page with: install it',
    'the browser broke down over the page: the browser ended',
    'no answer within 30 s while waiting for the page to be rendered',
    'cancelled',
  ]);
});
