import { atMost, closingMs } from './at-most.ts';
import type { LeaseHolder } from './lease.ts';
import type { Queue, Worker, WorkerOptions } from 'bullmq';

/** How long the lock of a job outlives the process that had it, and how often lost ones are looked for, in ms. */
export const lockMs = 15_000;
export const checkMs = 5_000;

/** A queue of BullMQ, whatever keeps it. Its jobs are texts. */
export type BullQueue = Pick<
  Queue<string, void>,
  | 'add'
  | 'clean'
  | 'drain'
  | 'getActive'
  | 'getFailed'
  | 'getJob'
  | 'getJobCounts'
  | 'getJobState'
  | 'getWaiting'
  | 'remove'
>;

/** What takes jobs of a queue and processes them. */
export type BullWorker = Pick<Worker<string, void>, 'close' | 'concurrency' | 'pause' | 'startStalledCheckTimer'>;

/** A message that was passed on. */
export interface RelayedMessage {
  readonly topic: string;
  readonly data: unknown;
}

/** What passes messages on at once, to whoever listens just then. */
export interface BullRelay {
  publish(topic: string, data: string): Promise<unknown>;
  subscribe(pattern: string, listener: (message: RelayedMessage) => void): Promise<unknown>;
}

/** Processes a job. A job whose processing rejects has failed. The signal fires when the job is cancelled on its worker. */
export type Process = (job: { readonly id: string; readonly data: string }, signal: AbortSignal) => Promise<void>;

export type BullWorkerOptions = Omit<WorkerOptions, 'connection'>;

/** The server that keeps the queues, and the connections to it. */
export interface QueueServer {
  openQueue(name: string): BullQueue;
  /** @param process - missing for a worker that takes no job, and checks for lost ones alone. */
  openWorker(name: string, process: Process | undefined, options: BullWorkerOptions): BullWorker;
  /** Resolves when messages are passed on. */
  openRelay(namespace: string): Promise<BullRelay>;
  /** The server's wall time, in ms. */
  now(): Promise<number>;
  /**
   * Takes or renews the lease on a cluster for `ms`. Resolves with its epoch, which rises with each life that takes it; `undefined` while another
   * holder has it.
   */
  takeLease(cluster: string, holder: LeaseHolder, ms: number): Promise<number | undefined>;
  /** Resolves with who took the lease on a cluster last; with `undefined` where nobody did. */
  leaseHolder(cluster: string): Promise<LeaseHolder | undefined>;
  /** Closes what was opened on it, then the connections. Jobs that are processed are not waited for. */
  close(): Promise<void>;
}

export interface QueueServerOptions {
  /** Told of each error of a connection, which is made again by itself. */
  failed(error: Error): void;
  /** Whether tables are made or brought up to date where the server needs some. Without it, old or missing ones are an error. */
  readonly migrate: boolean;
}

/** What BullMQ calls for a job. */
export function processorOf(process: Process | undefined) {
  return (
    process &&
    ((job: { readonly id?: string; readonly data: string }, _token?: string, signal?: AbortSignal) =>
      process({ id: job.id ?? '', data: job.data }, signal ?? new AbortController().signal))
  );
}

/** What tells errors, and is closed; workers of BullMQ wait for the jobs that they process unless they are forced. */
interface Closable {
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(force?: boolean): Promise<void>;
}

/** What tells that it was closed. */
interface ClosedTeller {
  on(event: 'closed', listener: () => void): unknown;
}

/** All that is open on a server. */
export class Opened {
  readonly #failed: (error: Error) => void;
  readonly #all = new Set<Closable>();
  #isClosed = false;

  /** @param failed - told of the errors of all. */
  constructor(failed: (error: Error) => void) {
    this.#failed = failed;
  }

  /** Closes what is added only after `close`. */
  add<T extends Closable>(opened: T): T {
    opened.on('error', this.#failed);
    if (this.#isClosed) opened.close(true).catch(this.#failed);
    else this.#all.add(opened);
    return opened;
  }

  /** Adds a worker of BullMQ as `add` does, and forgets it once it is closed, as it may be sooner than all. */
  addWorker<T extends Closable & ClosedTeller>(opened: T): T {
    opened.on('closed', () => void this.#all.delete(opened));
    return this.add(opened);
  }

  /**
   * Closes all, once. What a server that is away keeps from closing is left after some seconds.
   *
   * @param end - ends further connections meanwhile.
   */
  async close(end?: () => Promise<void>): Promise<void> {
    this.#isClosed = true;
    const closing = Array.from(this.#all, (each) => each.close(true));
    await atMost(closingMs, Promise.allSettled([...closing, end?.()]));
  }
}
