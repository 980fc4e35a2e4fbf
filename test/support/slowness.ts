/** The time, in milliseconds, in which a core of 2.8 GHz does a piece of the work below; limits in seconds are set for such a core. */
const referenceMs = 1.5;

/** How much slower than that the machine is now, at least 1: one that is shared may have a fraction of a core to give. */
export function slowness(): number {
  const times = Array.from({ length: 350 }, workMs);
  // The first are for the compiler.
  return slownessOf(times.slice(50));
}

/** How much slower than the reference the machine was, by times of `workMs` that were taken all along what is to be limited. */
export function slownessOf(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.max(1, (sorted[Math.floor(sorted.length / 2)] ?? 0) / referenceMs);
}

const rows = Array.from({ length: 200 }, (_, id) => ({ id, name: 'x'.repeat(20), values: [1, 2, 3] }));

/** How long a piece of work takes now, in milliseconds. */
export function workMs(): number {
  const startedAt = performance.now();
  for (let times = 0; times < 20; times += 1) JSON.parse(JSON.stringify(rows));
  return performance.now() - startedAt;
}
