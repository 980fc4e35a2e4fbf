import type { BullQueue, Process, QueueServer, RelayedMessage } from '../../../src/engine/bullmq/queue-server.ts';

/** What a played queue does in place of holding nothing. */
export type PlayedQueue = { readonly [K in keyof BullQueue]?: (...args: never[]) => Promise<unknown> };

/** A queue that holds nothing. */
export function playedQueue(played: PlayedQueue = {}): BullQueue {
  const empty = {
    add: async () => undefined,
    clean: async () => [],
    drain: async () => undefined,
    getActive: async () => [],
    getFailed: async () => [],
    getJob: async () => undefined,
    getJobCounts: async () => ({}),
    getJobState: async () => 'unknown',
    getWaiting: async () => [],
    remove: async () => 0,
  };
  return { ...empty, ...played } as unknown as BullQueue;
}

/** A worker of BullMQ that takes no job. */
export const takesNothing = {
  close: async () => undefined,
  concurrency: 1,
  pause: async () => undefined,
  startStalledCheckTimer: async () => undefined,
};

/** A server of queues in this process, which passes on nothing and has the lease for everyone. */
export function playedServer(more: Partial<QueueServer> & { readonly queue?: PlayedQueue } = {}) {
  const published: RelayedMessage[] = [];
  const processes = new Map<string, Process>();
  const listeners: { readonly pattern: string; listener(message: RelayedMessage): void }[] = [];
  const { queue, ...server } = more;
  const played: QueueServer = {
    openQueue: () => playedQueue(queue),
    openWorker(name, process) {
      if (process !== undefined) processes.set(name, process);
      return takesNothing;
    },
    openRelay: async () => ({
      publish: async (topic, data) => void published.push({ topic, data }),
      subscribe: async (pattern, listener) => void listeners.push({ pattern, listener }),
    }),
    now: async () => Date.now(),
    takeLease: async () => 1,
    leaseHolder: async () => undefined,
    close: async () => undefined,
    ...server,
  };
  /** Passes a message on to those who listen. */
  const pass = (message: RelayedMessage): void => {
    for (const { pattern, listener } of listeners)
      if (pattern === message.topic || (pattern.endsWith('*') && message.topic.startsWith(pattern.slice(0, -1))))
        listener(message);
  };
  /** Has a job of a queue taken by the worker that was opened for it. */
  const take = (queue: string, job: Parameters<Process>[0]): Promise<void> | undefined =>
    processes.get(queue)?.(job, new AbortController().signal);
  return { server: played, published, pass, take };
}
