import type { ExtractOutcome } from './draft.ts';

/**
 * Has a page read on this thread, and adds to what it gave for how long the thread was busy with it. What else the thread does
 * before the outcome is there counts too, so it should wait for nothing but itself.
 */
export async function costed(read: () => Promise<ExtractOutcome>): Promise<ExtractOutcome> {
  const before = process.threadCpuUsage();
  const outcome = await read();
  if (!outcome.ok) return outcome;
  const { user, system } = process.threadCpuUsage(before);
  return { ...outcome, cpuMs: (user + system) / 1_000 };
}
