import type { Worker } from 'node:worker_threads';
import { failureOf, type Named } from './fault.ts';
import type { PluginFailure, PluginFunction } from './protocol.ts';
import type { PluginLimits } from './services.ts';

/**
 * The interval at which a call is checked, in milliseconds; a tenth of the shortest limit where that is less. It is
 * short because a thread can fill several hundred MiB in a second.
 */
const lookEveryMs = 100;

/**
 * The number of checks in a row that must find too much memory, since much of it may be garbage. Twice the limit counts
 * at once.
 */
const fullLooks = 5;

/**
 * The part of the time that a thread gets of its processor on a machine with some fifty busy programs a core. A thread that takes more may
 * be kept from it, and its time says nothing; one that takes less waits for something.
 */
const leastShare = 0.02;

/** A thread that has told no figures of itself for so many times its limit is stuck, and not slow to start. */
const mostLimitsUnheard = 10;

/** Functions that may wait for the daemon. They may take any time while they send messages. */
const patient: ReadonlySet<PluginFunction> = new Set(['authenticate', 'collect', 'call']);

/** Whether a function may take any time while it sends messages. */
export function isPatient(name: PluginFunction): boolean {
  return patient.has(name);
}

/** Watches the time and memory of one call. */
export interface CallWatch {
  /** Called when the module is loaded. */
  began(): void;
  /** Called with each message of the call. `waits` is the number of the daemon's answers that it waits for. */
  heard(waits: number): void;
  stop(): void;
}

/** Watches a call on a thread. Calls `onOverrun` at most once. */
export function watchCall(
  worker: Worker,
  call: Omit<Named, 'url'> & { readonly isPatient: boolean },
  limits: PluginLimits,
  onOverrun: (failure: PluginFailure) => void,
): CallWatch {
  let phase: 'loading' | 'running' | 'stopped' = 'loading';
  let since = performance.now();
  /** The processor time of the thread when it was first asked for in this phase, and last, in milliseconds. */
  let cpuAtBegin: number | undefined;
  let cpuAtLast: number | undefined;
  /** When the last stretch of a limit's length began, and the processor time of the thread then, in milliseconds. */
  let stretch: { readonly at: number; readonly cpuMs: number } | undefined;
  let waits = 0;
  const shortest = Math.min(limits.loadMs, limits.cpuMs, limits.totalMs, limits.silenceMs);
  const timer = setInterval(look, Math.min(lookEveryMs, shortest / 10));
  let isAsking = false;
  let full = 0;
  let looks = 0;

  return {
    began() {
      phase = 'running';
      since = performance.now();
      cpuAtBegin = undefined;
      stretch = undefined;
      look();
    },
    heard(waiting) {
      waits = waiting;
      if (phase === 'running' && call.isPatient) since = performance.now();
    },
    stop,
  };

  function stop(): void {
    phase = 'stopped';
    clearInterval(timer);
  }

  function look(): void {
    const passed = performance.now() - since;
    if (phase === 'loading') {
      if (isOver(passed, limits.loadMs)) return overrun(`took more than ${limits.loadMs} ms to be loaded`);
    } else if (call.isPatient) {
      if (waits === 0 && passed >= limits.silenceMs) return overrun(`was silent for ${limits.silenceMs} ms`);
    } else if (isOver(passed, limits.totalMs)) {
      return overrun(`took more than ${limits.totalMs} ms`);
    }
    looks += 1;
    // A call that waits for the daemon does little else, and may do so for hours.
    if (isAsking || (waits > 0 && looks % 10 !== 0)) return;
    isAsking = true;
    // A thread that is about to end has no figures to give, and its end is met elsewhere.
    void ask().then(
      () => (isAsking = false),
      () => (isAsking = false),
    );
  }

  /** Whether a limit of time is reached by what the thread did, and not by what kept it from its processor. */
  function isOver(passed: number, limitMs: number): boolean {
    if (passed < limitMs) return false;
    if (cpuAtBegin === undefined || cpuAtLast === undefined)
      return phase === 'running' || passed >= limitMs * mostLimitsUnheard;
    if (cpuAtLast - cpuAtBegin >= limitMs) return true;
    stretch ??= { at: since, cpuMs: cpuAtBegin };
    const stretchMs = since + passed - stretch.at;
    if (stretchMs < limitMs) return false;
    // A thread that waits is found out by the stretch in which it does nothing else, whatever it used before.
    if (cpuAtLast - stretch.cpuMs < stretchMs * leastShare) return true;
    stretch = { at: since + passed, cpuMs: cpuAtLast };
    return false;
  }

  async function ask(): Promise<void> {
    const [cpu, heap] = await Promise.all([worker.cpuUsage(), worker.getHeapStatistics()]);
    const cpuMs = (cpu.user + cpu.system) / 1_000;
    cpuAtLast = cpuMs;
    cpuAtBegin ??= cpuMs;
    if (phase === 'running' && !call.isPatient && cpuMs - cpuAtBegin >= limits.cpuMs) {
      overrun(`used more than ${limits.cpuMs} ms of processor time`);
    }
    const shares = (heap.used_heap_size + heap.external_memory) / (limits.memoryMib * 1024 * 1024);
    full = shares > 1 ? full + 1 : 0;
    if (shares > 2 || full >= fullLooks) overrun(`held more than ${limits.memoryMib} MiB`, 'plugin_memory');
  }

  function overrun(what: string, code: PluginFailure['code'] = 'plugin_timeout'): void {
    if (phase === 'stopped') return;
    stop();
    onOverrun(failureOf(code, call, what));
  }
}
