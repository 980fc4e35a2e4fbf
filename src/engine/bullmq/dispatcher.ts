import { nanoid } from 'nanoid';
import { type RunStep, type Step, type StepFailure, type StepOutcome, TurnUnused } from '../step.ts';
import { Cancels, repeatedEveryMs } from './cancels.ts';
import type { Channel } from './channel.ts';
import { MessageTooLarge } from './cluster.ts';
import { Deaths } from './deaths.ts';
import type { DispatcherDeps } from './dispatcher-deps.ts';
import { type DispatcherParts, openParts } from './dispatcher-parts.ts';
import { type FoundResult, KeptResults, unclaimedMs } from './kept-results.ts';
import type { Lease } from './lease.ts';
import { leftBehind } from './left-behind.ts';
import { checkForLost, lostFailure, nobody, takenBack } from './lost-steps.ts';
import { allWorkers, type Order, Report, type StepJob, StepResult, unopened } from './protocol.ts';
import { type BullQueue, checkMs, lockMs, type QueueServer } from './queue-server.ts';
import { QueueLook } from './queue-look.ts';
import type { QueuedJobs } from './queued-jobs.ts';
import type { ServerTime } from './server-time.ts';
import { isRefusal } from './refusal.ts';
import { repeat } from './repeat.ts';
import { stepKey } from './step-key.ts';
import { Welcomes } from './welcomes.ts';
import { DispatchedSteps, isAnswer, isCancelled, settle, silent, type Waiter } from './dispatched.ts';
import { WorkerList, type WorkerProcess } from './worker-list.ts';

/** How long a turn may be used, in ms: no longer than until its step may be taken for lost. */
const usableMs = lockMs - 1_000;

/** Results that may wait to be acknowledged. */
const mostKept = 5_000;

/** A daemon that ends keeps the results that it has not acknowledged; they are not lost with it, however often it does. */
const mostRedelivered = 1_000;

const foreignText = 'what someone else has put into the queues is dropped';

/** What became of an order: `unknown` for a worker process that was not heard of, `untold` where it could not be sent. */
export type Ordered = 'told' | 'unknown' | 'untold';

/**
 * Has steps run by worker processes, and knows which of these there are. What an earlier life of the daemon has left under way with them is adopted: who asks
 * for the same again has its outcome.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #steps: BullQueue;
  readonly #results: BullQueue;
  readonly #time: ServerTime;
  readonly #channel: Channel;
  readonly #lease: Lease;
  readonly #workers: WorkerList;
  readonly #kept: KeptResults;
  readonly #welcomes: Welcomes;
  readonly #cancels: Cancels;
  readonly #look: QueueLook;
  readonly #deaths: Deaths;
  readonly #dispatched = new DispatchedSteps();
  #credit = 0;
  /** Each ends something that is done every few seconds. */
  readonly #repeated: (() => void)[] = [];
  #isReady = false;
  #isRefusing = false;
  #isClosed = false;

  private constructor(deps: DispatcherDeps, server: QueueServer, parts: DispatcherParts) {
    this.#deps = deps;
    this.#steps = server.openQueue(deps.cluster.steps);
    this.#results = server.openQueue(deps.cluster.results);
    this.#time = parts.time;
    this.#channel = parts.channel;
    this.#lease = parts.lease;
    this.#workers = new WorkerList(deps.clock, deps.cluster);
    this.#kept = new KeptResults(deps.clock);
    this.#look = new QueueLook({
      ...{ clock: deps.clock, cluster: deps.cluster, steps: this.#steps, results: this.#results },
      now: () => this.#time.now(),
      refused: (error) => deps.warn(foreignText, error),
      isRun: (id) => this.#workers.runs(id),
      vanished: ({ length }) => deps.warn(`${length} steps are gone from the queues without a result`),
      missing: (id) => this.#lost(id, 'the queues have neither it nor a result'),
      untaken: (id) => this.#unsent(id, 'no worker process took it in time'),
      unopened: (id) => {
        deps.warn('a worker process cannot open steps: expected it to have the key of the cluster');
        this.#unsent(id, unopened);
      },
    });
    this.#deaths = new Deaths(deps.clock, deps.deaths);
    this.#welcomes = new Welcomes({ ...deps, channel: parts.channel, version: deps.cluster.version });
    this.#cancels = new Cancels({
      steps: this.#steps,
      tell: (worker, order) => this.#channel.tell('order', worker, order),
      thatMayRun: (id) => this.#workers.thatMayRun(id),
      takenBack: (id, wasTaken) => {
        if (!wasTaken) return this.#cancelled(id, 'before it was sent');
        const { key } = this.#dispatched.get(id) ?? {};
        if (key !== undefined) this.#deaths.count(key, id);
        return this.#lost(id, takenBack);
      },
    });
  }

  /**
   * Opens the queues, once no other daemon uses them. Steps that wait there since an earlier life are taken out: their turns are of no use any more. Rejects when
   * the server cannot be used, and with the signal's reason.
   */
  static async open(server: QueueServer, deps: DispatcherDeps, signal: AbortSignal): Promise<Dispatcher> {
    const dispatcher = new Dispatcher(deps, server, await openParts(server, deps, signal));
    try {
      await dispatcher.#start(server);
      return dispatcher;
    } catch (error) {
      dispatcher.#end(() => new Error('the queues could not be opened'));
      throw error;
    }
  }

  /** Takes up what is there, and begins to hand out steps, unless another daemon takes over meanwhile. */
  async #start(server: QueueServer): Promise<void> {
    const { cluster, warn } = this.#deps;
    // What is read first may take longer than the lease lasts.
    this.#every(checkMs, () => this.#renew(), 'the lease on the queues cannot be renewed');
    await this.#adopt();
    await this.#channel.hear('report', '*', {
      told: (worker, message) => this.#told(worker, Report.parse(message)),
      refused: (error, worker) => this.#welcomes.refused(error, worker),
    });
    server.openWorker(cluster.results, ({ id, data }) => this.#ended(id, data), {
      concurrency: mostKept,
      lockDuration: lockMs,
      stalledInterval: checkMs,
      maxStalledCount: mostRedelivered,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    checkForLost(server, cluster.steps, (error) => warn('lost steps cannot be looked for', error));
    this.#isReady = true;
    // Steps can be handed out as soon as they are heard of, which would be within 5 s otherwise.
    await this.#channel.tell('order', allWorkers, { type: 'report' });
    if (!this.#isClosed) this.#repeat();
  }

  /** Runs a step on a worker process. Rejects with a `TurnUnused`, and as `RunStep` says. */
  readonly run: RunStep = (step, signal, onSent, onCame, onTaken) => {
    const { promise, resolve, reject } = Promise.withResolvers<StepOutcome>();
    const waiter = { signal, onSent, onCame, onTaken, resolve, reject };
    const key = stepKey(step);
    const found = this.#kept.claim(key);
    const claimed = found?.id ?? this.#dispatched.claim(key, waiter);
    const id = claimed ?? `${this.#lease.epoch}-${nanoid()}`;
    const { warn } = this.#deps;
    const onAbort = (): void =>
      void this.#cancels.cancel(id).catch((error: unknown) => warn('a step cannot be cancelled', error));
    signal.addEventListener('abort', onAbort);
    if (found !== undefined) void this.#deliver(found, silent(waiter), true);
    else if (claimed === undefined) this.#begin(id, this.#jobOf(step, key), waiter);
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  };

  /** Tells that what an outcome brought is written, by its receipt. */
  acknowledge(receipt: string): void {
    this.#kept.acknowledge(receipt);
  }

  /** The worker processes that were heard of. */
  workers(): readonly WorkerProcess[] {
    return this.#workers.list();
  }

  /** The steps in the queues, as they were found last. */
  queued(): QueuedJobs {
    return this.#look.queued;
  }

  /** Tells a worker process what to do. */
  async order(worker: string, order: Order): Promise<Ordered> {
    if (!this.#workers.has(worker)) return 'unknown';
    try {
      await this.#channel.tell('order', worker, order);
      return 'told';
    } catch (error) {
      this.#deps.warn('a worker process cannot be told what to do', error);
      return 'untold';
    }
  }

  /** Ends the dispatcher: what waits for steps rejects, and no turn is granted. The steps go on, for the next life. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#end(() => new Error('the engine ended'));
    await this.#lease.giveUp();
  }

  /** Ends the dispatcher for another daemon that has taken over. */
  #supersede(): void {
    if (this.#isClosed) return;
    // The other daemon has the steps, or the server has lost its data; who waits for one here asks again should this one come back. Whether a request was
    // sent cannot be known.
    for (const id of this.#dispatched.ids(() => true)) this.#dispatched.get(id)?.waiter?.onSent();
    this.#end(() => new TurnUnused('another daemon has taken over'));
    this.#deps.superseded();
  }

  #end(why: () => Error): void {
    this.#isClosed = true;
    for (const stop of this.#repeated) stop();
    for (const id of this.#dispatched.ids(() => true)) this.#dispatched.take(id)?.waiter?.reject(why());
    this.#kept.close();
    this.#deps.credited(0);
  }

  /** The server's time until which a turn that is granted now may be used: while no other daemon can have taken over. */
  #sendBy(): number {
    const { sendWithinMs = usableMs } = this.#deps;
    return Math.min(this.#time.now() + sendWithinMs, this.#lease.until);
  }

  #jobOf(step: Step, key: string): StepJob {
    const job = { step, key, sendBy: this.#sendBy(), dispatchedAt: this.#time.now() };
    return this.#deaths.isSuspicious(key) ? { ...job, isAlone: true } : job;
  }

  #begin(id: string, job: StepJob, waiter: Waiter): void {
    this.#dispatched.add(id, { key: job.key, isQueued: false, sendBy: job.sendBy, waiter });
    this.#dispatch(id, job).catch((error: unknown) => {
      if (error instanceof MessageTooLarge) this.#dispatched.take(id)?.waiter?.reject(error);
      else if (isRefusal(error)) this.#refused(id, error);
      // It may be in the queue all the same.
      else this.#lost(id, error instanceof Error ? error.message : String(error));
    });
  }

  /** Gives back a step that the server of the queues has refused, and grants no turn until it takes something again. */
  #refused(id: string, error: unknown): void {
    this.#isRefusing = true;
    this.#deps.watch?.failed(error);
    this.#reckonCredit();
    this.#deps.warn('the server of the queues takes no step', error);
    this.#unsent(id, 'the server of the queues has refused it');
  }

  /** Gives back a step that was not sent. */
  #unsent(id: string, why: string): void {
    const step = this.#dispatched.take(id);
    if (step?.earlier?.turn !== undefined) this.#deps.turns?.ended(step.earlier.turn, undefined);
    step?.waiter?.reject(new TurnUnused(why));
  }

  async #dispatch(id: string, job: StepJob): Promise<void> {
    const text = this.#deps.cluster.seal('job', id, job);
    await this.#steps.add('step', text, { jobId: id, attempts: 1 });
    const dispatched = this.#dispatched.get(id);
    if (dispatched === undefined) return;
    dispatched.isQueued = true;
    if (isCancelled(dispatched)) await this.#cancels.cancel(id);
  }

  /** Takes up the steps that an earlier life left with worker processes, and the results that it had not acknowledged. */
  async #adopt(): Promise<void> {
    const { cluster, turns, warn } = this.#deps;
    const refused = (error: unknown): void => warn(foreignText, error);
    const { steps, results } = await leftBehind(this.#steps, this.#results, {
      ...{ cluster, refused, oldest: this.#time.now() - unclaimedMs },
      clear: () => this.#clear(),
    });
    for (const [id, { step, key, sendBy }] of steps) {
      this.#dispatched.add(id, { key, isQueued: true, sendBy, earlier: { turn: step.turn } });
      if (step.turn !== undefined) turns?.adopted(step.turn);
    }
    for (const [id, result] of results) this.#deaths.note(id, result);
    for (const [id, result] of results) if (!steps.has(id)) this.#kept.adopt({ id, result });
  }

  /** Clears the queues, unless they are another daemon's by now. */
  async #clear(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#time.now() >= this.#lease.until) throw new Error('the lease on the queues ended while they were read');
    await this.#look.clear();
  }

  #told(worker: string, report: Report): void {
    switch (report.type) {
      case 'present':
        if (report.id === worker) this.#workers.heard(report);
        if (report.isWaiting === true) this.#welcomes.answer(worker);
        for (const step of report.active) this.#dispatched.get(step)?.waiter?.onTaken?.(worker);
        return this.#reckonCredit();
      case 'left':
        this.#workers.left(worker);
        return this.#reckonCredit();
      case 'sent':
        this.#dispatched.get(report.step)?.waiter?.onTaken?.(worker);
        return this.#dispatched.get(report.step)?.waiter?.onSent();
      default:
        report satisfies never;
    }
  }

  /** Resolves when the result need not be kept any more. Throws for one that was not sealed by this cluster, which has the queue drop it. */
  async #ended(id: string, data: string): Promise<void> {
    const result = StepResult.parse(this.#deps.cluster.open('result', id, data));
    // The other daemon has it once the queues are closed here.
    if (this.#isClosed || Number.parseInt(id, 10) > this.#lease.epoch) {
      this.#supersede();
      return new Promise(() => undefined);
    }
    const kept = this.#kept.of(id);
    if (kept !== undefined) return kept;
    this.#look.ended(id);
    const step = this.#dispatched.take(id);
    this.#deaths.note(id, result);
    if (step?.earlier?.turn !== undefined)
      this.#deps.turns?.ended(step.earlier.turn, result.kind === 'ended' ? result.outcome : undefined);
    if (step?.waiter !== undefined) return this.#deliver({ id, result }, step.waiter, step.earlier !== undefined);
    // Nobody waits for what was taken for lost, nor for what is put into the queue once more.
    const isOfUse = step?.earlier !== undefined && isAnswer(result);
    return isOfUse ? this.#kept.park({ id, result }) : Promise.resolve();
  }

  /** Hands over a result. Resolves when it need not be kept any more. */
  #deliver({ id, result }: FoundResult, waiter: Waiter, isOfEarlierTurn: boolean): Promise<void> {
    const kept = isAnswer(result) ? this.#kept.handOver(id) : Promise.resolve();
    settle(waiter, result, { receipt: id, isOfEarlierTurn, ahead: this.#deps.clock.now() - this.#time.now() });
    return kept;
  }

  /** Begins what is done every few seconds besides the renewal of the lease, which waits for none of it. */
  #repeat(): void {
    this.#every(checkMs, () => this.#reckon(), 'the worker processes cannot be reckoned');
    this.#every(checkMs, () => this.#look.look(() => this.#overdue()), 'lost steps cannot be looked for');
    this.#every(repeatedEveryMs, () => this.#giveUpCancelled(), 'cancelled steps cannot be given up');
    const cancelled = (): readonly string[] => this.#dispatched.ids((step) => step.isQueued && isCancelled(step));
    this.#every(repeatedEveryMs, () => this.#cancels.repeat(cancelled()), 'steps cannot be cancelled');
  }

  /** Does something from time to time. While the server is away, it does not end unless it is done at once. */
  #every(ms: number, work: () => Promise<void> | undefined, failed: string): void {
    this.#repeated.push(repeat(this.#deps.clock, ms, work, (error) => this.#deps.warn(failed, error)));
  }

  #reckon(): undefined {
    this.#workers.forget(this.#deps.forgetAfterMs);
    this.#channel.forgetOld();
    this.#reckonCredit();
  }

  async #renew(): Promise<void> {
    await this.#time.measure();
    // One that was given up is not taken again.
    if (this.#isClosed) return;
    if (!(await this.#lease.renew())) return this.#supersede();
    this.#isRefusing = false;
    this.#deps.watch?.renewed();
    this.#reckonCredit();
  }

  /** The steps in the queue whose turns are over. */
  #overdue(): readonly string[] {
    const now = this.#time.now();
    return this.#dispatched.ids(({ isQueued, sendBy }) => isQueued && now > sendBy);
  }

  /** Ends the cancelled steps while the server has been away for so long that none of them can be sent any more. */
  #giveUpCancelled(): undefined {
    if (this.#time.now() < this.#lease.until) return;
    for (const id of this.#dispatched.ids(isCancelled)) {
      this.#dispatched.get(id)?.waiter?.onSent();
      this.#cancelled(id, 'while the server of the queues was away: its request may have been sent');
    }
  }

  #cancelled(id: string, when: string): void {
    this.#failed(id, { code: 'cancelled', message: `it was cancelled ${when}` });
  }

  #lost(id: string, why: string): void {
    // Whether it had sent the request cannot be known.
    this.#dispatched.get(id)?.waiter?.onSent();
    this.#failed(id, lostFailure(why));
  }

  #failed(id: string, failure: StepFailure): void {
    const step = this.#dispatched.take(id);
    if (step === undefined) return;
    const { key, earlier, waiter } = step;
    if (earlier?.turn !== undefined) this.#deps.turns?.ended(earlier.turn, undefined);
    const outcome = { kind: 'failed', failure, at: this.#time.now(), elapsedMs: 0, bytes: 0 } as const;
    const found: FoundResult = { id, result: { kind: 'ended', worker: nobody, key, wasSent: false, outcome } };
    // Who asks for the same is told first, so that the log of its scrape says why it is asked for again.
    void (waiter === undefined ? this.#kept.park(found) : this.#deliver(found, waiter, earlier !== undefined));
  }

  #reckonCredit(): void {
    if (!this.#isReady || this.#isClosed) return;
    // A tenth more, so that a worker process that is done finds its next step there.
    const usable = Math.ceil(this.#workers.slots() * 1.1);
    const credit = this.#time.now() < this.#lease.until && !this.#isRefusing ? usable : 0;
    if (credit === this.#credit) return;
    this.#credit = credit;
    this.#deps.credited(credit);
  }
}
