import type { Clock } from '../clock.ts';
import { ownerOf } from '../schedule/watchers.ts';
import { scheduleNext } from './schedule.ts';
import { targetsOfSources } from './slices.ts';
import type { Store } from './store.ts';

/** The time for which changes of hosts are collected, in milliseconds, since following them walks all targets of their sources. */
const followsMs = 120_000;

/** The dependencies of the rescheduling. */
export interface HostRescheduleDeps {
  readonly clock: Clock;
  store(): Store;
  /** Called for each project that scrapes a target whose due time changed. */
  look(project: string): void;
}

/**
 * Recomputes due times after a host's pace or its objectives changed, because how early a re-check must start depends on how often the host
 * can be asked and on all targets that share it.
 */
export interface HostReschedule {
  /** Notes politeness keys whose pace or objectives changed. */
  changed(keys: readonly string[]): void;
  /** Recomputes the due times on them, at most every two minutes. Rejects where the store cannot be written. */
  follow(): Promise<void>;
  /** When there is something to recompute, wall time; `undefined` while there is nothing. */
  nextAt(): number | undefined;
}

/** Creates the rescheduling for a daemon; no host has changed yet. */
export function createHostReschedule({ clock, store, look }: HostRescheduleDeps): HostReschedule {
  const keys = new Set<string>();
  let followedAt = -Infinity;

  return {
    changed: (more) => more.forEach((key) => keys.add(key)),
    nextAt: () => (keys.size === 0 ? undefined : clock.now() + waitMs()),
    async follow() {
      if (keys.size === 0 || waitMs() > 0) return;
      const shares = [...keys].flatMap((key) => store().schedule.sharesOf(key));
      const projects = new Set<string>();
      for await (const numbers of targetsOfSources(store(), new Set(shares.map(({ source }) => source)))) {
        for (const project of await reschedule(numbers.filter(isOnKeys))) projects.add(project);
      }
      keys.clear();
      followedAt = clock.monotonic();
      projects.forEach(look);
    },
  };

  function waitMs(): number {
    return Math.max(0, followedAt + followsMs - clock.monotonic());
  }

  function isOnKeys(number: number): boolean {
    const key = store().schedule.get(number)?.fresh?.key;
    return key !== undefined && keys.has(key);
  }

  /** Schedules targets anew. Returns the projects that scrape those whose due time changed. */
  async function reschedule(numbers: readonly number[]): Promise<readonly string[]> {
    if (numbers.length === 0) return [];
    const { schedule: rows, targets } = store();
    return store().write((change) =>
      numbers.flatMap((number) => {
        const target = targets.get(number);
        if (target === undefined) return [];
        const dueAt = rows.get(number)?.dueAt;
        scheduleNext(store(), change, target);
        return rows.get(number)?.dueAt === dueAt ? [] : (ownerOf(target) ?? []);
      }),
    );
  }
}
