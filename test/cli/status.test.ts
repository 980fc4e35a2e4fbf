import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { DaemonStatus } from '../../src/control/methods/daemon.ts';
import { serve } from '../control/daemon.ts';
import { status } from '../control/status.ts';
import { run } from './terminal.ts';
import { now } from './views.ts';

test('status tells what offers wait for, and since when the oldest was due', async (t) => {
  const offers = [
    { waitFor: 'gap', offers: 300, oldestAt: now - 120_000 },
    { waitFor: 'circuit', offers: 1, oldestAt: now - 3_600_000 },
  ] as const;
  const { path } = await serve(t, { 'daemon.status': () => ({ ...status, offers }) });
  const { out } = await run(['status', '--socket', path], { now });
  assert.match(
    out,
    /\nturns {5}300 wait for their hosts' pauses, due since 2m ago; 1 wait for circuits, due since 1h ago\n/,
  );
});

test('status tells requests under way from turns that were granted and not used yet', async (t) => {
  const offers = (['concurrency', 'unsent'] as const).map((waitFor) => ({ waitFor, offers: 2, oldestAt: now - 1_000 }));
  const { path } = await serve(t, { 'daemon.status': () => ({ ...status, offers }) });
  const { out } = await run(['status', '--socket', path], { now });
  assert.match(out, /2 wait for requests under way, due since 1s ago; 2 wait for requests about to be sent, due/);
});

test('status says in its first line that scraping is paused, and why and until when in its last', async (t) => {
  const full: DaemonStatus = { ...status, paused: '/data: the disk is full', pausedUntil: now + 12_000 };
  const { path } = await serve(t, { 'daemon.status': () => full });
  const { out } = await run(['status', '--socket', path], { now });
  assert.match(out, /^heronry 0\.1\.0 is ready, but scraping is paused\n/);
  assert.match(out, /\npaused {4}\/data: the disk is full; whether there is room again is tried in 12s\n?$/);
});

test('status counts the scrapes that ended since the start by how they ended', async (t) => {
  const { path } = await serve(t, { 'daemon.status': () => status });
  const { out } = await run(['status', '--socket', path], { now });
  assert.match(out, /since the start 1 complete, 0 failed, 2 aborted, 0 cancelled\n/);
});

test('status of a daemon that starts tells how many of its actors are still to start', async (t) => {
  const { path } = await serve(t, { 'daemon.status': () => ({ ...status, state: 'starting', remaining: 2 }) });
  const { out } = await run(['status', '--socket', path], { now });
  assert.match(out, /^heronry 0\.1\.0 is starting, 2 actors still to start\n/);
});

test('status says nothing of a pause while there is none', async (t) => {
  const { path } = await serve(t, { 'daemon.status': () => status });
  const { out } = await run(['status', '--socket', path], { now });
  assert.match(out, /^heronry 0\.1\.0 is ready\n/);
  assert.doesNotMatch(out, /paused/);
});

test('status tells the memory of the daemon alone, how late its loop is, and how many changes share a transaction', async (t) => {
  const { path } = await serve(t, { 'daemon.status': () => status });
  const { out } = await run(['status', '--socket', path], { now });
  assert.match(out, /\nload {6}100\.0 MB of memory; the loop is up to 12 ms late; 3\.3 changes a transaction\n/);
});

test('status counts the tickets that are open, and those that somebody knows of', async (t) => {
  const { path } = await serve(t, {
    'daemon.status': () => ({ ...status, tickets: { open: 2, acknowledged: 1, snoozed: 3 } }),
  });
  const { out } = await run(['status', '--socket', path], { now });
  assert.match(out, /\ntickets {3}2 open, 1 acknowledged, 3 snoozed: heronry tickets\n/);
});

test('status tells how far the backup has come, and why it stands still', async (t) => {
  const lineOf = async (backup: DaemonStatus['backup']) => {
    const { path } = await serve(t, { 'daemon.status': () => ({ ...status, backup }) });
    const { out } = await run(['status', '--socket', path], { now });
    return /\nbackup +(.*)/.exec(out)?.[1];
  };
  assert.equal(await lineOf(undefined), undefined);
  assert.equal(await lineOf({}), 'no whole copy since the start');
  assert.equal(await lineOf({ upToAt: now - 3_000 }), 'up to 3s ago');
  assert.equal(
    await lineOf({ upToAt: now - 60_000, failure: 'the folder is gone' }),
    'up to 1m ago, stands still: the folder is gone',
  );
});

test('status names sinks, pipelines and types that have problems apart from sources', async (t) => {
  const brokenFiles = { types: 0, sinks: 2, pipelines: 1 };
  const { path } = await serve(t, { 'daemon.status': () => ({ ...status, brokenFiles }) });
  const { out } = await run(['status', '--check', '--socket', path], { now });
  assert.equal(out, '2 sinks with problems; 1 pipeline with problems\n');
  const { out: shown } = await run(['status', '--socket', path], { now });
  assert.match(shown, /\nbroken {4}1 pipeline with problems: heronry validate\n/);
});

const none = { versions: [], draining: 0, away: 0 };
const unreached = { state: 'unreached', why: 'the secret QUEUES is missing', taking: 0, idle: none } as const;

describe('status of a daemon whose steps worker processes run', () => {
  const linesOf = async (t: TestContext, queues: DaemonStatus['queues'], ...words: string[]) => {
    const offers = [{ waitFor: 'room', offers: 30, oldestAt: now - 120_000 }] as const;
    const backlog = { turns: 1, oldestAt: now - 120_000 };
    const found = { ...status, offers, backlog, ...(queues && { queues }) };
    const { path } = await serve(t, { 'daemon.status': () => found });
    return run(['status', ...words, '--socket', path], { now });
  };
  const lineOf = async (t: TestContext, queues: DaemonStatus['queues']) =>
    /\nqueues +(.*)/.exec((await linesOf(t, queues)).out)?.[1];

  test('says in a line whether they can, and else why not', async (t) => {
    const since = now - 20_000;
    assert.equal(await lineOf(t, undefined), undefined);
    assert.equal(await lineOf(t, { state: 'ready', taking: 2, idle: none }), 'ready, 2 worker processes take steps');
    assert.equal(
      await lineOf(t, { ...unreached, since }),
      'cannot be reached since 20s ago: the secret QUEUES is missing',
    );
    assert.equal(
      await lineOf(t, { state: 'leased', holder: 'crow pid 4711', since, taking: 0, idle: none }),
      'wait for another daemon (crow pid 4711), which has the lease since 20s ago',
    );
    assert.equal(
      await lineOf(t, { state: 'unattended', since, taking: 0, idle: none }),
      'no worker process of version 0.1.0 takes steps since 20s ago: none is there',
    );
    const idle = { versions: ['0.0.9', '0.0.9'], draining: 1, away: 3 };
    assert.equal(
      await lineOf(t, { state: 'unattended', since, taking: 0, idle }),
      'no worker process of version 0.1.0 takes steps since 20s ago: there is 2 of version 0.0.9, 1 draining, 3 away',
    );
    assert.equal(
      await lineOf(t, { state: 'idle', since, taking: 0, idle: none }),
      'no worker process is needed, as no turn waits for one',
    );
  });

  test('says that what is due waits for a worker process where none is there, and counts hosts in the backlog', async (t) => {
    const { out } = await linesOf(t, { state: 'unattended', since: now, taking: 0, idle: none });
    assert.match(out, /\nturns {5}30 wait for a worker process, due since 2m ago\n/);
    assert.match(out, /\nbacklog {3}1 host could be asked now, and waits for a worker process, since 2m ago\n/);
    const away = await linesOf(t, { ...unreached, since: now });
    assert.match(away.out, /\nturns {5}30 wait for the queues, due/);
    assert.match((await linesOf(t, undefined)).out, /30 wait for room in the daemon, due/);
  });

  test('fails its check once the queues keep anything from being asked for 15 s', async (t) => {
    for (const state of ['unreached', 'leased', 'unattended'] as const) {
      const seen = { ...unreached, state };
      assert.equal((await linesOf(t, { ...seen, since: now - 14_999 }, '--check')).status, 0);
      const { out, status: exit } = await linesOf(t, { ...seen, since: now - 15_000 }, '--check');
      assert.equal(exit, 1);
      assert.match(out, /^queues: .* since 15s ago/);
    }
    const idle = { state: 'idle', since: 0, taking: 0, idle: none } as const;
    assert.equal((await linesOf(t, idle, '--check')).status, 0);
  });
});

test('status --check says in one line that all is well, or what is not, and exits with 1 then', async (t) => {
  const { path } = await serve(t, {
    'daemon.status': () => ({ ...status, tickets: { open: 0, acknowledged: 3, snoozed: 1 } }),
  });
  const well = await run(['status', '--check', '--socket', path], { now });
  const known = '3 tickets acknowledged; 1 ticket snoozed';
  assert.deepEqual([well.out, well.status], [`ok: 1 project, 1 target, 1 source; ${known}\n`, 0]);
  const bad: DaemonStatus = {
    ...status,
    tickets: { open: 2, acknowledged: 0, snoozed: 0 },
    targets: { ...status.targets, parked: 1 },
    sources: { ready: 1, missing: 1, broken: 1 },
    paused: 'the disk is full',
    backup: { upToAt: now - 60_000, failure: 'the folder is gone' },
  };
  const { path: other } = await serve(t, { 'daemon.status': () => bad });
  const { out, err, status: exit } = await run(['status', '--check', '--socket', other], { now });
  const troubles =
    '2 tickets are open; scraping is paused: the disk is full; the backup stands still: the folder is gone; 1 source with problems; 1 source with targets, but without a definition; 1 target is parked';
  assert.deepEqual([out, err, exit], [`${troubles}\n`, '', 1]);
  const machine = await run(['status', '--check', '--json', '--socket', other], { now });
  assert.deepEqual(
    [JSON.parse(machine.out), JSON.parse(machine.err), machine.status],
    [bad, { error: { code: 'failed', message: troubles } }, 1],
  );
});
