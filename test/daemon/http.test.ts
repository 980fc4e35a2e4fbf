import assert from 'node:assert/strict';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { productSource, startDaemon, startDaemonIn, type TestDaemon } from '../support/daemon.ts';
import { ask, type Sent } from '../http/server.ts';

/** A daemon that serves HTTP, and the token of its file. */
async function startServing(t: TestContext, readOnly = false, folder?: string) {
  const { promise: listening, resolve: httpListens } = Promise.withResolvers<number>();
  const options = { http: { port: 0, readOnly }, httpListens, threads: 1 };
  const served: TestDaemon =
    folder === undefined
      ? await startDaemon(t, { sources: { shop: productSource('shop') }, ...options })
      : await startDaemonIn(t, folder, options);
  const port = await listening;
  const file = join(served.folder, 'data', 'http-token');
  const token = (await readFile(file, 'utf8')).trim();
  return {
    ...served,
    port,
    file,
    token,
    ask: (path: string, sent: Sent = {}) => ask(port, path, { token, ...sent }),
  };
}

describe('a daemon that serves HTTP', () => {
  test('makes its first token, for its owner alone, and serves the whole table by it', async (t) => {
    const { file, ask: send, folder } = await startServing(t);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const body = { id: 'solar', targets: [{ source: 'shop', url: 'http://127.0.0.1:9/solar' }] };
    assert.equal((await send('/v1/projects', { verb: 'POST', body })).status, 200);
    const { text } = await send('/v1/projects/solar');
    assert.match(text, /"id":"solar"/);
    assert.equal((await send('/v1/projects', { verb: 'POST', body })).status, 409);
    assert.match((await send('/v1/daemon/place')).text, new RegExp(folder));
    assert.match((await send('/metrics')).text, /heronry_projects\{status="active"\} 1/);
    assert.equal((await send('/readyz', { token: undefined })).status, 200);
    assert.match((await send('/v1/tree')).text, /"id":"http"/);
  });

  test('keeps its tokens over a restart, and makes the first one anew where its file is gone', async (t) => {
    const first = await startServing(t);
    const { token: made, id } = await first.client.call('token.create', { label: 'grafana' });
    await first.close();
    const second = await startServing(t, false, first.folder);
    assert.equal(second.token, first.token);
    assert.equal((await second.ask('/v1/projects', { token: made })).status, 200);
    assert.equal((await second.ask('/v1/projects', { token: made, verb: 'POST', body: {} })).status, 403);
    await second.client.call('token.revoke', { id });
    assert.equal((await second.ask('/v1/projects', { token: made })).status, 401);
    await assert.rejects(second.client.call('token.revoke', { id }), { code: 'not_found' });
    await rm(second.file);
    await second.close();
    const third = await startServing(t, false, first.folder);
    assert.notEqual(third.token, first.token);
    assert.equal((await third.ask('/v1/daemon/ping')).status, 200);
    assert.equal((await third.ask('/v1/daemon/ping', { token: first.token })).status, 401);
    const { tokens } = await third.client.call('token.list', {});
    assert.deepEqual(
      tokens.map(({ label, role }) => [label, role]),
      [['first', 'admin']],
    );
  });

  test('refuses changes where it is read-only', async (t) => {
    const { ask: send } = await startServing(t, true);
    assert.equal((await send('/v1/projects')).status, 200);
    assert.equal((await send('/v1/daemon/shutdown', { verb: 'POST', body: {} })).status, 403);
  });
});
