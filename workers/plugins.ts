import { extname } from 'node:path';
import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Ref, Reply, Self } from '../src/actor/types.ts';
import type { PluginCall, PluginFile, PluginFunction, PluginFunctions, PluginOutcome } from '../src/plugin/protocol.ts';
import { type CallEnd, openPluginThread, type PluginThread } from '../src/plugin/thread.ts';
import { defaultPluginLimits, noServices, type PluginLimits, type PluginServices } from '../src/plugin/services.ts';
import type { PluginQuestion } from '../src/plugin/source-plugins.ts';
import { isPatient } from '../src/plugin/watch.ts';
import { FairLines } from './fair-lines.ts';

/** The messages of the pool of plug-in threads. */
export type PluginsMessage =
  | PluginRequest
  /** Sent when the signal of a request fires while the request may be waiting. */
  | { readonly type: 'withdraw'; readonly request: PluginRequest }
  | { readonly type: 'called'; readonly thread: PluginThread; readonly request: PluginRequest; readonly end: CallEnd }
  | { readonly type: 'status'; readonly reply: Reply<PluginsStatus> };

/** A call of one function of one plug-in. */
export interface PluginRequest {
  readonly type: 'call';
  readonly call: PluginCall;
  readonly services: PluginServices;
  readonly signal: AbortSignal;
  readonly reply: Reply<CallEnd>;
}

/** The threads of the pool, and the calls that wait for one. */
export interface PluginsStatus {
  /** The threads that run now. They are started when they are needed. */
  readonly threads: number;
  readonly busy: number;
  readonly waiting: number;
  /** The threads started in this life. */
  readonly started: number;
}

/** The size and the limits of the pool. */
export interface PluginsDeps {
  readonly registry: Registry<'plugins', PluginsMessage>;
  /** The largest number of threads. Default 4. */
  readonly threads?: number;
  readonly limits?: Partial<PluginLimits>;
  /** The entry file of the threads. Default: `plugin.thread` beside this file. */
  readonly threadFile?: URL;
}

/**
 * The number of threads for functions that used up their time, which would otherwise keep all other calls waiting again
 * and again. No call that waits for the daemon may use them: a collector may wait for a log-in, and one behind the
 * other would wait for ever. Each call there ends by a limit of its own, so that the line moves.
 */
const mostSlow = 1;

/** The thread's entry file beside this one: TypeScript in development, JavaScript when built. */
const pluginThread = new URL(`./plugin.thread${extname(import.meta.url)}`, import.meta.url);

/**
 * Owns the threads of plug-ins. Each call has a thread for itself, and calls wait here for one. Threads are given to plug-ins
 * in turn, by the time that their calls took. Collectors and functions of pipelines leave one thread to all other calls. Functions that used up their time in their last call share one thread, unless
 * they may wait for the daemon. A thread on which a call leaves something behind is ended and replaced.
 */
export function plugins(self: Self<PluginsMessage>, deps: PluginsDeps): Behaviour<PluginsMessage> {
  self.trapExit();
  self.register(deps.registry, 'plugins');
  const limits = { ...defaultPluginLimits, ...deps.limits };
  const most = deps.threads ?? 4;
  const mostLong = Math.max(1, most - 1);
  const threads = new Set<PluginThread>();
  const idle = new Set<PluginThread>();
  const lines = new FairLines<PluginRequest>();
  /** Functions that stop listening to the signal of each waiting call. */
  const watches = new Map<PluginRequest, () => void>();
  /** The calls under way, with the instant at which each began. */
  const underWay = new Map<PluginRequest, number>();
  /**
   * The functions that used up their time in their last call without waiting for the daemon, with their plug-in's
   * version.
   */
  const slow = new Map<string, string>();
  let started = 0;
  // A life that is killed runs no `stop`; its threads must end all the same.
  self.signal.addEventListener('abort', () => void endAll(), { once: true });

  return {
    receive(message) {
      switch (message.type) {
        case 'call':
          return accept(message);
        case 'withdraw':
          return withdraw(message.request);
        case 'called':
          return finish(message.thread, message.request, message.end);
        case 'status':
          return message.reply({
            threads: threads.size,
            busy: threads.size - idle.size,
            waiting: lines.waiting,
            started,
          });
        default:
          message satisfies never;
      }
    },
    stop: endAll,
  };

  function accept(request: PluginRequest): void {
    if (request.signal.aborted) return request.reply({ kind: 'cancelled' });
    const onAbort = (): void => self.send({ type: 'withdraw', request });
    request.signal.addEventListener('abort', onAbort, { once: true });
    watches.set(request, () => request.signal.removeEventListener('abort', onAbort));
    lines.add(request.call.plugin.file, request);
    startNext();
  }

  function startNext(): void {
    while (idle.size > 0 || threads.size < most) {
      const request = lines.take(mayRun);
      if (request === undefined) return;
      watches.get(request)?.();
      watches.delete(request);
      run(request, threadFor(request.call.plugin));
    }
  }

  function mayRun(request: PluginRequest): boolean {
    if (isLong(request) && busy(isLong) >= mostLong) return false;
    return !isSlow(request) || busy(isSlow) < mostSlow;
  }

  function run(request: PluginRequest, thread: PluginThread): void {
    underWay.set(request, performance.now());
    const { call, services, signal } = request;
    self.task(
      (life) => thread.run(call, services, AbortSignal.any([signal, life])),
      (end) => ({ type: 'called', thread, request, end }),
    );
  }

  /** An idle thread that has the module, or else any idle one, or else a new one. */
  function threadFor(plugin: PluginFile): PluginThread {
    for (const thread of idle) if (thread.hasEnded) drop(thread);
    const known = [...idle].find((thread) => thread.knows(plugin)) ?? (threads.size < most ? undefined : [...idle][0]);
    if (known !== undefined) {
      idle.delete(known);
      return known;
    }
    const thread = openPluginThread(deps.threadFile ?? pluginThread, limits);
    started += 1;
    threads.add(thread);
    return thread;
  }

  function withdraw(request: PluginRequest): void {
    if (!lines.remove(request)) return;
    watches.delete(request);
    request.reply({ kind: 'cancelled' });
  }

  function finish(thread: PluginThread, request: PluginRequest, end: CallEnd): void {
    const startedAt = underWay.get(request) ?? performance.now();
    underWay.delete(request);
    // A call that may wait for the daemon says nothing of its thread's work by its time.
    lines.ended(request, isPatient(request.call.function) ? 0 : performance.now() - startedAt);
    learn(request, end);
    if (thread.hasEnded) drop(thread);
    else idle.add(thread);
    request.reply(end);
    startNext();
  }

  function learn(request: PluginRequest, end: CallEnd): void {
    if (end.kind !== 'called' || isPatient(request.call.function)) return;
    const isLate = !end.outcome.ok && end.outcome.failure.code === 'plugin_timeout';
    if (isLate) slow.set(nameOf(request), request.call.plugin.version);
    else slow.delete(nameOf(request));
  }

  function isSlow(request: PluginRequest): boolean {
    return slow.get(nameOf(request)) === request.call.plugin.version;
  }

  function busy(isOne: (request: PluginRequest) => boolean): number {
    return [...underWay.keys()].filter(isOne).length;
  }

  function drop(thread: PluginThread): void {
    threads.delete(thread);
    idle.delete(thread);
  }

  async function endAll(): Promise<void> {
    await Promise.all([...threads].map((thread) => thread.end()));
  }
}

/** The name of a plug-in's function in `slow`. */
function nameOf({ call }: PluginRequest): string {
  return `${call.function} ${call.plugin.file}`;
}

/** Whether a call may take hours, and may wait for another call: a collector may wait for a log-in, which must not wait for a collector. */
function isLong({ call }: PluginRequest): boolean {
  return call.function === 'collect' || call.function === 'call';
}

/**
 * Calls a function of a plug-in. The body of a page is transferred to its thread. Rejects with the signal's reason when
 * the signal fires first, with the error of a service, and when the pool's life ends.
 */
export async function callPlugin<F extends PluginFunction>(
  ref: Ref<PluginsMessage>,
  { services = noServices, signal, ...call }: PluginQuestion<F>,
): Promise<PluginOutcome<PluginFunctions[F]['value']>> {
  signal.throwIfAborted();
  const end = await ref.ask<CallEnd>((reply) => ({ type: 'call', call, services, signal, reply }), Infinity);
  switch (end.kind) {
    case 'called':
      // The result of a function was checked on its thread.
      return end.outcome as PluginOutcome<PluginFunctions[F]['value']>;
    case 'rejected':
      throw end.error;
    case 'cancelled':
      throw signal.aborted ? signal.reason : new Error('the threads of plug-ins ended');
    default:
      return end satisfies never;
  }
}
