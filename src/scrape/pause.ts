import type { Clock } from '../clock.ts';

/** Rejects with the signal's reason when that fires first. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = clock.at(clock.monotonic() + ms, resolve);
  const cut = (): void => reject(signal.reason);
  signal.addEventListener('abort', cut);
  return promise.finally(() => {
    signal.removeEventListener('abort', cut);
    clock.cancel(timer);
  });
}
