import { extname } from 'node:path';
import { Piscina } from 'piscina';
import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Ref, Reply, Self } from '../src/actor/types.ts';
import type { ExtractOutcome } from '../src/extract/draft.ts';
import type { ExtractInput } from '../src/extract/extract.ts';
import type { ExtractRoom } from '../src/extract/room.ts';
import type { Page } from '../src/fetch/page.ts';
import type { Reading } from '../src/provider/provider.ts';

export type ExtractorsMessage =
  | ExtractRequest
  /** The signal of a request fired while it may have been waiting. */
  | { readonly type: 'withdraw'; readonly request: ExtractRequest }
  | { readonly type: 'extracted'; readonly answer: ExtractAnswer; readonly reply: Reply<ExtractAnswer> }
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
}

/** What came of a job; `cancelled` when its signal fired first. */
export type ExtractAnswer = ExtractOutcome | 'cancelled';

export interface ExtractorsStatus {
  readonly threads: number;
  readonly busy: number;
  readonly waiting: number;
}

export interface ExtractorsDeps {
  readonly registry: Registry<'extractors', ExtractorsMessage>;
  /** Told of every page that comes and goes. */
  readonly room: ExtractRoom;
  readonly threads: number;
  /** Of one thread's heap, in MiB; a page that needs more crashes its thread and nothing else. Default 512. */
  readonly threadMemoryMib?: number;
  /** The entry file of the threads. Default: `extract.thread` beside this file. */
  readonly threadFile?: string;
}

/** Beside this file, and of its kind: TypeScript in development, JavaScript when built. */
const extractThread = new URL(`./extract.thread${extname(import.meta.url)}`, import.meta.url).href;

/**
 * Owns the extraction threads. At most one page is on a thread, and pages wait here for a free one, in order, so that a page's
 * time limit counts the reading and not the waiting. A thread that overruns its limit is ended and replaced.
 */
export function extractors(self: Self<ExtractorsMessage>, deps: ExtractorsDeps): Behaviour<ExtractorsMessage> {
  self.trapExit();
  self.register(deps.registry, 'extractors');
  deps.room.clear();
  const pool = openPool(deps);
  pool.on('error', (error) => self.send({ type: 'pool-failed', error }));
  // A life that is killed runs no `stop`; its threads must go all the same.
  self.signal.addEventListener('abort', () => void pool.destroy(), { once: true });
  /** With what ends the watch over each request's signal. */
  const waiting = new Map<ExtractRequest, () => void>();
  let busy = 0;

  return {
    receive(message) {
      switch (message.type) {
        case 'extract':
          return accept(message);
        case 'withdraw':
          return withdraw(message.request);
        case 'extracted':
          return finish(message.answer, message.reply);
        case 'pool-failed':
          throw message.error;
        case 'status':
          return message.reply({ threads: deps.threads, busy, waiting: waiting.size });
        default:
          message satisfies never;
      }
    },
    stop: () => pool.destroy(),
  };

  function accept(request: ExtractRequest): void {
    if (request.signal.aborted) return request.reply('cancelled');
    const onAbort = (): void => self.send({ type: 'withdraw', request });
    request.signal.addEventListener('abort', onAbort, { once: true });
    waiting.set(request, () => request.signal.removeEventListener('abort', onAbort));
    deps.room.enter();
    startNext();
  }

  function startNext(): void {
    for (const [request, unwatch] of waiting) {
      if (busy >= deps.threads) return;
      unwatch();
      waiting.delete(request);
      busy += 1;
      self.task(
        (life) => runOnThread(pool, request.job, request.signal, life),
        (answer) => ({ type: 'extracted', answer, reply: request.reply }),
      );
    }
  }

  function withdraw(request: ExtractRequest): void {
    if (!waiting.delete(request)) return;
    deps.room.leave();
    request.reply('cancelled');
  }

  function finish(answer: ExtractAnswer, reply: Reply<ExtractAnswer>): void {
    busy -= 1;
    deps.room.leave();
    reply(answer);
    startNext();
  }
}

/** Reads a page on a thread; its body moves there. Rejects with the signal's reason when that fires first, and when the pool's life ends. */
export async function extractPage(
  extractors: Ref<ExtractorsMessage>,
  job: ExtractJob,
  signal: AbortSignal,
): Promise<ExtractOutcome> {
  signal.throwIfAborted();
  const answer = await extractors.ask<ExtractAnswer>((reply) => ({ type: 'extract', job, signal, reply }), Infinity);
  if (answer !== 'cancelled') return answer;
  throw signal.reason;
}

function openPool({
  threads,
  threadMemoryMib = 512,
  threadFile = extractThread,
}: ExtractorsDeps): Piscina<ExtractInput, ExtractOutcome> {
  return new Piscina<ExtractInput, ExtractOutcome>({
    filename: threadFile,
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: { maxOldGenerationSizeMb: threadMemoryMib },
  });
}

/** Resolves for everything that a page can do to a thread. */
async function runOnThread(
  pool: Piscina<ExtractInput, ExtractOutcome>,
  { page, reading }: ExtractJob,
  signal: AbortSignal,
  life: AbortSignal,
): Promise<ExtractAnswer> {
  if (signal.aborted) return 'cancelled';
  const limit = AbortSignal.timeout(reading.limitMs);
  const contentType = page.headers['content-type'];
  const input: ExtractInput = {
    body: page.body,
    url: page.url,
    plan: reading.plan,
    ...(contentType !== undefined && { contentType }),
  };
  try {
    return await pool.run(input, { transferList: [page.body], signal: AbortSignal.any([limit, signal, life]) });
  } catch (error) {
    // Whatever ended the thread, it was this page: the pool has no other work.
    if (signal.aborted || life.aborted) return 'cancelled';
    if (limit.aborted) return { ok: false, failure: { code: 'extract_timeout', afterMs: reading.limitMs } };
    return {
      ok: false,
      failure: { code: 'extract_crashed', cause: error instanceof Error ? error.message : String(error) },
    };
  }
}
