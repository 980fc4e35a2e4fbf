import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Auth } from '../../src/definition/auth.ts';
import type { SessionDesk } from '../../src/session/desk.ts';
import { sealerWith } from '../../src/session/seal.ts';
import { secretsFrom } from '../../src/session/secret-store.ts';
import { auths, environment, Shop, shop } from './support.ts';

/** A request that meets 401 until the site likes its headers, as a scrape makes it. */
async function request(
  desk: SessionDesk,
  likes: (headers: Readonly<Record<string, string>>) => boolean,
): Promise<string> {
  for (;;) {
    const { headers, generation } = desk.headersFor(`${shop}/item/1`);
    if (likes(headers)) {
      await desk.succeeded(generation);
      return 'read';
    }
    const authenticated = await desk.authenticate(generation);
    if (!authenticated.ok) return authenticated.failure.code;
  }
}

const never = () => false;
/** Never the text itself, whatever its random nonce made of it. */
const withAnotherCharacter = (sealed: string) =>
  `${sealed.slice(0, 9)}${sealed[9] === 'A' ? 'B' : 'A'}${sealed.slice(10)}`;
const token = (access: string, refresh?: string, expires_in?: number) => ({
  body: JSON.stringify({ access_token: access, refresh_token: refresh, expires_in }),
});

describe('the desk of a source', () => {
  test('logs in once for ten requests that meet 401 at a time (J56, J57)', async () => {
    const site = new Shop();
    const gate = Promise.withResolvers<void>();
    site.site = async () => {
      await gate.promise;
      return { setCookies: ['session=s1; Path=/'] };
    };
    const desk = await site.open(auths.form);
    const requests = Array.from({ length: 10 }, () => request(desk, ({ cookie }) => cookie === 'session=s1'));
    gate.resolve();
    assert.deepEqual(new Set(await Promise.all(requests)), new Set(['read']));
    assert.equal(site.asks.length, 1);
  });

  test('gives the newest credentials to a request that was refused with older ones, without a log-in (J57)', async () => {
    const site = new Shop();
    const desk = await site.open(auths.form);
    const { generation } = desk.headersFor(shop);
    const first = await desk.authenticate(generation);
    assert.deepEqual(await desk.authenticate(generation), first);
    assert.equal(site.asks.length, 1);
  });

  test('logs in exactly three times at a site that always answers 401, and then says so (J54)', async () => {
    const site = new Shop();
    const desk = await site.open(auths.form);
    assert.equal(await request(desk, never), 'login_attempts');
    assert.equal(site.asks.length, 3);
    assert.deepEqual(desk.condition(), {
      code: 'login_attempts',
      message: 'gave up after 3 log-ins without a request that worked: requests are refused after each of them',
    });
  });

  test('counts log-ins over restarts, and with many requests at once (J54)', async () => {
    const site = new Shop();
    site.site = () => ({ status: 403 });
    for (let life = 0; life < 5; life += 1) {
      const desk = await site.open(auths.form);
      await Promise.all(Array.from({ length: 5 }, () => desk.authenticate(desk.headersFor(shop).generation)));
    }
    assert.equal(site.asks.length, 3);
    const desk = await site.open(auths.form);
    const { code } = desk.condition();
    assert.equal(code, 'login_attempts');
  });

  test('has counted a log-in before it asks, should the daemon die of it (J54)', async () => {
    const site = new Shop();
    site.site = () => Promise.reject(new Error('killed'));
    for (let life = 0; life < 3; life += 1)
      await assert.rejects((await site.open(auths.form)).authenticate(0), /killed/);
    const last = await (await site.open(auths.form)).authenticate(0);
    assert.equal(last.ok ? '' : last.failure.code, 'login_attempts');
    assert.equal(site.asks.length, 3);
  });

  test('does not count a log-in that the site was not there for', async () => {
    const site = new Shop();
    site.site = () => 'connection refused';
    const desk = await site.open(auths.form);
    for (let time = 0; time < 5; time += 1)
      assert.deepEqual(await desk.authenticate(0), {
        ok: false,
        failure: { code: 'login_unavailable', message: 'could not log in: connection refused' },
      });
    site.site = () => ({ setCookies: ['session=s1'] });
    assert.equal((await desk.authenticate(0)).ok, true);
  });

  const cures: readonly (readonly [what: string, cure: (site: Shop, desk: SessionDesk) => Promise<SessionDesk>])[] = [
    ['a person', async (_site, desk) => (await desk.reset(), desk)],
    [
      'a request that works after all',
      async (_site, desk) => (await desk.succeeded(desk.headersFor(shop).generation), desk),
    ],
    [
      'other secrets',
      async (site, desk) => {
        site.findSecrets = secretsFrom({ environment: { ...environment, HERONRY_SECRET_SHOP_PASSWORD: 'new' } });
        return desk;
      },
    ],
    ['another definition', (site) => site.open(Auth.parse({ ...auths.form, url: `${shop}/login2` }))],
  ];
  for (const [what, cure] of cures)
    test(`tries again after ${what} (J54)`, async () => {
      const site = new Shop();
      const desk = await site.open(auths.form);
      await request(desk, never);
      assert.equal(site.asks.length, 3);
      const cured = await cure(site, desk);
      assert.equal((await cured.authenticate(cured.headersFor(shop).generation)).ok, true);
      assert.equal(site.asks.length, 4);
    });

  test('without its secrets is not initialised and asks nobody, until they are there (J58)', async () => {
    const site = new Shop();
    site.findSecrets = secretsFrom({ environment: { HERONRY_SECRET_SHOP_USER: 'x' } });
    const desk = await site.open(auths.form);
    const message =
      'missing the secret SHOP_PASSWORD: expected the environment variable HERONRY_SECRET_SHOP_PASSWORD, or a file that `secrets` of heronry.yaml names; the daemon sees either only after a restart';
    assert.deepEqual(desk.condition(), { code: 'not_initialised', message });
    assert.deepEqual(await desk.authenticate(0), { ok: false, failure: { code: 'not_initialised', message } });
    assert.deepEqual(site.asks, []);
    site.findSecrets = secretsFrom({ environment });
    assert.equal((await desk.authenticate(0)).ok, true);
    assert.deepEqual(desk.condition(), { code: 'ready' });
  });

  test('renews a token before it logs in anew, and logs in when that is refused (J55)', async () => {
    const site = new Shop();
    let tokens = 0;
    let refuseRefresh = false;
    site.site = ({ request: { body } }) => {
      if (refuseRefresh && body?.reveal().includes('refresh_token')) return { status: 400 };
      tokens += 1;
      return token(`t${tokens}`, `r${tokens}`);
    };
    const desk = await site.open(auths.token);
    const likes = (wanted: string) => (headers: Readonly<Record<string, string>>) =>
      headers['authorization'] === `Bearer ${wanted}`;
    assert.equal(await request(desk, likes('t1')), 'read');
    assert.equal(await request(desk, likes('t2')), 'read');
    refuseRefresh = true;
    assert.equal(await request(desk, likes('t3')), 'read');
    assert.deepEqual(
      site.sent().map((text) => /grant_type=(\w+).*?(r\d)?$/.exec(text)?.slice(1).filter(Boolean).join(' ')),
      ['password', 'refresh_token r1', 'refresh_token r2', 'password'],
    );
  });

  test('renews no token twice in a row at a site that always answers 401, so log-ins stay three (J54, J55)', async () => {
    const site = new Shop();
    site.site = () => token('t', 'r');
    const desk = await site.open(auths.token);
    assert.equal(await request(desk, never), 'login_attempts');
    const kinds = site.sent().map((text) => /grant_type=(\w+)/.exec(text)?.[1]);
    assert.equal(kinds.filter((kind) => kind === 'password').length, 3);
    assert.equal(kinds.filter((kind) => kind === 'refresh_token').length, 3);
  });

  test('does not log in when the site is not there to renew a token', async () => {
    const site = new Shop();
    site.site = () => token('t', 'r');
    const desk = await site.open(auths.token);
    await desk.authenticate(0);
    site.site = () => ({ status: 502 });
    const result = await desk.authenticate(desk.headersFor(shop).generation);
    assert.equal(result.ok ? '' : result.failure.code, 'login_unavailable');
    assert.equal(site.asks.length, 2);
  });

  test('wants a log-in shortly before its token expires', async () => {
    const site = new Shop();
    site.site = () => token('t', undefined, 60);
    const desk = await site.open(auths.token);
    assert.deepEqual(desk.condition(), { code: 'login_needed' });
    await desk.authenticate(0);
    assert.deepEqual(desk.condition(), { code: 'ready' });
    site.clock.advance(30_000);
    assert.deepEqual(desk.condition(), { code: 'login_needed' });
  });

  for (const kind of ['form', 'token'] as const)
    test(`takes up the session of a ${kind} where the last life left it`, async () => {
      const site = new Shop();
      if (kind === 'token') site.site = () => token('t1', 'r1');
      const before = await site.open(auths[kind]);
      await before.authenticate(0);
      before.keepCookies(`${shop}/item/1`, ['seen=1'], before.headersFor(shop).generation);
      await before.flush();
      const after = await site.open(auths[kind]);
      assert.deepEqual(after.headersFor(`${shop}/item/1`), before.headersFor(`${shop}/item/1`));
      assert.deepEqual(after.condition(), { code: 'ready' });
    });

  for (const kind of ['basic', 'bearer'] as const)
    test(`has the header of ${kind} from the start, and asks nobody for it (O57)`, async () => {
      const site = new Shop();
      const desk = await site.open(auths[kind]);
      assert.deepEqual(desk.condition(), { code: 'ready' });
      assert.match(desk.headersFor(`${shop}/item/1`).headers['authorization'] ?? '', /^(?:Basic|Bearer) /);
      assert.equal(await request(desk, never), 'login_attempts');
      assert.deepEqual(site.asks, []);
    });

  test('sends nothing to an origin that the definition does not name, and takes nothing from it', async () => {
    const site = new Shop();
    const desk = await site.open(Auth.parse({ ...auths.bearer, origins: [shop] }));
    for (const url of ['http://127.0.0.1:8081/', 'https://127.0.0.1:8080/', 'http://127.0.0.2:8080/', 'nonsense'])
      assert.deepEqual(desk.headersFor(url).headers, {}, url);
    desk.keepCookies('http://127.0.0.1:8081/', ['a=1'], desk.headersFor(shop).generation);
    assert.deepEqual(Object.keys(desk.headersFor(shop).headers), ['authorization']);
  });

  test('takes no cookie from an answer to a request with older credentials', async () => {
    const site = new Shop();
    const desk = await site.open(auths.form);
    const old = desk.headersFor(shop).generation;
    await desk.authenticate(old);
    desk.keepCookies(shop, ['session=; Max-Age=0'], old);
    assert.equal(desk.headersFor(shop).headers['cookie'], 'session=s1');
  });

  test('keeps cookies for a source without a log-in, too, each where it belongs (O57)', async () => {
    const site = new Shop();
    const desk = await site.open(undefined, undefined);
    desk.keepCookies('http://127.0.0.1/', ['a=1'], 0);
    assert.deepEqual(desk.headersFor('http://127.0.0.1/x').headers, { cookie: 'a=1' });
    assert.deepEqual(desk.headersFor('http://127.0.0.2/x').headers, {});
    const result = await desk.authenticate(0);
    assert.match(result.ok ? '' : result.failure.message, /has no auth/);
  });

  test('begins a log-in without the cookies of the session that is over, and with those of its own page', async () => {
    const site = new Shop();
    const desk = await site.open(Auth.parse({ ...auths.form, hidden: { csrf: 'i' } }));
    desk.keepCookies(shop, ['old=1'], 0);
    site.site = ({ request: { method } }) =>
      method === 'GET' ? { setCookies: ['page=1'], body: '<i>x</i>' } : { setCookies: ['session=s2'] };
    await desk.authenticate(0);
    assert.deepEqual(
      site.asks.map(({ request: { headers } }) => headers['cookie']),
      [undefined, 'page=1'],
    );
    assert.equal(desk.headersFor(shop).headers['cookie'], 'page=1; session=s2');
  });

  for (const [what, spoil] of [
    ['was sealed with another key', (site: Shop) => void (site.sealer = sealerWith(new Uint8Array(32).fill(8)))],
    ['was changed', (site: Shop) => void (site.saved = withAnotherCharacter(site.saved ?? ''))],
    ['belongs to another source', (site: Shop) => void (site.saved = site.sealer.seal('{}', 'other'))],
  ] as const)
    test(`discards a session that ${what} with a warning, and logs in anew`, async () => {
      const site = new Shop();
      await (await site.open(auths.form)).authenticate(0);
      spoil(site);
      const desk = await site.open(auths.form);
      assert.deepEqual(site.warnings, [
        'source "shop": the saved session is discarded: another key made it, or it was changed since',
      ]);
      assert.equal((await desk.authenticate(0)).ok, true);
    });

  test('saves once for a thousand requests that work', async () => {
    const site = new Shop();
    const desk = await site.open(auths.form);
    await desk.authenticate(0);
    const { saves } = site;
    for (let time = 0; time < 1_000; time += 1) await desk.succeeded(desk.headersFor(shop).generation);
    assert.equal(site.saves, saves + 1);
  });

  test('says once that a site sets more cookies than are kept', async () => {
    const site = new Shop();
    const desk = await site.open(undefined, undefined);
    for (let time = 0; time < 5; time += 1)
      desk.keepCookies(
        shop,
        Array.from({ length: 90 }, (_, index) => `c${time}-${index}=1`),
        0,
      );
    assert.equal(site.warnings.length, 1);
  });
});
