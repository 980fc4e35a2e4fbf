import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock, VirtualClock } from '../../src/clock.ts';
import { connect } from '../../src/control/client.ts';
import type { DaemonStatus } from '../../src/control/methods/daemon.ts';
import { productPage, productSource, startDaemon, startDaemonIn } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { folderWith, startProcess } from './process.ts';
import { nth, runningUnder, soon, untilReady } from './tracking.ts';

const sources = { shop: productSource('shop') };
const nowhere = 'http://127.0.0.1:9/';
const targets = [{ source: 'shop', url: nowhere }];

describe('after its start the daemon', () => {
  test('runs one actor for each active project, and none for others [B1]', async (t) => {
    const clock = new VirtualClock(1_000_000);
    const first = await startDaemon(t, { sources, clock });
    for (const id of ['a', 'b', 'c', 'd']) await first.client.call('project.add', { id, targets });
    await first.client.call('project.archive', { id: 'b' });
    await first.close();

    const { client, daemon } = await startDaemonIn(t, first.folder, { clock });
    await untilReady(client);
    await daemon.system.idle();
    assert.deepEqual(await runningUnder('projects', client), ['a', 'c', 'd']);
    assert.deepEqual(await runningUnder('sources', client), ['shop']);
    assert.deepEqual((await client.call('daemon.status', {})).projects, { active: 3, finished: 0, archived: 1 });
  });

  test('is not ready until every active project has its actor [B2]', async (t) => {
    const clock = new VirtualClock(1_000_000);
    const first = await startDaemon(t, { sources, clock });
    const count = 1_000;
    const projects = Array.from({ length: count }, (_, index) => ({ id: `p${index}`, targets }));
    await Promise.all(projects.map((project) => first.client.call('project.add', project)));
    await first.close();

    const { promise, resolve } = Promise.withResolvers<DaemonStatus[]>();
    const { client } = await startDaemonIn(t, first.folder, {
      clock,
      report(report) {
        if (report.type === 'started' && report.id.startsWith('control#'))
          resolve(connect(first.socket).then(untilReady));
      },
    });
    const statuses = await promise;
    const [early, last] = [statuses.slice(0, -1), statuses.at(-1)];
    assert.ok(early.every(({ state, remaining }) => state === 'starting' && remaining <= count));
    assert.ok(early.some(({ remaining }) => remaining > 0));
    assert.deepEqual([last?.state, last?.remaining], ['ready', 0]);
    assert.equal((await runningUnder('projects', client)).length, count);
  });

  test('asks no site for anything that is due before it is ready, and then does', async (t) => {
    const site = await openSite(t, { '/p/solar': productPage('S1', '5.00') });
    const clock = new VirtualClock(1_000_000);
    const first = await startDaemon(t, { sources, clock });
    const due = [{ source: 'shop', url: site.url('/p/solar') }];
    const projects = Array.from({ length: 1_000 }, (_, index) => ({ id: `p${index}`, targets: due }));
    await Promise.all(projects.map((project) => first.client.call('project.add', project)));
    await first.close();

    const { promise, resolve } = Promise.withResolvers<DaemonStatus[]>();
    const { event } = await startDaemonIn(t, first.folder, {
      // By the clock of the machine, all are years late.
      clock: systemClock(),
      report(report) {
        if (report.type === 'started' && report.id.startsWith('control#'))
          resolve(connect(first.socket).then(untilReady));
      },
    });
    const early = (await promise).filter(({ state }) => state === 'starting');
    assert.ok(early.length > 0);
    assert.deepEqual(new Set(early.map(({ scrapes }) => scrapes.running)), new Set([0]));
    await event(({ type }) => type === 'scrape.started');
  });

  test('is ready without any project [B3]', async (t) => {
    const { client } = await startDaemon(t, { sources: {} });
    const last = (await untilReady(client)).at(-1);
    assert.deepEqual([last?.state, last?.remaining], ['ready', 0]);
    assert.deepEqual(last?.projects, { active: 0, finished: 0, archived: 0 });
    assert.deepEqual(await runningUnder('projects', client), []);
  });

  test('reports a broken definition, with what is tracked on it, and runs all others [B4]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '2') });
    const first = await startDaemon(t, { sources: { ...sources, other: productSource('other') }, settings: soon });
    await first.client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    await first.client.call('project.add', { id: 'b', targets: [{ source: 'other', url: site.url('/b') }] });
    await nth(1, 'scrape.completed', 'a', first);
    await nth(1, 'scrape.completed', 'b', first);
    await first.define('other', productSource('other').replace('provider: html', 'provider: htlm'));
    await first.close();

    const clock = new VirtualClock(Date.now());
    const daemon = await startDaemonIn(t, first.folder, { clock });
    const { client } = daemon;
    const last = (await untilReady(client)).at(-1);
    assert.deepEqual(last?.sources, { ready: 1, broken: 1, missing: 0 });
    const views = (await client.call('source.list', {})).sources;
    assert.deepEqual(
      views.map(({ id, status }) => [id, status]),
      [
        ['other', 'definition_error'],
        ['shop', 'ready'],
      ],
    );
    assert.deepEqual([views[0]?.problems[0]?.path, views[0]?.problems[0]?.line], ['provider', 2]);
    const conditionsOf = async (id: string) => (await client.call('project.get', { id })).targets[0]?.conditions;
    assert.deepEqual(await conditionsOf('b'), ['definition_error']);
    assert.deepEqual(await conditionsOf('a'), []);
    await daemon.daemon.system.idle();
    clock.advance(soon.everyMs);
    await nth(2, 'scrape.completed', 'a', daemon);
    assert.equal(site.asked.filter(({ path }) => path === '/b').length, 1);
  });

  test('has the settings that were set while it ran', async (t) => {
    const first = await startDaemon(t, { sources });
    const set = await first.client.call('settings.set', { everyMs: 60_000, initialDelayMs: 5 });
    assert.deepEqual(await first.client.call('settings.get', {}), set);
    await first.close();

    const clock = new VirtualClock(1_000_000);
    // Its configuration has another time limit by now; that was not set, so the configured one counts.
    const { client } = await startDaemonIn(t, first.folder, { clock, settings: { ...soon, timeLimitMs: 1_234 } });
    assert.deepEqual(await client.call('settings.get', {}), { ...set, timeLimitMs: 1_234 });
    const added = await client.call('project.add', { id: 'a', targets });
    assert.equal(added.targets[0]?.dueAt, clock.now() + 5);
  });
});

describe('a second daemon', () => {
  test('on the data folder of a living one is refused, and says who keeps it', async (t) => {
    const { client, folder } = await startDaemon(t, { sources });
    const at = { data: join(folder, 'data'), sources: join(folder, 'sources'), socket: join(folder, 'other.sock') };
    const { status, output } = await startProcess(t, at).ended;
    assert.equal(status, 1);
    assert.match(
      output,
      new RegExp(`a daemon on \\S+ \\(pid ${process.pid}, socket .*control\\.sock, folder .*\\) keeps it already`),
    );
    assert.doesNotMatch(output, /is up/);
    await client.call('daemon.ping', {});
  });

  test('that starts at the same moment on the same data folder is refused, though the first one does not listen yet', async (t) => {
    const folder = await folderWith(t, sources);
    const at = { data: join(folder, 'data'), sources: join(folder, 'sources') };
    const both = ['one', 'other'].map((name) => startProcess(t, { ...at, socket: join(folder, `${name}.sock`) }));
    const first = await Promise.race(both.map(({ ended }) => ended));
    assert.equal(first.status, 1);
    assert.match(first.output, /keeps it already/);
    const ups = await Promise.allSettled(both.map(({ up }) => up));
    assert.deepEqual(ups.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });

  test('on the socket of a living one is refused', async (t) => {
    const { client, folder } = await startDaemon(t, { sources });
    const at = { data: join(folder, 'more'), sources: join(folder, 'sources'), socket: join(folder, 'control.sock') };
    const { status, output } = await startProcess(t, at).ended;
    assert.equal(status, 1);
    assert.match(output, /control\.sock: a daemon listens there already/);
    await client.call('daemon.ping', {});
  });
});
