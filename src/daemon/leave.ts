import { halt, isWriteUnderWay } from '../store/under-way.ts';

/** By then a transaction has ended, unless something holds it up that nobody can wait for. */
const longestMs = 5_000;

/**
 * Ends the process with a status as soon as no transaction is under way, and within 5 s in any case; none begins any more. At its
 * end Node waits for the store's writer, which waits for the main thread where that has a transaction to run: between them they
 * would wait for ever.
 */
export function leave(status: number): void {
  const until = performance.now() + longestMs;
  halt();
  attempt();

  function attempt(): void {
    if (!isWriteUnderWay()) process.exit(status);
    if (performance.now() > until) process.kill(process.pid, 'SIGKILL');
    setImmediate(attempt);
  }
}
