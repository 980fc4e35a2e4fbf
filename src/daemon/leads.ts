import { scheduleNext } from '../store/ending.ts';
import { inSlices, writtenAtOnce } from '../store/slices.ts';
import type { DaemonState } from './state.ts';

export interface LeadsDeps {
  readonly state: DaemonState;
  /** Has a project's actor look at when its targets are due. */
  look(project: string): void;
}

/** Has targets follow how early they fall due before their deadlines, as that depends on their hosts and on all that share them. */
export interface Leads {
  /** Takes down politeness keys of another pace, or on which something else is promised. */
  changed(keys: readonly string[]): void;
  /** Schedules anew what is due at another time on them, unless that was done shortly before. */
  follow(): Promise<void>;
  /** When there is something to follow; wall time. */
  nextAt(): number | undefined;
}

/** All that changes within so long is followed at once: that walks all targets of the sources concerned. */
const followsMs = 120_000;

export function createLeads({ state: { store, clock }, look }: LeadsDeps): Leads {
  const keys = new Set<string>();
  let followedAt = -Infinity;

  return {
    changed: (more) => more.forEach((key) => keys.add(key)),
    nextAt: () => (keys.size === 0 ? undefined : clock.now() + waitMs()),
    async follow() {
      if (keys.size === 0 || waitMs() > 0) return;
      const sources = new Set(
        [...keys].flatMap((key) =>
          store()
            .schedule.sharesOf(key)
            .map(({ source }) => source),
        ),
      );
      const projects = new Set<string>();
      for (const source of sources) {
        const after = (last: number | undefined, limit: number) =>
          store().targets.numbersOfSource(source, { after: last, limit });
        for await (const numbers of inSlices(after, writtenAtOnce)) {
          const moved = await schedule(numbers.filter(isOnThem));
          moved.forEach((project) => projects.add(project));
        }
      }
      keys.clear();
      followedAt = clock.monotonic();
      projects.forEach(look);
    },
  };

  function waitMs(): number {
    return Math.max(0, followedAt + followsMs - clock.monotonic());
  }

  function isOnThem(number: number): boolean {
    const key = store().schedule.get(number)?.fresh?.key;
    return key !== undefined && keys.has(key);
  }

  /** The projects whose targets of these are due at another time than before. */
  async function schedule(numbers: readonly number[]): Promise<readonly string[]> {
    if (numbers.length === 0) return [];
    const { schedule: rows, targets } = store();
    return store().write((change) =>
      numbers.flatMap((number) => {
        const target = targets.get(number);
        if (target === undefined) return [];
        const dueAt = rows.get(number)?.dueAt;
        scheduleNext(store(), change, target);
        return rows.get(number)?.dueAt === dueAt ? [] : target.project;
      }),
    );
  }
}
