/** Resolves as some work does, or rejects with the signal's reason. What comes after that is given to `late`. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, late?: (result: T) => void): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => {
    reject(signal.reason);
    if (late !== undefined) work.then(late, () => undefined);
  };
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
