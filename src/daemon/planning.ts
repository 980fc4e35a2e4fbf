import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { DemandBook } from '../definition/feasible.ts';
import { tellAges } from '../store/fresh.ts';
import { type HostLook, lookAgain, lookByThisReckoning, tellInfeasible } from '../store/infeasible.ts';
import { reschedule } from '../store/reschedule.ts';
import type { Names } from '../../supervisors/names.ts';
import type { Changed, PlannerDeps } from '../../workers/planner.ts';
import { createDayPlanning } from './day-planning.ts';
import type { Dues } from './due-inputs.ts';
import { createLeads } from './leads.ts';
import type { Sessions } from './sessions.ts';
import type { DaemonState } from './state.ts';

export interface PlanningDeps {
  readonly state: DaemonState;
  readonly names: Names;
  readonly dues: Dues;
  conditionOf: Sessions['conditionOf'];
}

/** What the planner does between its messages. */
export type Planning = Pick<PlannerDeps, 'stale' | 'pass' | 'nextAt'>;

/** Rows that are looked at, or written, in one go. */
const sliceRows = 500;
/** Hosts whose promises are looked at in one go: each costs as much as some rows. */
const sliceHosts = 100;
/** The digest of all definitions and settings by which the schedule was last brought up to date. */
const scheduledKey = 'scheduled';
/** What rows are made of by this program; where another one brought the schedule up to date, it is done again. */
const rowsMadeBy = 2;

export function createPlanning({ state, names, dues, conditionOf }: PlanningDeps): Planning {
  const { store, catalogue, settings, paces } = state;
  const planDays = createDayPlanning({ state, dues, conditionOf, look });
  const leads = createLeads({ state, look });
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
      const [day] = [...store().schedule.byPlan({ limit: 1 })];
      const [crossing] = [...store().schedule.byCrossing({ limit: 1 })];
      const dayAt = day?.pace.kind === 'tokens' ? day.pace.planAt : Infinity;
      const at = Math.min(dayAt, crossing?.fresh?.crossAt ?? Infinity, leads.nextAt() ?? Infinity);
      return at === Infinity ? undefined : at;
    },

    async pass(changed) {
      let left = changed;
      const done = await state.unlessFull(async () => {
        if (changed.length > 0) {
          const now = digest();
          await reschedule(store(), changed);
          await lookAgain(store(), changed);
          await store().write(() => store().settings.put(scheduledKey, now));
          lookAt(changed);
        }
        left = [];
        while ((await planDays()) > 0);
        while ((await tellAges(store(), sliceRows)) > 0);
        await tellOfHosts();
        await leads.follow();
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
    if (changed === 'all') for (const id of names.projects.keys()) look(id);
    else {
      const projects = new Set<string>();
      for (const source of changed)
        for (const number of store().targets.numbersOfSource(source)) {
          const project = store().targets.get(number)?.project;
          if (project !== undefined) projects.add(project);
        }
      projects.forEach(look);
    }
  }

  function look(project: string): void {
    names.projects.whereis(project)?.send({ type: 'look' });
  }

  /** Tells of objectives that their hosts do not allow, each once until it is allowed. */
  async function tellOfHosts(): Promise<void> {
    await lookByThisReckoning(store());
    const { news } = paces;
    const paced = news.filter(store().schedule.isPromised);
    if (paced.length > 0) await store().write(() => paced.forEach(store().schedule.markShares));
    paces.heard(news);
    for (;;) {
      const keys = await tellInfeasible(store(), sliceHosts, hosts);
      if (keys.length === 0) return;
      leads.changed(keys);
      await setImmediate();
    }
  }
}
