import { setTimeout as delay } from 'node:timers/promises';

/** How long a server that may be away is waited for when something is closed, in ms. */
export const closingMs = 3_000;

/** Waits for some work, also where it fails, but no longer than `ms` of real time. Resolves with whether it has ended. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  const ended = work.then(
    () => true,
    () => true,
  );
  const over = delay(ms, false, { ref: false, signal: late.signal }).catch(() => false);
  try {
    return await Promise.race([ended, over]);
  } finally {
    late.abort();
  }
}
