import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import type { ExtractOutcome } from '../src/extract/draft.ts';
import type { ExtractInput } from '../src/extract/extract.ts';
import type { ExtractPlan } from '../src/extract/plan.ts';

/** The task that holds a thread: it reads the pages that arrive at the port until the port is closed. */
export interface LaneTask {
  readonly port: MessagePort;
}

/** A page on its way to a thread. Its plan is sent once, and named by its id for further pages. */
export interface LanePage extends Omit<ExtractInput, 'plan'> {
  readonly plan: ExtractPlan | string;
}

/** The largest number of plans that a thread keeps. Both ends of a lane drop all of them before one more. */
export const maxLanePlans = 1_000;

/** Called with the outcome of a page, unless the lane is closed first. */
export type LaneAnswer = (outcome: ExtractOutcome) => void;

interface Open {
  readonly port: MessagePort;
  readonly thread: AbortController;
  /** The ids of the plans that the thread has. */
  readonly plans: Set<string>;
}

interface Busy {
  readonly answer: LaneAnswer;
  readonly limit: NodeJS.Timeout;
}

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

  /** Reads a page, whose body moves to the thread, within a time in milliseconds. The lane must be free. */
  read(input: ExtractInput, limitMs: number, answer: LaneAnswer): void {
    const open = (this.#open ??= this.#openThread());
    const limit = setTimeout(() => this.#expire(limitMs), limitMs);
    this.#busy = { answer, limit };
    try {
      post(open, input);
    } catch (error) {
      // A plan or a body that cannot be sent is a failure of this page alone.
      this.#finish(crashed(error));
    }
  }

  /** Ends the thread; the page that it reads gets no outcome. */
  close(): void {
    clearTimeout(this.#busy?.limit);
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
    const open: Open = { port, thread: new AbortController(), plans: new Set() };
    port.on('message', (outcome: ExtractOutcome) => {
      if (this.#open === open) this.#finish(outcome);
    });
    const lost = (error: unknown): void => this.#lose(open, error);
    this.#pool
      .run({ port: port2 }, { transferList: [port2], signal: open.thread.signal })
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

  #expire(afterMs: number): void {
    const busy = this.#busy;
    this.close();
    busy?.answer({ ok: false, failure: { code: 'extract_timeout', afterMs } });
  }

  #finish(outcome: ExtractOutcome): void {
    const busy = this.#busy;
    if (busy === undefined) return;
    clearTimeout(busy.limit);
    this.#busy = undefined;
    busy.answer(outcome);
  }
}

function post({ port, plans }: Open, input: ExtractInput): void {
  const { plan, body } = input;
  const isKnown = plans.has(plan.id);
  const page: LanePage = isKnown ? { ...input, plan: plan.id } : input;
  port.postMessage(page, [body]);
  if (isKnown) return;
  if (plans.size >= maxLanePlans) plans.clear();
  plans.add(plan.id);
}

function crashed(error: unknown): ExtractOutcome {
  const cause = error instanceof Error ? error.message : String(error);
  return { ok: false, failure: { code: 'extract_crashed', cause } };
}
