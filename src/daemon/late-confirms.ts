import { confirmIssues } from '../definition/confirm-issues.ts';
import type { Source } from '../definition/source.ts';
import { scheduleOf } from '../schedule/levels.ts';
import type { Issue } from '../schema/expected.ts';
import type { Store } from '../store/store.ts';

/** The most targets of a source that are looked at. */
const looked = 10_000;

/**
 * The reasons why a definition does not suit the projects that track the source: fields whose new values it confirms later than an
 * objective allows, each once.
 */
export function lateConfirms(source: Source, { targets }: Pick<Store, 'targets'>, at: number): readonly Issue[] {
  const issues = new Map<string, Issue>();
  const seen = new Set<string>();
  for (const number of targets.numbersOfSource(source.id, { limit: looked })) {
    const row = targets.get(number);
    if (row?.status !== 'active') continue;
    for (const { project, schedule = {}, projectSchedule = {}, isAway } of row.watchers) {
      const levels = JSON.stringify([schedule, projectSchedule]);
      if (isAway === true || seen.has(levels)) continue;
      seen.add(levels);
      for (const { path, message } of confirmIssues(source, scheduleOf([schedule, projectSchedule, source], at)))
        issues.set(JSON.stringify(path), { path, message: `${message}, by the schedule of project "${project}"` });
    }
  }
  return [...issues.values()];
}
