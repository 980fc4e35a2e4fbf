import type { Catalogue } from '../../definition/catalogue.ts';
import type { Source } from '../../definition/source.ts';
import { statusFor } from '../../store/tables/project-status.ts';
import type { ProjectRow, ScrapeRow, TargetRow } from '../../store/tables/rows.ts';
import type { Store } from '../../store/store.ts';
import { ControlError } from '../error.ts';

/** Returns a project. Throws a `ControlError` `not_found` where there is none of that id. */
export function findProject(store: Store, id: string): ProjectRow {
  const row = store.projects.get(id);
  if (row === undefined) throw projectNotFound(id);
  return row;
}

/** Returns a scrape. Throws a `ControlError` `not_found` where there is none of that number. */
export function findScrape(store: Store, scrape: number): ScrapeRow {
  const row = store.scrapes.get(scrape);
  if (row === undefined) throw new ControlError('not_found', `no scrape ${scrape}`);
  return row;
}

/** Returns the numbers of all targets of a project, or of one. Throws a `ControlError` `not_found` where the project has no such target. */
export function targetsOf(row: ProjectRow, target: number | undefined): readonly number[] {
  if (target === undefined) return row.targets;
  if (row.targets.includes(target)) return [target];
  throw new ControlError('not_found', `project "${row.id}" has no target ${target}`);
}

/** Returns the rows of targets, without those that are gone. */
export function rowsOf(numbers: readonly number[], { targets }: Pick<Store, 'targets'>): TargetRow[] {
  return numbers.flatMap((number) => targets.get(number) ?? []);
}

/** Returns the rows of a project's targets without those that it no longer names. */
export function trackedTargets(row: ProjectRow, store: Store): TargetRow[] {
  return rowsOf(row.targets, store).filter((target) => statusFor(row.id, target) !== 'disabled');
}

/** Returns the definition of a source. Throws a `ControlError` `not_found` where none is loaded. */
export function findSource({ sources }: Catalogue, id: string): Source {
  const source = sources.get(id)?.source;
  if (source === undefined) throw sourceNotFound(id);
  return source;
}

/** Creates the error for an unknown source. */
export function sourceNotFound(id: string): ControlError {
  return new ControlError('not_found', `no source "${id}"`);
}

/** Creates the error for an unknown project. */
export function projectNotFound(id: string): ControlError {
  return new ControlError('not_found', `no project "${id}"`);
}
