import type { ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import type { Subscriber } from '../control/methods.ts';
import type { Event } from '../event/catalogue.ts';

/** The time between two looks at the open streams, after which a comment is sent where nothing else was, and after which a client that reads nothing is cut off. */
const lookMs = 3_000;
const heartbeatMs = 15_000;
const stalledMs = 30_000;

/** Begins notifying a subscriber of the events after one; without one, of new events. Rejects with what the method says. */
export type Subscribe = (after: number | undefined, subscriber: Subscriber) => Promise<void>;

/** A stream of events to one client. */
interface OpenStream {
  look(): void;
  end(): void;
}

/** The parts of streams by their events: those who follow the log at its end are given the same objects. */
const parts = new WeakMap<Event, string>();

function partOf(event: Event): string {
  const known = parts.get(event);
  if (known !== undefined) return known;
  const part = `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;
  parts.set(event, part);
  return part;
}

/** The open streams of events of a server. */
export class Streams {
  readonly #clock: Clock;
  readonly #open = new Set<OpenStream>();
  #timer: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#timer = this.#arm();
  }

  /**
   * Sends events as they come, until the client hangs up, its caller is no longer `allowed` or the server closes. Rejects before
   * anything was sent where the subscription is refused.
   */
  async serve(
    response: ServerResponse,
    {
      allowed,
      after,
      subscribe,
    }: { allowed(): boolean; readonly after: number | undefined; readonly subscribe: Subscribe },
  ): Promise<void> {
    const stream = openStream(response, this.#clock, { allowed, subscribe });
    this.#open.add(stream);
    response.once('close', () => {
      this.#open.delete(stream);
      stream.end();
    });
    try {
      await stream.begin(after);
    } catch (error) {
      this.#open.delete(stream);
      throw error;
    }
  }

  /** Ends all streams, and looks at none from now on. */
  close(): void {
    this.#clock.cancel(this.#timer);
    for (const stream of this.#open) stream.end();
  }

  get size(): number {
    return this.#open.size;
  }

  #arm(): number {
    return this.#clock.at(this.#clock.monotonic() + lookMs, () => {
      for (const stream of this.#open) stream.look();
      this.#timer = this.#arm();
    });
  }
}

function openStream(
  response: ServerResponse,
  clock: Clock,
  { allowed, subscribe }: { allowed(): boolean; readonly subscribe: Subscribe },
) {
  const ended = new AbortController();
  let waiters: (() => void)[] = [];
  let writtenAt = clock.monotonic();
  /** Since when the client has not taken what was written; missing while it has. */
  let fullSince: number | undefined;
  response.on('drain', () => {
    fullSince = undefined;
    release();
  });

  return {
    begin,
    end,
    look() {
      const now = clock.monotonic();
      if (!allowed()) end();
      else if (fullSince !== undefined && now - fullSince >= stalledMs) response.destroy();
      else if (fullSince === undefined && now - writtenAt >= heartbeatMs) write(': \n\n');
    },
  };

  async function begin(after: number | undefined): Promise<void> {
    // Each has a signal of its own, as one that lags ends and another one goes on.
    const over = new AbortController();
    const { signal } = over;
    ended.signal.addEventListener('abort', () => over.abort(), { signal });
    await subscribe(after, {
      signal,
      notify(event: Event) {
        if (signal.aborted) return false;
        write(partOf(event));
        return true;
      },
      lag(resumeAfter) {
        over.abort();
        if (ended.signal.aborted) return;
        reset(resumeAfter);
        begin(resumeAfter).catch(end);
      },
      room: () =>
        signal.aborted || fullSince === undefined ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve)),
    });
    if (!response.headersSent) start();
  }

  /** Tells the client that events before this one are no longer kept, so that it reads anew what it shows. */
  function reset(after: number): void {
    write(`id: ${after}\nevent: reset\ndata: ${JSON.stringify({ after })}\n\n`);
  }

  function start(): void {
    if (response.destroyed || ended.signal.aborted) return;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
      connection: 'close',
    });
    response.write('retry: 2000\n\n');
  }

  function write(text: string): void {
    if (response.destroyed || ended.signal.aborted) return;
    if (!response.headersSent) start();
    writtenAt = clock.monotonic();
    if (!response.write(text)) fullSince ??= writtenAt;
  }

  function end(): void {
    if (ended.signal.aborted) return;
    ended.abort();
    release();
    response.end();
  }

  function release(): void {
    const waiting = waiters;
    waiters = [];
    for (const resolve of waiting) resolve();
  }
}
