import { defined } from '../../defined.ts';
import type { WorkerProcess } from '../../engine/bullmq/worker-list.ts';
import type { StepEntry } from '../../view/step-entry.ts';
import { ControlError, invalidParam } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { WorkerView } from '../methods/worker.ts';
import type { Ports, ScrapesPort } from './ports.ts';
import { queuesView } from './queues.ts';

type Deps = Pick<Ports, 'scrapes' | 'daemon'>;

/** The most steps that are told of a worker process. */
const shown = 50;

/** Creates the handlers of the methods on worker processes. */
export function workerHandlers({
  scrapes,
  daemon,
}: Deps): Pick<Handlers, 'worker.list' | 'worker.scale' | 'worker.resize' | 'worker.drain' | 'worker.stop'> {
  return {
    'worker.list': async () => {
      const found = await scrapes.workers();
      return {
        engine: found === undefined ? 'local' : 'bullmq',
        ...defined({
          queued: found?.queued,
          queues: found && queuesView(found, daemon),
          scale: await scrapes.scale(),
        }),
        workers: viewsOf(found?.workers ?? [], scrapes.steps.live()),
      };
    },
    'worker.scale': async ({ reset, ...wish }) => {
      const before = await scrapes.scale();
      if (before === undefined) throw noScale();
      if (reset !== true && Object.keys(wish).length === 0) return before;
      if (reset === true && Object.keys(wish).length > 0)
        throw invalidParam('reset', 'expected no other limits with it: it goes back to those of the configuration');
      const { min, max } = { min: before.min, max: before.max, ...wish };
      if (min > max) throw invalidParam('min', `expected at most ${max}, as many as are wanted at most, got ${min}`);
      const after = await scrapes.setScale(reset === true ? undefined : { min, max });
      if (after === undefined) throw noScale();
      return after;
    },
    'worker.resize': async ({ id, concurrency }) => {
      const found = await scrapes.workers();
      if (found?.workers.some((worker) => worker.id === id && worker.isDraining))
        throw new ControlError(
          'conflict',
          `worker process "${id}" is draining, and takes no further step until it ends: stop it, and start another one`,
        );
      return tell(id, { type: 'resize', concurrency });
    },
    'worker.drain': ({ id }) => tell(id, { type: 'drain' }),
    'worker.stop': ({ id }) => tell(id, { type: 'stop' }),
  };

  async function tell(id: string, order: Parameters<ScrapesPort['orderWorker']>[1]): Promise<{ readonly id: string }> {
    const result = await scrapes.orderWorker(id, order);
    if (result === 'unknown') throw new ControlError('not_found', `no worker process "${id}"`);
    if (result === 'untold') throw new ControlError('not_ready', 'the server of the queues cannot be reached now');
    return { id };
  }
}

function noScale(): ControlError {
  return new ControlError(
    'conflict',
    'the daemon asks for no worker processes: it runs steps itself, or scrapes nothing',
  );
}

/** The worker processes in the order of their starts, each with what it runs of the steps that are under way, of which the newest come first. */
function viewsOf(workers: readonly WorkerProcess[], live: Iterable<StepEntry>): readonly WorkerView[] {
  const running = Map.groupBy(live, ({ state, worker }) => (state === 'running' ? worker : undefined));
  return workers
    .map((worker) => viewOf(worker, (running.get(worker.id) ?? []).toReversed().slice(0, shown)))
    .sort((a, b) => a.startedAt - b.startedAt);
}

function viewOf(process: WorkerProcess, steps: readonly StepEntry[]): WorkerView {
  const { id, host, pid, version, startedAt, heardAt, queues, perMinute, ...worker } = process;
  const { isOnline, isDraining, concurrency, active, processed, failed } = worker;
  return {
    ...{ id, host, pid, version, startedAt: Math.round(startedAt), heardAt: Math.round(heardAt) },
    ...{ online: isOnline, draining: isDraining, queues, concurrency, active: active.length, steps, processed, failed },
    ...(perMinute && {
      perMinute: { processed: hundredths(perMinute.processed), failed: hundredths(perMinute.failed) },
    }),
  };
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
