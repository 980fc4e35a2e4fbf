import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Params } from '../../src/control/methods.ts';
import type { PipelineView } from '../../src/control/methods/pipeline.ts';
import type { RunView } from '../../src/view/pipeline.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';
import { now } from './views.ts';

const last: RunView = {
  ...{ pipeline: 'nightly', run: 7, state: 'failed', reason: 'schedule' },
  ...{ beganAt: now - 60_000, endedAt: now - 56_000, durationMs: 4_000 },
  jobs: [
    {
      ...{ name: 'collect', kind: 'scrape', after: [], state: 'failed', tries: 2 },
      ...{ beganAt: now - 60_000, endedAt: now - 57_000, failure: '1 of 2 scrapes failed' },
    },
    { name: 'merge', kind: 'export', after: ['collect'], state: 'skipped', tries: 0 },
  ],
};

const nightly: PipelineView = {
  id: 'nightly',
  schedule: { cron: '0 6 * * *', zone: 'UTC' },
  jobs: [
    { name: 'collect', kind: 'scrape', after: [] },
    { name: 'merge', kind: 'export', after: ['collect'] },
  ],
  nextAt: now + 3_600_000,
  last,
};

describe('pipelines', () => {
  test('are listed with their last runs', async (t) => {
    const paused = { ...nightly, id: 'weekly', paused: { at: now - 1_000 } };
    const { path } = await serve(t, { 'pipeline.list': () => ({ pipelines: [nightly, paused] }) });
    const { out } = await run(['pipelines', '--socket', path], { now });
    assert.match(out, /^nightly\tidle\tin 1h\t2\t7 failed at collect, 1m ago, 4s$/m);
    assert.match(out, /^weekly\tpaused\t–\t/m);
  });

  test('are shown with the jobs of the last run, and the runs with state and duration', async (t) => {
    const { path } = await serve(t, {
      'pipeline.get': () => nightly,
      'pipeline.runs': () => ({ runs: [last] }),
    });
    const { out } = await run(['pipelines', 'nightly', '--socket', path], { now });
    assert.match(out, /schedule +0 6 \* \* \* in UTC/);
    assert.match(out, /^collect\tscrape\t–\tfailed\t2\t3s\t1 of 2 scrapes failed$/m);
    assert.match(out, /^merge\texport\tcollect\tskipped\t0\t–\t–$/m);
    assert.match(out, /^7\tfailed\tschedule\t1m ago\t4s\tcollect$/m);
    const other = await run(['pipelines', 'nightly', '--run', '6', '--socket', path], { now });
    assert.deepEqual([other.status, other.err], [3, 'heronry: pipeline nightly has no run 6\n']);
  });

  test('are run, paused, resumed, cleared and cancelled', async (t) => {
    const told: unknown[] = [];
    const cleared = (params: Params<'pipeline.clear'>) => {
      told.push(params);
      return { ...last, cleared: ['collect', 'merge'] };
    };
    const { path } = await serve(t, {
      'pipeline.run': () => last,
      'pipeline.pause': (params) => {
        told.push(params);
        return nightly;
      },
      'pipeline.resume': () => nightly,
      'pipeline.clear': cleared,
      'pipeline.cancel': () => last,
    });
    const outOf = async (...words: readonly string[]) =>
      (await run(['pipelines', ...words, '--socket', path], { now })).out.trim();
    assert.equal(await outOf('run', 'nightly'), 'run 7 of nightly has begun');
    assert.equal(await outOf('pause', 'nightly', '--reason', 'moving'), 'nightly is paused');
    assert.equal(await outOf('resume', 'nightly'), 'nightly is not paused');
    assert.equal(
      await outOf('clear', 'nightly', '7', '--job', 'collect'),
      'run 7 of nightly goes on with collect, merge',
    );
    assert.equal(await outOf('cancel', 'nightly', '7'), 'run 7 of nightly is cancelled');
    assert.deepEqual(told, [
      { id: 'nightly', reason: 'moving' },
      { id: 'nightly', run: 7, job: 'collect' },
    ]);
  });

  test('are waited for, and the status says how the run ended', async (t) => {
    const outcomeOf = async (end: 'done' | 'failed') => {
      const states = ['running', end] as const;
      let looks = 0;
      let tell = (): void => undefined;
      const { path } = await serve(t, {
        'event.subscribe': (_, { notify }) => {
          const data = { pipeline: 'nightly', run: 7, state: end, durationMs: 4_000, failed: [] };
          tell = () => void notify({ type: 'pipeline.ended', id: 1, version: 1, at: now, data });
          return { after: 0 };
        },
        'pipeline.run': () => last,
        'pipeline.runs': () => {
          const state = states[looks] ?? end;
          looks += 1;
          if (state === 'running') tell();
          return { runs: [{ ...last, state }] };
        },
      });
      const { status, out, err } = await run(['pipelines', 'run', 'nightly', '--wait', '--socket', path], { now });
      assert.equal(looks, 2);
      return { status, out, err };
    };
    const done = await outcomeOf('done');
    assert.deepEqual([done.status, done.out], [0, 'run 7 done at collect, 1m ago, 4s\n']);
    const failed = await outcomeOf('failed');
    assert.deepEqual([failed.status, failed.err], [1, 'heronry: run 7 of nightly failed\n']);
  });

  test('say how to have one where there is none', async (t) => {
    const { path } = await serve(t, { 'pipeline.list': () => ({ pipelines: [] }) });
    assert.match((await run(['pipelines', '--socket', path], { now })).err, /^no pipelines: write a file/);
  });
});
