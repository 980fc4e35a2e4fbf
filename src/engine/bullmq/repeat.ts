import type { Clock } from '../../clock.ts';

/**
 * Does something every `everyMs`, though not while it is still being done: what waits for a server that is away goes on when that is back. Returns what ends
 * that.
 *
 * @param work - returns nothing where it is done at once.
 * @param failed - told why it was not done, until that has ended.
 */
export function repeat(
  clock: Clock,
  everyMs: number,
  work: () => Promise<void> | undefined,
  failed: (error: unknown) => void,
): () => void {
  let timer: number | undefined;
  let isUnderWay = false;
  const arm = (): void => {
    timer = clock.at(clock.monotonic() + everyMs, () => {
      arm();
      const begun = isUnderWay ? undefined : work();
      if (begun === undefined) return;
      isUnderWay = true;
      void begun
        .catch((error: unknown) => {
          if (timer !== undefined) failed(error);
        })
        .then(() => {
          isUnderWay = false;
        });
    });
  };
  arm();
  return () => {
    if (timer !== undefined) clock.cancel(timer);
    timer = undefined;
  };
}
