import type { Settings } from '../control/methods/settings.ts';
import type { Catalogue } from '../definition/catalogue.ts';
import { type GivenPace, type ScheduleLevel, scheduleOf, type TargetSchedule } from '../definition/schedule.ts';
import { paceOf as declaredPace } from '../definition/feasible.ts';
import { keptBy } from '../definition/promise.ts';
import { politenessKey, type Source } from '../definition/source.ts';
import { defaultContinuous } from '../schedule/continuous.ts';
import type { Boot } from '../schedule/grid.ts';
import { type HostPace, hostPace, type KnownPace } from '../schedule/host-pace.ts';
import { type Due, type DueInputs, nextDue, nextDueAt, type Pace, recheckDeadline } from '../schedule/next-due.ts';
import { leadOf, promisedOn, type Recheck } from '../schedule/objective.ts';
import { priorityOf } from '../schedule/priority.ts';
import { nextPaidDay } from '../schedule/tokens.ts';
import { dayStart } from '../schedule/zone.ts';
import type { ProjectRow, TargetRow } from '../store/rows.ts';
import type { FreshRow, PaceRow, ScheduleRow } from '../store/schedule-row.ts';
import type { Places } from '../store/store.ts';
import { firstDeadline } from './freshness.ts';

/** What is in force: definitions and settings, and what hosts have shown of how often they can be asked. */
export interface InForce {
  catalogue(): Catalogue;
  settings(): Pick<Settings, 'everyMs' | 'initialDelayMs'>;
  readonly paces: { of(key: string): KnownPace | undefined };
}

/** What a target's files and settings say of it, with what its place asks for. */
export interface Said extends TargetSchedule {
  readonly pace: GivenPace;
  readonly initialDelayMs: number;
  /** Missing while its source is not loaded: what its row has stands until then. */
  readonly source?: Source;
  /** The politeness key. */
  readonly key: string;
  /** How often that can be asked. */
  readonly host: HostPace;
  /** Scrapes a day that it deserves by what was found. */
  readonly priority: number;
}

/** What all levels say of a place, tracked or not; nothing while its source is not loaded. */
export function scheduleAt(
  {
    source: id,
    target,
    project,
  }: { readonly source: string; readonly target?: ScheduleLevel; readonly project?: ScheduleLevel },
  { catalogue, settings }: InForce,
): TargetSchedule | undefined {
  const source = catalogue().sources.get(id)?.source;
  if (source === undefined) return undefined;
  const { everyMs, initialDelayMs } = settings();
  const schedule = keptBy(source, scheduleOf([target ?? {}, project ?? {}, source, { every: everyMs }]));
  return { initialDelayMs, ...schedule };
}

/** What all levels say of a target. */
export function saidOf(
  target: TargetRow,
  project: ProjectRow | undefined,
  { catalogue, settings, paces }: InForce,
): Said {
  const source = catalogue().sources.get(target.source)?.source;
  const { everyMs, initialDelayMs } = settings();
  const daemon: ScheduleLevel = { every: everyMs };
  const levels = [target.schedule ?? {}, project?.schedule ?? {}, source ?? {}, daemon];
  const schedule = keptBy(source, scheduleOf(levels));
  const key = source === undefined ? new URL(target.url).origin : politenessKey(source, target.url);
  return {
    ...schedule,
    pace: schedule.pace ?? { kind: 'interval', everyMs },
    initialDelayMs: schedule.initialDelayMs ?? initialDelayMs,
    ...(source !== undefined && { source }),
    key,
    host: hostPaceOf(source, paces.of(key)),
    priority: priorityOf(target.found ?? [], project?.multiplier),
  };
}

/** What holds a target back, or draws it forward, besides its schedule. */
export interface Circumstances {
  readonly at: number;
  readonly boot?: Boot & { readonly slot: number };
  readonly holds?: NonNullable<DueInputs['holds']>;
}

/** All that decides when a target is due, from its row and what its files say. */
export function inputsOf(
  { since, drawnAt, firstAt, pace, fresh, manualAt }: ScheduleRow,
  said: Said,
  { promisesOn }: Pick<Places, 'promisesOn'>,
  { at, boot, holds }: Circumstances,
): DueInputs {
  return {
    at,
    since,
    ...(drawnAt !== undefined && { drawnAt }),
    pace: paceOf(pace, said),
    ...(firstAt !== undefined && { firstAt }),
    ...(fresh !== undefined && { recheck: recheckOf(fresh, said, promisesOn) }),
    ...(manualAt !== undefined && { manualAt }),
    ...(boot !== undefined && { boot }),
    ...(holds !== undefined && { holds }),
    hours: said.hours,
  };
}

function paceOf(row: PaceRow, { pace, priority }: Said): Pace {
  switch (row.kind) {
    case 'interval':
    case 'cron':
    case 'objective':
      return row;
    case 'tokens': {
      const zone = pace.kind === 'tokens' ? pace.zone : 'UTC';
      return { kind: 'tokens', planned: row.planned, nextPaidAt: dayStart(zone, nextPaidDay(row.bucket, priority)) };
    }
    case 'continuous': {
      const { endedAt, failures, draw } = row;
      const options = pace.kind === 'continuous' ? pace : defaultContinuous;
      return { kind: 'continuous', options, last: { endedAt, failures }, draw };
    }
    default:
      return row satisfies never;
  }
}

function recheckOf(fresh: FreshRow, said: Said, promisesOn: Places['promisesOn']): Recheck {
  const { verifiedAt, objectiveMs } = firstDeadline(fresh, said);
  const promises = promisesOn(fresh.key, fresh.objectiveMs);
  const shorter = promises.filter((each) => each.objectiveMs < fresh.objectiveMs);
  const targets = promises.slice(shorter.length).reduce((sum, each) => sum + each.targets, 0);
  const demand = { targets: Math.max(1, targets), objectiveMs, hours: fresh.hours };
  const leadMs = leadOf(demand, said.host, promisedOn(said.host, shorter));
  return { lastVerifiedAt: verifiedAt, objectiveMs, leadMs, misses: fresh.misses };
}

/** How often a source's host can be asked; one that is not loaded has the default policy. */
function hostPaceOf(source: Source | undefined, known: KnownPace | undefined): HostPace {
  return source === undefined
    ? hostPace({ delayMs: 1_000, minDelayMs: 500, concurrency: 1 }, known)
    : declaredPace(source, known);
}

/** Why each target is due when it is, as of now. */
export interface Dues {
  /** What all levels say of a target. Without `project`, its row is read. */
  said(target: TargetRow, project?: ProjectRow): Said;
  /** All that decides when a target is due now; nothing for one that is not scheduled. */
  dueInputsOf(target: TargetRow): DueInputs | undefined;
  /** When it is due and why; nothing asks for one that is not scheduled. */
  whyDue(target: TargetRow): Due;
  /** By when a target that is due for its objective now has to be verified; nothing for any other. */
  deadlineOf(target: TargetRow): number | undefined;
  /** When it would be due again if its turn were over now: until then a scrape may be tried again. */
  afterwards(target: TargetRow): number;
}

export interface DuesDeps extends InForce {
  now(): number;
  store(): {
    readonly schedule: Places & { get(target: number): ScheduleRow | undefined };
    readonly projects: { get(id: string): ProjectRow | undefined };
  };
  /** What is spread since the daemon started. */
  boot(): Boot;
}

export function createDues(deps: DuesDeps): Dues {
  const { now, store } = deps;
  return {
    said,
    dueInputsOf,
    whyDue(target) {
      const inputs = dueInputsOf(target);
      return inputs === undefined ? { because: [] } : nextDue(inputs);
    },
    deadlineOf(target) {
      const inputs = dueInputsOf(target);
      return inputs && recheckDeadline(inputs);
    },
    afterwards(target) {
      const row = store().schedule.get(target.target);
      if (row === undefined || row.pace.kind === 'continuous') return Infinity;
      const { firstAt: _first, manualAt: _manual, fresh, ...turned } = row;
      const at = now();
      const next = {
        ...turned,
        since: at,
        ...(fresh && { fresh: { ...fresh, verifiedAt: at, fields: {}, misses: 0 } }),
      };
      return nextDueAt(inputsOf(next, said(target), store().schedule, { at })) ?? Infinity;
    },
  };

  function said(target: TargetRow, project = store().projects.get(target.project)): Said {
    return saidOf(target, project, deps);
  }

  function dueInputsOf(target: TargetRow): DueInputs | undefined {
    const row = store().schedule.get(target.target);
    if (row === undefined || row.rest !== undefined) return undefined;
    const { inRow, recent } = target.crashes;
    const all = said(target);
    const crash = inRow === 0 ? undefined : (recent.at(-1) ?? 0) + all.initialDelayMs;
    return inputsOf(row, all, store().schedule, {
      at: now(),
      boot: { ...deps.boot(), slot: target.target },
      ...(crash !== undefined && { holds: { crash } }),
    });
  }
}
