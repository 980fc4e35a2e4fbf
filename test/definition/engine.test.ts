import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { EngineSettings } from '../../src/definition/engine.ts';
import { loadDaemon } from '../../src/definition/load.ts';
import { problemText } from '../../src/definition/problem.ts';

/** What is wrong with settings, as a person reads it. */
async function faultsOf(t: TestContext, bullmq: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-engine-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'heronry.yaml');
  // JSON is YAML.
  await writeFile(file, JSON.stringify({ engine: { bullmq } }));
  const loaded = await loadDaemon(file);
  return loaded.ok ? '' : loaded.problems.map(problemText).join('\n');
}

describe('the engine of a configuration', () => {
  test('names a server of Redis or PostgreSQL, or the secret that is its address', async (t) => {
    for (const url of [
      'redis://127.0.0.1:6379',
      'rediss://heronry@q.test',
      'postgres://h@db.test/q',
      { secret: 'QUEUE' },
    ])
      assert.equal(await faultsOf(t, { url }), '');
    assert.match(
      await faultsOf(t, { url: 'http://q.test' }),
      /engine\.bullmq\.url: expected a redis, rediss, postgres or postgresql URL/,
    );
    assert.match(await faultsOf(t, {}), /engine\.bullmq\.url: missing/);
  });

  test('never has a password in its address, and does not show one that stands there', async (t) => {
    const faults = await faultsOf(t, { url: 'redis://heronry:hunter2@q.test' });
    assert.match(faults, /engine\.bullmq\.url: expected .* without a password: name its secret under "password"/);
    assert.doesNotMatch(faults, /hunter2/);
  });

  test('has a cluster whose name can be a part of names of queues', async (t) => {
    assert.equal(EngineSettings.parse({ bullmq: { url: 'redis://q.test' } }).bullmq.cluster, 'heronry');
    assert.match(
      await faultsOf(t, { url: 'redis://q.test', cluster: 'a:b' }),
      /engine\.bullmq\.cluster: expected at most 40 small letters/,
    );
    assert.match(await faultsOf(t, { url: 'redis://q.test', cluster: 'x'.repeat(41) }), /expected at most 40 small/);
    assert.equal(await faultsOf(t, { url: 'redis://q.test', cluster: 'x'.repeat(40) }), '');
  });

  test('wants at most as many worker processes at least as at most, and says both numbers', async (t) => {
    assert.match(
      await faultsOf(t, { url: 'redis://q.test', workers: { min: 1 } }),
      /workers\.min: expected at most as many as `max`, which is 0, by default, got 1$/,
    );
    assert.match(await faultsOf(t, { url: 'redis://q.test', workers: { min: 5, max: 2 } }), /which is 2, got 5$/);
    assert.equal(await faultsOf(t, { url: 'redis://q.test', workers: { min: 2, max: 2 } }), '');
  });
});
