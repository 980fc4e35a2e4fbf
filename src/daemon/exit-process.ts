import { closeSync, openSync } from 'node:fs';
import type { System } from '../actor/system.ts';
import { halt, isWriteUnderWay } from '../store/lmdb/environment.ts';

/** The longest time that the end of the process waits for a transaction, in milliseconds. */
const longestTransactionMs = 5_000;

/** A second signal within this time, in milliseconds, counts as the first one: a terminal signals a whole group of processes. */
const patienceMs = 1_000;

/**
 * Ends the process with a status as soon as no transaction is under way, and within 5 s in any case. No further transaction begins. Whatever
 * listens to the `exit` event of the process is called.
 */
export function exitProcess(status: number): void {
  const until = performance.now() + longestTransactionMs;
  halt();
  attempt();

  function attempt(): void {
    if (!isWriteUnderWay()) leave(status);
    if (performance.now() > until) process.kill(process.pid, 'SIGKILL');
    setImmediate(attempt);
  }
}

/**
 * Ends the process. `process.exit` waits for the threads of Node, of which one may wait for the main thread: the store's writer within a
 * transaction, and a compiler of V8 that needs memory, which made one end in a hundred on a busy machine take for ever. A shell waits for nothing.
 */
function leave(status: number): never {
  // Windows cannot replace a process.
  if (process.execve === undefined || process.platform === 'win32') process.exit(status);
  process.emit('exit', status);
  return process.execve('/bin/sh', ['sh', '-c', `exit ${status}`], {});
}

/** The process, as far as signals go. */
interface Signals {
  on(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown;
}

/** What the signals of a process call. */
export interface SignalsOptions {
  /** Whether the process belongs to a terminal, which sends SIGHUP when it closes. A service manager sends it to have definitions read again. */
  readonly hasTerminal: boolean;
  /** Milliseconds from an arbitrary start, which never go back. */
  now(): number;
  /** Called at the first signal: the daemon ends in order. */
  stop(): void;
  /** Called at each signal that comes a second or more after the first: the daemon ends at once. */
  exit(): void;
  /** Called at each SIGHUP that does not come from a terminal. */
  reload(): void;
}

/** Turns SIGINT, SIGTERM and the SIGHUP of a terminal into an orderly stop, a later one into an end at once, and any other SIGHUP into a reload. */
export function onSignals(signals: Signals, { hasTerminal, now, stop, exit, reload }: SignalsOptions): void {
  let askedAt: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) signals.on(name, asked);
  signals.on('SIGHUP', hasTerminal ? asked : reload);

  function asked(): void {
    if (askedAt !== undefined && now() - askedAt >= patienceMs) return exit();
    if (askedAt !== undefined) return;
    askedAt = now();
    stop();
  }
}

/** Whether this process belongs to a terminal, wherever its streams lead. */
export function hasTerminal(): boolean {
  if (process.platform === 'win32') return true;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    // Without a terminal the device cannot be opened.
    return false;
  }
}

/**
 * Ends the life that an uncaught error or rejection belongs to, so that its supervisor acts on it.
 *
 * @param fatal - called with an error that belongs to no life.
 */
export function onUncaughtErrors(system: Pick<System, 'blame'>, fatal: (error: unknown) => void): void {
  const uncaught = (error: unknown): void => {
    if (!system.blame(error)) fatal(error);
  };
  process.on('unhandledRejection', uncaught).on('uncaughtException', uncaught);
}
