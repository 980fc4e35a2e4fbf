import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { DemandBook } from '../src/definition/demand-book.ts';
import { type HostLook, lookAgain, lookByThisReckoning, tellInfeasible } from '../src/store/infeasible.ts';
import { endSnoozes, nextSnoozeEnd } from '../src/store/end-snoozes.ts';
import { createHostReschedule } from '../src/store/reschedule-for-pace.ts';
import { crossAt } from '../src/store/tables/schedule.ts';
import { isLinking, makeLinks } from '../src/store/entities.ts';
import { reschedule, tellAges } from '../src/store/schedule.ts';
import { ownerOf } from '../src/schedule/watchers.ts';
import type { Registry } from '../src/actor/registry.ts';
import type { ProjectMessage } from './project.ts';
import type { Changed, PlannerDeps } from './planner.ts';
import { createDayPlanning, type DayPlanningDeps } from '../src/store/plan-days.ts';
import type { Clock } from '../src/clock.ts';
import type { ScheduleDeps } from '../src/definition/effective-schedule.ts';
import type { KnownPaces } from '../src/schedule/host-pace.ts';
import type { Store } from '../src/store/store.ts';
import type { DueTimes } from '../src/schedule/due-times.ts';

/** The dependencies of the planner's passes. */
export interface PlanningDeps extends Pick<DayPlanningDeps, 'conditionOf'> {
  readonly state: PlanningState;
  readonly projects: Registry<string, ProjectMessage>;
  readonly dues: DueTimes;
}

/** The parts of the daemon's state that planning reads. */
export interface PlanningState extends ScheduleDeps {
  readonly clock: Clock;
  store(): Store;
  readonly paces: KnownPaces;
  /** Runs what writes to the store; resolves with `undefined` when the store is full. */
  unlessFull<T>(write: () => Promise<T>): Promise<T | undefined>;
}

/** The work of the planner's passes. Its methods throw while there is no store. */
export type Planning = Pick<PlannerDeps, 'stale' | 'pass' | 'nextAt'>;

/** Rows that are read, or written, in one go. */
const sliceRows = 500;
/** Hosts whose objectives are looked at in one go: each costs as much as some rows. */
const sliceHosts = 100;
/** The digest of all definitions and settings by which the schedule was last brought up to date. */
const scheduledKey = 'scheduled';
/** The version of how this program makes rows: rows of another version are made anew at the start. */
const rowsMadeBy = 2;

/** Returns the passes of the planner: each reads and writes the store by the definitions in force. */
export function createPlanning({ state, projects, dues, conditionOf }: PlanningDeps): Planning {
  const { clock, store, catalogue, settings, paces } = state;
  const deps = { clock, store, look };
  const planDays = createDayPlanning({ ...deps, dues, conditionOf });
  const hostReschedule = createHostReschedule(deps);
  const hosts: HostLook = {
    knownOf: (key) => paces.of(key),
    infeasibleOn(shares, known) {
      const demands = new DemandBook(() => known);
      for (const share of shares) {
        const loaded = catalogue().sources.get(share.source)?.source;
        if (loaded !== undefined) demands.addAll(share, loaded);
      }
      return demands.infeasible();
    },
  };
  return {
    stale: () => (store().settings.get(scheduledKey) === digest() ? [] : 'all'),

    nextAt() {
      if (isLinking(store())) return 0;
      const [day] = [...store().schedule.byPlan({ limit: 1 })];
      const [crossing] = [...store().schedule.byCrossing({ limit: 1 })];
      const dayAt = day !== undefined && 'planAt' in day.pace ? day.pace.planAt : Infinity;
      const crossingAt = (crossing && crossAt(crossing)) ?? Infinity;
      const others = [hostReschedule.nextAt(), nextSnoozeEnd(store())].map((at) => at ?? Infinity);
      const at = Math.min(dayAt, crossingAt, ...others);
      return at === Infinity ? undefined : at;
    },

    async pass(changed) {
      let left = changed;
      const done = await state.unlessFull(async () => {
        if (changed.length > 0) {
          const now = digest();
          await reschedule(store(), changed);
          await lookAgain(store(), changed);
          const { write, settings } = store();
          await write(() => settings.put(scheduledKey, now));
          lookAt(changed);
        }
        left = [];
        while ((await planDays()) > 0);
        await lookAtAges();
        await tellOfHosts();
        await hostReschedule.follow();
        await endSnoozes(store());
        while (await makeLinks(store()));
        return true;
      });
      return { left, isFull: done === undefined };
    },
  };

  function digest(): string {
    const { everyMs, initialDelayMs } = settings();
    const versions = [...catalogue().sources].map(([id, { version }]) => `${id} ${version}`).sort();
    return createHash('sha256')
      .update(JSON.stringify([rowsMadeBy, everyMs, initialDelayMs, versions]))
      .digest('hex');
  }

  function lookAt(changed: Changed): void {
    if (changed === 'all') for (const id of projects.keys()) look(id);
    else {
      const projects = new Set<string>();
      for (const source of changed)
        for (const number of store().targets.numbersOfSource(source)) {
          const target = store().targets.get(number);
          const project = target && ownerOf(target);
          if (project !== undefined) projects.add(project);
        }
      projects.forEach(look);
    }
  }

  /** Looks at the ages that are to be looked at by now, and wakes the projects whose targets are due at another time. */
  async function lookAtAges(): Promise<void> {
    let found: Awaited<ReturnType<typeof tellAges>>;
    do {
      found = await tellAges(store(), sliceRows);
      found.projects.forEach(look);
    } while (found.count > 0);
  }

  function look(project: string): void {
    projects.whereis(project)?.send({ type: 'look' });
  }

  /** Tells of objectives that their hosts do not allow, each once until its host allows it. */
  async function tellOfHosts(): Promise<void> {
    await lookByThisReckoning(store());
    const { news } = paces;
    const paced = news.filter(store().schedule.hasObjectives);
    if (paced.length > 0) await store().write(() => paced.forEach(store().schedule.markShares));
    paces.heard(news);
    for (;;) {
      const keys = await tellInfeasible(store(), sliceHosts, hosts);
      if (keys.length === 0) return;
      hostReschedule.changed(keys);
      await setImmediate();
    }
  }
}
