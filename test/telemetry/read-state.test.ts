import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sink } from '../../src/definition/sink.ts';
import type { DaemonStatus } from '../../src/control/methods/daemon.ts';
import type { WorkerView } from '../../src/control/methods/worker.ts';
import type { QueuesView } from '../../src/view/queues.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { status } from '../control/status.ts';
import { temporaryStore, track } from '../store/fixture.ts';

test('the state of the daemon is read when it is asked for: its engine, what waits longest, and what sinks have not taken', async (t) => {
  const { store } = await temporaryStore(t);
  const sinks = ['one', 'two'].map((id) =>
    Sink.parse({ id, webhook: { url: 'https://hooks.example/secret' }, from: 'all' }),
  );
  await store.write(() => {
    for (const { id } of sinks) store.cursors.putNew(id, { serial: store.events.last() });
  });
  await track(store, 'solar');
  const now = 100_000;
  const offers = [{ waitFor: 'gap', offers: 2, oldestAt: now - 7_000 }] as const;
  const worker: Omit<WorkerView, 'id'> = {
    ...{ host: 'crow', pid: 4711, version: '1.0.0', startedAt: 1_000, heardAt: 2_000 },
    ...{ online: true, draining: false, concurrency: 16, active: 3, processed: 40, failed: 2, queues: [], steps: [] },
  };
  const metrics = createMetrics();
  metrics.watchSteps(() => Promise.reject(new Error('expected no step')));
  let backup: DaemonStatus['backup'];
  let queues: Pick<QueuesView, 'state'> | undefined;
  const read = async (isOnline: boolean, processes: readonly WorkerView[] = []) => {
    const text = await metrics.read({
      now: () => now,
      status: () => ({
        ...status,
        startedAt: now - 9_000,
        backup,
        offers,
        backlog: { turns: 3, oldestAt: now - 2_000 },
        ...(queues && { queues: { ...queues, taking: 1, idle: { versions: [], draining: 0, away: 0 } } }),
      }),
      store: () => store,
      workers: () => ({
        engine: 'bullmq',
        workers: processes,
        queued: { waiting: 2, active: 1, failed: 0, ended: 0 },
        scale: { min: 1, max: 4, wanted: 3, by: 'daemon', own: 3 },
      }),
      sinks: () => sinks,
      isOnline: () => isOnline,
      prefetched: () => 3,
      streams: () => 0,
    });
    return text
      .split('\n')
      .filter((line) =>
        /^heronry_(?:worker|offers\{wait_for="gap|oldest\w+\{wait_for="g|outbox|queued|queues|backup|backlog|oldest_backlog)/.test(
          line,
        ),
      );
  };
  const crowd = [
    { ...worker, id: 'w1' },
    { ...worker, id: 'w2', online: false },
  ];
  const events = store.events.last();
  assert.ok(events > 0);
  assert.deepEqual(await read(true, crowd), [
    'heronry_offers{wait_for="gap"} 2',
    'heronry_oldest_offer_seconds{wait_for="gap"} 7',
    'heronry_backlog_turns 3',
    'heronry_oldest_backlog_seconds 2',
    `heronry_outbox_events{kind="webhook"} ${2 * events}`,
    'heronry_queued_steps{state="waiting"} 2',
    'heronry_queued_steps{state="active"} 1',
    'heronry_queued_steps{state="failed"} 0',
    'heronry_queued_steps{state="ended"} 0',
    'heronry_outbox_messages{kind="webhook",state="parked"} 0',
    'heronry_outbox_messages{kind="webhook",state="dead"} 0',
    'heronry_workers_wanted 3',
    'heronry_workers_min 1',
    'heronry_workers_max 4',
    'heronry_worker_online{worker="w1"} 1',
    'heronry_worker_online{worker="w2"} 0',
    'heronry_worker_online{worker="local"} 1',
    'heronry_worker_concurrency{worker="w1"} 16',
    'heronry_worker_concurrency{worker="w2"} 16',
    'heronry_worker_pages_prefetched{worker="local"} 3',
    'heronry_worker_steps_running{worker="local"} 0',
    'heronry_worker_steps_running{worker="w1"} 3',
    'heronry_worker_steps_running{worker="w2"} 0',
  ]);
  assert.ok((await read(false)).includes('heronry_worker_online{worker="local"} 0'));
  backup = {};
  assert.equal((await read(true))[0], 'heronry_backup_age_seconds 9');
  backup = { upToAt: now - 3_000, failure: 'the folder is gone' };
  assert.equal((await read(true))[0], 'heronry_backup_age_seconds 3');
  for (const [state, ready] of [
    ['ready', 1],
    ['idle', 1],
    ['opening', 0],
    ['unreached', 0],
    ['leased', 0],
    ['unattended', 0],
  ] as const) {
    queues = { state };
    assert.equal((await read(true))[0], `heronry_queues_ready ${ready}`);
  }
});
