import type { Issue } from '../schema/expected.ts';
import { writtenText } from '../time-text.ts';
import { type ScheduleLevel, scheduleOf, type TargetSchedule } from '../schedule/levels.ts';
import { paceOf } from '../schedule/pace/all.ts';
import type { Objective } from '../schedule/time/objective.ts';
import { allFields } from './all-fields.ts';
import type { Source } from './source.ts';

const dayMs = 86_400_000;

/** The part of an objective after which a re-check that verified nothing is repeated at the latest. */
const retriedWithin = 0.25;

/** The usual pause between two requests of a pulse, in ms, where its source sets none. */
const usualPulseMs = 300_000;

/**
 * Yields an issue for each field whose new values take longer to be confirmed than its objective allows, by a schedule of its target. Where
 * no pace is given, nothing is known.
 */
export function* confirmIssues(source: Source, { pace, objectives }: TargetSchedule): Generator<Issue> {
  for (const [type, record] of Object.entries(source.records))
    for (const [field, { confirm }] of Object.entries(allFields(record))) {
      const objective = objectives.find((each) => each.field === field);
      const limitMs = objective && limitOf(objective);
      if (confirm === undefined || limitMs === undefined) continue;
      const gapMs = gapOf(source, type, field, pace, limitMs);
      if (gapMs === undefined || confirm.times * gapMs <= limitMs) continue;
      const part = Object.hasOwn(record.fields, field) ? [] : ['page'];
      yield {
        path: ['records', type, ...part, 'fields', field, 'confirm'],
        message: `expected a new value to be confirmed within the objective of the field, ${writtenText(limitMs)}, but ${confirm.times} observations, one each ${writtenText(gapMs)}, take ${writtenText(confirm.times * gapMs)}`,
      };
    }
}

/** A target as its levels of schedule settings say it. */
interface LevelledTarget extends ScheduleLevel {
  readonly source: string;
}

/** Yields an issue for each target of a project with fields that are confirmed too late for an objective, by its own schedule and that of the project. */
export function* lateConfirmIssues(
  project: ScheduleLevel,
  targets: readonly LevelledTarget[],
  sources: ReadonlyMap<string, { readonly source: Source }>,
  at: number,
): Generator<Issue> {
  for (const [index, target] of targets.entries()) {
    const source = sources.get(target.source)?.source;
    if (source === undefined) continue;
    for (const { path, message } of confirmIssues(source, scheduleOf([target, project, source], at)))
      yield { path: ['targets', index], message: `${source.id}: ${path.join('.')}: ${message}` };
  }
}

function limitOf({ warnAfterMs, errorAfterMs }: Objective): number | undefined {
  return errorAfterMs ?? warnAfterMs;
}

/** The time between two observations of a field, in ms; `undefined` where it is not known. */
function gapOf(
  { pulse }: Source,
  type: string,
  field: string,
  pace: TargetSchedule['pace'],
  objectiveMs: number,
): number | undefined {
  if (pulse?.record === type && Object.hasOwn(pulse.fields, field)) return pulse.every ?? usualPulseMs;
  if (pace === undefined) return undefined;
  return Math.round(pace.kind === 'objective' ? retriedWithin * objectiveMs : dayMs / paceOf(pace).turnsADay(pace));
}
