import { eventLine, laggedLine, type RequestId } from './message.ts';
import type { EventView } from './methods/event.ts';

/** How many events may wait for one subscriber. */
export const waitingLimit = 1_000;

/** How many events `room` has made room for when it resolves. */
export const roomEvents = waitingLimit / 2;

/** What waits may be so long, in characters, before there is no room: events may be few and large. */
const roomLength = 256 * 1024;

/**
 * The events that wait for one subscriber. Once one comes for which there is no room the subscriber lags: it is sent
 * what waits, then where to resume from, and no more.
 */
export class Subscription {
  readonly #id: RequestId;
  readonly #wake: () => void;
  readonly #ended = new AbortController();
  #state: 'unanswered' | 'open' | 'lagged' | 'over' = 'unanswered';
  /** Lines, so that their length is known. */
  #waiting: string[] = [];
  #waitingLength = 0;
  #lastId = 0;
  #roomWaiters: (() => void)[] = [];

  /** @param wake - called when there is something to take. */
  constructor(id: RequestId, wake: () => void) {
    this.#id = id;
    this.#wake = wake;
  }

  /** Fires when no further event is taken. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** Puts an event in line; false when it was not taken because the subscription is over or has just become so. */
  notify(event: EventView): boolean {
    if (this.signal.aborted) return false;
    if (this.#waiting.length === waitingLimit) {
      this.#lag();
      return false;
    }
    const line = eventLine(this.#id, event);
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    this.#lastId = event.id;
    if (this.#state === 'open') this.#wake();
    return true;
  }

  /** Ends the subscription, as the event after the last one that was told is gone: `resumeAfter` is from where on there are any. */
  lag(resumeAfter: number): void {
    if (this.signal.aborted) return;
    this.#lastId = resumeAfter;
    this.#lag();
  }

  /** Resolves when at least `roomEvents` more fit and what waits is not too long, or the subscription is over. */
  room(): Promise<void> {
    if (this.signal.aborted || this.#hasRoom()) return Promise.resolve();
    return new Promise((resolve) => this.#roomWaiters.push(resolve));
  }

  /** Lets notifications follow the answer, which has been sent. */
  answered(): void {
    if (this.#state === 'unanswered') this.#state = this.signal.aborted ? 'lagged' : 'open';
    this.#wake();
  }

  /** Takes lines that are ready to be sent, some `bytes` of them at most. */
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
      lines += laggedLine(this.#id, this.#lastId);
      this.#state = 'over';
    }
    if (this.#hasRoom()) this.#releaseRoomWaiters();
    return lines;
  }

  /** Drops what waits: the subscriber has gone. */
  end(): void {
    this.#state = 'over';
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#ended.abort();
    this.#releaseRoomWaiters();
  }

  #lag(): void {
    if (this.#state === 'open') this.#state = 'lagged';
    this.#ended.abort();
    this.#releaseRoomWaiters();
    if (this.#state === 'lagged') this.#wake();
  }

  #hasRoom(): boolean {
    return this.#waiting.length <= waitingLimit - roomEvents && this.#waitingLength <= roomLength;
  }

  #releaseRoomWaiters(): void {
    const waiters = this.#roomWaiters;
    this.#roomWaiters = [];
    for (const resolve of waiters) resolve();
  }
}
