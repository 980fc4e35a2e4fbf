import type { Clock } from '../clock.ts';
import type { KnownPace } from '../schedule/host-pace.ts';
import { scheduleOf, sharedSchedule, type TargetSchedule } from '../schedule/levels.ts';
import { priorityOf } from '../schedule/priority.ts';
import type { ScheduleOf } from '../schedule/row.ts';
import { defined } from '../defined.ts';
import { multiplierOf, type Watched, type Watcher, watchersOf } from '../schedule/watchers.ts';
import type { Catalogue } from './catalogue.ts';
import { hostPaceOf } from './demand-book.ts';
import { scheduleOn } from './objective-fields.ts';
import { endRuleOf } from './end-rule.ts';
import { defaultPoliteness, politenessKey, type Source } from './source.ts';

/** The facts from which schedules are made, besides targets and projects. */
export interface ScheduleDeps {
  readonly clock: Pick<Clock, 'now'>;
  catalogue(): Catalogue;
  settings(): { readonly everyMs: number; readonly initialDelayMs: number };
  /** The measured paces of hosts, by politeness key. */
  readonly paces: { of(key: string): KnownPace | undefined };
}

/** Creates the function that finds the effective schedule of a target. */
export function effectiveSchedules(deps: ScheduleDeps): ScheduleOf {
  const { clock, catalogue, settings, paces } = deps;
  const schedulesOf = watchedSchedules(deps);

  return (target) => {
    const source = catalogue().sources.get(target.source)?.source;
    const { everyMs, initialDelayMs } = settings();
    const watchers = watchersOf(target);
    const schedule = schedulesOf(source, watchers, clock.now());
    const key = source === undefined ? new URL(target.url).origin : politenessKey(source, target.url);
    const known = paces.of(key);
    return {
      ...schedule,
      pace: schedule.pace ?? { kind: 'interval', everyMs },
      initialDelayMs: schedule.initialDelayMs ?? initialDelayMs,
      isLoaded: source !== undefined,
      ...defined({ endRule: source && endRuleOf(source) }),
      endsWhenGone: source?.gone === 'finished',
      key,
      host: hostPaceOf(source ?? { politeness: defaultPoliteness }, known),
      priority: priorityOfTarget(target),
    };
  };
}

/** The scrapes a day that a target deserves by what its last scrapes found, and by the multipliers of those who watch it. */
export function priorityOfTarget(target: Watched & { readonly found?: readonly number[] }): number {
  return priorityOf(target.found ?? [], multiplierOf(watchersOf(target)));
}

/**
 * Finds the schedule of a place on a source, tracked or not, by all levels of those who watch it; `undefined` while the source is not loaded.
 *
 * @param at - the instant for which it is asked. Default: the present.
 */
export type ScheduleAt = (source: string, watchers: readonly Watching[], at?: number) => TargetSchedule | undefined;

/** What a watcher says of a target's schedule. */
type Watching = Pick<Watcher, 'schedule' | 'projectSchedule'>;

/** Creates the function that finds the schedules of places. */
export function schedulesAt(deps: Pick<ScheduleDeps, 'clock' | 'catalogue' | 'settings'>): ScheduleAt {
  const schedulesOf = watchedSchedules(deps);
  return (id, watchers, at = deps.clock.now()) => {
    const source = deps.catalogue().sources.get(id)?.source;
    return source && schedulesOf(source, watchers, at);
  };
}

function watchedSchedules({ settings }: Pick<ScheduleDeps, 'settings'>) {
  /** The schedules of sources whose targets and projects say nothing of their own, which most do. */
  const usual = new WeakMap<
    Source,
    { readonly daemon: string; readonly at: number; readonly schedule: TargetSchedule }
  >();

  return (source: Source | undefined, watchers: readonly Watching[], at: number): TargetSchedule => {
    const { everyMs, initialDelayMs } = settings();
    const ofDaemon = { every: everyMs, initialDelay: initialDelayMs };
    const daemon = `${everyMs} ${initialDelayMs}`;
    // A target that nobody watches has the schedule of its source.
    return sharedSchedule((watchers.length === 0 ? [{}] : watchers).map(scheduleFor));

    function scheduleFor({ schedule: target, projectSchedule: project }: Watching): TargetSchedule {
      const levels = [target ?? {}, project ?? {}, source ?? {}, ofDaemon];
      if (source === undefined) return scheduleOf(levels, at);
      const isUsual = target === undefined && project === undefined;
      const known = isUsual ? usual.get(source) : undefined;
      if (known?.daemon === daemon && isStill(known, at)) return known.schedule;
      const schedule = scheduleOn(source, scheduleOf(levels, at), everyMs);
      if (isUsual) usual.set(source, { daemon, at, schedule });
      return schedule;
    }
  };
}

/** Whether no objective has begun or ended to hold since a schedule was made. */
function isStill(
  { at: madeAt, schedule: { seasonAt } }: { readonly at: number; readonly schedule: TargetSchedule },
  at: number,
): boolean {
  return seasonAt === undefined ? true : madeAt <= at && at < seasonAt;
}
