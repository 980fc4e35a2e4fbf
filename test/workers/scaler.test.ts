import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Registry } from '../../src/actor/registry.ts';
import { createSystem } from '../../src/actor/system.ts';
import { VirtualClock } from '../../src/clock.ts';
import { EngineSettings } from '../../src/definition/engine.ts';
import type { QueuesCondition } from '../../src/engine/bullmq/queues-watch.ts';
import { nothingQueued } from '../../src/engine/bullmq/queued-jobs.ts';
import type { WorkerProcess } from '../../src/engine/bullmq/worker-list.ts';
import { type KeptScale, scaler, type ScalerMessage, type WorkerChild } from '../../workers/scaler.ts';

/** A worker process that is only played. */
interface Played extends WorkerChild {
  readonly concurrency: number;
  readonly stopped: () => boolean;
  end(how: string): void;
}

/** Starts a scaler on a clock of its own, between these limits; it ends with the test. */
async function startScaler(
  t: TestContext,
  workers: object,
  {
    kept,
    canStart = () => true,
    first = { kind: 'open' },
  }: { readonly kept?: KeptScale; readonly canStart?: () => boolean; readonly first?: QueuesCondition } = {},
) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const system = createSystem({ clock });
  const { bullmq } = EngineSettings.parse({ bullmq: { url: 'redis://127.0.0.1', workers } });
  const started: Played[] = [];
  const told: number[] = [];
  const saved: KeptScale[] = kept === undefined ? [] : [kept];
  const warned: string[] = [];
  const stage = { turns: 0, since: 0, present: [] as readonly Partial<WorkerProcess>[], queues: first };
  const registry = new Registry<'scaler', ScalerMessage>();
  const spawned = await system.spawn<ScalerMessage>(
    (self) =>
      scaler(self, {
        clock,
        registry,
        settings: bullmq.workers,
        host: 'crow',
        load: () => saved.at(-1),
        async keep(scale, wanted) {
          saved.push(scale);
          if (wanted !== undefined) told.push(wanted.wanted);
        },
        backlog: () => ({ turns: stage.turns, oldestAt: stage.turns === 0 ? undefined : stage.since }),
        seen: async () => ({
          queues: stage.queues,
          queued: nothingQueued,
          done: { steps: 0, broken: 0, waits: 0, waitedMs: 0 },
          workers: stage.present.map(present),
        }),
        async start(concurrency) {
          if (!canStart()) throw new Error('no more processes');
          const { promise: ended, resolve: end } = Promise.withResolvers<string>();
          let isStopped = false;
          const stop = async (): Promise<void> => {
            isStopped = true;
            end('ended with status 0');
          };
          const child = { pid: started.length + 1, concurrency, ended, end, stop, stopped: () => isStopped };
          started.push(child);
          return child;
        },
        log: (level, what) => (level === 'warn' ? warned.push(what) : undefined),
      }),
    { id: 'scaler' },
  );
  if (spawned.ok !== true) assert.fail('the scaler did not start');
  const stop = (): Promise<unknown> => system.stop(spawned.ref, 'shutdown');
  t.after(() => system.exit(spawned.ref, 'shutdown'));
  await system.idle();
  return {
    ...{ clock, ref: spawned.ref, stage, started, told, saved, warned, stop },
    /** The pids of those that were started and are not to end. */
    running: () => started.filter(({ stopped }) => !stopped()).map(({ pid }) => pid),
    async pass(ms: number): Promise<void> {
      await system.idle();
      const until = clock.monotonic() + ms;
      while (clock.monotonic() < until) {
        clock.advance(Math.min(clock.next() ?? until, until) - clock.monotonic());
        await system.idle();
      }
    },
  };
}

function present(some: Partial<WorkerProcess>): WorkerProcess {
  return {
    ...{ type: 'present', id: 'w', host: 'crow', pid: 1, version: '1', startedAt: 0, heardAt: 0 },
    ...{ concurrency: 4, active: [], processed: 0, failed: 0, isOnline: true, isDraining: false },
    ...{ takesSteps: true, queues: [] },
    ...some,
  };
}

const pace = { concurrency: 4, late: '2s', addAfter: '10s', removeAfter: '1m' };

describe('the scaler', () => {
  test('starts no worker process where none is configured', async (t) => {
    const { started, stage, pass, told } = await startScaler(t, {});
    stage.turns = 100;
    await pass(600_000);
    assert.deepEqual([started, told], [[], [0]]);
  });

  test('starts as many as are wanted at least, more while turns are late, and ends the least busy while they are spare [P50]', async (t) => {
    const { started, running, stage, clock, pass, told } = await startScaler(t, { ...pace, min: 1, max: 4 });
    await pass(2_000);
    assert.deepEqual([running(), started[0]?.concurrency], [[1], 4]);
    stage.turns = 5;
    stage.since = clock.now();
    await pass(10_000);
    assert.deepEqual(running(), [1]);
    await pass(6_000);
    assert.deepEqual(running(), [1, 2]);
    await pass(12_000);
    assert.deepEqual(running(), [1, 2, 3, 4]);
    stage.turns = 0;
    stage.present = [1, 2, 3, 4].map((pid) => ({ id: `w${pid}`, pid, active: pid === 3 ? [] : ['s'] }));
    await pass(50_000);
    assert.deepEqual(running(), [1, 2, 3, 4]);
    await pass(14_000);
    assert.deepEqual(running(), [1, 2, 4]);
    stage.present = [1, 2, 4].map((pid) => ({ id: `w${pid}`, pid, active: pid === 1 ? [] : ['s'] }));
    await pass(62_000);
    assert.deepEqual(running(), [2, 4]);
    assert.deepEqual(told, [1, 2, 4, 3, 2]);
  });

  test('counts those alone that take its steps: one of another version, or that drains, has no slot for them', async (t) => {
    const { running, stage, clock, pass } = await startScaler(t, { ...pace, min: 2, max: 9 });
    stage.present = [
      { id: 'own', pid: 1, concurrency: 1 },
      { id: 'older', pid: 7, concurrency: 100, takesSteps: false },
    ];
    stage.turns = 9;
    stage.since = clock.now();
    await pass(16_000);
    // Each has one slot, not fifty.
    assert.deepEqual(running(), [1, 2, 3, 4]);
  });

  test('starts another in place of one that ends by itself, later each time that it ends soon', async (t) => {
    const { started, running, pass, warned } = await startScaler(t, { ...pace, min: 1, max: 1 });
    for (const pauseMs of [1_000, 2_000, 4_000]) {
      const before = started.length;
      started.at(-1)?.end('ended with status 1');
      await pass(pauseMs - 1);
      assert.equal(started.length, before);
      await pass(1);
      assert.equal(started.length, before + 1);
    }
    await pass(60_000);
    started.at(-1)?.end('was ended by SIGKILL');
    await pass(1_000);
    assert.deepEqual(running().length, 1 + warned.length);
    assert.deepEqual(warned, [
      'a worker process ended with status 1: another one is started in 1 s',
      'a worker process ended with status 1: another one is started in 2 s',
      'a worker process ended with status 1: another one is started in 4 s',
      'a worker process was ended by SIGKILL: another one is started in 1 s',
    ]);
  });

  test('tries again where no process can be started', async (t) => {
    let canStart = false;
    const { started, pass, warned } = await startScaler(t, { ...pace, min: 1, max: 1 }, { canStart: () => canStart });
    assert.deepEqual(warned, ['a worker process could not be started: another one is started in 1 s']);
    canStart = true;
    await pass(1_000);
    assert.equal(started.length, 1);
  });

  test('takes limits at run time, and keeps them and the number that is wanted over a restart [S28]', async (t) => {
    const first = await startScaler(t, { ...pace, min: 1, max: 2 });
    const set = { min: 2, max: 3 };
    const answer = await first.ref.ask((reply) => ({ type: 'limit', limits: set, reply }));
    assert.deepEqual(answer, { ...set, wanted: 2, own: 1, configured: { min: 1, max: 2 } });
    await first.pass(1);
    assert.deepEqual(first.running(), [1, 2]);
    const kept = first.saved.at(-1);
    assert.deepEqual(kept, { wanted: 2, limits: set });
    const second = await startScaler(t, { ...pace, min: 1, max: 2 }, { kept });
    assert.deepEqual(second.running(), [1, 2]);
    await second.ref.ask((reply) => ({ type: 'limit', limits: { min: 0, max: 1 }, reply }));
    assert.deepEqual(second.running(), [1]);
  });

  test('tells others how many are wanted, and starts none, where others start them', async (t) => {
    const { started, stage, clock, pass, told } = await startScaler(t, { ...pace, min: 1, max: 2, by: 'others' });
    stage.turns = 5;
    stage.since = clock.now();
    await pass(20_000);
    assert.deepEqual([started, told], [[], [1, 2]]);
  });

  test('goes back to the limits of the configuration, also for the next life', async (t) => {
    const set = { min: 3, max: 3 };
    const { ref, pass, running, saved } = await startScaler(
      t,
      { ...pace, min: 1, max: 2 },
      { kept: { wanted: 3, limits: set } },
    );
    assert.deepEqual(running(), [1, 2, 3]);
    const answer = await ref.ask((reply) => ({ type: 'limit', limits: undefined, reply }));
    assert.deepEqual(answer, { min: 1, max: 2, wanted: 2, own: 2 });
    await pass(1);
    assert.equal(running().length, 2);
    assert.deepEqual(saved.at(-1), { wanted: 2 });
  });

  test('wants none and tells nobody while another daemon has the lease, however much waits, and as many as are wanted once it has it', async (t) => {
    const leased = { kind: 'leased', since: 0, holder: 'crow pid 7' } as const;
    const { ref, stage, running, started, told, clock, pass } = await startScaler(
      t,
      { ...pace, min: 1, max: 4 },
      { first: { kind: 'opening' } },
    );
    const wanted = async () => Object(await ref.ask((reply) => ({ type: 'status', reply }))).wanted;
    stage.turns = 9;
    stage.since = clock.now();
    await pass(4_000);
    stage.queues = leased;
    await pass(60_000);
    assert.deepEqual([started, told, await wanted()], [[], [], 0]);
    stage.queues = { kind: 'open' };
    await pass(2_000);
    assert.deepEqual([running(), told, await wanted()], [[1], [1], 1]);
    stage.queues = leased;
    await pass(60_000);
    assert.deepEqual([running(), told, await wanted()], [[], [1], 0]);
    stage.queues = { kind: 'open' };
    await pass(2_000);
    assert.deepEqual([running(), told], [[2], [1, 1]]);
  });

  test('wants as many as before while the server of the queues is away', async (t) => {
    const { stage, running, told, clock, pass } = await startScaler(t, { ...pace, min: 1, max: 4 });
    stage.queues = { kind: 'unreached', since: 0, why: 'no server' };
    stage.turns = 9;
    stage.since = clock.now();
    await pass(60_000);
    assert.deepEqual([running(), told], [[1], [1]]);
  });

  test('ends all that it has started when it is stopped', async (t) => {
    const { running, stop } = await startScaler(t, { ...pace, min: 3, max: 3 });
    assert.equal(running().length, 3);
    await stop();
    assert.deepEqual(running(), []);
  });
});
