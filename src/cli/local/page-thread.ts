import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Draft, DraftPage } from '../../draft/draft.ts';
import type { ExtractFailure } from '../../extract/draft.ts';
import type { ExtractInput } from '../../extract/extract.ts';
import type { tryExtract } from '../../extract/trial.ts';

/** What a command wants of a page. */
export type PageTask =
  | { readonly type: 'read'; readonly input: ExtractInput; readonly trees: boolean }
  | { readonly type: 'draft'; readonly page: DraftPage };

/** What came of it, or why nothing did: its time was up, or its thread is gone. */
export type PageResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: ExtractFailure };

type Trial = Awaited<ReturnType<typeof tryExtract>>;

/** As much as a thread of the daemon may use, in MiB. */
const memoryMib = 512;
const youngMemoryMib = 24;

/** Threads that wait for the next page; they do not keep the program from ending. */
const idle: Worker[] = [];

/** Reads a page on a thread within a time in milliseconds, as no page may keep a command for ever. */
export async function readOnThread(input: ExtractInput, trees: boolean, limitMs: number): Promise<PageResult<Trial>> {
  return (await onThread({ type: 'read', input, trees }, limitMs)) as PageResult<Trial>;
}

/** Drafts a definition from a page in the same way. */
export async function draftOnThread(page: DraftPage, limitMs: number): Promise<PageResult<Draft>> {
  return (await onThread({ type: 'draft', page }, limitMs)) as PageResult<Draft>;
}

/** A thread that ends, by its own or by its limit, is not used again. */
async function onThread(task: PageTask, limitMs: number): Promise<PageResult<unknown>> {
  const worker = idle.pop() ?? (await openThread());
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  worker.ref();
  try {
    worker.postMessage(task, []);
    const [value] = (await once(worker, 'message', { signal: limit.signal })) as [unknown];
    worker.unref();
    idle.push(worker);
    return { ok: true, value };
  } catch (error) {
    await worker.terminate();
    if (limit.signal.aborted) return { ok: false, failure: { code: 'extract_timeout', afterMs: limitMs } };
    const cause = error instanceof Error ? error.message : String(error);
    return { ok: false, failure: { code: 'extract_crashed', cause } };
  } finally {
    clearTimeout(timer);
  }
}

async function openThread(): Promise<Worker> {
  const worker = new Worker(new URL(`./page.thread${extname(import.meta.url)}`, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memoryMib, maxYoungGenerationSizeMb: youngMemoryMib },
  });
  // One that fails while nobody listens is gone by the time that it is asked.
  worker.on('error', () => undefined);
  await once(worker, 'message');
  return worker;
}
