import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import { describe, test, type TestContext } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { OneTimeCodes } from '../../src/http/one-time-codes.ts';
import { createLogIns } from '../../src/store/log-ins.ts';
import { createToken, findToken } from '../../src/store/tokens.ts';
import type { Role } from '../../src/schema/role.ts';
import { temporaryStore } from '../store/fixture.ts';
import { type Answer, ask as send, openStream, serveHttp, type Sent } from './server.ts';

const hour = 3_600_000;

/** The headers of what a browser sends for a page of the own origin. */
const own = (port: number) => ({ origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' });

/** A server whose tokens and log-ins are in a store, and what a browser does with it. */
async function serveLogIns(t: TestContext) {
  const { store, clock: wall } = await temporaryStore(t);
  const clock = new VirtualClock();
  const codes = new OneTimeCodes(clock);
  const server = await serveHttp(
    t,
    {
      'daemon.shutdown': () => ({ pid: 1 }),
      'event.subscribe': () => ({ after: 0 }),
    },
    {
      clock,
      callerOf: (token) => findToken(store, token),
      logIns: createLogIns(() => store),
      takeCode: (code) => codes.take(code),
    },
  );
  const { port } = server;
  const sendForm = (
    path: string,
    fields: Readonly<Record<string, string>> = {},
    headers: OutgoingHttpHeaders = own(port),
  ) =>
    send(port, path, {
      verb: 'POST',
      token: undefined,
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  return {
    ...server,
    store,
    wall,
    clock,
    codes,
    sendForm,
    makeToken: (role: Role) => createToken(store, { label: `of ${role}`, role }),
    /** Logs in, and returns the cookie. */
    async logIn(secret: string, cookie = ''): Promise<string> {
      const answer = await sendForm('/login', { secret }, { cookie, ...own(port) });
      assert.equal(answer.status, 303, answer.text);
      return cookieOf(answer);
    },
    /** Sends a request as a browser that is logged in. */
    by: (cookie: string, path: string, { headers, ...sent }: Sent = {}) =>
      send(port, path, { token: undefined, ...sent, headers: { cookie, ...headers } }),
  };
}

/** The cookie that an answer sets, without its attributes. */
function cookieOf({ headers }: Answer): string {
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

describe('a log-in', () => {
  test('by a token may do what the token may', async (t) => {
    const { port, makeToken, sendForm, by } = await serveLogIns(t);
    const answer = await sendForm('/login', { secret: (await makeToken('read')).text });
    assert.deepEqual([answer.status, answer.headers.location], [303, '/']);
    const cookie = cookieOf(answer);
    assert.match(cookie, new RegExp(`^heronry_${port}=[\\w-]+\\.[\\w-]{43}$`));
    assert.match(String(answer.headers['set-cookie']), /^\S+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    assert.equal((await by(cookie, '/v1/daemon/ping')).status, 200);
    const sent = { verb: 'POST', body: {}, headers: own(port) };
    assert.equal((await by(cookie, '/v1/daemon/shutdown', sent)).status, 403);
  });

  test('by a code may do everything; the code is accepted once, and for two minutes', async (t) => {
    const { port, codes, clock, logIn, sendForm, by } = await serveLogIns(t);
    const { code } = codes.make();
    const cookie = await logIn(code);
    const sent = { verb: 'POST', body: {}, headers: own(port) };
    assert.equal((await by(cookie, '/v1/daemon/shutdown', sent)).status, 200);
    assert.equal((await sendForm('/login', { secret: code })).status, 401);
    assert.equal((await sendForm('/login', { secret: 'a'.repeat(5_000) })).status, 413);
    const late = codes.make();
    clock.advance(119_999);
    const intime = codes.make();
    clock.advance(1);
    assert.equal((await sendForm('/login', { secret: late.code })).status, 401);
    await logIn(intime.code);
  });

  test('is kept as a digest, and no other secret, id or role is taken for it', async (t) => {
    const { store, makeToken, logIn, by, codes } = await serveLogIns(t);
    const cookie = await logIn((await makeToken('read')).text);
    const other = await logIn(codes.make().code);
    const [name = '', text = ''] = cookie.split('=');
    const [id = '', secret = ''] = text.split('.');
    assert.equal(Buffer.from(secret, 'base64url').length, 32);
    const kept = JSON.stringify([...store.logIns.rows()]);
    assert.doesNotMatch(kept, new RegExp(secret));
    const digest = store.logIns.get(id)?.digest ?? '';
    const otherId = other.split('=')[1]?.split('.')[0] ?? '';
    for (const wrong of [`${id}.`, id, secret, `${otherId}.${secret}`, `${id}.${digest}`, '', 'chosen'])
      assert.equal((await by(`${name}=${wrong}`, '/v1/daemon/ping')).status, 401, wrong);
    assert.equal((await by(`other=1; ${cookie}`, '/v1/daemon/ping')).status, 200);
  });

  test('is always a new one, and ends the one before: none can be set by another', async (t) => {
    const { port, codes, logIn, by } = await serveLogIns(t);
    const set = `heronry_${port}=fixed.${'a'.repeat(43)}`;
    const first = await logIn(codes.make().code, set);
    assert.notEqual(first, set);
    assert.equal((await by(set, '/v1/daemon/ping')).status, 401);
    const second = await logIn(codes.make().code, first);
    assert.notEqual(second, first);
    assert.equal((await by(first, '/v1/daemon/ping')).status, 401);
    assert.equal((await by(second, '/v1/daemon/ping')).status, 200);
  });

  test('ends after 12 h without use, and after 30 days', async (t) => {
    const { wall, codes, logIn, by } = await serveLogIns(t);
    const statusOf = async (cookie: string) => (await by(cookie, '/v1/daemon/ping')).status;
    const idle = await logIn(codes.make().code);
    const used = await logIn(codes.make().code);
    wall.now += 11 * hour;
    assert.equal(await statusOf(used), 200);
    wall.now += hour;
    assert.deepEqual([await statusOf(idle), await statusOf(used)], [401, 200]);
    for (let hours = 12; hours < 30 * 24; hours += 6) {
      assert.equal(await statusOf(used), 200);
      wall.now += 6 * hour;
    }
    assert.equal(await statusOf(used), 401);
  });

  test('has its use noted at most once a minute, and not for what scripts read', async (t) => {
    const { port, store, wall, codes, logIn, by } = await serveLogIns(t);
    const cookie = await logIn(codes.make().code);
    const usedAt = () => [...store.logIns.rows()][0]?.usedAt;
    const begun = wall.now;
    wall.now += 59_999;
    await by(cookie, '/v1/daemon/ping');
    assert.equal(usedAt(), begun);
    wall.now += 1;
    await (await openStream(t, port, '/v1/events', { authorization: '', cookie, 'sec-fetch-mode': 'cors' })).next();
    assert.equal(usedAt(), begun);
    await by(cookie, '/v1/daemon/ping');
    assert.equal(usedAt(), wall.now);
  });

  test('ends with its token, whether that is revoked, expires or is made anew', async (t) => {
    const { store, wall, makeToken, logIn, by } = await serveLogIns(t);
    const statusOf = async (cookie: string) => (await by(cookie, '/v1/daemon/ping')).status;
    const { row, text } = await makeToken('read');
    const cookie = await logIn(text);
    assert.equal(await statusOf(cookie), 200);
    await createToken(store, { label: 'first', role: 'admin' }, row.id);
    assert.equal(await statusOf(cookie), 401);
    const short = await createToken(store, { label: 'short', role: 'read', expiresAt: wall.now + 1_000 });
    const other = await logIn(short.text);
    assert.equal(await statusOf(other), 200);
    wall.now += 1_000;
    assert.equal(await statusOf(other), 401);
    const last = await makeToken('read');
    const third = await logIn(last.text);
    await store.write(() => store.tokens.remove(last.row.id));
    assert.equal(await statusOf(third), 401);
  });

  test('of a thousand, the oldest of the same token goes', async (t) => {
    const { store, wall, makeToken, codes, logIn, by } = await serveLogIns(t);
    const admin = await logIn(codes.make().code);
    const { row, text } = await makeToken('read');
    const { id, digest } = row;
    await store.write(({ at }) => {
      for (let number = 0; number < 999; number += 1)
        store.logIns.put(`l${number}`, {
          id: `l${number}`,
          token: { id, digest },
          digest,
          createdAt: at + number,
          usedAt: at,
        });
    });
    wall.now += 1_000;
    await logIn(text);
    assert.equal(store.logIns.count(), 1_000);
    assert.deepEqual([store.logIns.has('l0'), store.logIns.has('l1')], [false, true]);
    assert.equal((await by(admin, '/v1/daemon/ping')).status, 200);
  });

  test('is audited under its id and the label of its token, and is refused after many wrong ones', async (t) => {
    const { audited, port, makeToken, logIn, sendForm, by } = await serveLogIns(t);
    const cookie = await logIn((await makeToken('admin')).text);
    await by(cookie, '/v1/daemon/shutdown', { verb: 'POST', body: {}, headers: own(port) });
    await sendForm('/logout', {}, { cookie, ...own(port) });
    const id = cookie.split('=')[1]?.split('.')[0];
    assert.deepEqual(
      audited.map(({ method, outcome, who, label }) => [method, outcome, who, label]),
      [
        ['log-in', 'done', id, 'of admin'],
        ['daemon.shutdown', 'done', id, 'of admin'],
        ['log-out', 'done', id, 'of admin'],
      ],
    );
    const statuses = new Set<number>();
    for (let tries = 0; tries < 11; tries += 1) statuses.add((await sendForm('/login', { secret: 'none' })).status);
    assert.deepEqual([...statuses], [401, 429]);
    await logIn((await makeToken('admin')).text);
  });
});

describe('the log-in form', () => {
  test('is served to anybody, and says what was wrong', async (t) => {
    const { sendForm, ask } = await serveLogIns(t);
    const { status, text, headers } = await ask('/login?next=/a%3Fb%3D%22%3E', { token: undefined });
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.match(
      String(headers['content-security-policy']),
      /script-src 'self'.*form-action 'self'.*frame-ancestors 'none'/,
    );
    assert.equal(headers['referrer-policy'], 'same-origin');
    assert.match(text, /action="login\?next=%2Fa%3Fb%3D%22%3E"/);
    const wrong = await sendForm('/login', { secret: 'none' });
    assert.equal(wrong.status, 401);
    assert.match(wrong.text, /role="alert">expected a token or a code that is in force</);
    const script = await ask('/assets/login.js', { token: undefined });
    assert.deepEqual([script.status, script.headers['content-type']], [200, 'text/javascript; charset=utf-8']);
  });

  test('is what a browser is sent to that asks for a page, and leads back there', async (t) => {
    const { port, codes, ask, sendForm } = await serveLogIns(t);
    const page = { token: undefined, headers: { accept: 'text/html,*/*' } };
    const { status, headers } = await ask('/projects?state=late', page);
    assert.deepEqual([status, headers.location], [303, '/login?next=%2Fprojects%3Fstate%3Dlate']);
    assert.equal((await ask('/', page)).headers.location, '/login');
    const stale = { ...page, headers: { ...page.headers, cookie: `heronry_${port}=a.b` } };
    assert.equal((await ask('/', stale)).status, 303);
    for (const path of ['/v1/projects', '/metrics', '/openapi.json']) assert.equal((await ask(path, page)).status, 401);
    assert.equal((await ask('/', { token: undefined })).status, 401);
    assert.equal((await ask('/', { ...page, token: 'none' })).status, 401);
    const answer = await sendForm(headers.location ?? '', { secret: codes.make().code });
    assert.equal(answer.headers.location, '/projects?state=late');
  });

  test('leads to nothing but an own path', async (t) => {
    const { codes, sendForm } = await serveLogIns(t);
    for (const next of [
      ...['//evil.test', '/\\evil.test', 'https://evil.test', 'javascript:alert(1)', '\\\\evil.test', 'evil.test'],
      ...[
        '/\t/evil.test',
        '/\n/evil.test',
        '///evil.test',
        '/.//evil.test',
        '/a/..//evil.test',
        '/logout',
        '/login',
        '/login?next=/login',
        '/a\r\nx: y',
        '/é',
        '',
      ],
      ...['/%0d%0ax:y/..//evil.test', `/${'a'.repeat(3_000)}`],
    ]) {
      const answer = await sendForm(`/login?next=${encodeURIComponent(next)}`, { secret: codes.make().code });
      assert.deepEqual([answer.status, answer.headers.location], [303, '/'], next);
    }
    const own = await sendForm('/login?next=/a%3Fb%3D//c', { secret: codes.make().code });
    assert.equal(own.headers.location, '/a?b=//c');
    const like = await sendForm('/login?next=/logins', { secret: codes.make().code });
    assert.equal(like.headers.location, '/logins');
  });

  test('and the log-out take no other verb than their own', async (t) => {
    const { ask } = await serveLogIns(t);
    for (const verb of ['PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      for (const path of ['/login', '/logout'])
        assert.equal((await ask(path, { verb, token: undefined })).status, 405, `${verb} ${path}`);
    const { status, headers } = await ask('/logout', {
      token: undefined,
      headers: { 'x-http-method-override': 'POST' },
    });
    assert.deepEqual([status, headers.allow], [405, 'POST']);
    assert.equal((await ask('/login', { verb: 'HEAD', token: undefined })).status, 200);
  });

  test('has no path that leads to other files', async (t) => {
    const { ask, makeToken } = await serveLogIns(t);
    const token = await makeToken('admin');
    for (const name of [
      ...[
        '../log-in.ts',
        '..%2flog-in.ts',
        '%2e%2e/log-in.ts',
        '%2e%2e%2flog-in.ts',
        '..\\log-in.ts',
        './../log-in.ts',
      ],
      ...['login.js/', 'login.js%00', '/login.js', '../../../package.json', '..%5c..%5cpackage.json', '', 'none.js'],
    ]) {
      const { status, text } = await ask(`/assets/${name}`, { headers: { authorization: `Bearer ${token.text}` } });
      assert.equal(status, 404, name);
      assert.doesNotMatch(text, /import|"dependencies"/);
    }
  });
});

describe('a log-out', () => {
  test('ends the log-in and forgets the cookie', async (t) => {
    const { port, codes, logIn, sendForm, by } = await serveLogIns(t);
    const cookie = await logIn(codes.make().code);
    const { status, headers } = await sendForm('/logout', {}, { cookie, ...own(port) });
    assert.deepEqual([status, headers.location], [303, '/login']);
    assert.match(String(headers['set-cookie']), new RegExp(`^heronry_${port}=; Path=/; Max-Age=0; `));
    assert.equal((await by(cookie, '/v1/daemon/ping')).status, 401);
    assert.equal((await sendForm('/logout', {}, { cookie, ...own(port) })).status, 303);
  });

  test('closes the streams of the log-in within 5 s, and no others', async (t) => {
    const { port, clock, codes, logIn, sendForm } = await serveLogIns(t);
    const open = async (cookie: string) => {
      const stream = await openStream(t, port, '/v1/events', { authorization: '', cookie });
      assert.equal(await stream.next(), 'retry: 2000');
      return stream;
    };
    const cookie = await logIn(codes.make().code);
    const ended = await open(cookie);
    const other = await open(await logIn(codes.make().code));
    await sendForm('/logout', {}, { cookie, ...own(port) });
    clock.advance(5_000);
    assert.equal(await ended.next(), undefined);
    clock.advance(10_000);
    assert.equal(await other.next(), ': ');
  });

  test('has an expired log-in close its streams as well', async (t) => {
    const { port, clock, wall, codes, logIn } = await serveLogIns(t);
    const cookie = await logIn(codes.make().code);
    const { next } = await openStream(t, port, '/v1/events', { authorization: '', cookie });
    await next();
    wall.now += 12 * hour;
    clock.advance(5_000);
    assert.equal(await next(), undefined);
  });
});

describe('what another site has a browser send', () => {
  test('changes nothing with the cookie of a log-in', async (t) => {
    const { port, codes, logIn, by } = await serveLogIns(t);
    const cookie = await logIn(codes.make().code);
    const site = `http://127.0.0.1:${port}`;
    const statusWith = async (headers: OutgoingHttpHeaders) =>
      (await by(cookie, '/v1/daemon/shutdown', { verb: 'POST', body: {}, headers })).status;
    for (const headers of [
      {},
      { origin: 'null' },
      { origin: 'http://evil.test' },
      { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: site, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      { origin: `${site}.evil.test` },
    ])
      assert.equal(await statusWith(headers), 403, JSON.stringify(headers));
    assert.equal(await statusWith({ origin: site }), 200);
    assert.equal(await statusWith({ 'sec-fetch-site': 'same-origin' }), 200);
    const form = { 'content-type': 'text/plain', ...own(port) };
    assert.equal(await statusWith(form), 415);
    for (const path of ['/act/daemon.shutdown', '/v1/daemon/shutdown', '/none'])
      assert.equal((await by(cookie, path, { verb: 'POST', body: 'a=b' })).status, 403, path);
    // Neither does a `GET` with a header for another verb.
    const override = { 'x-http-method-override': 'POST', 'x-method-override': 'POST', ...own(port) };
    assert.equal((await by(cookie, '/v1/daemon/shutdown', { headers: override })).status, 405);
  });

  test('logs nobody in or out', async (t) => {
    const { codes, logIn, sendForm, by } = await serveLogIns(t);
    const { code } = codes.make();
    const cookie = await logIn(codes.make().code);
    for (const headers of [
      {},
      { origin: 'http://evil.test', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ]) {
      assert.equal((await sendForm('/login', { secret: code }, headers)).status, 403);
      assert.equal((await sendForm('/logout', {}, { cookie, ...headers })).status, 403);
    }
    assert.equal((await by(cookie, '/v1/daemon/ping')).status, 200);
    await logIn(code);
  });

  test('reads nothing but a page that a link leads to', async (t) => {
    const { codes, logIn, by } = await serveLogIns(t);
    const cookie = await logIn(codes.make().code);
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const statusWith = async (path: string, headers: OutgoingHttpHeaders) =>
      (await by(cookie, path, { headers })).status;
    assert.equal(await statusWith('/none', link), 404);
    assert.equal(await statusWith('/none', { ...link, 'sec-fetch-dest': 'iframe' }), 403);
    assert.equal(await statusWith('/none', { ...link, 'sec-fetch-mode': 'no-cors' }), 403);
    assert.equal(await statusWith('/v1/daemon/ping', link), 403);
    assert.equal(await statusWith('/none', { ...link, host: 'evil.test' }), 421);
  });

  test('is not helped by a cookie beside a token, nor by a token beside a cookie', async (t) => {
    const { port, codes, logIn, by, makeToken } = await serveLogIns(t);
    const cookie = await logIn(codes.make().code);
    const { text } = await makeToken('read');
    const change = { verb: 'POST', body: {}, headers: own(port) };
    assert.equal((await by(cookie, '/v1/daemon/shutdown', { ...change, token: text })).status, 403);
    for (const authorization of ['Bearer none', 'Bearer', 'bearer é', 'Bearer a b'])
      assert.equal((await by(cookie, '/v1/daemon/ping', { headers: { authorization } })).status, 401, authorization);
  });
});
