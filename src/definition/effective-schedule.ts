import type { KnownPace } from '../schedule/host-pace.ts';
import { type ScheduleLevel, scheduleOf, type TargetSchedule } from '../schedule/levels.ts';
import { priorityOf } from '../schedule/priority.ts';
import type { ScheduleOf } from '../schedule/row.ts';
import { defined } from '../defined.ts';
import type { Catalogue } from './catalogue.ts';
import { hostPaceOf } from './demand-book.ts';
import { scheduleOn } from './objective-fields.ts';
import { endRuleOf } from './end-rule.ts';
import { defaultPoliteness, politenessKey, type Source } from './source.ts';

/** The facts from which schedules are made, besides targets and projects. */
export interface ScheduleDeps {
  catalogue(): Catalogue;
  settings(): { readonly everyMs: number; readonly initialDelayMs: number };
  /** The measured paces of hosts, by politeness key. */
  readonly paces: { of(key: string): KnownPace | undefined };
}

/** Creates the function that finds the effective schedule of a target. */
export function effectiveSchedules({ catalogue, settings, paces }: ScheduleDeps): ScheduleOf {
  /** The schedules of sources whose targets and projects say nothing of their own, which most do. */
  const usual = new WeakMap<Source, { readonly everyMs: number; readonly schedule: TargetSchedule }>();

  return (target, project) => {
    const source = catalogue().sources.get(target.source)?.source;
    const { everyMs, initialDelayMs } = settings();
    const schedule = merged(source, target.schedule, project?.schedule, everyMs);
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
      priority: priorityOf(target.found ?? [], project?.multiplier),
    };
  };

  function merged(
    source: Source | undefined,
    target: ScheduleLevel | undefined,
    project: ScheduleLevel | undefined,
    everyMs: number,
  ): TargetSchedule {
    if (source === undefined) return scheduleOf([target ?? {}, project ?? {}, { every: everyMs }]);
    const isUsual = target === undefined && project === undefined;
    const known = isUsual ? usual.get(source) : undefined;
    if (known?.everyMs === everyMs) return known.schedule;
    const levels = [target ?? {}, project ?? {}, source, { every: everyMs }];
    const schedule = scheduleOn(source, scheduleOf(levels), everyMs);
    if (isUsual) usual.set(source, { everyMs, schedule });
    return schedule;
  }
}

/** The merged schedule of a target on a source, tracked or not; `undefined` while the source is not loaded. */
export function scheduleAt(
  {
    source: id,
    target = {},
    project = {},
  }: { readonly source: string; readonly target?: ScheduleLevel; readonly project?: ScheduleLevel },
  { catalogue, settings }: Pick<ScheduleDeps, 'catalogue' | 'settings'>,
): TargetSchedule | undefined {
  const source = catalogue().sources.get(id)?.source;
  if (source === undefined) return undefined;
  const { everyMs, initialDelayMs } = settings();
  return {
    initialDelayMs,
    ...scheduleOn(source, scheduleOf([target, project, source, { every: everyMs }]), everyMs),
  };
}
