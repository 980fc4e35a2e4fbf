import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { defined } from '../defined.ts';
import type { FoundDraft } from '../extract/record.ts';
import { calledName, failureOf } from './fault.ts';
import type {
  Answers,
  Batch,
  FromThread,
  PluginCall,
  PluginFailure,
  PluginFile,
  PluginLogLine,
  PluginOutcome,
  Question,
  ToThread,
} from './protocol.ts';
import type { PluginLimits, PluginServices } from './services.ts';
import { isPatient, watchCall } from './watch.ts';

/**
 * V8's own memory limit for a thread over ours, in MiB. Beyond its limit V8 may end the whole process when it meets one
 * large array, and no array takes more than half of it; so the watch ends the thread long before.
 */
const spareMib = 2_048;

/** A thread is replaced after this many modules: none is ever unloaded. */
const maxModules = 50;

/** A thread for plug-ins. It lasts until a call leaves something behind or `end` is called. */
export interface PluginThread {
  readonly hasEnded: boolean;
  /** Whether the module is already loaded on this thread. */
  knows(plugin: PluginFile): boolean;
  /**
   * Makes a call; one at a time. Never rejects. Ends the thread where the call was cut by the signal or left something
   * behind.
   */
  run(call: PluginCall, services: PluginServices, signal: AbortSignal): Promise<CallEnd>;
  end(): Promise<unknown>;
}

/**
 * V8 drops the check for interruptions from loops that it unrolls, such as `for (;;) all.push(new
 * Array(1000).fill(1))`: a thread in such a loop can be neither inspected nor ended, and its full heap ends the
 * process. The flag counts for code that is compiled afterwards.
 */
const interruptible = '--no-turboshaft-loop-unrolling';

/** Starts a thread. Throws if no thread can be started. */
export function openPluginThread(threadFile: URL, limits: PluginLimits): PluginThread {
  setFlagsFromString(interruptible);
  const worker = new Worker(threadFile, {
    stdout: true,
    stderr: true,
    // Node keeps what it compiled for the thread there; the thread removes the name before a plug-in is loaded.
    env: defined({ NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMib + spareMib },
  });
  // Nothing of ours writes there; what comes all the same is not kept.
  worker.stdout.resume();
  worker.stderr.resume();
  worker.on('error', () => undefined);
  const known = new Set<string>();
  let hasEnded = false;
  worker.once('exit', () => (hasEnded = true));
  let calls = 0;

  return {
    get hasEnded() {
      return hasEnded;
    },
    knows: (plugin) => known.has(nameOf(plugin)),
    async run(call, services, signal) {
      calls += 1;
      known.add(nameOf(call.plugin));
      const { end, isClean } = await runCall(worker, { ...call, call: calls }, { services, signal, limits });
      if (!isClean || known.size >= maxModules) await close();
      return end;
    },
    end: close,
  };

  function close(): Promise<unknown> {
    hasEnded = true;
    return worker.terminate();
  }
}

function nameOf({ file, version }: PluginFile): string {
  return `${version} ${file}`;
}

/** How a call ended: `cancelled` by its signal, `rejected` by an error of one of its services. */
export type CallEnd =
  | { readonly kind: 'called'; readonly outcome: PluginOutcome<unknown> }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'rejected'; readonly error: unknown };

/** The surroundings of a call. */
export interface CallFrame {
  readonly services: PluginServices;
  readonly signal: AbortSignal;
  readonly limits: PluginLimits;
}

/** How a call ended, and whether its thread may serve another. */
export interface CalledThread {
  readonly end: CallEnd;
  readonly isClean: boolean;
}

/** Makes a call on a thread that has no other. Never rejects: whatever a plug-in does to its thread is an outcome. */
function runCall(
  worker: Worker,
  call: PluginCall & { readonly call: number },
  { services, signal, limits }: CallFrame,
): Promise<CalledThread> {
  const named = { file: call.plugin.file, function: calledName(call), isPatient: isPatient(call.function) };
  const { promise, resolve } = Promise.withResolvers<CalledThread>();
  /** Fires when the call has ended, so that the daemon stops working for it. */
  const whole = new AbortController();
  const drafts: FoundDraft[] = [];
  let waits = 0;

  const watch = watchCall(worker, named, limits, fail);
  worker.on('message', receive);
  worker.on('error', crash);
  worker.on('exit', exited);
  signal.addEventListener('abort', cancel);
  const body = bodyOf(call);
  if (signal.aborted) cancel();
  else orReject(() => worker.postMessage({ type: 'call', ...call }, body === undefined ? [] : [body]));
  return promise;

  function receive(message: FromThread): void {
    if (message.call === call.call) orReject(() => hear(message));
  }

  /** Runs `run`. What it throws is an error of a service and ends the call, but not the pool. */
  function orReject(run: () => void): void {
    try {
      run();
    } catch (error) {
      finish({ kind: 'rejected', error }, false);
    }
  }

  function hear(message: FromThread): void {
    switch (message.type) {
      case 'began':
        services.began?.();
        return watch.began();
      case 'log':
        services.log(hiddenLine(message.line, (text) => services.hide(text)));
        return watch.heard(waits);
      case 'question':
        return void answer(message.request, message.question);
      case 'ended':
        return finish({ kind: 'called', outcome: whatEnded(message.outcome) }, message.isClean);
      default:
        return message satisfies never;
    }
  }

  async function answer(request: number, question: Question): Promise<void> {
    waits += 1;
    watch.heard(waits);
    try {
      const given = await serve(question);
      if (whole.signal.aborted) return;
      const moved = 'page' in given ? [given.page.body] : [];
      worker.postMessage({ type: 'answer', request, answer: given } satisfies ToThread, moved);
    } catch (error) {
      finish({ kind: 'rejected', error }, false);
    } finally {
      waits -= 1;
      watch.heard(waits);
    }
  }

  async function serve(question: Question): Promise<Answers[Question['type']]> {
    switch (question.type) {
      case 'fetch':
        return services.fetch(question.ask, whole.signal);
      case 'secret':
        return defined({ text: await services.secret(question.name) });
      case 'records':
        return services.records(question.wanted, question.cursor);
      case 'collected':
        if (call.function === 'collect') await services.collected(shownBatch(question.batch, services));
        else drafts.push(...question.batch.drafts);
        return {};
      default:
        return question satisfies never;
    }
  }

  /** The outcome, with the drafts of a page that came in batches. */
  function whatEnded(outcome: PluginOutcome<unknown>): PluginOutcome<unknown> {
    if (!outcome.ok) return outcome;
    return call.function === 'read' ? { ok: true, value: { ...Object(outcome.value), drafts } } : outcome;
  }

  function crash(error: unknown): void {
    const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (isMemory) return fail(failureOf('plugin_memory', named, `held more than ${limits.memoryMib} MiB`));
    const cause = error instanceof Error ? error.message : String(error);
    fail(failureOf('plugin_crashed', named, `ended its thread: ${cause}`));
  }

  function exited(code: number): void {
    fail(failureOf('plugin_exited', named, `ended its thread with code ${code}`));
  }

  function cancel(): void {
    finish({ kind: 'cancelled' }, false);
  }

  function fail(failure: PluginFailure): void {
    finish({ kind: 'called', outcome: { ok: false, failure } }, false);
  }

  function finish(end: CallEnd, isClean: boolean): void {
    watch.stop();
    worker.off('message', receive);
    worker.off('error', crash);
    worker.off('exit', exited);
    signal.removeEventListener('abort', cancel);
    whole.abort();
    resolve({
      end: end.kind === 'called' ? { kind: 'called', outcome: shownOf(end.outcome, services) } : end,
      isClean,
    });
  }
}

/** The body of a page, which is transferred to the thread. */
function bodyOf({ input }: PluginCall): ArrayBuffer | undefined {
  if (typeof input !== 'object' || input === null || !('body' in input)) return undefined;
  return input.body instanceof ArrayBuffer ? input.body : undefined;
}

function shownOf(outcome: PluginOutcome<unknown>, { hide }: PluginServices): PluginOutcome<unknown> {
  if (outcome.ok) return outcome;
  return { ok: false, failure: { ...outcome.failure, message: hide(outcome.failure.message) } };
}

/** The batch without secrets in its failures. Drafts stay as they are. */
function shownBatch({ drafts, failures }: Batch, { hide }: PluginServices): Batch {
  return { drafts, failures: failures.map(({ url, message }) => ({ url: hide(url), message: hide(message) })) };
}

/** The log line without secrets. Data that holds one becomes text. */
export function hiddenLine({ level, message, data }: PluginLogLine, hide: PluginServices['hide']): PluginLogLine {
  const text = data === undefined ? undefined : JSON.stringify(data);
  const shown = text === undefined ? undefined : hide(text);
  return {
    level,
    message: hide(message),
    ...defined({ data: shown === text ? data : shown }),
  };
}
