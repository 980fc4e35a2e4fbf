/**
 * The milliseconds of processor time that `run` takes of this thread. How busy the machine is besides does not count, so that a
 * bound says something about the code alone.
 */
export function threadMsOf(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
