import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Registry } from '../../src/actor/registry.ts';
import { createSystem } from '../../src/actor/system.ts';
import type { Ref } from '../../src/actor/types.ts';
import type { Authenticated, SessionDesk } from '../../src/session/desk.ts';
import { source, type SourceMessage } from '../../workers/source.ts';
import { auths, Shop, shop as shopUrl } from '../session/support.ts';

/** The actor of a source with a log-in, whose desks are those of one shop; the signal of each ends its log-in. */
async function startSource(t: TestContext, shop: Shop): Promise<Ref<SourceMessage>> {
  const system = createSystem({ clock: shop.clock });
  const deps = {
    clock: shop.clock,
    registry: new Registry<string, SourceMessage>(),
    pulseEveryMs: () => undefined,
    pulse: () => assert.fail('it has no pulse'),
    recheck: () => Promise.resolve(undefined),
    files: () => Promise.resolve(undefined),
    async openSession(_: string, signal: AbortSignal): Promise<SessionDesk> {
      return shop.open(auths.form, undefined, signal);
    },
  };
  const spawned = await system.spawn<SourceMessage>((self) => source(self, 'shop', deps), { id: 'shop' });
  if (spawned.ok !== true) assert.fail('the source did not start');
  t.after(() => system.exit(spawned.ref, 'shutdown'));
  return spawned.ref;
}

describe('a source that is defined anew', () => {
  test('keeps the session that its new desk has made, whatever its old one learns late', async (t) => {
    const shop = new Shop();
    shop.site = () => ({ setCookies: [`session=s${shop.asks.length}; Path=/`] });
    const ref = await startSource(t, shop);
    const desk = () => ref.ask<SessionDesk>((reply) => ({ type: 'session', reply }), Infinity);
    const authenticate = (stale: number) =>
      ref.ask<Authenticated>((reply) => ({ type: 'authenticate', stale, reply }), Infinity);
    const first = await authenticate(0);
    assert.ok(first.ok);
    const old = await desk();
    ref.send({ type: 'reload' });
    await authenticate(first.generation);
    const [saved, saves] = [shop.saved, shop.saves];
    old.keepCookies(shopUrl, ['late=1; Path=/'], first.generation);
    await old.succeeded(first.generation);
    await old.flush();
    assert.deepEqual([shop.saved, shop.saves], [saved, saves]);
    assert.equal((await desk()).headersFor(`${shopUrl}/item/1`).headers['cookie'], 'session=s2');
  });

  test('saves what its old desk had not saved yet', async (t) => {
    const shop = new Shop();
    const ref = await startSource(t, shop);
    const desk = () => ref.ask<SessionDesk>((reply) => ({ type: 'session', reply }), Infinity);
    const [old, { generation }] = [await desk(), (await desk()).headersFor('')];
    old.keepCookies(shopUrl, ['seen=1; Path=/'], generation);
    ref.send({ type: 'reload' });
    assert.equal((await desk()).headersFor(`${shopUrl}/item/1`).headers['cookie'], 'seen=1');
  });
});

describe('a source that is defined anew during a log-in', () => {
  test('ends that log-in before it makes another, and tells who waited for it', async (t) => {
    const shop = new Shop();
    let open = 0;
    let most = 0;
    const first = Promise.withResolvers<void>();
    shop.site = async ({ signal }) => {
      open += 1;
      most = Math.max(most, open);
      try {
        if (shop.asks.length === 1) {
          first.resolve();
          await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
        }
        return { setCookies: [`session=s${shop.asks.length}; Path=/`] };
      } finally {
        open -= 1;
      }
    };
    const ref = await startSource(t, shop);
    const authenticate = () => ref.ask<Authenticated>((reply) => ({ type: 'authenticate', stale: 0, reply }), Infinity);
    const early = authenticate();
    await first.promise;
    ref.send({ type: 'reload' });
    const late = authenticate();
    const cut = await early;
    assert.equal(cut.ok ? undefined : cut.failure.code, 'login_unavailable');
    assert.equal((await late).ok, true);
    assert.deepEqual([shop.asks.length, most], [2, 1]);
    const desk = await ref.ask<SessionDesk>((reply) => ({ type: 'session', reply }), Infinity);
    assert.equal(desk.headersFor('http://127.0.0.1:8080/item/1').headers['cookie'], 'session=s2');
  });
});
