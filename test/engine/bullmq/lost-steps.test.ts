import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Cluster } from '../../../src/engine/bullmq/cluster.ts';
import { LostSteps } from '../../../src/engine/bullmq/lost-steps.ts';
import { playedQueue, type PlayedQueue } from './played-server.ts';
import { stepOf } from './played-steps.ts';

const cluster = new Cluster({ name: 'c', version: '1', key: new Uint8Array(32).fill(1) });

function lostSteps(steps: PlayedQueue, results: PlayedQueue, untaken: string[] = [], missing?: string[]): LostSteps {
  return new LostSteps({
    ...{ cluster, steps: playedQueue(steps), results: playedQueue(results), now: () => 0 },
    unopened: (id) => assert.fail(`unopened ${id}`),
    isRun: () => false,
    vanished: () => undefined,
    refused: (error) => assert.fail(String(error)),
    missing: (id) => (missing === undefined ? assert.fail(`missing ${id}`) : void missing.push(id)),
    untaken: (id) => void untaken.push(id),
  });
}

function jobOf(id: string, more: object = {}) {
  const job = { step: stepOf(`/${id}`), key: id, sendBy: 0, dispatchedAt: 0 };
  return { id, data: cluster.seal('job', id, job), failedReason: 'stalled', ...more };
}

describe('the steps of lost worker processes', () => {
  test('are told a hundred at a time: those of a machine with very many slots take no longer than a few', async () => {
    const failed = Array.from({ length: 250 }, (_, index) => jobOf(`${index}`));
    const added: string[] = [];
    let together = Promise.withResolvers<void>();
    const lost = lostSteps(
      { getFailed: async () => failed },
      {
        async add(_name: string, _text: string, { jobId }: { readonly jobId: string }) {
          added.push(jobId);
          // Each is answered once a hundred wait, or all.
          if (added.length % 100 === 0 || added.length === failed.length) {
            together.resolve();
            together = Promise.withResolvers();
          } else await together.promise;
        },
      },
    );
    await lost.look([]);
    assert.equal(added.length, failed.length);
  });

  test('are told by one look, however many they are', async () => {
    const failed = Array.from({ length: 2_500 }, (_, index) => jobOf(`${index}`));
    const lost = lostSteps(
      {
        getFailed: async (first: number, last: number) => failed.slice(first, last + 1),
        async remove(id: string) {
          failed.splice(
            failed.findIndex((job) => job.id === id),
            1,
          );
          return 1;
        },
      },
      {},
    );
    await lost.look([]);
    assert.equal(failed.length, 0);
  });

  test('are not those that a worker process could not open: these were not sent', async () => {
    const unopened: string[] = [];
    const failed = [jobOf('a', { failedReason: 'the worker process could not open it' })];
    const lost = new LostSteps({
      ...{ cluster, steps: playedQueue({ getFailed: async () => failed.splice(0), remove: async () => 1 }) },
      ...{ results: playedQueue({ add: async () => assert.fail('told as lost') }), now: () => 0 },
      ...{ refused: (error) => assert.fail(String(error)), isRun: () => false, vanished: () => undefined },
      ...{ missing: (id) => assert.fail(id), untaken: (id) => assert.fail(id) },
      unopened: (id) => void unopened.push(id),
    });
    await lost.look([]);
    assert.deepEqual(unopened, ['a']);
  });

  test('are taken out of the queue with a sentence where someone made them by hand', async () => {
    const removed: string[] = [];
    const refused: string[] = [];
    const failed = [
      { id: '7', data: { url: 'http://site.test' }, failedReason: 'the worker process could not open it' },
    ];
    const remove = async (id: string): Promise<number> => removed.push(id);
    const lost = new LostSteps({
      ...{ cluster, steps: playedQueue({ getFailed: async () => failed.splice(0), remove }) },
      ...{ results: playedQueue({ add: async () => assert.fail('told') }), now: () => 0 },
      refused: (error) => void refused.push(error instanceof Error ? error.message : ''),
      ...{ isRun: () => false, vanished: () => undefined, unopened: (id) => assert.fail(id) },
      ...{ missing: (id) => assert.fail(id), untaken: (id) => assert.fail(id) },
    });
    await lost.look([]);
    assert.deepEqual(removed, ['7']);
    assert.deepEqual(refused, [
      'the job 7 of the queue c.steps.1: expected a text that is sealed with the key of cluster c',
    ]);
  });

  test('are looked for without the texts of those that run', async () => {
    const untaken: string[] = [];
    const states = new Map([
      ['runs', 'active'],
      ['ended', 'completed'],
      ['waits', 'waiting'],
    ]);
    const read: string[] = [];
    const lost = lostSteps(
      {
        getJobState: async (id: string) => states.get(id) ?? 'unknown',
        async getJob(id: string) {
          read.push(id);
          return jobOf(id);
        },
        remove: async () => 1,
      },
      {},
      untaken,
    );
    await lost.look(['runs', 'ended', 'waits']);
    assert.deepEqual([read, untaken], [['waits'], ['waits']]);
  });

  test('are not those that a worker process has taken while they were read', async () => {
    const states = ['waiting', 'active'];
    const lost = lostSteps(
      { getJobState: async () => states.shift(), getJob: async () => jobOf('a', { processedOn: 1 }) },
      { add: async () => assert.fail('told') },
    );
    await lost.look(['a']);
  });

  test('are those that have ended though no result of them is there, at the second look', async () => {
    const missing: string[] = [];
    const lost = lostSteps(
      { getJobState: async () => 'completed' },
      { getJobState: async (id: string) => (id === 'told' ? 'active' : 'unknown') },
      [],
      missing,
    );
    await lost.look(['told', 'silent']);
    assert.deepEqual(missing, []);
    await lost.look(['told', 'silent']);
    assert.deepEqual(missing, ['silent']);
  });
});
