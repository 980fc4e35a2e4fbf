import type { Method } from '../control/methods.ts';
import type { Viewer } from './parts/view.ts';

/** A section of the dashboard. */
export interface Section {
  /** The first part of the paths of its pages. */
  readonly path: string;
  readonly name: string;
  /** The letter of its name that, typed after `g`, leads to it. */
  readonly key: string;
  /** The method that its first page calls and that the fewest callers may use: whoever may not use it gets no such page. */
  readonly needs: Method;
}

/** The sections of the dashboard, in the order of the navigation. */
export const navigation: readonly Section[] = [
  { path: '', name: 'Overview', key: 'o', needs: 'daemon.status' },
  { path: 'projects', name: 'Projects', key: 'p', needs: 'project.search' },
  { path: 'sources', name: 'Sources', key: 's', needs: 'source.list' },
  { path: 'tickets', name: 'Tickets', key: 't', needs: 'ticket.list' },
  { path: 'held', name: 'Held', key: 'e', needs: 'held.list' },
  { path: 'schedule', name: 'Schedule', key: 'c', needs: 'schedule.list' },
  { path: 'hosts', name: 'Hosts', key: 'h', needs: 'host.list' },
  { path: 'outbox', name: 'Outbox', key: 'b', needs: 'sink.list' },
  { path: 'pipelines', name: 'Pipelines', key: 'i', needs: 'pipeline.list' },
  { path: 'steps', name: 'Single steps', key: 'n', needs: 'step.list' },
  { path: 'workers', name: 'Workers', key: 'w', needs: 'worker.list' },
  { path: 'tree', name: 'Tree', key: 'r', needs: 'tree.get' },
  { path: 'audit', name: 'Audit', key: 'a', needs: 'audit.list' },
];

/** The sections that a viewer may open. */
export function sectionsFor(viewer: Viewer): readonly Section[] {
  return navigation.filter(({ needs }) => viewer.can(needs));
}
