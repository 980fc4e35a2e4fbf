/**
 * Watches how late this thread sees what comes: a beat of 1 ms is due, and what comes between two beats that are far apart may have come at
 * any time between them. Returns the longest time, in milliseconds, that what was just seen may have waited.
 */
export function watchLoop(): () => number {
  let beat = performance.now();
  let pauseMs = 0;
  setInterval(() => {
    const now = performance.now();
    pauseMs = now - beat;
    beat = now;
  }, 1);
  return () => Math.max(pauseMs, performance.now() - beat);
}
