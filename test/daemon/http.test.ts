import assert from 'node:assert/strict';
import { rm, stat } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { productPage, startDaemon } from '../support/daemon.ts';
import { Event } from '../../src/event/catalogue.ts';
import { openSite } from '../support/site.ts';
import { openStream } from '../http/server.ts';
import { run } from '../cli/terminal.ts';
import { startServing } from './serving.ts';

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

  test('a target that is deleted is scraped no more and keeps its history; again, and of an unknown one, nothing is modified [J75]', async (t) => {
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
    const second = await startServing(t, { folder: first.folder });
    assert.equal(second.token, first.token);
    assert.equal((await second.ask('/v1/projects', { token: made })).status, 200);
    assert.equal((await second.ask('/v1/projects', { token: made, verb: 'POST', body: {} })).status, 403);
    await second.client.call('token.revoke', { id });
    assert.equal((await second.ask('/v1/projects', { token: made })).status, 401);
    await assert.rejects(second.client.call('token.revoke', { id }), { code: 'not_found' });
    await rm(second.file);
    await second.close();
    const third = await startServing(t, { folder: first.folder });
    assert.notEqual(third.token, first.token);
    assert.equal((await third.ask('/v1/daemon/ping')).status, 200);
    assert.equal((await third.ask('/v1/daemon/ping', { token: first.token })).status, 401);
    const { tokens } = await third.client.call('token.list', {});
    assert.deepEqual(
      tokens.map(({ label, role }) => [label, role]),
      [['first', 'admin']],
    );
  });

  test('logs a browser in by an address of the control socket, and keeps it logged in over a restart', async (t) => {
    const first = await startServing(t);
    const { url, expiresAt } = await first.client.call('login.invite', {});
    assert.ok(expiresAt > Date.now());
    const { origin, pathname, hash } = new URL(url);
    assert.deepEqual([origin, pathname], [`http://127.0.0.1:${first.port}`, '/login']);
    const secret = hash.replace('#code=', '');
    const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' };
    const form = { verb: 'POST', token: undefined, headers, body: `secret=${secret}` };
    const answer = await first.ask('/login', form);
    assert.equal(answer.status, 303);
    assert.equal((await first.ask('/login', form)).status, 401);
    const text = (answer.headers['set-cookie']?.[0] ?? '').split(';')[0]?.split('=')[1];
    await first.close();

    const second = await startServing(t, { folder: first.folder });
    const cookie = `heronry_${second.port}=${text}`;
    const statusOf = async () => (await second.ask('/v1/tree', { token: undefined, headers: { cookie } })).status;
    assert.equal(await statusOf(), 200);
    assert.deepEqual(await second.client.call('login.end', {}), { logIns: 1 });
    assert.equal(await statusOf(), 401);
  });

  test('has no address to log in at where it serves no HTTP', async (t) => {
    const { client } = await startDaemon(t, { sources: {} });
    await assert.rejects(client.call('login.invite', {}), {
      code: 'not_ready',
      message: /`http: \{\}` in heronry.yaml/,
    });
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
    const says = new RegExp(`HTTP is not served, since .*: port ${port} is taken; tried again in \\d+s`);
    await assert.rejects(other.client.call('login.invite', {}), { code: 'not_ready', message: says });
    const shown = await run(['status', '--socket', other.socket], { now: Date.now() });
    assert.match(shown.out, new RegExp(`^stopped   ${says.source}`, 'm'));
    const checked = await run(['status', '--check', '--socket', other.socket], { now: Date.now() });
    assert.deepEqual([checked.status, says.test(checked.out)], [1, true]);
    assert.match(warned.join('\n'), /^http could not start, and is tried again later: .*EADDRINUSE/m);
    assert.deepEqual(await other.client.call('daemon.ping', {}), {});
  });

  test('refuses changes where it is read-only', async (t) => {
    const { ask: send } = await startServing(t, { http: { port: 0, readOnly: true } });
    assert.equal((await send('/v1/projects')).status, 200);
    assert.equal((await send('/v1/daemon/shutdown', { verb: 'POST', body: {} })).status, 403);
  });
});
