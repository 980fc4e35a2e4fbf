import type { Clock } from '../clock.ts';
import { Contexts } from './contexts.ts';
import { noProcess } from './errors.ts';
import type { Life } from './life.ts';
import { tellOfEnd } from './links.ts';
import { Mailbox } from './mailbox.ts';
import type { Report } from './report.ts';
import { RunQueue } from './run-queue.ts';
import type { Ref } from './types.ts';

/** How many empty mailboxes are kept for reuse. */
const keptMailboxes = 256;

/** The clock and the reports of a system. */
export interface KernelOptions {
  readonly clock: Clock;
  /** Called with each report. What it throws belongs to no life: it surfaces as an `uncaughtException` that `System.blame` refuses. */
  readonly report?: (report: Report) => void;
  /** How many messages may wait in one mailbox before that is reported. Default 10,000. */
  readonly mailboxThreshold?: number;
}

/** The parts that all lives of one system share. */
export class Kernel {
  readonly clock: Clock;
  readonly report: ((report: Report) => void) | undefined;
  readonly mailboxThreshold: number;
  readonly queue = new RunQueue();
  readonly contexts = new Contexts<Life>();
  /** The sender of signals that no life sent, and the parent of lives without one. */
  readonly outside: Ref<never> = { id: 'outside', send() {}, ask: () => Promise.reject(noProcess('outside')) };
  /** Lives without a parent. */
  readonly roots = new Set<Life>();
  /** Counts events, so that `System.idle` can tell rest from work. */
  activity = 0;
  #serial = 0;
  readonly #mailboxes: Mailbox<unknown>[] = [];
  readonly #departures = new Mailbox<Life>();
  #isDeparting = false;

  constructor({ clock, report, mailboxThreshold = 10_000 }: KernelOptions) {
    this.clock = clock;
    this.report = report && ((told) => this.#guard(report, told));
    this.mailboxThreshold = mailboxThreshold;
  }

  nextSerial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  takeMailbox(): Mailbox<unknown> {
    return this.#mailboxes.pop() ?? new Mailbox();
  }

  /** Takes back an empty mailbox for reuse: a life at rest has none. */
  returnMailbox(mailbox: Mailbox<unknown>): void {
    if (mailbox.isSmall && this.#mailboxes.length < keptMailboxes) this.#mailboxes.push(mailbox);
  }

  /** Tells others of the end of a life. Ends that follow from it wait their turn, so that a long chain of links needs no deep recursion. */
  depart(life: Life): void {
    this.#departures.push(life);
    if (this.#isDeparting) return;
    this.#isDeparting = true;
    for (let next = this.#departures.shift(); next !== undefined; next = this.#departures.shift()) {
      this.#guard(tellOfEnd, next);
    }
    this.#isDeparting = false;
  }

  /** Calls `tell`. What it throws does not interrupt the caller: it is thrown again from a microtask outside of all lives. */
  #guard<A>(tell: (about: A) => void, about: A): void {
    try {
      tell(about);
    } catch (error) {
      this.contexts.runOutside(() =>
        queueMicrotask(() => {
          throw error;
        }),
      );
    }
  }
}
