import type { Clock } from '../clock.ts';
import { noProcess } from './call.ts';
import { Contexts } from './contexts.ts';
import type { Life } from './life.ts';
import { tellOfEnd } from './link.ts';
import { Mailbox } from './mailbox.ts';
import type { Report } from './report.ts';
import { RunQueue } from './run-queue.ts';
import type { Ref } from './types.ts';

/** How many empty mailboxes are kept for the next lives that get a message. */
const keptMailboxes = 256;

export interface KernelOptions {
  readonly clock: Clock;
  /** Told of the start and end of lives, and of what supervisors do about it; what it throws is nobody's error. */
  readonly report?: (report: Report) => void;
  /** More messages than this waiting in one mailbox are reported. Default 10,000. */
  readonly mailboxThreshold?: number;
}

/** What all lives of one system share. */
export class Kernel {
  readonly clock: Clock;
  readonly report: ((report: Report) => void) | undefined;
  readonly mailboxThreshold: number;
  readonly queue = new RunQueue();
  readonly contexts = new Contexts();
  /** Where signals come from that no life sent; the parent of lives without one. */
  readonly outside: Ref<never> = { id: 'outside', send() {}, ask: () => Promise.reject(noProcess('outside')) };
  /** Lives without a parent. */
  readonly roots = new Set<Life>();
  /** Counts what happens, so that rest can be told from work. */
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

  /** Takes back an empty mailbox: a life at rest has none. */
  returnMailbox(mailbox: Mailbox<unknown>): void {
    if (mailbox.isSmall && this.#mailboxes.length < keptMailboxes) this.#mailboxes.push(mailbox);
  }

  /** Tells of the end of lives, one after the other, so that a long chain of links ends without deep recursion. */
  depart(life: Life): void {
    this.#departures.push(life);
    if (this.#isDeparting) return;
    this.#isDeparting = true;
    for (let next = this.#departures.shift(); next !== undefined; next = this.#departures.shift()) {
      this.#guard(tellOfEnd, next);
    }
    this.#isDeparting = false;
  }

  /** What the kernel is at goes on, whatever `tell` throws: that is thrown again on nobody's stack, and blamed on no life. */
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
