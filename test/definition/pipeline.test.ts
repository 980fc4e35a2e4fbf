import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { loadPipelines } from '../../src/definition/load.ts';
import { problemText } from '../../src/definition/problem.ts';

/** Loads one pipeline file; resolves with the pipeline, or the problems without the file's folder. */
async function load(t: TestContext, text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'pipelines'));
  await writeFile(join(folder, 'pipelines', 'nightly.yaml'), text);
  const { pipelines, problems } = await loadPipelines(join(folder, 'sources'));
  return {
    pipeline: pipelines.get('nightly'),
    problems: problems.map((problem) => problemText(problem).replace(`${join(folder, 'pipelines')}/`, '')),
  };
}

describe('a pipeline file', () => {
  test('names its jobs, what each does and what it comes after, and a schedule', async (t) => {
    const { pipeline, problems } = await load(
      t,
      `id: nightly
schedule: { cron: "0 6 * * *" }
jobs:
  collect: { scrape: { labels: [news] } }
  process: { after: [collect], call: { plugin: merge.ts, function: merge } }
  merge: { after: [process], export: { to: /srv/out } }
`,
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(pipeline?.schedule, { cron: '0 6 * * *', zone: 'UTC' });
    assert.deepEqual(pipeline?.jobs['process'], {
      after: ['collect'],
      call: { plugin: 'merge.ts', function: 'merge', args: {}, secrets: [] },
    });
    assert.deepEqual(pipeline?.jobs['merge']?.export, {
      ...{ what: 'records', to: '/srv/out', format: 'ndjson' },
      ...{ region: 'us-east-1', allowPrivate: false },
    });
  });

  test('is refused by line where it is wrong', async (t) => {
    const text = `id: nightly
schedule: { cron: "0 6 * *", zone: Europe/Berln }
jobs:
  collect: { scrape: {} }
  both: { scrape: { labels: [a] }, call: { plugin: a.ts, function: b } }
  none: {}
  Big: { scrape: { labels: [a] } }
  metrics: { export: { what: metrics, to: out, type: product } }
`;
    assert.deepEqual((await load(t, text)).problems, [
      'nightly.yaml:2:19: schedule.cron: expected a cron pattern like "0 6 * * 1", got "0 6 * *": five fields are minute, hour, day, month and weekday',
      'nightly.yaml:2:36: schedule.zone: expected a time zone like "Europe/Berlin", got "Europe/Berln"; did you mean "Europe/Berlin"?',
      'nightly.yaml:4:22: jobs.collect.scrape: expected projects, labels or sources, got {}',
      'nightly.yaml:5:42: jobs.both.call: expected only "scrape"',
      'nightly.yaml:6:9: jobs.none: missing, expected one of scrape, call, export',
      'nightly.yaml:7:3: jobs.Big: expected lower-case letters, digits, "-" and "_", starting with a letter, got "Big"',
      'nightly.yaml:8:22: jobs.metrics.export: expected no source and no type, as metrics are of projects',
    ]);
  });

  test('is refused where a job comes after one that there is not, or in a circle after itself', async (t) => {
    const job = (after: string) => `{ after: [${after}], scrape: { labels: [a] } }`;
    const unknown = `id: nightly\njobs:\n  collect: ${job('')}\n  process: ${job('colect')}\n`;
    assert.deepEqual((await load(t, unknown)).problems, [
      'nightly.yaml:4:22: jobs.process.after[0]: expected the name of a job of this pipeline, got "colect"; did you mean "collect"?',
    ]);
    const circle = `id: nightly\njobs:\n  a: ${job('')}\n  b: ${job('a, d')}\n  c: ${job('b')}\n  d: ${job('c')}\n`;
    assert.deepEqual((await load(t, circle)).problems, [
      'nightly.yaml:4:15: jobs.b.after: expected no circle, got b after d after c after b',
    ]);
  });
});
