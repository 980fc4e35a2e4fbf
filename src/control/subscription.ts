import { eventLine, laggedLine, type RequestId } from './message.ts';
import type { Subscriber } from './methods.ts';
import type { Event } from '../event/catalogue.ts';

/** Events that may wait before a subscriber has no room. */
export const roomEvents = 500;

/** Characters that may wait before a subscriber has no room, as events may be few and large. */
const roomLength = 256 * 1024;

/**
 * The events that wait for one subscriber. Who notifies it waits for room before each event, so that a slow reader loses none. One that
 * lags is sent the waiting events, then the id to resume from, and no more.
 */
export class Subscription implements Subscriber {
  /** The id of the request, which names the subscription in its notifications. */
  readonly id: RequestId;
  readonly #wake: () => void;
  readonly #ended = new AbortController();
  #state: 'unanswered' | 'open' | 'lagged' | 'over' = 'unanswered';
  /** Lines of JSON, as the limit counts their characters. */
  #waiting: string[] = [];
  #waitingLength = 0;
  #resumeAfter = 0;
  #roomWaiters: (() => void)[] = [];

  /** @param wake - called when `take` has something to give */
  constructor(id: RequestId, wake: () => void) {
    this.id = id;
    this.#wake = wake;
  }

  /** Fires when the subscription takes no further events. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  // Functions of their own, so that a handler may take them apart from the subscriber.
  readonly notify = (event: Event): boolean => {
    if (this.signal.aborted) return false;
    const line = eventLine(this.id, event);
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    if (this.#state === 'open') this.#wake();
    return true;
  };

  readonly lag = (resumeAfter: number): void => {
    if (this.signal.aborted) return;
    this.#resumeAfter = resumeAfter;
    if (this.#state === 'open') this.#state = 'lagged';
    this.#ended.abort();
    this.#releaseRoomWaiters();
    if (this.#state === 'lagged') this.#wake();
  };

  /** Resolves when there is room for another event, or when the subscription is over. */
  readonly room = (): Promise<void> => {
    if (this.signal.aborted || this.#hasRoom()) return Promise.resolve();
    return new Promise((resolve) => this.#roomWaiters.push(resolve));
  };

  /** Lets events be taken from now on; called when the answer of the request has been sent. */
  answered(): void {
    if (this.#state === 'unanswered') this.#state = this.signal.aborted ? 'lagged' : 'open';
    this.#wake();
  }

  /** Removes and returns waiting lines: about `bytes` characters, whole lines only. */
  take(bytes: number): string {
    if (this.#state === 'unanswered' || this.#state === 'over') return '';
    let lines = '';
    let taken = 0;
    while (taken < this.#waiting.length && lines.length < bytes) {
      lines += this.#waiting[taken] ?? '';
      taken += 1;
    }
    this.#waiting.splice(0, taken);
    this.#waitingLength -= lines.length;
    if (this.#state === 'lagged' && this.#waiting.length === 0) {
      lines += laggedLine(this.id, this.#resumeAfter);
      this.#state = 'over';
    }
    if (this.#hasRoom()) this.#releaseRoomWaiters();
    return lines;
  }

  /** Ends the subscription of a client that has gone, and drops the waiting events. */
  end(): void {
    this.#state = 'over';
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#ended.abort();
    this.#releaseRoomWaiters();
  }

  #hasRoom(): boolean {
    return this.#waiting.length <= roomEvents && this.#waitingLength <= roomLength;
  }

  #releaseRoomWaiters(): void {
    const waiters = this.#roomWaiters;
    this.#roomWaiters = [];
    for (const resolve of waiters) resolve();
  }
}
