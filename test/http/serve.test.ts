import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import { routes } from '../../src/http/routes.ts';
import { Role, reaches } from '../../src/schema/role.ts';
import { serveHttp, type Sent } from './server.ts';

/** The code of problem details. */
function codeOf(json: unknown): unknown {
  return typeof json === 'object' && json !== null && 'code' in json ? json.code : undefined;
}

describe('the HTTP API', () => {
  test('a GET calls its method with the parameters of path and query, as their types', async (t) => {
    const seen: unknown[] = [];
    const { ask } = await serveHttp(t, {
      'scrape.get': (params) => {
        seen.push(params);
        throw new ControlError('not_found', 'no scrape 7');
      },
      'project.list': (params) => {
        seen.push(params);
        return { projects: [], next: 'a b' };
      },
    });
    assert.equal((await ask('/v1/scrapes/7?limit=3')).status, 404);
    const { status, json, headers } = await ask('/v1/projects?limit=1&label=007&status=active');
    assert.deepEqual(seen, [
      { scrape: 7, afterStep: 0, limit: 3 },
      { limit: 1, label: '007', status: 'active' },
    ]);
    assert.equal(status, 200);
    assert.deepEqual(json, { projects: [], next: 'a b' });
    assert.equal(headers.link, '</v1/projects?limit=1&label=007&status=active&after=a+b>; rel="next"');
  });

  test('a change calls its method with its body and the parameter of its path', async (t) => {
    const seen: unknown[] = [];
    const { ask } = await serveHttp(t, {
      'settings.set': (params) => {
        seen.push(params);
        return { initialDelayMs: 0, everyMs: 1_000, timeLimitMs: 1_000, logLevel: 'info' };
      },
      'project.delete': (params) => {
        seen.push(params);
        return { targets: [], records: 0 };
      },
    });
    assert.equal((await ask('/v1/settings/set', { verb: 'POST', body: { everyMs: 1_000 } })).status, 200);
    assert.equal((await ask('/v1/projects/solar?records=true', { verb: 'DELETE' })).status, 200);
    assert.deepEqual(seen, [{ everyMs: 1_000 }, { id: 'solar', records: true, dryRun: false }]);
  });

  test('an error is told as problem details, with the issues of the parameters', async (t) => {
    const { ask } = await serveHttp(t, {
      'project.archive': () => {
        throw new ControlError('conflict', 'it is busy');
      },
    });
    const conflict = await ask('/v1/projects/solar/archive', { verb: 'POST', body: {} });
    assert.equal(conflict.status, 409);
    assert.equal(conflict.headers['content-type'], 'application/problem+json');
    assert.deepEqual(conflict.json, {
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: 'it is busy',
      code: 'conflict',
    });
    const invalid = await ask('/v1/projects?limit=none');
    assert.equal(invalid.status, 400);
    assert.match(invalid.text, /"issues":\[\{"path":"limit"/);
    assert.equal(codeOf((await ask('/v1/projects?limit=1&limit=2')).json), 'invalid_params');
    assert.equal((await ask('/v1/nothing')).status, 404);
    assert.equal((await ask('/v1/tree')).status, 503);
  });

  test('an error of a path for programs is told as problem details, and one of a page as a page', async (t) => {
    const { ask } = await serveHttp(t);
    const typeOf = async (path: string, sent?: Sent) =>
      String((await ask(path, sent)).headers['content-type']).split(';')[0];
    const elsewhere = { headers: { host: 'evil.test' } };
    for (const path of ['/healthz', '/healthcheck', '/readyz', '/metrics', '/openapi.json', '/v1', '/feeds/x'])
      assert.equal(await typeOf(path, elsewhere), 'application/problem+json', path);
    assert.equal(await typeOf('/feeds/projects/a.b.atom'), 'application/problem+json');
    for (const path of ['/', '/nosuch', '/login']) assert.equal(await typeOf(path, elsewhere), 'text/html', path);
    assert.equal(await typeOf('/act/nosuch', { verb: 'POST' }), 'text/html');
  });

  test('an unexpected error is reported, and nothing of it is told', async (t) => {
    const { ask, errors } = await serveHttp(t, {
      'daemon.ping': () => {
        throw new Error('inner secret');
      },
    });
    const { status, text } = await ask('/v1/daemon/ping');
    assert.equal(status, 500);
    assert.doesNotMatch(text, /secret/);
    assert.equal(errors.length, 1);
  });

  test('what a caller has already is answered with 304 and no body', async (t) => {
    const { ask } = await serveHttp(t);
    const { headers } = await ask('/v1/daemon/ping');
    assert.ok(headers.etag);
    for (const known of [headers.etag, `"other", W/${headers.etag}`]) {
      const again = await ask('/v1/daemon/ping', { headers: { 'if-none-match': known } });
      assert.deepEqual([again.status, again.text], [304, '']);
    }
    assert.equal((await ask('/v1/daemon/ping', { headers: { 'if-none-match': '"other"' } })).status, 200);
  });

  test('every method is refused to each role below its own', async (t) => {
    const { ask } = await serveHttp(t);
    for (const { verb, path, spec, method } of routes)
      for (const role of Role.options.filter((each) => !reaches(each, spec.role))) {
        const sent = { verb, token: role, ...(verb !== 'GET' && { body: {} }) };
        const { status, json } = await ask(path.replace(/\{\w+\}/, '1'), sent);
        assert.deepEqual([status, codeOf(json)], [403, 'forbidden'], `${method} as ${role}`);
      }
  });

  test('nothing but the health is told without a token [S42]', async (t) => {
    const { ask } = await serveHttp(t);
    for (const { verb, path } of routes) assert.equal((await ask(path, { verb, token: undefined })).status, 401, path);
    for (const path of ['/metrics', '/openapi.json', '/v1/none', '/'])
      assert.equal((await ask(path, { token: 'none' })).status, 401, path);
    assert.deepEqual((await ask('/healthz', { token: undefined })).json, { status: 'ok' });
    assert.equal((await ask('/healthcheck', { token: undefined })).status, 200);
  });

  test('another verb than those of a path is refused, whatever a header says of it', async (t) => {
    const { ask } = await serveHttp(t);
    const { status, headers } = await ask('/v1/projects/solar', {
      verb: 'PUT',
      headers: { 'x-http-method-override': 'DELETE' },
    });
    assert.equal(status, 405);
    assert.equal(headers.allow, 'GET, PATCH, DELETE');
    assert.equal((await ask('/v1/projects', { verb: 'OPTIONS' })).headers['access-control-allow-origin'], undefined);
  });

  test('a request for another name, or from another site, is refused', async (t) => {
    const { ask, port } = await serveHttp(t);
    const statusWith = async (headers: Readonly<Record<string, string>>) =>
      (await ask('/v1/daemon/ping', { headers })).status;
    for (const host of ['evil.test', '127.0.0.1.evil.test', 'localhost@evil.test', '127.0.0.1:99999', 'localhost:'])
      assert.equal(await statusWith({ host }), 421, host);
    for (const host of [`127.0.0.1:${port}`, 'LOCALHOST', '[::1]:80'])
      assert.equal(await statusWith({ host }), 200, host);
    for (const origin of ['http://evil.test', 'null', `https://127.0.0.1:${port}`, 'http://127.0.0.1:1'])
      assert.equal(await statusWith({ origin }), 403, origin);
    assert.equal(await statusWith({ origin: `http://127.0.0.1:${port}` }), 200);
    for (const site of ['cross-site', 'same-site'])
      assert.equal(await statusWith({ 'sec-fetch-site': site }), 403, site);
    assert.equal(await statusWith({ 'sec-fetch-site': 'same-origin' }), 200);
  });

  test('a request that names two hosts is refused', async (t) => {
    const { port } = await serveHttp(t);
    const own = `127.0.0.1:${port}`;
    for (const other of ['evil.test', own]) {
      const socket = connect(port, '127.0.0.1');
      t.after(() => socket.destroy());
      socket.write(`GET /v1/daemon/ping HTTP/1.1\r\nHost: ${own}\r\nHost: ${other}\r\nConnection: close\r\n\r\n`);
      const answer = await text(socket);
      assert.match(answer, /^HTTP\/1\.1 400 /);
      assert.match(answer, /"detail":"host: expected once, got 2","code":"invalid_request"/);
    }
  });

  test('a parameter whose name is reserved is refused as that', async (t) => {
    const { ask } = await serveHttp(t);
    assert.partialDeepStrictEqual((await ask('/v1/projects?__proto__=1')).json, {
      status: 400,
      detail: '__proto__: expected a name that is not reserved',
    });
  });

  test('a change must come as a JSON object of bounded size and depth', async (t) => {
    const { ask } = await serveHttp(t, { 'daemon.shutdown': () => ({ pid: 1 }) });
    const statusOf = async (body: unknown, headers = {}) =>
      (await ask('/v1/daemon/shutdown', { verb: 'POST', body, headers })).status;
    assert.equal(await statusOf({}), 200);
    assert.equal(await statusOf({}, { 'content-type': 'application/json; charset=utf-8' }), 200);
    assert.equal(await statusOf('a=b', { 'content-type': 'application/x-www-form-urlencoded' }), 415);
    assert.equal(await statusOf('{}', { 'content-type': 'text/plain' }), 415);
    assert.equal((await ask('/v1/daemon/shutdown', { verb: 'POST' })).status, 415);
    assert.equal(await statusOf('[]'), 400);
    assert.equal(await statusOf('{'), 400);
    assert.equal(await statusOf(`{"a":${'['.repeat(100_000)}`), 400);
    assert.equal(await statusOf('{"__proto__":{}}'), 400);
    assert.equal(await statusOf('{}', { 'content-length': 5_000_000 }).catch(() => 413), 413);
    assert.equal((await ask('/v1/daemon/shutdown?a=1', { verb: 'POST', body: {} })).status, 400);
    assert.equal((await ask('/v1/projects/a/archive', { verb: 'POST', body: { id: 'b' } })).status, 400);
  });

  test('a server that is read-only refuses every change [S41]', async (t) => {
    const { ask } = await serveHttp(t, {}, { readOnly: true });
    for (const { verb, path, spec } of routes.filter((route) => route.verb !== 'GET')) {
      const { status, json } = await ask(path, { verb, body: {} });
      assert.deepEqual([status, codeOf(json)], [403, 'read_only'], `${path} ${spec.role}`);
    }
    // Each read comes as far as its handler, which is not served here, or to its parameters.
    for (const { path } of routes.filter((route) => route.verb === 'GET')) {
      const { status } = await ask(path);
      assert.ok([200, 400, 503].includes(status), `${path}: ${status}`);
    }
    for (const path of ['/metrics', '/openapi.json', '/healthz']) assert.equal((await ask(path)).status, 200, path);
  });

  test('each request counts by its path as it is described, its verb and its status, whatever is asked for', async (t) => {
    const asks = [
      ['/v1/projects/solar?a=1', 'GET'],
      ['/v1/none/at/all', 'GET'],
      ['/metrics', 'GET'],
      ['/v1/projects', 'PUT'],
      ['/healthz', 'GET'],
      ['/projects/solar', 'GET'],
      ['/assets/none.js', 'GET'],
      ['/login', 'GET'],
      ['/logout', 'GET'],
      ['/docs/api', 'GET'],
      ['/pictures/0123456789abcdefghijkl', 'GET'],
      ['/projects/solar/records.csv', 'GET'],
      ['/feeds/projects/solar.atom', 'GET'],
    ] as const;
    const served: string[] = [];
    const { promise: allServed, resolve } = Promise.withResolvers<void>();
    const { ask } = await serveHttp(
      t,
      {},
      {
        served(...labels) {
          served.push(labels.join(' '));
          if (served.length === asks.length) resolve();
        },
      },
    );
    for (const [path, verb] of asks) await ask(path, { verb });
    await allServed;
    assert.deepEqual(served.toSorted(), [
      '/assets GET 404',
      '/docs/api GET 200',
      '/feeds GET 503',
      '/healthz GET 200',
      '/login GET 200',
      '/logout GET 405',
      '/metrics GET 200',
      '/pictures GET 503',
      '/projects/:id GET 503',
      '/projects/:id/records.csv GET 503',
      '/v1/projects other 405',
      '/v1/projects/{id} GET 400',
      'other GET 404',
    ]);
  });

  test('whoever tries many tokens is told to wait, and a valid one is served meanwhile', async (t) => {
    const { ask, audited } = await serveHttp(t);
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries += 1)
      statuses.push((await ask('/metrics', { token: `wrong${tries}` })).status);
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429, 429]);
    assert.equal((await ask('/v1/daemon/ping')).status, 200);
    assert.equal(audited.length, 10);
  });

  test('changes and denied calls are audited with who made them', async (t) => {
    const { ask, audited } = await serveHttp(t, { 'daemon.shutdown': () => ({ pid: 1 }) });
    await ask('/v1/daemon/ping');
    await ask('/v1/daemon/shutdown', { verb: 'POST', body: {} });
    await ask('/v1/daemon/shutdown', { verb: 'POST', body: {}, token: 'operate' });
    await ask('/v1/projects', { token: undefined });
    const [served, denied, unknown, ...more] = audited;
    assert.deepEqual(served, {
      ...{ who: 'admin', label: 'admin', from: '127.0.0.1' },
      ...{ method: 'daemon.shutdown', outcome: 'done' },
    });
    assert.deepEqual(denied, {
      ...{ who: 'operate', label: 'operate', from: '127.0.0.1' },
      ...{ method: 'daemon.shutdown', outcome: 'denied', code: 'forbidden' },
    });
    assert.deepEqual(unknown, {
      ...{ from: '127.0.0.1', method: 'project.list' },
      ...{ outcome: 'denied', code: 'unauthorized' },
    });
    assert.deepEqual(more, []);
  });

  test('trials and dry runs are no changes, and are not audited', async (t) => {
    const digest = 'x'.repeat(22);
    const drawn = { digest, url: 'https://shop.example/a', observedAt: 1, html: '', isCut: false };
    const { ask, audited } = await serveHttp(t, {
      'project.bulk': () => ({ matched: 2, changed: 0, first: [], unchanged: 2, refused: { count: 0, first: [] } }),
      'page.try': () => ({ ...drawn, text: '', problems: [] }),
    });
    const bulk = (dryRun: boolean) =>
      ask('/v1/project/bulk', { verb: 'POST', body: { ids: ['a', 'b'], action: 'archive', dryRun } });
    assert.equal((await bulk(true)).status, 200);
    assert.equal((await ask(`/v1/pages/${digest}/try`, { verb: 'POST', body: { source: 'shop' } })).status, 200);
    assert.deepEqual(audited, []);
    await bulk(false);
    assert.deepEqual(
      audited.map(({ method, outcome }) => [method, outcome]),
      [['project.bulk', 'done']],
    );
  });

  test('every answer forbids to keep, frame or sniff it', async (t) => {
    const { ask } = await serveHttp(t);
    for (const path of ['/healthz', '/v1/none', '/v1/daemon/ping']) {
      const { headers } = await ask(path);
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/);
    }
  });

  test('a client that goes in the middle of its body is no fault of the daemon', async (t) => {
    const { port, errors, ask } = await serveHttp(t);
    const socket = connect(port, '127.0.0.1');
    const head = [
      'POST /v1/daemon/shutdown HTTP/1.1',
      'host: localhost',
      'authorization: Bearer admin',
      'content-length: 9',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n{`);
    await once(socket.resume(), 'close');
    assert.equal((await ask('/healthz')).status, 200);
    assert.deepEqual(errors, []);
  });

  test('headers that are too large are refused', async (t) => {
    const { ask } = await serveHttp(t);
    assert.equal((await ask('/v1/daemon/ping', { headers: { 'x-long': 'x'.repeat(20_000) } })).status, 431);
  });

  test('a server that closes sends the answers under way', async (t) => {
    const { promise: asked, resolve: begin } = Promise.withResolvers<void>();
    const { promise: result, resolve: finish } = Promise.withResolvers<{ sources: [] }>();
    const { ask, close } = await serveHttp(t, {
      'source.list': () => {
        begin();
        return result;
      },
    });
    const answer = ask('/v1/sources');
    await asked;
    const closed = close();
    finish({ sources: [] });
    assert.equal((await answer).status, 200);
    await closed;
    await assert.rejects(ask('/healthz'), { code: 'ECONNREFUSED' });
  });
});

describe('an Idempotency-Key', () => {
  test('has a change made once, and answered as the first time', async (t) => {
    let calls = 0;
    const { ask } = await serveHttp(t, { 'daemon.shutdown': async () => ({ pid: (calls += 1) }) });
    const sent = { verb: 'POST', body: {}, headers: { 'idempotency-key': 'k1' } };
    const answers = await Promise.all([ask('/v1/daemon/shutdown', sent), ask('/v1/daemon/shutdown', sent)]);
    answers.push(await ask('/v1/daemon/shutdown', sent));
    assert.deepEqual(
      answers.map(({ json }) => json),
      [{ pid: 1 }, { pid: 1 }, { pid: 1 }],
    );
  });

  test('is refused with another body or path, and is another one with another token', async (t) => {
    const { ask } = await serveHttp(t, {
      'ticket.acknowledge': () => {
        throw new ControlError('not_found', 'no ticket');
      },
    });
    const acknowledge = async (ticket: number, body: object, token: string) =>
      (
        await ask(`/v1/tickets/${ticket}/acknowledge`, {
          verb: 'POST',
          body,
          token,
          headers: { 'idempotency-key': 'k' },
        })
      ).status;
    assert.equal(await acknowledge(1, { by: 'ann' }, 'admin'), 404);
    assert.equal(await acknowledge(1, { by: 'ann' }, 'admin'), 404);
    assert.equal(await acknowledge(1, { by: 'bob' }, 'admin'), 422);
    assert.equal(await acknowledge(2, { by: 'ann' }, 'admin'), 422);
    assert.equal(await acknowledge(1, { by: 'bob' }, 'author'), 404);
  });

  test('does not hold on to a failure that passes', async (t) => {
    let calls = 0;
    const { ask } = await serveHttp(t, {
      'daemon.shutdown': () => {
        calls += 1;
        if (calls === 1) throw new ControlError('not_ready', 'the store is full');
        return { pid: calls };
      },
    });
    const sent = { verb: 'POST', body: {}, headers: { 'idempotency-key': 'k' } };
    assert.equal((await ask('/v1/daemon/shutdown', sent)).status, 503);
    assert.deepEqual((await ask('/v1/daemon/shutdown', sent)).json, { pid: 2 });
  });
});
