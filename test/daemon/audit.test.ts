import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ask } from '../http/server.ts';
import { productSource, startDaemon } from '../support/daemon.ts';

describe('the audit of a daemon', () => {
  test('has the changes at its socket and over HTTP and the calls that were denied, with ids alone', async (t) => {
    const { promise: listening, resolve: httpListens } = Promise.withResolvers<number>();
    const http = { port: 0, readOnly: false };
    const { client } = await startDaemon(t, { sources: { shop: productSource('shop') }, http, httpListens });
    const port = await listening;
    const { token, id } = await client.call('token.create', { label: 'deploy', role: 'operate' });
    const targets = [{ source: 'shop', url: 'http://127.0.0.1:9/a?key=secret' }];
    await client.call('project.add', { id: 'solar', name: 'Secret', targets });
    await assert.rejects(client.call('project.archive', { id: 'none' }));
    const send = (path: string, as = token) => ask(port, path, { token: as });
    const keyed = { verb: 'POST', body: {}, token, headers: { 'idempotency-key': 'a' } };
    for (let times = 0; times < 2; times += 1)
      assert.equal((await ask(port, '/v1/projects/solar/archive', keyed)).status, 200);
    await send('/v1/tokens');
    await send('/v1/projects/solar', `${id}.secret`);
    await send('/v1/projects');
    const { entries } = await client.call('audit.list', {});
    const told = entries.map(({ at: _at, ...entry }) => entry);
    const deploy = { who: id, label: 'deploy', from: '127.0.0.1' };
    assert.deepEqual(told.toReversed(), [
      { who: 'local', method: 'token.create', subject: id, outcome: 'done' },
      { who: 'local', method: 'project.add', subject: 'solar', outcome: 'done' },
      { who: 'local', method: 'project.archive', subject: 'none', outcome: 'failed', code: 'not_found' },
      { ...deploy, method: 'project.archive', subject: 'solar', outcome: 'done' },
      { ...deploy, method: 'token.list', outcome: 'denied', code: 'forbidden' },
      { from: '127.0.0.1', method: 'project.get', subject: 'solar', outcome: 'denied', code: 'unauthorized' },
    ]);
    assert.doesNotMatch(JSON.stringify(entries), /secret/i);

    const first = await client.call('audit.list', { limit: 2 });
    const rest = await client.call('audit.list', { before: first.next ?? '', limit: 100 });
    assert.deepEqual([...first.entries, ...rest.entries], entries);
    const ofDeploy = await client.call('audit.list', { who: 'deploy', method: 'project.archive' });
    assert.equal(ofDeploy.entries.length, 1);
    assert.equal((await client.call('audit.list', { who: 'local' })).entries.length, 3);
    assert.deepEqual((await client.call('audit.list', { since: Date.now() + 60_000 })).entries, []);
    assert.equal((await send('/v1/audits')).status, 403);
  });
});
