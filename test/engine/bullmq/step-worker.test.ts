import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { VirtualClock } from '../../../src/clock.ts';
import { Cluster } from '../../../src/engine/bullmq/cluster.ts';
import type { Process } from '../../../src/engine/bullmq/queue-server.ts';
import { StepWorker } from '../../../src/engine/bullmq/step-worker.ts';
import { playedQueue, playedServer, takesNothing } from './played-server.ts';
import { played, stepOf } from './played-steps.ts';

const cluster = new Cluster({ name: 'c', version: '1', key: new Uint8Array(32).fill(1) });

/** A step worker whose results are added by `add`, and what it does with a step. */
async function open(t: TestContext, add: (id: string) => Promise<void>) {
  const clock = new VirtualClock(Date.now());
  const processes: Process[] = [];
  const warnings: string[] = [];
  const { server, pass: relay } = playedServer({
    now: async () => clock.now(),
    openQueue: () => playedQueue({ add: (_name: string, _text: string, { jobId }: { jobId: string }) => add(jobId) }),
    openWorker(_name, process) {
      if (process !== undefined) processes.push(process);
      return takesNothing;
    },
  });
  await StepWorker.open(server, {
    ...{ clock, cluster, concurrency: 1, run: played, runAlone: played },
    self: { id: 'w1', host: 'crow', pid: 1, startedAt: 0 },
    stop: () => assert.fail('stop'),
    warn: (what) => void warnings.push(what),
  });
  const welcome = { number: clock.now() * 1_000, message: { type: 'welcome', version: '1' } };
  relay({ topic: 'order.w1', data: cluster.seal('order', 'w1', welcome) });
  const job = { step: stepOf('/a'), key: 'a', sendBy: clock.now() + 14_000, dispatchedAt: clock.now() };
  const running = processes[0]?.({ id: 'a', data: cluster.seal('job', 'a', job) }, t.signal);
  assert.ok(running);
  /** Has so many seconds pass, one by one. */
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1_000);
      await settled();
    }
  };
  await settled();
  return { running, warnings, pass };
}

test('a result that the queue did not take, as its server was just started anew, is given to it once more', async (t) => {
  const added: string[] = [];
  const { running, warnings, pass } = await open(t, async (id) => {
    added.push(id);
    if (added.length < 3) throw new Error('the connection was closed');
  });
  await pass(2);
  await running;
  assert.deepEqual(added, ['a', 'a', 'a']);
  assert.equal(new Set(warnings).size, 1);
});

test('a result that the queue does not take for as long as its step is known to run is lost', async (t) => {
  let tries = 0;
  const { running, pass } = await open(t, async () => {
    tries += 1;
    throw new Error('the connection was closed');
  });
  const lost = assert.rejects(running, /was closed/);
  await pass(20);
  await lost;
  assert.equal(tries, 16);
});
