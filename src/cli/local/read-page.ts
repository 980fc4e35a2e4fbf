import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { TryView } from '../../control/methods/source.ts';
import type { Source } from '../../definition/source.ts';
import { defined } from '../../defined.ts';
import type { Draft, DraftPage } from '../../draft/draft.ts';
import type { ExtractFailure } from '../../extract/draft.ts';
import type { ExtractInput } from '../../extract/extract.ts';
import type { TrialOptions, tryExtract } from '../../extract/trial.ts';
import type { Reading } from '../../provider/provider.ts';
import type { PluginCall, PluginOutcome, PluginRead } from '../../plugin/protocol.ts';
import type { HeldPage } from './page.ts';

/** How a page is read. */
export interface ReadOptions {
  /** Whether the fast and the browser tree are compared. Default: no. */
  readonly trees?: boolean;
  /** Whether a page that a crawl reads for links alone is read so, and gives no record. Default: it is read for records. */
  readonly asCrawled?: boolean;
  /** The path of the folder of plug-ins. */
  readonly plugins: string;
}

/**
 * Reads a page by a source's definition or plug-in as the daemon would: on a thread, within the source's time
 * limit.
 */
export async function readHeldPage(
  source: Source,
  { body, url, contentType, fetchedAt, itemType }: HeldPage,
  { trees = false, asCrawled = false, plugins }: ReadOptions,
): Promise<TryView> {
  const { saysFinished } = await import('../../definition/end-rule.ts');
  if (source.plugin !== undefined) {
    const found = await readByPlugin(
      source,
      source.plugin,
      { body, url, ...defined({ contentType, fetchedAt }) },
      plugins,
    );
    const finished = found.finished || saysFinished(source, found.drafts, fetchedAt ?? Date.now());
    return { url, bytes: body.length, explained: [], steps: [], ...found, finished };
  }
  const [{ openProvider }, { trialReading }, { nextView }, { isListing }, { describeExtractFailure }] =
    await Promise.all([
      import('../../provider/declared.ts'),
      import('../../provider/trial-reading.ts'),
      import('../../definition/rule-text.ts'),
      import('../../provider/is-listing.ts'),
      import('../../extract/describe.ts'),
    ]);
  const provider = openProvider(source);
  const { items, crawl } = provider;
  // A saved page does not say whether it is one of a list or that of an item.
  const page = trialReading(source, provider, trees);
  const ofItem = itemType === undefined ? undefined : items?.reading(itemType);
  const ofListing = asCrawled && isListing(source, url) ? crawl?.listing : undefined;
  const { outcome, trial } = await readBy(ofItem ?? ofListing ?? page);
  const told = {
    url,
    bytes: body.length,
    explained: trial.items,
    ...defined({ trees: trial.trees, next: nextView(source, trial.next) }),
    steps: [],
  };
  if (outcome.ok) {
    const { drafts, absent, unparsed, repeated, notes } = outcome.extraction;
    const finished = saysFinished(source, drafts, fetchedAt ?? Date.now());
    return { ...told, drafts, finished, absent, unparsed, ...defined({ repeated, notes }) };
  }
  const { failure } = outcome;
  return { ...told, ...nothing, failure: { code: failure.code, message: describeExtractFailure(failure) } };

  async function readBy({ plan, limitMs, explain = { trees } }: Reading) {
    const observed = defined({ contentType, observedAt: fetchedAt });
    const read = await readOnThread({ body: new Uint8Array(body).buffer, url, plan, ...observed }, explain, limitMs);
    return read.ok ? read.value : { outcome: read, trial: { items: [], trees: undefined, next: undefined } };
  }
}

type Found = Pick<TryView, 'drafts' | 'finished' | 'absent' | 'unparsed' | 'notes' | 'failure'>;

const nothing = { drafts: [], finished: false, absent: [], unparsed: [] };

/** Has a source's plug-in read a page on a thread of its own. The plug-in can send no requests. */
async function readByPlugin(
  source: Source,
  name: string,
  { body, url, contentType, fetchedAt }: HeldPage,
  folder: string,
): Promise<Found> {
  const [{ readPlugin }, { typedDrafts }, { planOf }] = await Promise.all([
    import('../../definition/plugin-file.ts'),
    import('../../extract/record.ts'),
    import('../../provider/plans.ts'),
  ]);
  const read = await readPlugin(folder, name);
  if (!read.ok) return { ...nothing, failure: { code: 'plugin_bad_module', message: `${name}: ${read.message}` } };
  const headers = { 'content-type': contentType ?? 'text/html; charset=utf-8' };
  const input = { url, status: 200, headers, body: new Uint8Array(body).buffer };
  const call = { plugin: read.plugin, function: 'read', options: source.options, input } as const;
  const outcome = (await callPluginOnThread(call)) as PluginOutcome<PluginRead>;
  if (!outcome.ok) return { ...nothing, failure: { code: outcome.failure.code, message: outcome.failure.message } };
  const { drafts, unparsed, absent, notes } = typedDrafts(outcome.value.drafts, planOf(source), url, fetchedAt);
  const noted = notes.length === 0 ? {} : { notes };
  return { drafts, finished: outcome.value.finished, absent, unparsed, ...noted };
}

/**
 * Calls a function of a plug-in on a thread of its own, as the daemon does: a module that blocks or ends its thread does
 * no harm to other calls. The plug-in can send no requests. Rejects where the call could not be made.
 */
export async function callPluginOnThread(call: PluginCall): Promise<PluginOutcome<unknown>> {
  const [{ openPluginThread }, { defaultPluginLimits, noServices }] = await Promise.all([
    import('../../plugin/thread.ts'),
    import('../../plugin/services.ts'),
  ]);
  const threadFile = new URL(`../../../workers/plugin.thread${extname(import.meta.url)}`, import.meta.url);
  const thread = openPluginThread(threadFile, defaultPluginLimits);
  try {
    const end = await thread.run(call, noServices, new AbortController().signal);
    if (end.kind === 'rejected') throw end.error;
    if (end.kind === 'cancelled') throw new Error(`${call.plugin.file}: its thread was ended`);
    return end.outcome;
  } finally {
    await thread.end();
  }
}

/** A task of the page thread: to read a page, or to draft a definition from it. */
export type PageTask =
  | { readonly type: 'read'; readonly input: ExtractInput; readonly options: TrialOptions }
  | { readonly type: 'draft'; readonly page: DraftPage };

/** The result of a task; a failure where it took too long or its thread crashed. */
export type TaskResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: ExtractFailure };

type Trial = Awaited<ReturnType<typeof tryExtract>>;

/** The memory limits of the thread, in MiB, as of the daemon's threads. */
const memoryMib = 512;
const youngMemoryMib = 24;

/** Threads that wait for the next task; they do not keep the process from ending. */
const idle: Worker[] = [];

/** Reads a page on a thread. Resolves with a failure after `limitMs` milliseconds. */
export async function readOnThread(
  input: ExtractInput,
  options: TrialOptions,
  limitMs: number,
): Promise<TaskResult<Trial>> {
  return (await onThread({ type: 'read', input, options }, limitMs)) as TaskResult<Trial>;
}

/** Drafts a definition from a page on a thread. Resolves with a failure after `limitMs` milliseconds. */
export async function draftOnThread(page: DraftPage, limitMs: number): Promise<TaskResult<Draft>> {
  return (await onThread({ type: 'draft', page }, limitMs)) as TaskResult<Draft>;
}

/** Runs a task on an idle or new thread, and keeps the thread for the next task unless it ended. */
async function onThread(task: PageTask, limitMs: number): Promise<TaskResult<unknown>> {
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
