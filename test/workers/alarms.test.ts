import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallError } from '../../src/actor/errors.ts';
import { createSystem } from '../../src/actor/system.ts';
import { VirtualClock } from '../../src/clock.ts';
import { nothingQueued } from '../../src/engine/bullmq/queued-jobs.ts';
import type { WorkerProcess } from '../../src/engine/bullmq/worker-list.ts';
import { noBacklog } from '../../src/fetch/ledger/ledger-view.ts';
import { alarms, type AlarmsMessage } from '../../workers/alarms.ts';

const limits = { offline: 120_000, broken: 0.01, wait: 1_000, lasting: 300_000 };

function workerAt(heardAt: number): WorkerProcess {
  return {
    ...{ type: 'present', id: 'w', host: 'crow', pid: 1, version: '1', startedAt: 0, heardAt },
    ...{ concurrency: 4, active: [], processed: 0, failed: 0, isOnline: true, isDraining: false },
    ...{ takesSteps: true, queues: [] },
  };
}

test('a worker process that is silent for two minutes is told once, and once that it is over [S43]', async (t) => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const system = createSystem({ clock });
  const told: (readonly (string | undefined)[])[] = [];
  const worker = workerAt(clock.now());
  let workers: readonly WorkerProcess[] | undefined = [worker];
  const spawned = await system.spawn<AlarmsMessage>(
    (self) =>
      alarms(self, {
        clock,
        limits,
        async seen() {
          if (workers === undefined) throw new CallError('noproc', 'engine is not alive');
          return {
            queues: { kind: 'open' },
            workers,
            queued: nothingQueued,
            done: { steps: 0, broken: 0, waits: 0, waitedMs: 0 },
          };
        },
        backlog: () => noBacklog,
        save: async (symptoms) => told.push(symptoms.map((symptom) => symptom.worker)),
      }),
    { id: 'alarms' },
  );
  if (spawned.ok !== true) assert.fail('it did not start');
  t.after(() => system.exit(spawned.ref, 'shutdown'));
  const pass = async (looks: number): Promise<void> => {
    await system.idle();
    for (let look = 0; look < looks; look += 1) {
      clock.advance(15_000);
      await system.idle();
    }
  };
  await pass(7);
  assert.deepEqual(told, [[]]);
  workers = [{ ...worker, isOnline: false }];
  await pass(4);
  assert.deepEqual(told, [[], ['crow 1']]);
  // Without an engine nothing is known.
  workers = undefined;
  await pass(4);
  workers = [];
  await pass(4);
  assert.deepEqual(told, [[], ['crow 1'], []]);
});

test('turns that wait while no worker process takes steps are told; with one that does, they wait for its slots', async (t) => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const system = createSystem({ clock });
  const told: string[][] = [];
  let takesSteps = true;
  let isLeased = false;
  const spawned = await system.spawn<AlarmsMessage>(
    (self) =>
      alarms(self, {
        clock,
        limits,
        backlog: () => ({ turns: 3, oldestAt: Date.UTC(2026, 0, 1) }),
        seen: async () => ({
          queues: { kind: isLeased ? 'leased' : 'open', since: 0, holder: undefined },
          workers: [{ ...workerAt(clock.now()), takesSteps }],
          queued: nothingQueued,
          done: { steps: 0, broken: 0, waits: 0, waitedMs: 0 },
        }),
        save: async (symptoms) => told.push(symptoms.map(({ kind }) => kind)),
      }),
    { id: 'alarms' },
  );
  if (spawned.ok !== true) assert.fail('it did not start');
  t.after(() => system.exit(spawned.ref, 'shutdown'));
  const pass = async (looks: number): Promise<void> => {
    for (let look = 0; look < looks; look += 1) {
      clock.advance(15_000);
      await system.idle();
    }
  };
  await system.idle();
  await pass(30);
  assert.deepEqual(told, [[]]);
  takesSteps = false;
  await pass(30);
  assert.deepEqual(told, [[], ['workers_waiting']]);
  // Another daemon has its worker processes work for it.
  isLeased = true;
  await pass(30);
  assert.deepEqual(told, [[], ['workers_waiting'], []]);
});
