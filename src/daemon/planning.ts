import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { DemandBook } from '../definition/feasible.ts';
import type { OpenHours } from '../schedule/available.ts';
import { dayWindow, planDay, type PlanTarget } from '../schedule/plan-day.ts';
import { refunded, type TokenLimits } from '../schedule/tokens.ts';
import { dayNumber, dayStart } from '../schedule/zone.ts';
import { tellAges } from '../store/fresh.ts';
import { keepInfeasible } from '../store/infeasible.ts';
import { type PlannedTarget, writePlan } from '../store/plan.ts';
import { reschedule } from '../store/reschedule.ts';
import type { TargetRow } from '../store/rows.ts';
import type { ScheduleRow } from '../store/schedule-row.ts';
import type { Names } from '../../supervisors/names.ts';
import type { Changed, PlannerDeps } from '../../workers/planner.ts';
import type { Dues } from './due-inputs.ts';
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
/** The digest of all definitions and settings by which the schedule was last brought up to date. */
const scheduledKey = 'scheduled';
/** Infeasible objectives that are told and shown. */
const maxInfeasible = 1_000;

type TokensRow = Extract<ScheduleRow['pace'], { readonly kind: 'tokens' }>;

/** Targets of one politeness key whose days are alike. */
interface Group {
  readonly zone: string;
  readonly limits: TokenLimits;
  readonly hours: readonly OpenHours[];
  readonly targets: (PlanTarget & { readonly row: ScheduleRow; readonly project: string })[];
}

export function createPlanning({ state, names, dues, conditionOf }: PlanningDeps): Planning {
  const { clock, store, catalogue, settings } = state;
  return {
    stale: () => (store().settings.get(scheduledKey) === digest() ? [] : 'all'),

    nextAt() {
      const [day] = [...store().schedule.byPlan({ limit: 1 })];
      const [crossing] = [...store().schedule.byCrossing({ limit: 1 })];
      const dayAt = day?.pace.kind === 'tokens' ? day.pace.planAt : Infinity;
      const at = Math.min(dayAt, crossing?.fresh?.crossAt ?? Infinity);
      return at === Infinity ? undefined : at;
    },

    async pass(changed) {
      let left = changed;
      const done = await state.unlessFull(async () => {
        if (changed.length > 0) {
          const now = digest();
          await reschedule(store(), changed);
          await store().write(() => store().settings.put(scheduledKey, now));
          lookAt(changed);
        }
        left = [];
        while ((await planDays()) > 0);
        while ((await tellAges(store(), sliceRows)) > 0);
        await tellInfeasible();
        return true;
      });
      return { left, isFull: done === undefined };
    },
  };

  function digest(): string {
    const { everyMs, initialDelayMs } = settings();
    const versions = [...catalogue().sources].map(([id, { version }]) => `${id} ${version}`).sort();
    return createHash('sha256')
      .update(JSON.stringify([everyMs, initialDelayMs, versions]))
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

  /** Plans the days that have begun; how many targets that were. */
  async function planDays(): Promise<number> {
    const groups = new Map<string, Group>();
    const at = clock.now();
    let found = 0;
    let after: [number, number] | undefined;
    for (;;) {
      const rows = [...store().schedule.byPlan({ ...(after && { after }), before: at + 1, limit: sliceRows })];
      for (const row of rows) {
        const target = store().targets.get(row.target);
        if (row.pace.kind !== 'tokens' || target === undefined) continue;
        found += 1;
        after = [row.pace.planAt, row.target];
        join(groups, row, row.pace, target);
      }
      if (rows.length < sliceRows) break;
      // What changes meanwhile is left to the next round.
      await setImmediate();
    }
    for (const group of groups.values()) await write(group, at);
    return found;
  }

  function join(groups: Map<string, Group>, row: ScheduleRow, own: TokensRow, target: TargetRow): void {
    const { key, pace, hours, priority, source } = dues.said(target);
    const { zone, ...limits } = pace.kind === 'tokens' ? pace : { zone: 'UTC', start: 1, cap: 4, perDay: 3 };
    const id = JSON.stringify([key, zone, limits.cap, limits.perDay, hours]);
    const group: Group = groups.get(id) ?? { zone, limits, hours, targets: [] };
    groups.set(id, group);
    // What the last day paid for and had no room for is given back; one that runs is spent.
    const over = own.planned.filter((each) => each > row.since).length - (target.running === undefined ? 0 : 1);
    const bucket = over > 0 ? refunded(own.bucket, over, limits) : own.bucket;
    const session = conditionOf(target.source)?.code;
    const isWaiting =
      source === undefined ||
      row.firstAt !== undefined ||
      session === 'not_initialised' ||
      session === 'login_attempts';
    const planned: Group['targets'][number] = {
      target: target.target,
      bucket,
      priority,
      state: isWaiting ? 'waiting' : 'active',
      row,
      project: target.project,
    };
    group.targets.push(planned);
  }

  async function write({ zone, limits, hours, targets }: Group, at: number): Promise<void> {
    const day = dayNumber(zone, at);
    const plan = planDay({ day, window: dayWindow(zone, day, at), targets, hours, limits });
    const buckets = new Map(plan.buckets.map(({ target, bucket }) => [target, bucket]));
    const turns = new Map<number, number[]>();
    for (const { target, dueAt } of plan.turns) {
      const own = turns.get(target);
      if (own === undefined) turns.set(target, [dueAt]);
      else own.push(dueAt);
    }
    const planAt = dayStart(zone, day + 1);
    for (let from = 0; from < targets.length; from += sliceRows) {
      const some = targets.slice(from, from + sliceRows);
      await writePlan(
        store(),
        some.map(({ target, bucket, row }): PlannedTarget => {
          return { from: row, bucket: buckets.get(target) ?? bucket, turns: turns.get(target) ?? [], planAt };
        }),
      );
      for (const { project } of some) look(project);
      await setImmediate();
    }
  }

  /** Tells of objectives that their hosts do not allow, each once until it is allowed. */
  async function tellInfeasible(): Promise<void> {
    const demands = new DemandBook();
    for (const { key, source, objectiveMs, targets } of store().schedule.shares()) {
      const loaded = catalogue().sources.get(source)?.source;
      if (loaded !== undefined) demands.addAll({ source: loaded, key, objectiveMs, targets });
    }
    await keepInfeasible(store(), demands.infeasible().slice(0, maxInfeasible));
  }
}
