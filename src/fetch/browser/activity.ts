import { setTimeout as delay } from 'node:timers/promises';
import type { Page as Tab, Request } from 'playwright-core';

/** A page rests when it has made no request for so long, in milliseconds. */
const quietMs = 500;

/** How often is looked whether it does, in milliseconds. */
const lookMs = 50;

/** Connections that a page keeps open without waiting for anything. */
const lasting: ReadonlySet<string> = new Set(['eventsource', 'websocket']);

/** The requests of a tab that are under way. */
export class Activity {
  readonly #open = new Set<Request>();
  #lastAt = 0;

  constructor(tab: Tab) {
    tab.on('request', (request) => {
      if (!lasting.has(request.resourceType())) this.#open.add(request);
      this.#lastAt = performance.now();
    });
    const ended = (request: Request): void => {
      if (this.#open.delete(request)) this.#lastAt = performance.now();
    };
    tab.on('requestfinished', ended);
    tab.on('requestfailed', ended);
  }

  /** Waits until the page rests, from now on, but `withinMs` at most. Rejects when `signal` fires. */
  async rest(withinMs: number, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    while (performance.now() - startedAt < withinMs) {
      await delay(lookMs, undefined, { signal });
      if (this.#open.size === 0 && performance.now() - Math.max(this.#lastAt, startedAt) >= quietMs) return;
    }
  }
}
