import { MessageChannel, type MessagePort, threadId } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import type { ExtractOutcome, ThreadOutcome } from '../src/extract/draft.ts';
import type { ExtractInput } from '../src/extract/extract.ts';
import type { ExtractPlan } from '../src/extract/plan.ts';

/** The task that holds a thread: it reads the pages that arrive at the port until the port is closed. */
export interface LaneTask {
  readonly port: MessagePort;
  readonly notes: ThreadNotes;
}

/** What a thread notes in shared memory, as it answers no message while it reads: see `noteBegin`. */
export type ThreadNotes = Int32Array<SharedArrayBuffer>;

/** Notes that this thread begins to read its next page: its id, its processor time until now in milliseconds, and how many pages it has begun. */
export function noteBegin(notes: ThreadNotes): void {
  const { user, system } = process.threadCpuUsage();
  Atomics.store(notes, 0, threadId);
  Atomics.store(notes, 1, Math.round((user + system) / 1_000));
  Atomics.add(notes, 2, 1);
}

function notesIn(notes: ThreadNotes) {
  return { begun: Atomics.load(notes, 2), thread: Atomics.load(notes, 0), cpuMs: Atomics.load(notes, 1) };
}

/** A page on its way to a thread. Its plan is sent once, and named by its id for further pages. */
export interface LanePage extends Omit<ExtractInput, 'plan'> {
  readonly plan: ExtractPlan | string;
  /** Whether the body moves back with the outcome. */
  readonly keepsBody: boolean;
}

/** The largest number of plans that a thread keeps. Both ends of a lane drop all of them before one more. */
export const maxLanePlans = 1_000;

/** How a page is read on a thread: the processor time that it may use, and whether its body comes back. */
export interface LaneRead {
  readonly limitMs: number;
  readonly keepsBody: boolean;
}

/** Called with the outcome of a page, unless the lane is closed first. */
export type LaneAnswer = (outcome: ThreadOutcome) => void;

interface Open {
  readonly port: MessagePort;
  readonly notes: ThreadNotes;
  /** The number of pages that were sent. */
  sent: number;
  readonly thread: AbortController;
  /** The ids of the plans that the thread has. */
  readonly plans: Set<string>;
}

interface Busy {
  readonly answer: LaneAnswer;
  readonly limitMs: number;
  timer: NodeJS.Timeout | undefined;
  /** When the thread was looked at last, monotonic, and the processor time that the page had used by then. */
  lookedAt: number;
  usedMs: number;
  /** The number of looks in a row that found no work. */
  idleLooks: number;
}

/** The least pause between two looks at a thread, in milliseconds. */
const leastLookMs = 50;

/** The part of the time that a thread gets of its processor at least, however busy the machine is; one that takes less waits for something. */
const leastShare = 0.01;

/** The looks in a row that must find a thread at rest, since the whole process may have been stopped before one of them. */
const mostIdleLooks = 2;

/**
 * A way to one thread of the pool, for one page at a time. One task of the pool holds the thread as long as nothing goes wrong,
 * since a task for each page would cost the main thread several times what the page's message does. Whatever a page does to
 * its thread, the next one gets another.
 */
export class ExtractLane {
  readonly #pool: Piscina<LaneTask, void>;
  #open: Open | undefined;
  #busy: Busy | undefined;

  constructor(pool: Piscina<LaneTask, void>) {
    this.#pool = pool;
  }

  /**
   * Reads a page, whose body moves to the thread, and with `keepsBody` back with its outcome. The lane must be free.
   *
   * @param limitMs - the processor time that the page may use. Neither the start of the thread counts nor the time that others have its
   *   processor, since both grow with the load of the machine.
   */
  read(input: ExtractInput, { limitMs, keepsBody }: LaneRead, answer: LaneAnswer): void {
    const open = (this.#open ??= this.#openThread());
    const busy: Busy = { answer, limitMs, timer: undefined, lookedAt: performance.now(), usedMs: 0, idleLooks: 0 };
    this.#busy = busy;
    this.#lookLater(open, busy);
    try {
      post(open, input, keepsBody);
    } catch (error) {
      // A plan or a body that cannot be sent is a failure of this page alone.
      this.#finish(crashed(error));
    }
  }

  /** Ends the thread; the page that it reads gets no outcome. */
  close(): void {
    clearTimeout(this.#busy?.timer);
    this.#busy = undefined;
    const open = this.#open;
    this.#open = undefined;
    // The port closes a little later; nothing waits for that.
    open?.port.unref();
    open?.port.close();
    open?.thread.abort();
  }

  #openThread(): Open {
    const { port1: port, port2 } = new MessageChannel();
    const notes = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
    const open: Open = { port, notes, sent: 0, thread: new AbortController(), plans: new Set() };
    port.on('message', (outcome: ThreadOutcome) => {
      if (this.#open === open) this.#finish(outcome);
    });
    const lost = (error: unknown): void => this.#lose(open, error);
    this.#pool
      .run({ port: port2, notes }, { transferList: [port2], signal: open.thread.signal })
      .then(() => lost(new Error('the thread stopped reading')), lost);
    return open;
  }

  /** Called when the thread has ended; the page that it read has failed. */
  #lose(open: Open, error: unknown): void {
    open.port.close();
    if (this.#open !== open) return;
    this.#open = undefined;
    this.#finish(crashed(error));
  }

  /** Ends the thread of a page that has used its time or come to rest; looks again later at one that goes on. */
  #look(open: Open, busy: Busy): void {
    if (busy.idleLooks >= mostIdleLooks) return this.#expire(busy);
    const { begun, thread, cpuMs: before } = notesIn(open.notes);
    const worker = this.#pool.threads.find((each) => each.threadId === thread);
    this.#lookLater(open, busy);
    if (begun < open.sent || worker === undefined) return;
    // Until the thread is seen to work: one that is stuck may not answer.
    busy.idleLooks += 1;
    const judge = ({ user, system }: NodeJS.CpuUsage): void => {
      if (this.#busy !== busy) return;
      const [now, usedMs] = [performance.now(), (user + system) / 1_000 - before];
      if (usedMs >= busy.limitMs) return this.#expire(busy);
      if (usedMs - busy.usedMs >= (now - busy.lookedAt) * leastShare) busy.idleLooks = 0;
      busy.lookedAt = now;
      busy.usedMs = usedMs;
      this.#lookLater(open, busy);
    };
    // A thread that ends has no figures to give; its end is met elsewhere.
    worker.cpuUsage().then(judge, () => undefined);
  }

  /** Looks when the page may have used its time. */
  #lookLater(open: Open, busy: Busy): void {
    clearTimeout(busy.timer);
    busy.timer = setTimeout(() => this.#look(open, busy), Math.max(leastLookMs, busy.limitMs - busy.usedMs));
  }

  #expire({ answer, limitMs: afterMs }: Busy): void {
    this.close();
    answer({ ok: false, failure: { code: 'extract_timeout', afterMs } });
  }

  #finish(outcome: ThreadOutcome): void {
    const busy = this.#busy;
    if (busy === undefined) return;
    clearTimeout(busy.timer);
    this.#busy = undefined;
    busy.answer(outcome);
  }
}

function post(open: Open, input: ExtractInput, keepsBody: boolean): void {
  const { port, plans } = open;
  const { plan, body } = input;
  const isKnown = plans.has(plan.id);
  const page: LanePage = { ...input, keepsBody, ...(isKnown && { plan: plan.id }) };
  port.postMessage(page, [body]);
  open.sent += 1;
  if (isKnown) return;
  if (plans.size >= maxLanePlans) plans.clear();
  plans.add(plan.id);
}

function crashed(error: unknown): ExtractOutcome {
  const cause = error instanceof Error ? error.message : String(error);
  return { ok: false, failure: { code: 'extract_crashed', cause } };
}
