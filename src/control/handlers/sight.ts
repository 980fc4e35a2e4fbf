import type { Event } from '../../event/catalogue.ts';
import { eventScopes } from '../../event/scope.ts';
import { hasLabelOf } from '../../schema/labels.ts';
import type { Watched } from '../../schedule/watchers.ts';
import type { ProjectRow } from '../../store/tables/rows.ts';
import type { HandlerContext } from '../methods.ts';

/** What a caller sees of all projects, and whose viewed changes it has. */
export type Sight = Pick<HandlerContext, 'labels' | 'viewer'>;

interface Projects {
  readonly projects: { get(id: string): Pick<ProjectRow, 'labels' | 'createdAt'> | undefined };
}

/** Whether a caller sees a project; of one that there is not, only whoever sees all. */
export function sees({ labels }: Sight, project: { readonly labels: readonly string[] } | undefined): boolean {
  return labels === undefined || (project !== undefined && hasLabelOf(labels, project.labels));
}

/** Returns those of some projects that a caller sees. */
export function seenOf(ids: readonly string[], sight: Sight, { projects }: Projects): readonly string[] {
  return sight.labels === undefined ? ids : ids.filter((id) => sees(sight, projects.get(id)));
}

/** Returns a target without the watchers that a caller does not see. */
export function seenWatchers({ watchers }: Watched, sight: Sight, { projects }: Projects): Watched {
  return {
    watchers: watchers.filter(({ project }) => sight.labels === undefined || sees(sight, projects.get(project))),
  };
}

/**
 * Returns an event with the projects that a caller sees now; `undefined` where it sees none of them, and where the event is about more than one
 * target or project. An event is about a project only if the project is not newer: a deleted one may have had its id.
 */
export function seenEvent(event: Event, sight: Sight, store: Projects): Event | undefined {
  if (sight.labels === undefined) return event;
  if (eventScopes[event.type] === 'daemon' || event.projects === undefined) return undefined;
  if (event.source !== undefined && event.target === undefined) return undefined;
  const projects = event.projects.filter((id) => {
    if (event.type === 'project.deleted') return sees(sight, event.data);
    const row = store.projects.get(id);
    return row !== undefined && row.createdAt <= event.at && sees(sight, row);
  });
  return projects.length === 0 ? undefined : { ...event, projects };
}
