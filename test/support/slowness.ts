/** The time, in milliseconds, in which a core of 2.8 GHz does a piece of the work below; limits in seconds are set for such a core. */
const referenceMs = 1.5;

/** How much slower than that the machine is now, at least 1: one that is shared may have a fraction of a core to give. */
export function slowness(): number {
  const rows = Array.from({ length: 200 }, (_, id) => ({ id, name: 'x'.repeat(20), values: [1, 2, 3] }));
  const times = Array.from({ length: 350 }, () => {
    const startedAt = performance.now();
    for (let times = 0; times < 20; times += 1) JSON.parse(JSON.stringify(rows));
    return performance.now() - startedAt;
  });
  // The first are for the compiler.
  const sorted = times.slice(50).toSorted((one, other) => one - other);
  return Math.max(1, (sorted[Math.floor(sorted.length / 2)] ?? 0) / referenceMs);
}
