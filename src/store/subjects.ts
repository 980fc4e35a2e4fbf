import { projectsOf } from '../schedule/watchers.ts';
import type { ScrapeRow, TargetRow } from './tables/rows.ts';
import type { Store } from './store.ts';

/** The most projects that an event on many targets of a source names. */
export const namedProjects = 100;

/** The subjects of an event on a target. */
export function subjectsOf(target: TargetRow) {
  return { projects: projectsOf(target), source: target.source, target: target.target };
}

/** The subjects of an event on a scrape. */
export function idsOf({ targets }: Pick<Store, 'targets'>, { source, target, scrape }: ScrapeRow) {
  const row = targets.get(target);
  return { projects: row === undefined ? [] : projectsOf(row), source, target, scrape };
}
