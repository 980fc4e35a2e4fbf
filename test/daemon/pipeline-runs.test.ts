import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { productPage, startDaemonIn } from '../support/daemon.ts';
import { call, collect, endOf, lastRun, statesOf, tracked } from './piping.ts';
import { answerWith, hold, nth, soon } from './tracking.ts';

describe('a run of a pipeline', () => {
  test('begins nothing while its pipeline is paused, also after a restart, and goes on once that is resumed (S46)', async (t) => {
    const { site, daemon, folder } = await tracked(t, (at) => [
      collect,
      `  process: { ${call('note', { file: `${at}/notes` }, ['collect'])} }`,
    ]);
    const held = hold(site, '/a');
    await daemon.client.call('pipeline.run', { id: 'nightly' });
    const response = await held;
    const { paused } = await daemon.client.call('pipeline.pause', { id: 'nightly', reason: 'moving' });
    assert.equal(paused?.reason, 'moving');
    answerWith(productPage('A', '2'), response);
    await nth(2, 'scrape.completed', 'solar', daemon);
    await daemon.close();
    const again = await startDaemonIn(t, daemon.folder, { settings: soon });
    await assert.rejects(again.client.call('pipeline.run', { id: 'nightly' }), {
      code: 'conflict',
      message: 'pipeline "nightly" is paused: `heronry pipelines resume nightly` ends that',
    });
    assert.equal(statesOf(await lastRun(again))['process'], 'waiting');
    await again.client.call('pipeline.resume', { id: 'nightly' });
    assert.equal((await endOf(again)).state, 'done');
    assert.equal((await readFile(join(folder, 'notes'), 'utf8')).split('\n').length, 2);
  });

  test('has a job that failed cleared and run again with those after it, and is listed with state and duration (S46)', async (t) => {
    const { daemon, folder } = await tracked(t, (at) => [
      `  first: { ${call('note', { file: `${at}/first` })} }`,
      `  check: { ${call('check', { file: `${at}/check`, unless: `${at}/unready` }, ['first'])} }`,
      `  last: { ${call('note', { file: `${at}/last` }, ['check'])} }`,
    ]);
    await writeFile(join(folder, 'unready'), '');
    const { client } = daemon;
    await client.call('pipeline.run', { id: 'nightly' });
    assert.deepEqual((await endOf(daemon)).failed, ['check']);
    assert.match(
      (await lastRun(daemon)).jobs[1]?.failure ?? '',
      /^steps\.ts: check threw Error: not yet \(steps\.ts:\d+\)$/,
    );
    await assert.rejects(client.call('pipeline.clear', { id: 'nightly', run: 1, job: 'last' }), {
      code: 'conflict',
      message: 'run 1 of pipeline "nightly": job "last" comes after "check", which is failed: clear that one',
    });
    await rm(join(folder, 'unready'));
    const { cleared } = await client.call('pipeline.clear', { id: 'nightly', run: 1 });
    assert.deepEqual(cleared, ['check', 'last']);
    assert.equal((await endOf(daemon, 2)).state, 'done');
    await client.call('pipeline.run', { id: 'nightly' });
    await endOf(daemon, 3);
    const { runs } = await client.call('pipeline.runs', { id: 'nightly' });
    assert.deepEqual(
      runs.map(({ run, state, jobs }) => [run, state, jobs.map(({ tries }) => tries)]),
      [
        [2, 'done', [1, 1, 1]],
        [1, 'done', [1, 2, 1]],
      ],
    );
    for (const { durationMs, beganAt, endedAt = 0 } of runs) assert.equal(durationMs, endedAt - beganAt);
    assert.equal((await readFile(join(folder, 'first'), 'utf8')).split('\n').length, 3);
    assert.deepEqual((await client.call('pipeline.runs', { id: 'nightly', limit: 1 })).next, 2);
    assert.deepEqual((await client.call('pipeline.runs', { id: 'nightly', limit: 1, before: 2 })).runs[0]?.run, 1);
  });

  test('goes on where the end of the daemon has cut it: what was done is not run again, and what ran is (S46)', async (t) => {
    const { site, daemon, folder } = await tracked(t, (at) => [
      `  first: { ${call('note', { file: `${at}/first` })} }`,
      '  collect: { after: [first], scrape: { sources: [shop] } }',
      `  last: { ${call('note', { file: `${at}/last` }, ['collect'])} }`,
    ]);
    const held = hold(site, '/a');
    await daemon.client.call('pipeline.run', { id: 'nightly' });
    await held;
    await daemon.close();
    site.answer('/a', productPage('A', '3'));
    const again = await startDaemonIn(t, daemon.folder, { settings: soon });
    assert.equal((await endOf(again)).state, 'done');
    assert.equal((await readFile(join(folder, 'first'), 'utf8')).split('\n').length, 2);
    assert.match(await readFile(join(folder, 'last'), 'utf8'), /"prices":\["3\.00"\]/);
    assert.deepEqual(
      (await lastRun(again)).jobs.map(({ tries }) => tries),
      [1, 1, 1],
    );
  });

  test('is cancelled: the job that runs is cut, and nothing more of the run begins', async (t) => {
    const { site, daemon, folder } = await tracked(t, (at) => [
      collect,
      `  process: { ${call('note', { file: `${at}/notes` }, ['collect'])} }`,
    ]);
    const { client } = daemon;
    const held = hold(site, '/a');
    await client.call('pipeline.run', { id: 'nightly' });
    const response = await held;
    await assert.rejects(client.call('pipeline.run', { id: 'nightly' }), {
      message: 'pipeline "nightly" has run 1 under way: wait for it, or cancel it',
    });
    const { state, jobs } = await client.call('pipeline.cancel', { id: 'nightly', run: 1 });
    assert.deepEqual([state, jobs.map((job) => job.state)], ['cancelled', ['cancelled', 'cancelled']]);
    assert.equal((await endOf(daemon)).state, 'cancelled');
    answerWith(productPage('A', '2'), response);
    await nth(2, 'scrape.completed', 'solar', daemon);
    await assert.rejects(client.call('pipeline.cancel', { id: 'nightly', run: 1 }), { code: 'conflict' });
    site.answer('/a', productPage('A', '3'));
    await client.call('pipeline.run', { id: 'nightly' });
    assert.equal((await endOf(daemon, 2)).state, 'done');
    assert.equal((await readFile(join(folder, 'notes'), 'utf8')).split('\n').length, 2);
  });
});
