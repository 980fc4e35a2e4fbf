import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'cheerio';
import type { Params } from '../../src/control/methods.ts';
import type { PipelineView } from '../../src/control/methods/pipeline.ts';
import type { RunView } from '../../src/view/pipeline.ts';
import { serveHttp } from '../http/server.ts';
import { assertHarmless, hostile } from './hostile.ts';

const last: RunView = {
  ...{ pipeline: 'nightly', run: 7, state: 'failed', reason: 'manual' },
  ...{ beganAt: 1_000, endedAt: 5_000, durationMs: 4_000 },
  jobs: [
    {
      ...{ name: 'collect', kind: 'scrape', after: [], state: 'failed', tries: 2 },
      ...{ beganAt: 1_000, endedAt: 4_000, failure: '1 of 2 scrapes failed' },
    },
    { name: 'merge', kind: 'export', after: ['collect'], state: 'skipped', tries: 0 },
  ],
};

const nightly: PipelineView = {
  id: 'nightly',
  jobs: last.jobs.map(({ name, kind, after }) => ({ name, kind, after })),
  last,
};

function cellsOf(text: string, table: string): string[][] {
  const $ = load(text);
  return $(`[aria-label="${table}"] tbody tr`)
    .toArray()
    .map((row) =>
      $(row)
        .find('td')
        .toArray()
        .map((cell) => $(cell).text().replaceAll(/\s+/g, ' ').trim()),
    );
}

describe('the pages of pipelines', () => {
  test('list each with its state, its last run and what can be done', async (t) => {
    const paused = { ...nightly, id: 'weekly', paused: { at: 1_000 } };
    const { ask } = await serveHttp(t, { 'pipeline.list': () => ({ pipelines: [nightly, paused] }) });
    const { text } = await ask('/pipelines');
    const [first, second] = cellsOf(text, 'Pipelines');
    assert.deepEqual(first?.slice(0, 5), ['nightly', 'idle', '', '2', '7 failed']);
    assert.equal(first?.[6], '4s');
    assert.equal(second?.[1], 'paused');
    const $ = load(text);
    assert.deepEqual(
      ['run', 'pause', 'resume'].map((verb) => $(`form[action="act/pipeline.${verb}"]`).length),
      [1, 1, 1],
    );
  });

  test('show the jobs of the last run with what came of them, and the runs with state and duration', async (t) => {
    const { ask } = await serveHttp(t, {
      'pipeline.get': () => nightly,
      'pipeline.runs': () => ({ runs: [last], next: 7 }),
    });
    const { text } = await ask('/pipelines/nightly');
    assert.deepEqual(
      cellsOf(text, 'Jobs').map((cells) => cells.slice(0, 7)),
      [
        ['collect', 'scrape', '', 'failed', '2', '3s', '1 of 2 scrapes failed'],
        ['merge', 'export', 'collect', 'skipped', '0', '', ''],
      ],
    );
    const [run] = cellsOf(text, 'Runs');
    assert.deepEqual(
      [run?.slice(0, 3), run?.slice(4, 6)],
      [
        ['7', 'failed', 'by hand'],
        ['4s', 'collect'],
      ],
    );
    assert.match(text, /before=7/);
    assert.match(text, /href="pipelines\/nightly\?run=7"/);
    assert.match((await ask('/pipelines/nightly?run=6')).text, /<h2[^>]*>(?:<bdi>)?Jobs(?:<\/bdi>)?<\/h2>/);
  });

  test('have a job cleared', async (t) => {
    const told: Params<'pipeline.clear'>[] = [];
    const { ask, port } = await serveHttp(t, {
      'pipeline.get': () => nightly,
      'pipeline.runs': () => ({ runs: [last] }),
      'pipeline.clear': (params) => {
        told.push(params);
        return { ...last, cleared: ['collect'] };
      },
    });
    const { status } = await ask('/act/pipeline.clear', {
      verb: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` },
      body: new URLSearchParams({ id: 'nightly', run: '7', job: 'collect', '.then': 'pipelines/nightly' }).toString(),
    });
    assert.equal(status, 303);
    assert.deepEqual(told, [{ id: 'nightly', run: 7, job: 'collect' }]);
  });

  test('offer nothing to one who may only look, and show what a site has said as text', async (t) => {
    const jobs = last.jobs.map((job) => ({ ...job, failure: hostile, result: hostile }));
    const said = { ...nightly, paused: { at: 1_000, reason: hostile }, last: { ...last, jobs } };
    const { ask } = await serveHttp(t, {
      'pipeline.get': () => said,
      'pipeline.runs': () => ({ runs: [said.last] }),
    });
    const { text } = await ask('/pipelines/nightly', { token: 'read' });
    assert.doesNotMatch(text, /act\/pipeline/);
    assertHarmless(text);
  });
});
