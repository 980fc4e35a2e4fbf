import type { Worker } from 'node:worker_threads';
import { failureOf } from './fault.ts';
import type {
  Batch,
  FromThread,
  PluginDraft,
  PluginFailure,
  PluginFile,
  PluginFunction,
  PluginLogLine,
  PluginOutcome,
  Question,
  ToThread,
} from './protocol.ts';
import type { Answers } from './questions.ts';
import type { PluginLimits, PluginServices } from './services.ts';
import { watchCall } from './watch.ts';

/** One call of a plug-in's function. */
export interface PluginCall {
  readonly plugin: PluginFile;
  readonly function: PluginFunction;
  /** As the definition has them; the plug-in's own schema checks them on the thread. */
  readonly options: unknown;
  readonly input: unknown;
}

/** How a call ended: `cancelled` by its signal, `rejected` by one of its services. */
export type CallEnd =
  | { readonly kind: 'called'; readonly outcome: PluginOutcome<unknown> }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'rejected'; readonly error: unknown };

/** What stands around a call. */
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

/** Makes one call on a thread that has no other; resolves for everything that a plug-in can do to its thread. */
export function runCall(
  worker: Worker,
  call: PluginCall & { readonly call: number },
  { services, signal, limits }: CallFrame,
): Promise<CalledThread> {
  const named = { file: call.plugin.file, function: call.function };
  const { promise, resolve } = Promise.withResolvers<CalledThread>();
  /** Fires when the call has ended, for what the daemon still does for it. */
  const whole = new AbortController();
  const drafts: PluginDraft[] = [];
  let waits = 0;

  const watch = watchCall(worker, named, limits, fail);
  worker.on('message', receive);
  worker.on('error', crash);
  worker.on('exit', leave);
  signal.addEventListener('abort', cancel);
  const body = bodyOf(call);
  if (signal.aborted) cancel();
  else
    orReject(() => worker.postMessage({ type: 'call', ...call } satisfies ToThread, body === undefined ? [] : [body]));
  return promise;

  function receive(message: FromThread): void {
    if (message.call === call.call) orReject(() => hear(message));
  }

  /** What is thrown here is the caller's, as by its services: it must not end the pool. */
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
        services.log(hidden(message.line, services));
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
      case 'secret': {
        const text = await services.secret(question.name);
        return text === undefined ? {} : { text };
      }
      case 'collected':
        if (call.function === 'collect') await services.collected(shownBatch(question.batch, services));
        else drafts.push(...question.batch.drafts);
        return {};
      default:
        return question satisfies never;
    }
  }

  /** The drafts of a page came in parts. */
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

  function leave(code: number): void {
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
    worker.off('exit', leave);
    signal.removeEventListener('abort', cancel);
    whole.abort();
    resolve({
      end: end.kind === 'called' ? { kind: 'called', outcome: shownOf(end.outcome, services) } : end,
      isClean,
    });
  }
}

/** The body of a page moves to the thread. */
function bodyOf({ input }: PluginCall): ArrayBuffer | undefined {
  if (typeof input !== 'object' || input === null || !('body' in input)) return undefined;
  return input.body instanceof ArrayBuffer ? input.body : undefined;
}

function shownOf(outcome: PluginOutcome<unknown>, { hide }: PluginServices): PluginOutcome<unknown> {
  if (outcome.ok) return outcome;
  return { ok: false, failure: { ...outcome.failure, message: hide(outcome.failure.message) } };
}

/** What items say of their failure may hold a secret; what drafts hold is theirs. */
function shownBatch({ drafts, failures }: Batch, { hide }: PluginServices): Batch {
  return { drafts, failures: failures.map(({ url, message }) => ({ url: hide(url), message: hide(message) })) };
}

/** Data that holds a secret is told as text. */
function hidden({ level, message, data }: PluginLogLine, { hide }: PluginServices): PluginLogLine {
  const text = data === undefined ? undefined : JSON.stringify(data);
  const shown = text === undefined ? undefined : hide(text);
  return {
    level,
    message: hide(message),
    ...(shown !== undefined && { data: shown === text ? data : shown }),
  };
}
