import type { TargetSchedule } from '../../schedule/levels.ts';
import type { RestingShare, RestingView } from '../../view/resting.ts';
import { defined } from '../../defined.ts';

/** The objectives of a schedule that do not hold, as it is not their season. */
export function restingViews({ resting = [] }: TargetSchedule): RestingView[] {
  return resting.map(({ field, warnAfterMs, errorAfterMs, season: { from, to, zone = 'UTC' }, endedAt, beginsAt }) => ({
    ...defined({ field: field === '' ? undefined : field, warnAfterMs, errorAfterMs }),
    ...{ from, to, zone },
    ...defined({ endedAt, beginsAt }),
  }));
}

/** The largest number of objectives that a report names. */
export const mostNamed = 100;

/** Counts the targets whose objectives do not hold. */
export class RestingTally {
  readonly #shares = new Map<string, RestingShare>();

  add(source: string, schedule: TargetSchedule): void {
    for (const view of restingViews(schedule)) {
      const id = JSON.stringify([source, view]);
      this.#shares.set(id, { ...view, source, targets: (this.#shares.get(id)?.targets ?? 0) + 1 });
    }
  }

  /** Yields the objectives, with the numbers of their targets. */
  shares(): Iterable<RestingShare> {
    return this.#shares.values();
  }
}

/** Returns a list, or `undefined` for an empty one. */
export function someOf<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}
