import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import type { Params, Subscriber } from '../../src/control/methods.ts';
import type { Event } from '../../src/event/catalogue.ts';
import { type RelayOptions, startRelay } from '../../src/http/relay.ts';
import type { HttpServerOptions } from '../../src/http/server.ts';
import { createLogIns } from '../../src/store/log-ins.ts';
import { createToken, findToken } from '../../src/store/tokens.ts';
import { temporaryStore } from '../store/fixture.ts';
import { certificate, identity } from '../support/secure-site.ts';
import { freePort } from '../support/servers/own-server.ts';
import { type Answer, ask, openStream, serveHttp, type Sent } from './server.ts';

/** A relay on some port before a daemon on another; what it tells of the daemon is kept. */
async function relayTo(t: TestContext, daemon: number, options: Partial<RelayOptions> = {}) {
  const told: string[] = [];
  const relay = await startRelay({
    port: 0,
    clock: systemClock(),
    daemon: `http://127.0.0.1:${daemon}`,
    answers: (problem) => told.push(problem === undefined ? 'answers' : 'away'),
    ...options,
  });
  t.after(() => relay.close());
  return { ...relay, told, ask: (path: string, sent?: Sent) => ask(relay.port, path, sent) };
}

/** The settings of a daemon whose API process is on a port of this machine. */
const behind = (port: number): Partial<HttpServerOptions> => ({
  behindProxy: { trusted: ['127.0.0.1'], publicUrl: `http://127.0.0.1:${port}` },
});

/** A daemon of two projects with a relay before it. */
async function serveBoth(t: TestContext, options: Partial<HttpServerOptions> = {}) {
  const port = await freePort();
  const subscribed: { readonly params: Params<'event.subscribe'>; readonly subscriber: Subscriber }[] = [];
  const daemon = await serveHttp(
    t,
    {
      'project.list': () => ({ projects: [], next: 'b' }),
      'target.delete': () => ({ modified: true, projects: [] }),
      'daemon.shutdown': () => ({ pid: 1 }),
      'event.subscribe': (params, subscriber) => {
        subscribed.push({ params, subscriber });
        return { after: params.after ?? 0 };
      },
    },
    { ...behind(port), ...options },
  );
  return { daemon, subscribed, relay: await relayTo(t, daemon.port, { port }) };
}

/** A plain server in the place of a daemon. */
async function serveInstead(t: TestContext, answer: RequestListener, at = 0): Promise<number> {
  const server = createServer(answer).listen(at, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

/** Opens a request to a port, whose body is still to be written. */
function begin(t: TestContext, port: number, verb: string, path = '/') {
  const request = send({ port, path, method: verb, host: '127.0.0.1', agent: false });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => undefined);
  request.on('error', () => undefined);
  t.after(() => request.destroy());
  return { request, response: async () => (await answered)[0] };
}

/** The headers of an answer that are not of its connection, or of the second in which it was sent. */
const endToEnd = ({ headers }: Answer) =>
  Object.entries(headers).filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const eventOf = (id: number): Event => ({
  ...{ id, version: 1, at: 0, type: 'project.finished', projects: ['a'], data: {} },
});

describe('a relay', () => {
  test('answers as its daemon does, which alone judges tokens', async (t) => {
    const { daemon, relay } = await serveBoth(t);
    const cases: readonly (readonly [path: string, sent: Sent, status: number])[] = [
      ['/v1/projects?limit=1', {}, 200],
      ['/v1/projects', { token: undefined }, 401],
      ['/v1/projects', { token: 'none' }, 401],
      ['/v1/daemon/shutdown', { token: 'read', verb: 'POST', body: {} }, 403],
      ['/v1/daemon/shutdown', { verb: 'POST', body: {} }, 200],
      ['/v1/projects?limit=x', {}, 400],
      ['/v1/projects', { verb: 'PUT' }, 405],
      ['/v1/none', {}, 404],
      ['/v1/projects', { verb: 'HEAD' }, 200],
      ['/v1/targets/7', { verb: 'DELETE', body: {} }, 200],
      ['/readyz', { token: undefined }, 200],
    ];
    for (const [path, sent, status] of cases) {
      const [own, passed] = [await ask(daemon.port, path, sent), await relay.ask(path, sent)];
      assert.equal(passed.status, status, path);
      assert.equal(passed.text, own.text);
      assert.deepEqual(endToEnd(passed), endToEnd(own));
    }
    const { headers } = await relay.ask('/v1/projects');
    assert.match(String(headers.link), /rel="next"/);
    assert.equal((await relay.ask('/v1/projects', { headers: { 'if-none-match': headers.etag } })).status, 304);
    assert.equal(daemon.audited.at(-1)?.from, '127.0.0.1');
  });

  test('lets a browser log in, look at a page and make a change', async (t) => {
    const { store } = await temporaryStore(t);
    const { relay } = await serveBoth(t, {
      callerOf: (token) => findToken(store, token),
      logIns: createLogIns(() => store),
    });
    const origin = `http://127.0.0.1:${relay.port}`;
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin };
    const browser = { token: undefined, headers: { accept: 'text/html' } };
    assert.equal((await relay.ask('/projects', browser)).headers.location, '/login?next=%2Fprojects');
    const { text } = await createToken(store, { label: 'a', role: 'admin' });
    const sent = { verb: 'POST', token: undefined, body: new URLSearchParams({ secret: text }).toString() };
    const answer = await relay.ask('/login?next=/projects', { ...sent, headers: form });
    assert.deepEqual([answer.status, answer.headers.location], [303, '/projects']);
    const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const page = await relay.ask('/docs/api', { token: undefined, headers: { cookie } });
    assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8']);
    const change = { verb: 'POST', token: undefined, body: '.then=projects' };
    const path = '/act/daemon.shutdown';
    assert.equal((await relay.ask(path, { ...change, headers: { ...form, cookie } })).status, 303);
    const foreign = { ...form, cookie, origin: 'http://evil.test' };
    assert.equal((await relay.ask(path, { ...change, headers: foreign })).status, 403);
  });

  test('streams events as they come, goes on after the last id, and ends the stream of a client that hangs up', async (t) => {
    const { daemon, relay, subscribed } = await serveBoth(t);
    const { response, next } = await openStream(t, relay.port, '/v1/events', { 'last-event-id': '12' });
    assert.equal(response.headers['x-accel-buffering'], 'no');
    assert.equal(await next(), 'retry: 2000');
    const [{ params, subscriber } = assert.fail('expected a subscriber')] = subscribed;
    assert.equal(params.after, 12);
    for (const id of [13, 14]) {
      subscriber.notify(eventOf(id));
      assert.equal(await next(), `id: ${id}\ndata: ${JSON.stringify(eventOf(id))}`);
    }
    assert.equal(daemon.streams(), 1);
    const ended = once(subscriber.signal, 'abort');
    response.destroy();
    await ended;
    assert.equal(daemon.streams(), 0);
  });

  test('passes large bodies on both ways while they come', async (t) => {
    const long = randomBytes(24 << 20);
    const daemon = await serveInstead(t, (request, response) => {
      if (request.method === 'GET') response.end(long);
      else request.pipe(response);
    });
    const { port } = await relayTo(t, daemon);
    const { request, response } = begin(t, port, 'POST');
    const bytes = randomBytes(4 << 20);
    request.write(bytes.subarray(0, 1_000));
    const answer = await response();
    const chunks: Buffer[] = [];
    const [first] = (await once(answer, 'data')) as [Buffer];
    chunks.push(first);
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.end(bytes.subarray(1_000));
    await once(answer, 'end');
    assert.equal(digestOf(Buffer.concat(chunks)), digestOf(bytes));
    const got = begin(t, port, 'GET');
    got.request.end();
    assert.equal(digestOf(Buffer.concat(await (await got.response()).toArray())), digestOf(long));
  });

  test('refuses a body that is longer than the daemon takes, whether or not it says how long', async (t) => {
    const { relay } = await serveBoth(t);
    const body = JSON.stringify({ id: 'x'.repeat(5 << 20) });
    const { status, json } = await relay.ask('/v1/projects', { verb: 'POST', body });
    assert.deepEqual([status, Object(json).code], [413, 'body_too_large']);
    const { request, response } = begin(t, relay.port, 'POST', '/v1/projects');
    request.setHeader('authorization', 'Bearer admin');
    request.write(body);
    const { statusCode, headers } = await response();
    assert.deepEqual([statusCode, headers.connection], [413, 'close']);
    assert.deepEqual(relay.told, []);
  });

  test('passes back an answer that comes before the end of a body, and takes a further request behind it', async (t) => {
    const { relay } = await serveBoth(t);
    const socket = connect(relay.port, '127.0.0.1');
    t.after(() => socket.destroy());
    const host = `host: 127.0.0.1:${relay.port}\r\n`;
    socket.write(`POST /v1/projects HTTP/1.1\r\n${host}content-length: 200000\r\n\r\n{`);
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 401 /);
    socket.write(`${' '.repeat(199_999)}GET /healthz HTTP/1.1\r\n${host}\r\n`);
    assert.match(String((await once(socket, 'data'))[0]), /HTTP\/1\.1 200 OK/);
    assert.deepEqual(relay.told, []);
  });

  test('ends the request at the daemon when its client hangs up before the answer, or within its own body', async (t) => {
    const asked = Promise.withResolvers<Promise<unknown>[]>();
    const seen: Promise<unknown>[] = [];
    const daemon = await serveInstead(t, (request, response) => {
      request.on('error', () => undefined);
      seen.push(once(response, 'close'));
      if (seen.length === 2) asked.resolve(seen);
    });
    const relay = await relayTo(t, daemon);
    const requests = [begin(t, relay.port, 'GET'), begin(t, relay.port, 'POST')].map(({ request }) => request);
    requests[0]?.end();
    requests[1]?.write('a');
    const ends = await asked.promise;
    for (const request of requests) request.destroy();
    await Promise.all(ends);
    assert.deepEqual(relay.told, []);
  });

  test('cuts off its client where the daemon breaks off an answer', async (t) => {
    const daemon = await serveInstead(t, (_, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('a', () => response.destroy());
    });
    await assert.rejects((await relayTo(t, daemon)).ask('/'), { code: 'ECONNRESET' });
  });

  test('makes the headers of a proxy anew, and passes on none of a connection', async (t) => {
    const daemon = await serveInstead(t, ({ headers }, response) => {
      response.writeHead(200, { connection: 'close', 'set-cookie': ['a=1', 'b=2'] }).end(JSON.stringify(headers));
    });
    const headers = {
      connection: 'keep-alive, x-hop',
      'x-hop': '1',
      te: 'trailers',
      'x-kept': 'é',
      forwarded: 'for=9.9.9.9',
      'x-forwarded-for': '9.9.9.9',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'https',
    };
    const plain = await relayTo(t, daemon);
    const answer = await plain.ask('/', { headers });
    assert.deepEqual(answer.json, {
      host: `127.0.0.1:${daemon}`,
      connection: 'keep-alive',
      authorization: 'Bearer admin',
      'x-kept': 'é',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': `127.0.0.1:${plain.port}`,
      'x-forwarded-proto': 'http',
    });
    assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2']);
    assert.notEqual(answer.headers.connection, 'keep-alive, x-hop');

    const proxied = await relayTo(t, daemon, {
      behindProxy: { trusted: ['127.0.0.1'], publicUrl: 'https://example.org' },
    });
    const { json } = await proxied.ask('/', { headers: { ...headers, 'x-forwarded-host': 'example.org' } });
    assert.deepEqual(
      ['for', 'host', 'proto'].map((name) => Object(json)[`x-forwarded-${name}`]),
      ['9.9.9.9', 'example.org', 'https'],
    );

    const secure = await relayTo(t, daemon, {
      tls: { read: async () => identity('localhost'), renewed: () => undefined },
    });
    const tls = { ca: certificate('localhost'), servername: 'localhost' };
    const overTls = await secure.ask('/', { tls, headers: { host: `localhost:${secure.port}` } });
    assert.deepEqual(Object(overTls.json)['x-forwarded-proto'], 'https');
  });

  test('refuses a request for another name, and one in the form for a proxy', async (t) => {
    let requests = 0;
    const { ask: sendTo } = await relayTo(
      t,
      await serveInstead(t, (_, response) => void response.end(`${(requests += 1)}`)),
    );
    const wrong = await sendTo('/v1/projects', { headers: { host: 'evil.test' } });
    assert.deepEqual([wrong.status, wrong.headers['content-type']], [421, 'application/problem+json']);
    assert.equal((await sendTo('http://evil.test/')).status, 404);
    assert.equal(requests, 0);
  });

  test('answers 502 while the daemon is away, and as the daemon once it is back', async (t) => {
    const port = await freePort();
    const relay = await relayTo(t, port);
    const away = await relay.ask('/v1/projects');
    assert.deepEqual(
      [away.status, away.headers['content-type'], away.headers['retry-after']],
      [502, 'application/problem+json', '5'],
    );
    assert.deepEqual(away.json, {
      type: 'about:blank',
      title: 'Bad Gateway',
      status: 502,
      detail: 'expected the daemon to answer: ECONNREFUSED',
      code: 'no_daemon',
    });
    const ready = await relay.ask('/readyz');
    assert.deepEqual(
      [ready.status, ready.json],
      [503, { status: 'not ready', reasons: ['expected the daemon to answer: ECONNREFUSED'] }],
    );
    assert.deepEqual((await relay.ask('/healthz')).json, { status: 'ok' });
    const daemon = await serveHttp(t, {}, { port, ...behind(relay.port) });
    assert.equal((await relay.ask('/v1/daemon/ping')).status, 200);
    assert.equal((await relay.ask('/readyz')).status, 200);
    await daemon.close();
    assert.equal((await relay.ask('/v1/daemon/ping')).status, 502);
    assert.deepEqual(relay.told, ['away', 'answers', 'away']);
  });

  test('that closes ends streams, sends the answers under way and takes no further connection', async (t) => {
    const begun = Promise.withResolvers<() => void>();
    const daemon = await serveInstead(t, ({ url }, response) => {
      if (url === '/stream') response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      else begun.resolve(() => response.end('done'));
    });
    const relay = await relayTo(t, daemon);
    const stream = await openStream(t, relay.port, '/stream');
    assert.equal(await stream.next(), 'data: 1');
    const slow = relay.ask('/slow');
    const finish = await begun.promise;
    const closed = relay.close();
    assert.equal(await stream.next(), undefined);
    await assert.rejects(relay.ask('/'), { code: 'ECONNREFUSED' });
    finish();
    assert.equal((await slow).text, 'done');
    await closed;
  });
});
