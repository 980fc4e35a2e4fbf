/** The requests of one source that wait, and what its requests have used. */
interface Line<R> {
  readonly waiting: Set<R>;
  underWay: number;
  /** The time that the source has used, in milliseconds, counted as if it had used as much as all others when it began to wait. */
  usedMs: number;
  /** The time that its next request is expected to use, in milliseconds. */
  expectedMs: number;
}

/** A request under way, and the time that its source was charged for it before it was known. */
interface UnderWay<R> {
  readonly source: string;
  readonly line: Line<R>;
  readonly chargedMs: number;
}

/**
 * Requests that wait for threads, fairly by source (start-time fair queueing): the source that has used least is next, and
 * within a source the request that came first. A request that takes long is charged to its source alone. A source that
 * waited for nothing saves no time up.
 */
export class FairLines<R> {
  readonly #lines = new Map<string, Line<R>>();
  readonly #sources = new Map<R, string>();
  readonly #underWay = new Map<R, UnderWay<R>>();
  /** What the source of the last request that was taken had used. */
  #usedMs = 0;

  /** The number of requests that wait. */
  get waiting(): number {
    return this.#sources.size;
  }

  /** Adds a request at the end of its source's line. */
  add(source: string, request: R): void {
    const line = this.#lines.get(source) ?? { waiting: new Set(), underWay: 0, usedMs: 0, expectedMs: 0 };
    this.#lines.set(source, line);
    if (line.waiting.size === 0 && line.underWay === 0) line.usedMs = Math.max(line.usedMs, this.#usedMs);
    line.waiting.add(request);
    this.#sources.set(request, source);
  }

  /** Removes a request that waits. Returns `false` if it does not. */
  remove(request: R): boolean {
    const source = this.#sources.get(request);
    if (source === undefined) return false;
    this.#sources.delete(request);
    this.#lines.get(source)?.waiting.delete(request);
    return true;
  }

  /** Takes the next of the requests that may be taken; `undefined` if there is none. The caller tells `ended` of its end. */
  take(mayTake: (request: R) => boolean): R | undefined {
    let next: { readonly source: string; readonly line: Line<R>; readonly request: R } | undefined;
    for (const [source, line] of this.#lines) {
      if (next !== undefined && next.line.usedMs <= line.usedMs) continue;
      const request = firstOf(line.waiting, mayTake);
      if (request !== undefined) next = { source, line, request };
    }
    if (next === undefined) return undefined;
    const { source, line, request } = next;
    this.remove(request);
    this.#usedMs = Math.max(this.#usedMs, line.usedMs);
    this.#underWay.set(request, { source, line, chargedMs: line.expectedMs });
    line.underWay += 1;
    line.usedMs += line.expectedMs;
    return request;
  }

  /** Charges a source for a request that was taken and has ended, in place of what was expected. */
  ended(request: R, tookMs: number): void {
    const ended = this.#underWay.get(request);
    if (ended === undefined) return;
    const { source, line, chargedMs } = ended;
    this.#underWay.delete(request);
    line.underWay -= 1;
    line.usedMs += tookMs - chargedMs;
    // A few short requests after a long one do not make the next one short.
    line.expectedMs = Math.max(tookMs, line.expectedMs / 2);
    const isIdle = line.waiting.size === 0 && line.underWay === 0;
    if (isIdle && line.usedMs <= this.#usedMs && line.expectedMs < 1) this.#lines.delete(source);
  }

  /** The time that the next request of a source is expected to use, in milliseconds; 0 where nothing is known. */
  expectedMs(source: string): number {
    return this.#lines.get(source)?.expectedMs ?? 0;
  }
}

function firstOf<R>(requests: Iterable<R>, mayTake: (request: R) => boolean): R | undefined {
  for (const request of requests) if (mayTake(request)) return request;
  return undefined;
}
