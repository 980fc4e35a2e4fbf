import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Params } from '../../src/control/methods.ts';
import type { WorkerView } from '../../src/control/methods/worker.ts';
import type { StepEntry } from '../../src/view/step-entry.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';

const now = Date.UTC(2026, 0, 1, 12);
const second = 1_000;

const running: StepEntry = {
  ...{ id: '12', state: 'running', type: 'page', source: 'shop', target: 3, scrape: 9, method: 'GET', turns: 1 },
  ...{ url: 'https://shop.example/a', queuedAt: now - 20 * second, startedAt: now - 10 * second, worker: 'w1' },
};

const worker: WorkerView = {
  ...{ id: 'w1', host: 'crow', pid: 4711, version: '1.0.0', startedAt: now - 600 * second, heardAt: now - 2 * second },
  ...{ online: true, draining: false, queues: ['herons.steps.1.0.0'], concurrency: 16 },
  ...{ active: 1, steps: [running], processed: 40, failed: 2, perMinute: { processed: 4.04, failed: 0.2 } },
};

describe('workers', () => {
  test('are listed with what they run and have run, and how much of it a minute', async (t) => {
    const { perMinute: _unknown, ...away } = { ...worker, id: 'w2', online: false };
    const { path } = await serve(t, { 'worker.list': () => ({ engine: 'bullmq', workers: [worker, away] }) });
    const { out } = await run(['workers', '--socket', path], { now, columns: 120 });
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
      [
        ['WORKER', 'STATE', 'HOST', 'STEPS', 'RUN', 'FAILED', 'A MINUTE', 'HEARD', 'STARTED', 'VERSION'],
        ['w1', 'running', 'crow 4711', '1 of 16', '40', '2', '4', '2s ago', '10m ago', '1.0.0'],
        ['w2', 'away', 'crow 4711', '1 of 16', '40', '2', '2s ago', '10m ago', '1.0.0'],
      ],
    );
  });

  test('are wanted between limits of which is said whether a command has set them, and are wanted by heronry.yaml again', async (t) => {
    const scale = { min: 2, max: 8, wanted: 2, by: 'daemon', own: 2 } as const;
    const asked: Params<'worker.scale'>[] = [];
    const { path } = await serve(t, {
      'worker.scale': (wish) => {
        asked.push(wish);
        return wish.reset === true ? scale : { ...scale, configured: { min: 1, max: 4 } };
      },
    });
    const said = async (...words: string[]) => (await run(['workers', 'scale', ...words, '--socket', path])).out;
    assert.equal(
      await said(),
      'wanted: 2, at least 2 and at most 8 (set by a command; heronry.yaml says 1 to 4: heronry workers scale --reset); the daemon has started 2\n',
    );
    assert.equal(await said('--reset'), 'wanted: 2, at least 2 and at most 8; the daemon has started 2\n');
    assert.deepEqual(asked, [{}, { reset: true }]);
    const { status } = await run(['workers', 'scale', '--reset', '--min', '1', '--socket', path]);
    assert.equal(status, 2);
  });

  test('are shown one by one, with their queues and the steps that they run', async (t) => {
    const { path } = await serve(t, { 'worker.list': () => ({ engine: 'bullmq', workers: [worker] }) });
    const { out } = await run(['workers', 'show', 'w1', '--socket', path], { now, columns: 120 });
    assert.match(out, /^worker w1 running\n/);
    for (const line of [
      /machine +crow, pid 4711/,
      /queues +herons\.steps\.1\.0\.0/,
      /steps +1 of 16/,
      /run +40, of which 2 failed/,
      /a minute +4, of which 0\.2 failed/,
      /12 +running +page +shop +w1 .*https:\/\/shop\.example\/a/,
    ])
      assert.match(out, line);
    const json = await run(['workers', 'show', 'w1', '--json', '--socket', path], { now });
    assert.deepEqual(JSON.parse(json.out), worker);
    const { status, err } = await run(['workers', 'show', 'w9', '--socket', path], { now });
    assert.equal(status, 3);
    assert.match(err, /no worker process "w9"/);
  });
});
