import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'cheerio';
import type { Params } from '../../src/control/methods.ts';
import type { WorkerView } from '../../src/control/methods/worker.ts';
import type { StepEntry } from '../../src/view/step-entry.ts';
import { status } from '../control/status.ts';
import { serveHttp } from '../http/server.ts';
import { assertHarmless, hostile } from './hostile.ts';

const running: StepEntry = {
  ...{ id: '12', state: 'running', type: 'page', source: 'shop', target: 3, method: 'GET', turns: 1, worker: 'w1' },
  ...{ url: 'https://shop.example/a', queuedAt: 1_000, startedAt: 1_500 },
};

const worker: WorkerView = {
  ...{ id: 'w1', host: 'crow', pid: 4711, version: '1.0.0', startedAt: 1_000, heardAt: 2_000 },
  ...{ online: true, draining: false, concurrency: 16, active: 3, processed: 40, failed: 2 },
  ...{ queues: ['heronry.steps.1.0.0'], steps: [running], perMinute: { processed: 12.34, failed: 0.5 } },
};

describe('the page of worker processes', () => {
  test('shows each with its state, slots and counts, and what it can be told', async (t) => {
    const away = { ...worker, id: 'w2', online: false };
    const { ask } = await serveHttp(t, { 'worker.list': () => ({ engine: 'bullmq', workers: [worker, away] }) });
    const $ = load((await ask('/workers')).text);
    const cells = $('tbody tr').first().find('td').toArray();
    assert.deepEqual(
      cells.slice(1, 8).map((cell) => $(cell).text().replaceAll(/\s+/g, ' ').trim()),
      ['running', 'crow 4711', 'heronry.steps.1.0.0', '3 of 16', '40', '2', '12.3'],
    );
    assert.equal($('form[action="act/worker.resize"]').length, 1);
    assert.match($('table').first().find('tbody tr').last().text(), /away/);
    assert.equal($('table').first().find('a[href="steps?worker=w1&state=running"]').length, 1);
    const [step] = $('table').last().find('tbody tr').toArray();
    assert.equal($(step).find('a[href="steps/12"]').length, 1);
    assert.match($(step).text(), /w1[^]*page[^]*shop[^]*shop\.example\/a/);
  });

  test('has a worker process run so many steps at a time', async (t) => {
    const told: Params<'worker.resize'>[] = [];
    const { ask, port } = await serveHttp(t, {
      'worker.list': () => ({ engine: 'bullmq', workers: [worker] }),
      'worker.resize': (params) => {
        told.push(params);
        return { id: params.id };
      },
    });
    const { status } = await ask('/act/worker.resize', {
      verb: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` },
      body: new URLSearchParams({ id: 'w1', concurrency: '32', '.then': 'workers' }).toString(),
    });
    assert.equal(status, 303);
    assert.deepEqual(told, [{ id: 'w1', concurrency: 32 }]);
  });

  test('shows how many are wanted, and has it changed', async (t) => {
    const told: Params<'worker.scale'>[] = [];
    const scale = { min: 1, max: 4, wanted: 2, by: 'daemon' as const, own: 2 };
    const { ask, port } = await serveHttp(t, {
      'worker.list': () => ({ engine: 'bullmq', workers: [worker], scale }),
      'worker.scale': (params) => {
        told.push(params);
        return scale;
      },
    });
    const $ = load((await ask('/workers')).text);
    assert.match($('main').text(), /2\s+wanted by the backlog, at least\s+1\s+and at most\s+4\./);
    const { status } = await ask('/act/worker.scale', {
      verb: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` },
      body: new URLSearchParams({ min: '2', max: '8', '.then': 'workers' }).toString(),
    });
    assert.equal(status, 303);
    assert.deepEqual(told, [{ min: 2, max: 8 }]);
  });

  test('says that a command has set the limits, and takes them back', async (t) => {
    const scale = { min: 2, max: 8, wanted: 2, by: 'daemon', own: 2, configured: { min: 1, max: 4 } } as const;
    const told: Params<'worker.scale'>[] = [];
    const { ask, port } = await serveHttp(t, {
      'worker.list': () => ({ engine: 'bullmq', workers: [worker], scale }),
      'worker.scale': (params) => {
        told.push(params);
        return scale;
      },
    });
    const $ = load((await ask('/workers')).text);
    assert.match($('main').text(), /set by a command; heronry\.yaml says 1 to 4\./);
    const fields = $('form[action="act/worker.scale"]').last().serializeArray();
    const body = new URLSearchParams(fields.map(({ name, value }): [string, string] => [name, value])).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` };
    assert.equal((await ask('/act/worker.scale', { verb: 'POST', headers, body })).status, 303);
    assert.deepEqual(told, [{ reset: true }]);
  });

  test('says what keeps steps from being run', async (t) => {
    const idle = { versions: [hostile], draining: 0, away: 0 };
    const queues = { state: 'unattended', since: 1_000, taking: 0, idle } as const;
    const { ask } = await serveHttp(t, {
      'worker.list': () => ({ engine: 'bullmq', workers: [], queues }),
      'daemon.status': () => ({ ...status, queues }),
    });
    const { text } = await ask('/workers');
    assert.match(load(text)('main').text(), /queues[^]*no worker process of version 0\.1\.0 takes steps since/);
    assertHarmless(text);
  });

  test('says where there are none', async (t) => {
    for (const [engine, text] of [
      ['local', /asks and reads itself/],
      ['bullmq', /No worker process is there/],
    ] as const) {
      const { ask } = await serveHttp(t, { 'worker.list': () => ({ engine, workers: [] }) });
      assert.match((await ask('/workers')).text, text);
    }
  });

  test('offers nothing to one who may only look, and shows what a machine calls itself as text', async (t) => {
    const named = { ...worker, id: hostile, host: hostile, version: hostile };
    const { ask } = await serveHttp(t, { 'worker.list': () => ({ engine: 'bullmq', workers: [named] }) });
    const { text } = await ask('/workers', { token: 'read' });
    assert.doesNotMatch(text, /act\/worker/);
    assertHarmless(text);
  });
});
