/** Whether it is to be waited for: a promise, of whatever make. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof Promise || ('then' in value && typeof value.then === 'function');
}
