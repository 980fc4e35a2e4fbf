import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { describe, test, type TestContext } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import type { Certificate } from '../../src/http/certificate.ts';
import { createLogIns } from '../../src/store/log-ins.ts';
import { temporaryStore } from '../store/fixture.ts';
import { certificate, identity } from '../support/secure-site.ts';
import { ask as send, serveHttp, type Sent } from './server.ts';
import type { HttpServerOptions } from '../../src/http/server.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** A server where whoever sends the form with any text is logged in as an admin. */
async function serve(t: TestContext, options: Partial<HttpServerOptions>) {
  const { store } = await temporaryStore(t);
  return serveHttp(
    t,
    {
      'daemon.shutdown': () => ({ pid: 1 }),
      'project.list': () => ({ projects: [], next: 'b' }),
    },
    { logIns: createLogIns(() => store), takeCode: () => true, ...options },
  );
}

const proxied = { behindProxy: { trusted: ['127.0.0.1', '10.0.0.0/8'], publicUrl: 'https://example.org/heronry' } };
/** What a proxy sends for a browser at the public address. */
const viaProxy = { host: 'example.org', 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };

describe('a server behind a proxy', () => {
  test('is asked below its base path, and leads to addresses below it', async (t) => {
    const { ask, url, port } = await serve(t, proxied);
    assert.equal(url, 'https://example.org/heronry/');
    const list = await ask('/heronry/v1/projects', { headers: viaProxy });
    assert.deepEqual([list.status, list.headers.link], [200, '</heronry/v1/projects?after=b>; rel="next"']);
    for (const path of ['/v1/projects', '/', '/heronryx/v1/projects', '/login', '/healthz', '//heronry/healthz'])
      assert.equal((await ask(path, { headers: viaProxy })).status, 404, path);
    assert.equal((await ask('/heronry/healthz', { headers: viaProxy })).status, 200);
    assert.match(
      (await ask('/heronry/openapi.json', { headers: viaProxy })).text,
      /"servers":\[\{"url":"\/heronry"\}\]/,
    );
    const browser = { token: undefined, headers: { ...viaProxy, accept: 'text/html' } };
    assert.equal((await ask('/heronry/projects', browser)).headers.location, '/heronry/login?next=%2Fprojects');
    assert.equal((await ask('/heronry', browser)).headers.location, '/heronry/login');
    const page = await ask('/heronry/login', browser);
    assert.match(page.text, /<base href="\/heronry\/" \/>/);
    const answer = await ask('/heronry/login?next=/projects', {
      verb: 'POST',
      token: undefined,
      headers: { ...viaProxy, ...form, origin: 'https://example.org' },
      body: 'secret=a',
    });
    assert.equal(answer.headers.location, '/heronry/projects');
    const cookie = answer.headers['set-cookie']?.[0] ?? '';
    assert.match(
      cookie,
      new RegExp(`^__Secure-heronry_${port}=\\S+; Path=/heronry; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$`),
    );
    const headers = { ...viaProxy, ...form, cookie: cookie.split(';')[0], origin: 'https://example.org' };
    const sent = { verb: 'POST', token: undefined, body: '.then=projects' };
    const acted = await ask('/heronry/act/daemon.shutdown', { ...sent, headers });
    assert.match(String(acted.headers.location), /^\/heronry\/projects\?outcome=/);
    const foreign = { ...headers, origin: 'http://example.org' };
    assert.equal((await ask('/heronry/act/daemon.shutdown', { ...sent, headers: foreign })).status, 403);
  });

  test('takes for the client the last address that no trusted proxy has', async (t) => {
    const { ask, audited } = await serve(t, proxied);
    for (const [sent, client] of [
      ['203.0.113.7', '203.0.113.7'],
      ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
      ['198.51.100.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
      ['[2001:db8::1]:443, 10.1.2.3:80', '2001:db8::1'],
      ['::ffff:203.0.113.9', '203.0.113.9'],
      ['203.0.113.7, unknown', '127.0.0.1'],
      ['10.9.9.9', '10.9.9.9'],
      ['', '127.0.0.1'],
    ]) {
      await ask('/heronry/v1/daemon/ping', { token: undefined, headers: { ...viaProxy, 'x-forwarded-for': sent } });
      assert.equal(audited.at(-1)?.from, client, sent);
    }
  });

  test('counts failures by that address', async (t) => {
    const { ask } = await serve(t, proxied);
    const statusOf = async (client: string) =>
      (await ask('/heronry/v1/daemon/ping', { token: 'none', headers: { ...viaProxy, 'x-forwarded-for': client } }))
        .status;
    for (let tries = 0; tries < 10; tries += 1) await statusOf('203.0.113.7');
    assert.deepEqual([await statusOf('203.0.113.7'), await statusOf('203.0.113.8')], [429, 401]);
  });

  test('believes no header of another than a trusted proxy', async (t) => {
    const { behindProxy } = proxied;
    const { ask, audited } = await serve(t, { behindProxy: { ...behindProxy, trusted: ['10.0.0.0/8'] } });
    const path = '/heronry/v1/daemon/ping';
    assert.equal((await ask(path, { headers: viaProxy })).status, 421);
    const forged = {
      'x-forwarded-host': 'example.org',
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-proto': 'https',
    };
    assert.equal((await ask(path, { headers: { ...forged, host: 'evil.test' } })).status, 421);
    assert.equal((await ask(path, { headers: forged, token: undefined })).status, 401);
    assert.equal(audited.at(-1)?.from, '127.0.0.1');
    assert.equal((await ask(path, { headers: { ...forged, origin: 'https://example.org' } })).status, 403);
  });

  test('is asked by its public name and scheme, or by that of this machine', async (t) => {
    const { ask, port } = await serve(t, proxied);
    const statusWith = async (headers: Readonly<Record<string, string>>) =>
      (await ask('/heronry/v1/daemon/ping', { headers })).status;
    for (const host of ['evil.test', 'example.org.evil.test', 'notexample.org'])
      assert.equal(await statusWith({ ...viaProxy, host }), 421, host);
    assert.equal(await statusWith({ ...viaProxy, 'x-forwarded-proto': 'http' }), 421);
    assert.equal(await statusWith({ ...viaProxy, host: 'EXAMPLE.ORG:443' }), 200);
    const inner = `127.0.0.1:${port}`;
    assert.equal(await statusWith({ ...viaProxy, host: inner, origin: 'https://example.org' }), 200);
    assert.equal(await statusWith({ ...viaProxy, host: inner, origin: `http://${inner}` }), 403);
    assert.equal(await statusWith({ ...viaProxy, host: inner, 'x-forwarded-host': 'example.org' }), 200);
    assert.equal(await statusWith({ ...viaProxy, 'x-forwarded-host': 'example.org, evil.test' }), 421);
    assert.equal(await statusWith({}), 200);
  });
});

test('requests are counted by their paths below the base path', async (t) => {
  const counted: string[] = [];
  const { ask, close } = await serve(t, { ...proxied, served: (route) => counted.push(route) });
  for (const path of ['/heronry/v1/daemon/ping', '/heronry', '/v1/daemon/ping', '/'])
    await ask(path, { headers: viaProxy });
  await close();
  assert.deepEqual(counted.sort(), ['/', '/v1/daemon/ping', 'other', 'other']);
});

describe('a server over TLS', () => {
  const tls = { ca: certificate('localhost'), servername: 'localhost' };
  const files = (read: () => Certificate = () => identity('localhost')) => ({
    read: async () => read(),
    renewed: () => undefined,
  });

  test('is asked by its names, and has browsers come back over TLS with a cookie for it alone', async (t) => {
    const { port, url } = await serve(t, { tls: files(), names: ['heronry.example'], host: '0.0.0.0' });
    assert.equal(url, `https://heronry.example:${port}/`);
    const ask = (path: string, { headers, ...sent }: Sent = {}) =>
      send(port, path, { tls, ...sent, headers: { host: `heronry.example:${port}`, ...headers } });
    const { status, headers } = await ask('/v1/daemon/ping');
    assert.deepEqual([status, headers['strict-transport-security']], [200, 'max-age=31536000']);
    const local = await ask('/v1/daemon/ping', { headers: { host: `localhost:${port}` } });
    assert.deepEqual([local.status, local.headers['strict-transport-security']], [200, undefined]);
    assert.equal((await ask('/v1/daemon/ping', { headers: { host: 'evil.test' } })).status, 421);
    const origin = `https://heronry.example:${port}`;
    const sent = { verb: 'POST', token: undefined, body: 'secret=a' };
    const answer = await ask('/login', { ...sent, headers: { ...form, origin } });
    assert.equal(answer.status, 303);
    assert.match(
      String(answer.headers['set-cookie']),
      new RegExp(`^__Host-heronry_${port}=\\S+; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$`),
    );
    const plain = { ...form, origin: `http://heronry.example:${port}` };
    assert.equal((await ask('/login', { ...sent, headers: plain })).status, 403);
  });

  test('speaks nothing older than TLS 1.2, and nothing in the clear', async (t) => {
    const { port } = await serve(t, { tls: files() });
    assert.equal((await send(port, '/healthz', { tls: { ...tls, maxVersion: 'TLSv1.2' } })).status, 200);
    await assert.rejects(send(port, '/healthz', { tls: { ...tls, maxVersion: 'TLSv1.1' } }));
    await assert.rejects(send(port, '/healthz'));
  });

  test('takes up a certificate that has changed within a minute, and keeps the one before where it is of no use', async (t) => {
    const clock = new VirtualClock();
    let current: () => Certificate = () => identity('localhost');
    const told: string[] = [];
    let tell = Promise.withResolvers<void>();
    const { port } = await serve(t, {
      clock,
      tls: {
        read: async () => current(),
        renewed: (problem) => {
          told.push(problem instanceof Error ? problem.message : 'renewed');
          tell.resolve();
        },
      },
    });
    const nameOf = async () => {
      const socket = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    };
    const first = await nameOf();
    current = () => ({ ...identity('other'), key: identity('localhost').key });
    clock.advance(60_000);
    await tell.promise;
    assert.match(told[0] ?? '', /key values mismatch/i);
    assert.equal(await nameOf(), first);
    current = () => identity('other');
    tell = Promise.withResolvers<void>();
    clock.advance(60_000);
    await tell.promise;
    assert.equal(told[1], 'renewed');
    assert.notEqual(await nameOf(), first);
  });

  test('does not start where its certificate cannot be read', async (t) => {
    const read = () => {
      throw new Error('key.pem: expected mode 0600');
    };
    await assert.rejects(serve(t, { tls: files(read) }), /expected mode 0600/);
  });

  test('closes also on a client that says nothing', async (t) => {
    const { port, close } = await serve(t, { tls: files() });
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    await close();
  });
});
