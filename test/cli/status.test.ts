import assert from 'node:assert/strict';
import { test } from 'node:test';
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
