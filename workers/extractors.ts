import { extname } from 'node:path';
import { Piscina } from 'piscina';
import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Ref, Reply, Self } from '../src/actor/types.ts';
import { extractInput } from '../src/engine/inline.ts';
import type { ThreadOutcome } from '../src/extract/draft.ts';
import type { ExtractRoom } from '../src/extract/room.ts';
import type { Page } from '../src/fetch/page.ts';
import type { Reading } from '../src/provider/provider.ts';
import { ExtractLane, type LaneTask } from './extract-lane.ts';
import { FairLines } from './fair-lines.ts';

/** The messages of the extraction pool. */
export type ExtractorsMessage =
  | ExtractRequest
  /** The signal of a request fired. */
  | { readonly type: 'withdraw'; readonly request: ExtractRequest }
  | { readonly type: 'extracted'; readonly request: ExtractRequest; readonly outcome: ThreadOutcome }
  | { readonly type: 'pool-failed'; readonly error: unknown }
  | { readonly type: 'status'; readonly reply: Reply<ExtractorsStatus> };

/** Asks for one page to be read. */
export interface ExtractRequest {
  readonly type: 'extract';
  readonly job: ExtractJob;
  readonly signal: AbortSignal;
  readonly reply: Reply<ExtractAnswer>;
}

/** A page to read. Its body moves to the thread: afterwards it is empty here. */
export interface ExtractJob {
  readonly page: Page;
  readonly reading: Reading;
  /** Whether the body comes back with the outcome. Default: no. */
  readonly keepsBody?: boolean;
}

/** The outcome of a job; `cancelled` if its signal fired first. */
export type ExtractAnswer = ThreadOutcome | 'cancelled';

/** The threads of the pool, and the pages that wait for one. */
export interface ExtractorsStatus {
  readonly threads: number;
  readonly busy: number;
  readonly waiting: number;
}

/** A page on a thread. */
interface Running {
  readonly lane: ExtractLane;
  readonly startedAt: number;
}

/** The size and the limits of the pool. */
export interface ExtractorsDeps {
  readonly registry: Registry<'extractors', ExtractorsMessage>;
  /** Counts the pages in the pool, without those of slow sources. */
  readonly room: ExtractRoom;
  /** The number of threads, without the one for slow sources. */
  readonly threads: number;
  /** The limit of one thread's heap, in MiB; a page that needs more crashes its thread and nothing else. Default 512. */
  readonly threadMemoryMib?: number;
  /** The entry file of the threads. Default: `extract.thread` beside this file. */
  readonly threadFile?: string;
}

/**
 * The limit of the part of a thread's heap where objects begin, in MiB. A collection may move all of it to the other part at once, and where that
 * is more than the little that V8 allows over the limit, it ends the process and not the thread.
 */
const youngMemoryMib = 24;

/** The thread's entry file beside this one: TypeScript in development, JavaScript when built. */
const extractThread = new URL(`./extract.thread${extname(import.meta.url)}`, import.meta.url).href;

/** Sources whose pages are expected to take longer, in milliseconds, share one further thread: others need not wait for theirs. */
const slowMs = 250;

/**
 * Owns the extraction threads. At most one page is on a thread, and pages wait here for a free one, so that a page's time limit
 * counts the reading and not the waiting. Threads are given to sources in turn, by the time that their pages took; sources with
 * slow pages have one further thread, and no other. A thread that overruns its limit is ended and replaced.
 */
export function extractors(self: Self<ExtractorsMessage>, deps: ExtractorsDeps): Behaviour<ExtractorsMessage> {
  self.trapExit();
  self.register(deps.registry, 'extractors');
  deps.room.clear();
  const pool = openPool(deps);
  pool.on('error', (error) => self.send({ type: 'pool-failed', error }));
  const lanes = Array.from({ length: deps.threads }, () => new ExtractLane(pool));
  const slowLane = new ExtractLane(pool);
  // A life that is killed runs no `stop`; its threads must end all the same.
  self.signal.addEventListener('abort', () => void close(), { once: true });
  const free = [...lanes];
  const lines = new FairLines<ExtractRequest>();
  const running = new Map<ExtractRequest, Running>();
  /** Functions that stop listening to each request's signal, and count it out of the room. */
  const watches = new Map<ExtractRequest, () => void>();

  return {
    receive(message) {
      switch (message.type) {
        case 'extract':
          return accept(message);
        case 'withdraw':
          return withdraw(message.request);
        case 'extracted':
          return finish(message.request, message.outcome);
        case 'pool-failed':
          throw message.error;
        case 'status':
          return message.reply({ threads: deps.threads, busy: running.size, waiting: lines.waiting });
        default:
          message satisfies never;
      }
    },
    stop: close,
  };

  function close(): Promise<void> {
    // The pool is closed first, so that it does not replace the threads that lanes end.
    const ended = pool.destroy();
    for (const lane of [...lanes, slowLane]) lane.close();
    return ended;
  }

  function accept(request: ExtractRequest): void {
    if (request.signal.aborted) return request.reply('cancelled');
    const onAbort = (): void => self.send({ type: 'withdraw', request });
    request.signal.addEventListener('abort', onAbort);
    // Pages that wait for the thread of slow sources do not keep those of others from being asked for.
    const isCounted = !isSlow(request);
    if (isCounted) deps.room.add();
    watches.set(request, () => {
      request.signal.removeEventListener('abort', onAbort);
      if (isCounted) deps.room.remove();
    });
    lines.add(request.job.reading.source, request);
    startNext();
  }

  function startNext(): void {
    for (;;) {
      const isSlowFree = Array.from(running.values()).every(({ lane }) => lane !== slowLane);
      const request = lines.take((one) => (isSlow(one) ? isSlowFree : free.length > 0));
      if (request === undefined) return;
      start(request, isSlow(request) ? slowLane : (free.pop() ?? slowLane));
    }
  }

  function start(request: ExtractRequest, lane: ExtractLane): void {
    running.set(request, { lane, startedAt: performance.now() });
    const { page, reading, keepsBody = false } = request.job;
    lane.read(extractInput(page, reading), { limitMs: reading.limitMs, keepsBody }, (outcome) =>
      self.send({ type: 'extracted', request, outcome }),
    );
  }

  function isSlow({ job }: ExtractRequest): boolean {
    return lines.expectedMs(job.reading.source) > slowMs;
  }

  function withdraw(request: ExtractRequest): void {
    if (lines.remove(request)) return settle(request, 'cancelled');
    const lane = running.get(request)?.lane;
    if (lane === undefined) return;
    lane.close();
    finish(request, 'cancelled');
  }

  /** Replies with an outcome, unless the request was withdrawn before. */
  function finish(request: ExtractRequest, answer: ExtractAnswer): void {
    const ended = running.get(request);
    if (ended === undefined) return;
    running.delete(request);
    if (ended.lane !== slowLane) free.push(ended.lane);
    const cpuMs = answer === 'cancelled' ? undefined : answer.cpuMs;
    // The start of a thread, and the time that others had its processor, are no fault of the page.
    lines.ended(request, cpuMs ?? performance.now() - ended.startedAt);
    settle(request, answer);
    startNext();
  }

  function settle(request: ExtractRequest, answer: ExtractAnswer): void {
    watches.get(request)?.();
    watches.delete(request);
    request.reply(answer);
  }
}

/** Reads a page on a thread; its body moves there. Rejects with the signal's reason when that fires first, and when the pool's life ends. */
export async function extractPage(
  extractors: Ref<ExtractorsMessage>,
  job: ExtractJob,
  signal: AbortSignal,
): Promise<ThreadOutcome> {
  signal.throwIfAborted();
  const answer = await extractors.ask<ExtractAnswer>((reply) => ({ type: 'extract', job, signal, reply }), Infinity);
  if (answer !== 'cancelled') return answer;
  throw signal.reason;
}

function openPool({
  threads,
  threadMemoryMib = 512,
  threadFile = extractThread,
}: ExtractorsDeps): Piscina<LaneTask, void> {
  return new Piscina<LaneTask, void>({
    filename: threadFile,
    // A thread starts with the first page that needs it; small pages never do.
    minThreads: 0,
    maxThreads: threads + 1,
    // Piscina would require the module first, and a thread that is ended while it does so can take the process along.
    execArgv: ['--no-experimental-require-module'],
    resourceLimits: { maxOldGenerationSizeMb: threadMemoryMib, maxYoungGenerationSizeMb: youngMemoryMib },
  });
}
