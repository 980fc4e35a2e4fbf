import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { VirtualClock } from '../../../src/clock.ts';
import { Cluster } from '../../../src/engine/bullmq/cluster.ts';
import { StepWorker } from '../../../src/engine/bullmq/step-worker.ts';
import { playedServer, takesNothing } from './played-server.ts';
import { played } from './played-steps.ts';

const clusterWith = (byte: number): Cluster =>
  new Cluster({ name: 'c', version: '2', key: new Uint8Array(32).fill(byte) });
const cluster = clusterWith(1);

/** A worker process on a server that is played. */
async function open() {
  const clock = new VirtualClock(Date.now());
  const [warnings, taken]: [string[], string[]] = [[], []];
  let begun = 0;
  let orders = 0;
  const {
    server,
    published,
    pass: relay,
  } = playedServer({
    now: async () => clock.now(),
    openWorker(name) {
      taken.push(name);
      return takesNothing;
    },
  });
  const worker = await StepWorker.open(server, {
    ...{ clock, cluster, concurrency: 4, run: played, runAlone: played },
    self: { id: 'w1', host: 'crow', pid: 1, startedAt: 0 },
    begun: () => void (begun += 1),
    stop: () => assert.fail('stop'),
    warn: (what) => void warnings.push(what),
  });
  return {
    ...{ worker, warnings, taken, begun: () => begun },
    /** Has a daemon give an order. */
    order(message: object, by = cluster): void {
      orders += 1;
      relay({ topic: 'order.w1', data: by.seal('order', 'w1', { number: clock.now() * 1_000 + orders, message }) });
    },
    /** What the worker process told last. */
    told: () => cluster.open('report', 'w1', String(published.at(-1)?.data)),
    async pass(seconds: number): Promise<void> {
      for (let second = 0; second < seconds; second += 1) {
        clock.advance(1_000);
        await settled();
      }
    },
  };
}

describe('a worker process', () => {
  test('takes no step before a daemon of its version that has its key has answered, and then says that it does', async () => {
    const { order, taken, begun, told } = await open();
    assert.deepEqual([taken, begun()], [[], 0]);
    assert.partialDeepStrictEqual(told(), { message: { type: 'present', isWaiting: true } });
    order({ type: 'welcome', version: '2' });
    await settled();
    assert.deepEqual([taken, begun()], [['c.steps.2'], 1]);
    assert.equal(JSON.stringify(told()).includes('isWaiting'), false);
    order({ type: 'welcome', version: '2' });
    assert.deepEqual([taken.length, begun()], [1, 1]);
  });

  test('that has another key than the daemon says so, and takes no step', async () => {
    const { order, taken, warnings, pass } = await open();
    for (let told = 0; told < 8; told += 1) {
      order({ type: 'welcome', version: '2' }, clusterWith(2));
      await pass(5);
    }
    assert.deepEqual(taken, []);
    assert.match(warnings[0] ?? '', /^the key of this worker process is not that of cluster c: it takes no step/);
    assert.equal(new Set(warnings).size, 1);
  });

  test('of another version says once, after 30 s, which versions of daemons it has heard of', async () => {
    const { order, taken, warnings, pass } = await open();
    order({ type: 'welcome', version: '1' });
    await pass(25);
    assert.deepEqual(warnings, []);
    await pass(60);
    assert.deepEqual(warnings, [
      'no daemon of version 2 was heard of in cluster c, only of version 1: this worker process waits for one',
    ]);
    assert.deepEqual(taken, []);
  });

  test('that hears of no daemon at all says so, and takes steps as soon as one is there', async () => {
    const { order, taken, warnings, pass } = await open();
    await pass(60);
    assert.deepEqual(warnings, ['no daemon of version 2 was heard of in cluster c: this worker process waits for one']);
    order({ type: 'welcome', version: '2' });
    assert.deepEqual(taken, ['c.steps.2']);
  });

  test('that is told to drain before a daemon has welcomed it takes no step', async () => {
    const { order, taken } = await open();
    order({ type: 'drain' });
    order({ type: 'welcome', version: '2' });
    await settled();
    assert.deepEqual(taken, []);
  });
});
