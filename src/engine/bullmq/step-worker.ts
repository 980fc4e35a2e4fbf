import type { Clock } from '../../clock.ts';
import { defined } from '../../defined.ts';
import { errorText, type RunStep, type StepOutcome, TurnUnused } from '../step.ts';
import { Admission } from './admission.ts';
import { atMost, closingMs } from './at-most.ts';
import { Channel } from './channel.ts';
import { BrokenSeal, type Cluster, MessageTooLarge } from './cluster.ts';
import { type BullQueue, checkMs, lockMs, type QueueServer } from './queue-server.ts';
import { allWorkers, Order, type Presence, StepJob, type StepResult, unopened } from './protocol.ts';
import { repeat } from './repeat.ts';
import { ServerTime } from './server-time.ts';
import { Takers } from './takers.ts';

/** How long it may take to say that it leaves, in ms. */
const leaveMs = 2_000;

/** How often a worker process says that it is there, in ms. */
const toldEveryMs = 5_000;

/** The pause before a result that its queue did not take is given to it again, in ms. */
const handAgainMs = 1_000;

/** The dependencies of a step worker. */
export interface StepWorkerDeps {
  readonly clock: Clock;
  readonly cluster: Cluster;
  /** What it is, as it tells the daemon. */
  readonly self: Pick<Presence, 'id' | 'host' | 'pid' | 'startedAt'>;
  /** The number of steps that it runs at a time. */
  readonly concurrency: number;
  /** Runs a step in this process; its instants are by `now`, the time of the queues' server. */
  readonly run: (now: () => number) => RunStep;
  /** Runs a step in a process of its own, which it may end; its instants are by `now`. */
  readonly runAlone: (now: () => number) => RunStep;
  /** Called once, when it begins to take steps. */
  begun?(): void;
  /** Called when the daemon wants the process to end in order. */
  stop(): void;
  warn(what: string, error?: unknown): void;
}

/** Why the steps of a worker process are cut that ends. */
const stopping = new Error('the worker process stops');

/** Takes steps from the queue, runs them in this process, and tells what came of them. */
export class StepWorker {
  readonly #deps: StepWorkerDeps;
  readonly #results: BullQueue;
  readonly #time: ServerTime;
  readonly #channel: Channel;
  readonly #run: RunStep;
  readonly #runAlone: RunStep;
  readonly #admission: Admission;
  readonly #openTakers: () => Takers;
  /** Missing until a daemon has welcomed it. */
  #takers: Takers | undefined;
  readonly #active = new Map<string, AbortController>();
  /** The steps that run, without those whose results are only to be put into the queue. */
  readonly #running = new Set<Promise<StepResult>>();
  /** Until when each step that was taken lately could be sent; whoever holds the queues may add it again. */
  readonly #taken = new Map<string, number>();
  #concurrency: number;
  #processed = 0;
  #failed = 0;
  #isDraining = false;
  #isClosed = false;
  /** Ends the reports. */
  #silence: (() => void) | undefined;

  private constructor(deps: StepWorkerDeps, server: QueueServer, time: ServerTime, channel: Channel) {
    const { clock, cluster, self, warn } = deps;
    this.#deps = deps;
    this.#results = server.openQueue(cluster.results);
    const open = (slots: number) =>
      server.openWorker(cluster.steps, ({ id, data }) => this.#process(id, data), {
        name: self.id,
        concurrency: slots,
        lockDuration: lockMs,
        // All checks share one pause.
        stalledInterval: checkMs,
        maxStalledCount: 0,
      });
    this.#openTakers = () => new Takers(this.#concurrency, open, (error) => warn('a slot cannot be given up', error));
    const admitted = (): void => this.#admitted();
    this.#admission = new Admission({ cluster, warn, admitted, monotonic: () => clock.monotonic() });
    this.#time = time;
    this.#channel = channel;
    this.#run = deps.run(() => time.now());
    this.#runAlone = deps.runAlone(() => time.now());
    this.#concurrency = deps.concurrency;
  }

  /** Begins to take steps once a daemon of its version has welcomed it. Rejects when the server of the queues cannot be used. */
  static async open(server: QueueServer, deps: StepWorkerDeps): Promise<StepWorker> {
    const { clock, cluster, self, warn } = deps;
    const time = new ServerTime(
      () => server.now(),
      () => clock.monotonic(),
    );
    await time.measure();
    const channel = new Channel(await server.openRelay(cluster.name), cluster, time);
    const worker = new StepWorker(deps, server, time, channel);
    for (const addressed of [self.id, allWorkers])
      await channel.hear('order', addressed, {
        told: (_, message) => worker.#ordered(Order.parse(message)),
        refused: (error) => worker.#admission.refused(error),
      });
    await worker.#tell();
    worker.#silence = repeat(
      clock,
      toldEveryMs,
      () => {
        worker.#admission.look();
        return worker.#tell();
      },
      (error) => warn('the daemon is not told that this worker process is there', error),
    );
    return worker;
  }

  /** Takes no further step, lets those end that run, and hands back what runs longer. A server that is away is waited for some seconds more. */
  async close(withinMs: number): Promise<void> {
    const { clock, self, warn } = this.#deps;
    const late = clock.at(clock.monotonic() + withinMs, () => {
      for (const running of this.#active.values()) running.abort(stopping);
    });
    // A server that is away keeps nothing from ending.
    void this.#drain().catch((error: unknown) => warn('the daemon is not told that this worker process ends', error));
    const isThere = await this.#ended(this.#takers?.close() ?? Promise.resolve());
    clock.cancel(late);
    this.#isClosed = true;
    this.#silence?.();
    if (isThere) await atMost(leaveMs, this.#channel.tell('report', self.id, { type: 'left' }));
  }

  /** Waits until no step runs and none can be taken, which `closed` says. Resolves with whether the server has answered. */
  async #ended(closed: Promise<void>): Promise<boolean> {
    for (;;) {
      await Promise.race([closed, Promise.allSettled(this.#running)]);
      if (await atMost(closingMs, closed)) return true;
      if (this.#running.size === 0) return false;
    }
  }

  async #process(id: string, data: string): Promise<void> {
    const running = new AbortController();
    this.#active.set(id, running);
    try {
      const job = this.#opened(id, data);
      this.#take(id, job.sendBy);
      const result = await this.#counted(this.#resultOf(id, job, running.signal));
      await this.#hand(id, this.#sealed(id, result));
      this.#processed += 1;
      if (result.kind !== 'ended' || result.outcome.kind === 'failed') this.#failed += 1;
    } finally {
      this.#active.delete(id);
    }
  }

  #opened(id: string, data: string): StepJob {
    try {
      return StepJob.parse(this.#deps.cluster.open('job', id, data));
    } catch (cause) {
      // The daemon knows by it that nothing was sent.
      throw new Error(unopened, { cause });
    }
  }

  async #counted(running: Promise<StepResult>): Promise<StepResult> {
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /**
   * Puts a result into its queue. PostgreSQL refuses it where the connection was just lost: it is tried again for as long as the step may not have been taken
   * for lost. Rejects as the queue does then.
   */
  async #hand(id: string, sealed: string): Promise<void> {
    const { clock, warn } = this.#deps;
    const until = clock.monotonic() + lockMs;
    for (;;)
      try {
        await this.#results.add('result', sealed, { jobId: id, attempts: 1, removeOnComplete: true });
        return;
      } catch (error) {
        if (this.#isClosed || clock.monotonic() >= until) throw error;
        warn('a result is not in its queue yet', error);
        await new Promise<void>((resolve) => void clock.at(clock.monotonic() + handAgainMs, resolve));
      }
  }

  /** Throws for a step that was taken before. */
  #take(id: string, sendBy: number): void {
    const now = this.#time.now();
    for (const [taken, until] of this.#taken) if (until < now) this.#taken.delete(taken);
    if (this.#taken.has(id)) throw new BrokenSeal(`the step ${id} was run before`);
    this.#taken.set(id, sendBy);
  }

  async #resultOf(id: string, job: StepJob, signal: AbortSignal): Promise<StepResult> {
    const { step, key, sendBy, dispatchedAt, isAlone } = job;
    const run = isAlone === true ? this.#runAlone : this.#run;
    const worker = this.#deps.self.id;
    const takenAt = this.#time.now();
    let wasSent = false;
    try {
      const came = await run({ ...step, sendBy }, signal, () => {
        wasSent = true;
        this.#channel
          .tell('report', worker, { type: 'sent', step: id })
          // The outcome says it again.
          .catch((error: unknown) => this.#deps.warn('a sent request is not told', error));
      });
      if (signal.aborted && !wasSent) return { worker, key, wasSent, kind: 'unused' };
      const outcome = signal.reason === stopping ? asLost(came) : came;
      const [waitedMs, ranMs] = [Math.max(0, takenAt - dispatchedAt), Math.max(0, this.#time.now() - takenAt)];
      return { worker, key, wasSent, kind: 'ended', outcome: { ...outcome, ran: { worker, waitedMs, ranMs } } };
    } catch (error) {
      if (error instanceof TurnUnused || (signal.aborted && !wasSent)) return { worker, key, wasSent, kind: 'unused' };
      if (signal.aborted) return { worker, key, wasSent, kind: 'ended', outcome: this.#cut(signal) };
      return { worker, key, wasSent, kind: 'broke', ...errorText(error) };
    }
  }

  /** The outcome of a step that was cut while its page was read. */
  #cut({ reason }: AbortSignal): StepOutcome {
    const failure = { code: 'cancelled', message: 'cancelled' };
    const outcome = { kind: 'failed', failure, at: this.#time.now(), elapsedMs: 0, bytes: 0 } as const;
    return reason === stopping ? asLost(outcome) : outcome;
  }

  #sealed(id: string, result: StepResult): string {
    const { cluster } = this.#deps;
    try {
      return cluster.seal('result', id, result);
    } catch (error) {
      if (!(error instanceof MessageTooLarge) || result.kind !== 'ended') throw error;
      const { at, elapsedMs, bytes, ran } = result.outcome;
      const failure = { code: 'result_too_large', message: `${error.message}: the result is too large` };
      return cluster.seal('result', id, {
        ...result,
        outcome: { kind: 'failed', failure, at, elapsedMs, bytes, ...defined({ ran }) },
      });
    }
  }

  #ordered(order: Order): void {
    const { stop, warn } = this.#deps;
    const untold = (error: unknown): void => warn('the daemon is not told what was done for an order', error);
    switch (order.type) {
      case 'welcome':
        return this.#admission.welcomed(order.version);
      case 'report':
        return void this.#tell().catch(untold);
      case 'cancel':
        for (const step of order.steps) this.#active.get(step)?.abort(new Error('the step was cancelled'));
        return;
      case 'resize':
        this.#concurrency = order.concurrency;
        if (!this.#isDraining) this.#takers?.resize(order.concurrency);
        return void this.#tell().catch(untold);
      case 'drain':
        return void this.#drain().catch(untold);
      case 'stop':
        return stop();
      default:
        order satisfies never;
    }
  }

  #admitted(): void {
    const { begun, warn } = this.#deps;
    if (!this.#isDraining) this.#takers = this.#openTakers();
    begun?.();
    void this.#tell().catch((error: unknown) => warn('the daemon is not told that steps are taken', error));
  }

  /** Takes no further step. */
  async #drain(): Promise<void> {
    this.#isDraining = true;
    await this.#takers?.pause();
    await this.#tell();
  }

  async #tell(): Promise<void> {
    const { cluster, self } = this.#deps;
    const concurrency = this.#concurrency;
    await this.#time.measure();
    if (this.#isClosed) return;
    const presence: Presence = {
      ...{ type: 'present', ...self, version: cluster.version, concurrency, active: [...this.#active.keys()] },
      ...{ processed: this.#processed, failed: this.#failed, isDraining: this.#isDraining },
      ...(!this.#admission.isAdmitted && { isWaiting: true }),
    };
    await this.#channel.tell('report', self.id, presence);
  }
}

/** The outcome of a step that was cut as its worker process ends: nobody wanted that, so that it is tried again. */
function asLost(outcome: StepOutcome): StepOutcome {
  if (outcome.kind !== 'failed' || outcome.failure.code !== 'cancelled') return outcome;
  const message = 'it had not ended when the time of its worker process was over';
  return { ...outcome, failure: { code: 'worker_lost', message } };
}
