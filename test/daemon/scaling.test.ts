import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import type { DaemonOptions } from '../../src/daemon/parts.ts';
import { EngineSettings } from '../../src/definition/engine.ts';
import { startDaemon, startDaemonIn } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

/** Queues whose server is never reached, with these settings of worker processes. */
function queuesWith(workers: object, start?: NonNullable<DaemonOptions['queues']>['start']) {
  const { bullmq } = EngineSettings.parse({ bullmq: { url: 'redis://127.0.0.1', workers } });
  const address = (): Promise<string> => Promise.reject(new Error('no server'));
  return {
    cluster: 'c',
    key: new Uint8Array(32),
    address,
    workers: bullmq.workers,
    start: start ?? (() => assert.fail('none is to be started')),
  };
}

/** Whether a call was refused with this code and sentence. */
function refused(code: string, sentence: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof ControlError && error.code === code && sentence.test(error.message);
}

/** A site that tells the numbers that it was posted. */
async function openReceiver(t: TestContext) {
  const told: unknown[] = [];
  const { promise: second, resolve } = Promise.withResolvers<void>();
  const site = await openSite(t, {
    '/scale': (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        told.push(JSON.parse(Buffer.concat(parts).toString()));
        response.end();
        if (told.length === 2) resolve();
      });
    },
  });
  return { url: site.url('/scale'), told, second };
}

test('a daemon whose queues cannot be reached says so, and why, in its state and with its worker processes, and is ready all the same', async (t) => {
  const { client } = await startDaemon(t, { sources: {}, queues: queuesWith({}) });
  const { state, queues } = await client.call('daemon.status', {});
  assert.deepEqual([state, queues?.state, queues?.why], ['ready', 'unreached', 'no server']);
  const listed = await client.call('worker.list', {});
  assert.deepEqual([listed.queues?.state, listed.queues?.why], ['unreached', 'no server']);
});

describe('how many worker processes are wanted', () => {
  test('is set between limits at run time, and kept over a restart [S28]', async (t) => {
    const pids = new Set<number>();
    const start = async () => {
      const pid = pids.size + 1;
      pids.add(pid);
      const { promise: ended, resolve } = Promise.withResolvers<string>();
      return { pid, ended, stop: async () => resolve('ended with status 0') };
    };
    const queues = queuesWith({ min: 1, max: 2 }, start);
    const first = await startDaemon(t, { sources: {}, queues });
    await first.event(({ type }) => type === 'workers.wanted');
    const { engine, scale } = await first.client.call('worker.list', {});
    assert.deepEqual([engine, scale], ['bullmq', { min: 1, max: 2, wanted: 1, by: 'daemon', own: 1 }]);
    const tooMany = first.client.call('worker.scale', { min: 3 });
    await assert.rejects(tooMany, refused('invalid_params', /^min: expected at most 2, .* got 3$/));
    await first.client.call('worker.scale', { min: 3, max: 5 });
    await first.daemon.system.idle();
    assert.equal(pids.size, 3);
    await first.close();
    const second = await startDaemonIn(t, first.folder, { queues });
    await second.event(({ type, data }) => type === 'workers.wanted' && data.wanted === 3);
    const { min, max, wanted, configured } = await second.client.call('worker.scale', {});
    assert.deepEqual([min, max, wanted, configured], [3, 5, 3, { min: 1, max: 2 }]);
    const both = second.client.call('worker.scale', { reset: true, min: 1 });
    await assert.rejects(both, refused('invalid_params', /^reset: expected no other limits with it/));
    const again = await second.client.call('worker.scale', { reset: true });
    assert.deepEqual([again.min, again.max, again.wanted, again.configured], [1, 2, 2, undefined]);
    // To ask is not to set.
    assert.equal((await second.client.call('worker.scale', {})).configured, undefined);
  });

  test('is told to a webhook, at the start and whenever it changes, where others start them', async (t) => {
    const { url, told, second } = await openReceiver(t);
    const sink = `id: autoscaler\nevents: [workers.wanted]\nfrom: all\nwebhook: { url: "${url}", allowPrivate: true }\n`;
    const queues = queuesWith({ min: 1, max: 2, by: 'others' });
    const { client } = await startDaemon(t, { sources: {}, sinks: { autoscaler: sink }, queues });
    await client.call('worker.scale', { min: 2 });
    await second;
    assert.deepEqual(
      told.map((body) => Object(body).data),
      [
        { wanted: 1, min: 1, max: 2 },
        { wanted: 2, min: 2, max: 2 },
      ],
    );
  });

  test('cannot be said of a daemon that runs steps itself', async (t) => {
    const { client } = await startDaemon(t, { sources: {} });
    await assert.rejects(client.call('worker.scale', { min: 1 }), refused('conflict', /asks for no worker processes/));
  });
});
