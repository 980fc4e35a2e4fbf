import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { secretsFrom } from '../../src/session/secret-store.ts';
import { openStoreServer, storeCredentials } from '../export/store-server.ts';
import { productPage, startDaemon } from '../support/daemon.ts';
import { startTimed } from './passing.ts';
import { call, collect, endOf, lastRun, statesOf, tracked } from './piping.ts';

describe('a pipeline', () => {
  test('collects, processes and merges in the order of its jobs, each with what came of those before it (S45)', async (t) => {
    const { site, daemon, folder } = await tracked(t, (at) => [
      `  merge: { after: [process], export: { to: ${at}/out, type: product } }`,
      `  process: { ${call('note', { file: `${at}/notes` }, ['collect'])} }`,
      collect,
    ]);
    site.answer('/a', productPage('A', '2'));
    const begun = await daemon.client.call('pipeline.run', { id: 'nightly' });
    assert.deepEqual([begun.run, begun.state, begun.reason], [1, 'running', 'manual']);
    const { state, failed } = await endOf(daemon);
    assert.deepEqual([state, failed], ['done', []]);
    assert.equal(
      await readFile(join(folder, 'notes'), 'utf8'),
      '{"job":"process","added":0,"changed":1,"prices":["2.00"]}\n',
    );
    const run = await lastRun(daemon);
    const at = Object.fromEntries(run.jobs.map(({ name, beganAt = 0, endedAt = 0 }) => [name, { beganAt, endedAt }]));
    assert.ok((at['collect']?.endedAt ?? 0) <= (at['process']?.beganAt ?? -1));
    assert.ok((at['process']?.endedAt ?? 0) <= (at['merge']?.beganAt ?? -1));
    const [merge, process] = run.jobs;
    assert.deepEqual(process?.result, { prices: 1 });
    const { rows, files } = Object(merge?.result) as { readonly rows: number; readonly files: number };
    assert.deepEqual([rows, files], [1, 1]);
    assert.match(readFileSync(join(folder, 'out', 'records', 'shop.product', '000001.ndjson'), 'utf8'), /"2\.00"/);
  });

  test('does not run what comes after a job that failed, and says why it failed, while other jobs run (S45)', async (t) => {
    const { site, daemon, folder } = await tracked(t, (at) => [
      collect,
      `  process: { ${call('note', { file: `${at}/notes` }, ['collect'])} }`,
      `  merge: { after: [process], export: { to: ${at}/out } }`,
      `  other: { ${call('note', { file: `${at}/other` })} }`,
    ]);
    site.answer('/a', { status: 500 });
    await daemon.client.call('pipeline.run', { id: 'nightly' });
    const { state, failed } = await endOf(daemon);
    assert.deepEqual([state, failed], ['failed', ['collect']]);
    const run = await lastRun(daemon);
    assert.deepEqual(statesOf(run), { collect: 'failed', process: 'skipped', merge: 'skipped', other: 'done' });
    assert.match(run.jobs[0]?.failure ?? '', /^1 of 1 scrapes failed: scrape \d+ of shop: .*500/);
    await assert.rejects(readFile(join(folder, 'notes')), { code: 'ENOENT' });
  });

  test('has what no job is, what no plug-in exports and what nothing matches as failures of its jobs', async (t) => {
    const { daemon, folder } = await tracked(t, (at) => [
      '  nobody: { scrape: { labels: [none] } }',
      '  unknown: { scrape: { projects: [lunar] } }',
      `  missing: { ${call('nothing', {})} }`,
      '  fileless: { call: { plugin: gone.ts, function: note } }',
      `  sourceless: { export: { to: ${at}/out, source: gone } }`,
    ]);
    await daemon.client.call('pipeline.run', { id: 'nightly' });
    await endOf(daemon);
    const { jobs } = await lastRun(daemon);
    const failures = Object.fromEntries(jobs.map(({ name, failure }) => [name, failure]));
    assert.deepEqual(failures, {
      nobody: 'no target that can be scraped is of what it wants',
      unknown: 'no project "lunar"',
      missing: 'steps.ts: nothing is not exported: expected a function of this name',
      fileless: 'gone.ts: there is no such file or folder',
      sourceless: 'no source "gone"',
    });
    await assert.rejects(readFile(join(folder, 'out')), { code: 'ENOENT' });
  });

  test('exports to a bucket with credentials that are secrets, and only what has changed the second time', async (t) => {
    const server = await openStoreServer(t);
    const { daemon } = await tracked(
      t,
      () => [`  out: { export: { to: "s3://backups/all", endpoint: "${server.origin}", allowPrivate: true } }`],
      secretsFrom({
        environment: {
          HERONRY_SECRET_AWS_ACCESS_KEY_ID: storeCredentials.accessKeyId,
          HERONRY_SECRET_AWS_SECRET_ACCESS_KEY: storeCredentials.secretAccessKey,
        },
      }),
    );
    const rows: unknown[] = [];
    for (const count of [1, 2]) {
      await daemon.client.call('pipeline.run', { id: 'nightly' });
      assert.equal((await endOf(daemon, count)).state, 'done');
      rows.push(Object((await lastRun(daemon)).jobs[0]?.result).rows);
    }
    assert.deepEqual(rows, [1, 0]);
    assert.ok(server.objects.has('backups/all/records/shop.product/000001.ndjson'));
  });

  test('runs at the times of its schedule, by the clocks of its zone, and not while it is paused', async (t) => {
    const timed = await startTimed(t, {
      sources: {},
      pipelines: {
        nightly: `id: nightly
schedule: { cron: "30 6 * * *", zone: Europe/Berlin }
jobs: { out: { export: { what: events, to: out } } }
`,
      },
    });
    const { client } = timed;
    const first = Date.UTC(2026, 0, 1, 5, 30);
    const day = 86_400_000;
    await timed.settle();
    assert.equal((await client.call('pipeline.get', { id: 'nightly' })).nextAt, first);
    await timed.until(first, 120_000);
    await timed.during(endOf(timed));
    const { last, nextAt } = await client.call('pipeline.get', { id: 'nightly' });
    assert.deepEqual([last?.reason, last?.beganAt, last?.state, nextAt], ['schedule', first, 'done', first + day]);
    await client.call('pipeline.pause', { id: 'nightly' });
    await timed.until(first + day + 1, 120_000);
    await client.call('pipeline.resume', { id: 'nightly' });
    await timed.settle();
    const resumed = await client.call('pipeline.get', { id: 'nightly' });
    assert.deepEqual([resumed.last?.run, resumed.nextAt], [1, first + 2 * day]);
  });

  test('is not known any more once its file is gone, with its runs', async (t) => {
    const { daemon, folder } = await tracked(t, (at) => [`  out: { export: { to: ${at}/out } }`]);
    const { client } = daemon;
    await client.call('pipeline.run', { id: 'nightly' });
    await endOf(daemon);
    const file = join(daemon.folder, 'pipelines', 'nightly.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, 'id: nightly\n');
    const { problems } = await client.call('source.reload', {});
    assert.equal(problems[0]?.message, 'missing, expected a mapping');
    assert.equal((await client.call('pipeline.list', {})).pipelines[0]?.last?.run, 1);
    await rm(file);
    await client.call('source.reload', {});
    await assert.rejects(client.call('pipeline.run', { id: 'nightly' }), { code: 'not_found' });
    await writeFile(file, text.replace(`${folder}/out`, `${folder}/other`));
    await client.call('source.reload', {});
    assert.deepEqual((await client.call('pipeline.runs', { id: 'nightly' })).runs, []);
  });
});

test('the state of a daemon counts a broken pipeline as one, and not as a source', async (t) => {
  const { client } = await startDaemon(t, { sources: {}, pipelines: { nightly: 'id: nightly\njobs: 7\n' } });
  const { sources, brokenFiles } = await client.call('daemon.status', {});
  assert.deepEqual([sources.broken, brokenFiles], [0, { types: 0, sinks: 0, pipelines: 1 }]);
});
