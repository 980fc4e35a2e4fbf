import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cancelledRun, clearedRun, readyJobs, settledRun } from '../../src/pipeline/graph.ts';
import type { JobRow, RunRow } from '../../src/store/tables/pipelines.ts';

/** A run of these jobs: the state of each, and those that it comes after. */
function runOf(jobs: Readonly<Record<string, readonly [JobRow['state'], ...string[]]>>): RunRow {
  return {
    ...{ pipeline: 'nightly', run: 1, state: 'running', reason: 'manual', beganAt: 0 },
    jobs: Object.entries(jobs).map(([name, [state, ...after]]) => ({ name, kind: 'call', after, state, tries: 1 })),
  };
}

function statesOf({ jobs }: RunRow): Readonly<Record<string, string>> {
  return Object.fromEntries(jobs.map(({ name, state }) => [name, state]));
}

describe('the jobs of a run', () => {
  test('can begin once all that they come after are done', () => {
    const run = runOf({ a: ['done'], b: ['running'], c: ['waiting', 'a'], d: ['waiting', 'a', 'b'], e: ['waiting'] });
    assert.deepEqual(
      readyJobs(run.jobs).map(({ name }) => name),
      ['c', 'e'],
    );
  });

  test('are skipped by whatever way they come after one that failed, and the run ends when none is left', () => {
    const run = settledRun(runOf({ a: ['failed'], b: ['waiting', 'a'], c: ['waiting', 'b', 'd'], d: ['running'] }), 5);
    assert.deepEqual(statesOf(run), { a: 'failed', b: 'skipped', c: 'skipped', d: 'running' });
    assert.equal(run.state, 'running');
    const over = settledRun(
      { ...run, jobs: run.jobs.map((job) => (job.name === 'd' ? { ...job, state: 'done' } : job)) },
      9,
    );
    assert.deepEqual([over.state, over.endedAt], ['failed', 9]);
  });

  test('are cancelled where they run or wait', () => {
    const run = cancelledRun(runOf({ a: ['done'], b: ['running', 'a'], c: ['waiting', 'b'] }), 5);
    assert.deepEqual(statesOf(run), { a: 'done', b: 'cancelled', c: 'cancelled' });
    assert.deepEqual([run.state, run.endedAt, run.jobs[1]?.endedAt], ['cancelled', 5, 5]);
  });

  test('are run again with all that come after them, and no others', () => {
    const run = runOf({
      a: ['done'],
      b: ['failed', 'a'],
      c: ['skipped', 'b'],
      d: ['done', 'a'],
      e: ['skipped', 'c', 'd'],
    });
    const cleared = clearedRun({ ...run, state: 'failed', endedAt: 4 }, undefined, 7);
    assert.ok(cleared.ok);
    assert.deepEqual([cleared.run.state, cleared.run.beganAt, cleared.run.endedAt], ['running', 7, undefined]);
    assert.deepEqual(statesOf(cleared.run), { a: 'done', b: 'waiting', c: 'waiting', d: 'done', e: 'waiting' });
    assert.deepEqual(cleared.cleared.toSorted(), ['b', 'c', 'e']);
    const one = clearedRun(run, 'd', 7);
    assert.deepEqual(one.ok && one.cleared, ['d', 'e']);
  });

  test('are not run again while they run, before they began, or while one before them is to be cleared', () => {
    const run = runOf({ a: ['failed'], b: ['skipped', 'a'], c: ['done'], d: ['running', 'c'], e: ['waiting', 'd'] });
    const messageOf = (name: string) => {
      const cleared = clearedRun(run, name, 0);
      return cleared.ok ? 'cleared' : cleared.message;
    };
    assert.deepEqual(['a', 'b', 'c', 'd', 'e'].map(messageOf), [
      'cleared',
      'job "b" comes after "a", which is failed: clear that one',
      'job "d" is running: wait for it, or cancel the run',
      'job "d" is running: wait for it, or cancel the run',
      'job "e" has not begun',
    ]);
    const whole = clearedRun(runOf({ a: ['done'] }), undefined, 0);
    assert.deepEqual(whole, { ok: false, message: 'no job of it failed or was cancelled' });
  });
});
