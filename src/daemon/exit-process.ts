import type { System } from '../actor/system.ts';
import { halt, isWriteUnderWay } from '../store/lmdb/environment.ts';

/** The longest time that the end of the process waits for a transaction, in milliseconds. */
const longestTransactionMs = 5_000;

/** A second signal within this time, in milliseconds, counts as the first one: a terminal signals a whole group of processes. */
const patienceMs = 1_000;

/**
 * Ends the process with a status as soon as no transaction is under way, and within 5 s in any case. No further transaction begins. A
 * plain `process.exit` within a transaction would never end: Node waits for the store's writer thread, which waits for the main thread.
 */
export function exitProcess(status: number): void {
  const until = performance.now() + longestTransactionMs;
  halt();
  attempt();

  function attempt(): void {
    if (!isWriteUnderWay()) process.exit(status);
    if (performance.now() > until) process.kill(process.pid, 'SIGKILL');
    setImmediate(attempt);
  }
}

/** The process, as far as signals go. */
interface Signals {
  on(name: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

/** What the signals of a process call. */
export interface StopSignalsOptions {
  /** Milliseconds from an arbitrary start, which never go back. */
  now(): number;
  /** Called at the first signal: the daemon ends in order. */
  stop(): void;
  /** Called at each signal that comes a second or more after the first: the daemon ends at once. */
  exit(): void;
}

/** Turns SIGINT and SIGTERM into an orderly stop, and a later one into an end at once. */
export function onStopSignals(signals: Signals, { now, stop, exit }: StopSignalsOptions): void {
  let askedAt: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) signals.on(name, asked);

  function asked(): void {
    if (askedAt !== undefined && now() - askedAt >= patienceMs) return exit();
    if (askedAt !== undefined) return;
    askedAt = now();
    stop();
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
