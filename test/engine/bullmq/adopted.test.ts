import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { VirtualClock } from '../../../src/clock.ts';
import { Cluster } from '../../../src/engine/bullmq/cluster.ts';
import { Dispatcher } from '../../../src/engine/bullmq/dispatcher.ts';
import type { StepJob, StepResult } from '../../../src/engine/bullmq/protocol.ts';
import type { Process } from '../../../src/engine/bullmq/queue-server.ts';
import { stepKey } from '../../../src/engine/bullmq/step-key.ts';
import { type StepOutcome, TurnUnused } from '../../../src/engine/step.ts';
import { playedQueue, playedServer } from './played-server.ts';
import { stepOf } from './played-steps.ts';

const cluster = new Cluster({ name: 'c', version: '1', key: new Uint8Array(32).fill(1) });
const turn = {
  key: 'http://site.test',
  number: 5,
  policy: { concurrency: 1, delayMs: 0, minDelayMs: 0 },
  sentMs: 60_000,
};
const step = { ...stepOf('/a'), turn };
const key = stepKey(step);
const never = new AbortController().signal;

function failedWith(code: string): StepResult {
  const outcome = { kind: 'failed', failure: { code, message: code }, at: Date.now(), elapsedMs: 5, bytes: 0 } as const;
  return { worker: 'w1', key, wasSent: true, kind: 'ended', outcome };
}

/** A daemon's next life on a server where the last one left this. */
async function open(t: TestContext, left: { readonly runs?: boolean; readonly result?: StepResult }) {
  const job: StepJob = { step, key, sendBy: Date.now() + 10_000, dispatchedAt: Date.now() };
  const jobs = left.runs === true ? [{ id: '1-a', data: cluster.seal('job', '1-a', job) }] : [];
  const results = left.result === undefined ? [] : [{ id: '1-a', data: cluster.seal('result', '1-a', left.result) }];
  const added: string[] = [];
  const told: string[] = [];
  let take: Process = () => assert.fail('no results are taken');
  const { server } = playedServer({
    takeLease: async () => 2,
    openQueue: (name) =>
      name === cluster.steps
        ? playedQueue({
            getActive: async () => jobs,
            add: async (_name: string, _text: string, { jobId }: { readonly jobId: string }) => void added.push(jobId),
          })
        : playedQueue({ getWaiting: async () => results }),
    openWorker(name, process) {
      if (name === cluster.results && process !== undefined) take = process;
      return {
        close: async () => undefined,
        concurrency: 1,
        pause: async () => undefined,
        startStalledCheckTimer: async () => undefined,
      };
    },
  });
  const dispatcher = await Dispatcher.open(
    server,
    {
      ...{ clock: new VirtualClock(Date.now()), cluster, holder: 'daemon', forgetAfterMs: 60_000 },
      credited: () => undefined,
      superseded: () => assert.fail('superseded'),
      warn: (problem, error) => assert.fail(`${problem}: ${String(error)}`),
      turns: {
        adopted: ({ number }) => void told.push(`adopted ${number}`),
        ended: ({ number }, outcome?: StepOutcome) => void told.push(`ended ${number} ${outcome?.kind}`),
      },
    },
    t.signal,
  );
  t.after(() => dispatcher.close());
  return {
    ...{ dispatcher, added, told },
    /** Has the worker process tell what became of the step. */
    end: (result: StepResult): Promise<void> =>
      take({ id: '1-a', data: cluster.seal('result', '1-a', result) }, new AbortController().signal),
  };
}

describe('what an earlier life of the daemon left', () => {
  test('answers who asks for the same where it is what the site gave, though that is a failure', async (t) => {
    const { dispatcher, added } = await open(t, { result: failedWith('status') });
    const outcome = await dispatcher.run(step, never, () => assert.fail('sent'));
    assert.deepEqual([outcome.kind === 'failed' && outcome.failure.code, outcome.isOfEarlierTurn], ['status', true]);
    assert.deepEqual(added, []);
  });

  for (const [what, result] of [
    ['was cancelled', failedWith('cancelled')],
    ['was given back unsent', { worker: 'w1', key, wasSent: false, kind: 'unused' }],
  ] as const)
    test(`answers nobody where its step ${what}: the site is asked`, async (t) => {
      const { dispatcher, added, end } = await open(t, { result });
      void dispatcher.run(step, never, () => undefined).catch(() => undefined);
      await settled();
      assert.equal(added.length, 1);
      // Its queue need not keep it.
      await end(result);
    });

  test('has who asks for the same wait for another turn where its step runs, but was cancelled; its own turn ends then', async (t) => {
    const { dispatcher, end, told } = await open(t, { runs: true });
    const running = assert.rejects(
      dispatcher.run(step, never, () => assert.fail('sent')),
      TurnUnused,
    );
    await end(failedWith('cancelled'));
    await running;
    assert.deepEqual(told, ['adopted 5', 'ended 5 failed']);
  });

  test('ends as cancelled where who asked for the same has cancelled it by then', async (t) => {
    const { dispatcher, end } = await open(t, { runs: true });
    const cancelled = new AbortController();
    const running = dispatcher.run(step, cancelled.signal, () => assert.fail('sent'));
    cancelled.abort();
    await end(failedWith('cancelled'));
    const outcome = await running;
    assert.equal(outcome.kind === 'failed' && outcome.failure.code, 'cancelled');
  });

  test('is not kept for who asks for the same later where its step runs, but was cancelled', async (t) => {
    const { dispatcher, end, added } = await open(t, { runs: true });
    await end(failedWith('cancelled'));
    void dispatcher.run(step, never, () => undefined).catch(() => undefined);
    await settled();
    assert.equal(added.length, 1);
  });
});
