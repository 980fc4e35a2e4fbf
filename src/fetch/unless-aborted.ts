/** What a promise comes to; rejects with the signal's reason when that fires first, and leaves nothing on the signal. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: first, resolve, reject } = Promise.withResolvers<T>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener('abort', leave);
  promise.then(resolve, reject);
  return first.finally(() => signal.removeEventListener('abort', leave));
}
