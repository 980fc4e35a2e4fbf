import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { PluginFile } from './protocol.ts';
import { type CallEnd, type PluginCall, runCall } from './run-call.ts';
import type { PluginLimits, PluginServices } from './services.ts';

/**
 * What V8 itself allows a thread over its limit, in MiB. Over that it ends the whole process when it meets one large array, and no array
 * takes more than half of it; so it is the watch that ends a thread long before.
 */
const spareMib = 2_048;

/** After so many modules a thread is replaced: none is ever unloaded. */
const maxModules = 50;

/** A thread for plug-ins. It lasts until a call leaves something behind, or is ended. */
export interface PluginThread {
  readonly hasEnded: boolean;
  /** Whether the module is loaded here already. */
  knows(plugin: PluginFile): boolean;
  /** Never rejects, and leaves nothing of the call behind; the signal ends the thread. One call at a time. */
  run(call: PluginCall, services: PluginServices, signal: AbortSignal): Promise<CallEnd>;
  end(): Promise<unknown>;
}

/**
 * V8 leaves the check for interruptions out of loops that it unrolls, such as `for (;;) all.push(new Array(1000).fill(1))`: a
 * thread in one can be neither looked at nor ended, and its full heap ends the process. It counts for what is compiled from now on.
 */
const interruptible = '--no-turboshaft-loop-unrolling';

/** Starts a thread from its entry file. */
export function openPluginThread(threadFile: URL, limits: PluginLimits): PluginThread {
  setFlagsFromString(interruptible);
  const worker = new Worker(threadFile, {
    stdout: true,
    stderr: true,
    env: {},
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
