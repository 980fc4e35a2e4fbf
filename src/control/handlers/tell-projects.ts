import { ownerOf } from '../../schedule/watchers.ts';
import type { Ports } from './ports.ts';
import { rowsOf } from './find.ts';

type Deps = Pick<Ports, 'store' | 'projects'>;

/** Makes the projects that scrape these targets read their rows again. */
export function lookAt(targets: readonly number[], deps: Deps): void {
  for (const id of new Set(ownersOf(targets, deps))) deps.projects.look(id);
}

/**
 * Tells the actors of changed projects to look at their rows, and those of the projects that scrape their targets now.
 *
 * @param targets - the targets of projects among them that are no longer there.
 */
export function tellChanged(ids: readonly string[], deps: Deps, targets: readonly number[] = []): void {
  const all = new Set([...concernedBy(ids, deps), ...ownersOf(targets, deps)]);
  for (const id of all) deps.projects.look(id);
  deps.projects.reconcile([...all]);
}

/** Returns the ids of changed projects, and of the projects whose actors scrape the targets of a changed project. */
export function concernedBy(ids: readonly string[], deps: Deps): string[] {
  return ids.flatMap((id) => [id, ...ownersOf(deps.store().projects.get(id)?.targets ?? [], deps)]);
}

function ownersOf(targets: readonly number[], { store }: Deps): string[] {
  return rowsOf(targets, store()).flatMap((row) => ownerOf(row) ?? []);
}
