import type { Clock } from '../clock.ts';

/**
 * Resolves or rejects as `promise` does; rejects with the signal's reason if the signal fires first. Keeps no listener on the signal
 * afterwards. Throws the signal's reason if the signal has fired already.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: first, resolve, reject } = Promise.withResolvers<T>();
  const cut = (): void => reject(signal.reason);
  signal.addEventListener('abort', cut);
  promise.then(resolve, reject);
  return first.finally(() => signal.removeEventListener('abort', cut));
}

/**
 * Runs `run`, and fires `controller` if `signal` fires meanwhile. `AbortSignal.any` does the same by weak references, so that all
 * that hangs on such a signal stays in memory until a full collection: too much for what is done often.
 */
export async function following<T>(
  signal: AbortSignal,
  controller: AbortController,
  run: () => Promise<T>,
): Promise<T> {
  const fire = (): void => controller.abort(signal.reason);
  if (signal.aborted) fire();
  signal.addEventListener('abort', fire);
  try {
    return await run();
  } finally {
    signal.removeEventListener('abort', fire);
  }
}

/** The part of a clock that pauses need. */
export type Timers = Pick<Clock, 'at' | 'cancel' | 'monotonic'>;

/** Resolves after `ms` milliseconds. Rejects with the signal's reason if the signal fires first. */
export async function pause(clock: Timers, ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.at(clock.monotonic() + ms, resolve);
  try {
    await unlessAborted(promise, signal);
  } finally {
    clock.cancel(timer);
  }
}
