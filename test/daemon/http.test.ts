import assert from 'node:assert/strict';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { productPage, productSource, startDaemon, startDaemonIn, type TestDaemon } from '../support/daemon.ts';
import { Event } from '../../src/event/catalogue.ts';
import { openSite } from '../support/site.ts';
import { ask, openStream, type Sent } from '../http/server.ts';

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

  test('a target that is deleted is scraped no more and keeps its history; again, and of an unknown one, nothing is modified', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const served = await startServing(t);
    const place = { source: 'shop', url: site.url('/a') };
    for (const id of ['one', 'two']) await served.client.call('project.add', { id, targets: [place] });
    await served.event(({ type }) => type === 'scrape.completed');
    const [target] = (await served.client.call('project.get', { id: 'one' })).targets;
    assert.ok(target);
    const path = `/v1/targets/${target.target}`;
    const answers = [];
    for (let times = 0; times < 2; times += 1) answers.push((await served.ask(path, { verb: 'DELETE' })).json);
    assert.deepEqual(answers, [
      { modified: true, projects: ['one', 'two'] },
      { modified: false, projects: [] },
    ]);
    const unknown = await served.ask('/v1/targets/999', { verb: 'DELETE' });
    assert.deepEqual([unknown.status, unknown.json], [200, { modified: false, projects: [] }]);
    for (const id of ['one', 'two']) {
      const project = await served.client.call('project.get', { id });
      assert.deepEqual(
        [project.status, project.targets[0]?.status, project.targets[0]?.dueAt],
        ['active', 'disabled', undefined],
      );
    }
    assert.equal((await served.client.call('project.records', { id: 'one' })).records.length, 1);
    assert.equal((await served.client.call('daemon.status', {})).targets.disabled, 1);
    await assert.rejects(served.client.call('project.rescrape', { id: 'one' }), { code: 'conflict' });
    // It can still be changed, and be given a target again.
    await served.client.call('project.update', { id: 'one', name: 'One' });
    const { targets } = await served.client.call('project.update', { id: 'one', addTargets: [place] });
    assert.equal(targets[0]?.status, 'active');
  });

  test('a change is on the stream within 2 s of the scrape that found it', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const served = await startServing(t);
    const stream = await openStream(t, served.port, '/v1/events?types=record.changed', {
      authorization: `Bearer ${served.token}`,
    });
    await stream.next();
    await served.client.call('project.add', { id: 'one', targets: [{ source: 'shop', url: site.url('/a') }] });
    await served.event(({ type }) => type === 'scrape.completed');
    site.answer('/a', productPage('A', '2'));
    await served.client.call('project.rescrape', { id: 'one' });
    const part = (await stream.next()) ?? '';
    const told = Event.parse(JSON.parse(part.slice(part.indexOf('data: ') + 6)));
    assert.equal(told.type, 'record.changed');
    assert.ok(Date.now() - told.at < 2_000);
    const resumed = await openStream(t, served.port, '/v1/events?types=record.changed', {
      authorization: `Bearer ${served.token}`,
      'last-event-id': String(told.id - 1),
    });
    await resumed.next();
    assert.equal(await resumed.next(), part);
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

  test('goes on without HTTP where its port is taken, and says so', async (t) => {
    const { port } = await startServing(t);
    const warned: string[] = [];
    const other = await startDaemon(t, {
      sources: {},
      http: { port, readOnly: false },
      warn: (what) => warned.push(what),
    });
    await other.event(({ type }) => type === 'actor.gave_up');
    assert.match(warned.join('\n'), /^http could not start, and is tried again later: .*EADDRINUSE/m);
    assert.deepEqual(await other.client.call('daemon.ping', {}), {});
  });

  test('refuses changes where it is read-only', async (t) => {
    const { ask: send } = await startServing(t, true);
    assert.equal((await send('/v1/projects')).status, 200);
    assert.equal((await send('/v1/daemon/shutdown', { verb: 'POST', body: {} })).status, 403);
  });
});
