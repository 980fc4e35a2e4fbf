import type { QueuesView } from '../../view/queues.ts';
import type { DaemonPort, RemoteWorkers } from './ports.ts';

/** Returns the view of the queues, and of the worker processes that take steps from them. */
export function queuesView({ queues, workers, startsWorkers }: RemoteWorkers, daemon: DaemonPort): QueuesView {
  const { version } = daemon.identity;
  const online = workers.filter(({ isOnline }) => isOnline);
  const isOther = (worker: { readonly version: string }): boolean => worker.version !== version;
  const seen = {
    taking: workers.filter(({ takesSteps }) => takesSteps).length,
    idle: {
      versions: online.filter(isOther).map((worker) => worker.version),
      draining: online.filter((worker) => worker.isDraining && !isOther(worker)).length,
      away: workers.length - online.length,
    },
  };
  switch (queues.kind) {
    case 'opening':
      return { state: 'opening', ...seen };
    case 'unreached':
      return { state: 'unreached', since: Math.round(queues.since), why: queues.why, ...seen };
    case 'leased': {
      const { since, holder } = queues;
      return { state: 'leased', since: Math.round(since), ...(holder !== undefined && { holder }), ...seen };
    }
    case 'open': {
      const { unattendedSince } = queues;
      if (unattendedSince === undefined) return { state: 'ready', ...seen };
      const state = startsWorkers && daemon.waiting.backlog().turns === 0 ? 'idle' : 'unattended';
      return { state, since: Math.round(unattendedSince), ...seen };
    }
    default:
      return queues satisfies never;
  }
}
