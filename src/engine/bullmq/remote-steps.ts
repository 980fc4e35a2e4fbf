import { durationText } from '../../time-text.ts';
import type { RunStep } from '../step.ts';
import { countSteps, type StepCounts } from './count-steps.ts';
import { Dispatcher, type Ordered } from './dispatcher.ts';
import type { DispatcherDeps } from './dispatcher-deps.ts';
import { nothingQueued, type QueuedJobs } from './queued-jobs.ts';
import type { Order } from './protocol.ts';
import { Cluster } from './cluster.ts';
import type { WorkerProcess } from './worker-list.ts';
import { openOnServer, plainWarn, type Queues } from './open-on-server.ts';
import { type QueuesCondition, QueuesWatch } from './queues-watch.ts';
import { unlessAborted } from './unless-aborted.ts';

/** Steps that worker processes run. */
export interface RemoteSteps {
  readonly run: RunStep;
  state(): RemoteState;
  /** Tells that what an outcome brought is written, by its receipt. */
  acknowledge(receipt: string): void;
  /** Tells a worker process what to do. */
  order(worker: string, order: Order): Promise<Ordered>;
  /** Ends the connections; steps that run reject. */
  close(): Promise<void>;
}

/** Whether the queues can be used, the worker processes that were heard of, and what stands in the queues. */
export interface RemoteState {
  readonly queues: QueuesCondition;
  readonly workers: readonly WorkerProcess[];
  readonly queued: QueuedJobs;
  /** What has become of steps since the engine began. */
  readonly done: StepCounts;
}

/** The dependencies of remote steps. */
export interface RemoteStepsDeps extends Omit<DispatcherDeps, 'cluster' | 'superseded' | 'watch'> {
  /** The version of the program. */
  readonly version: string;
  /** Called with a sentence on what is well again, for the log. */
  info(what: string): void;
}

/** Begins to hand steps to worker processes. Steps wait until the server of the queues is reached, and while another daemon uses them. */
export function openRemoteSteps(queues: Queues, deps: RemoteStepsDeps, signal: AbortSignal): RemoteSteps {
  const { clock, version } = deps;
  const cluster = new Cluster({ name: queues.cluster, version, key: queues.key });
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  const warn = plainWarn({ warn: deps.warn, clock, ending: either });
  const watch = new QueuesWatch(clock, (awayMs) =>
    deps.info(`the queues are reached again, after ${durationText(awayMs)}`),
  );
  const reach = {
    ...{ address: () => queues.address(), migrate: true, monotonic: () => clock.monotonic(), warn },
    failed: (error: unknown) => watch.failed(error),
  };
  let dispatcher: Dispatcher | undefined;
  let opening = open();
  const counted = countSteps(
    async (step, signal, ...told) => {
      const { opened } = await unlessAborted(opening, signal);
      return opened.run(step, signal, ...told);
    },
    () => clock.monotonic(),
  );

  return {
    run: counted.run,
    state: () => ({
      queues: watch.condition,
      workers: dispatcher?.workers() ?? [],
      queued: dispatcher?.queued() ?? nothingQueued,
      done: counted.counts(),
    }),
    acknowledge: (receipt) => dispatcher?.acknowledge(receipt),
    order: async (worker, order) => (await dispatcher?.order(worker, order)) ?? 'untold',
    async close() {
      ending.abort(new Error('the engine ended'));
      const open = await opening.catch(() => undefined);
      await open?.opened.close();
      await open?.server.close();
    },
  };

  function open(): ReturnType<typeof openOnServer<Dispatcher>> {
    const dispatcherDeps = { ...deps, warn, cluster, superseded, watch, credited };
    const opened = openOnServer(reach, (server) => Dispatcher.open(server, dispatcherDeps, either), either);
    opened.then(
      (found) => {
        dispatcher = found.opened;
      },
      (error: unknown) => {
        if (either.aborted) return;
        watch.failed(error);
        warn('no step can be handed to worker processes', error);
      },
    );
    return opened;
  }

  function credited(steps: number): void {
    watch.credited(steps);
    deps.credited(steps);
  }

  /** Leaves the queues to the other daemon, and waits for them again. */
  function superseded(): void {
    dispatcher = undefined;
    watch.begin();
    opening = opening.then(({ server }) => server.close()).then(open);
  }
}
