import { isUnviewed, owner } from '../../store/viewers.ts';
import type { Ports } from './ports.ts';
import type { Sight } from './sight.ts';

/** Returns what says of a project whether a caller has not viewed the newest of the changes. */
export function unviewedOf(
  changes: ReadonlyMap<string, number>,
  { viewer = owner }: Sight,
  deps: Pick<Ports, 'store'>,
): (project: string) => boolean {
  const store = deps.store();
  const first = store.events.first() ?? Infinity;
  return (project) => isUnviewed(store, viewer, { project, changed: changes.get(project), first });
}
