import type { Watched } from '../../schedule/watchers.ts';
import type { ProjectRow, TargetRow, TargetStatus } from './rows.ts';

/** The status of a project as it is shown: the stored one, or `finished`. */
export type ProjectStatus = ProjectRow['status'] | 'finished';

/** The status of a target for one of the projects that have it: `disabled` for a project that no longer names it. */
export function statusFor(project: string, { status, watchers }: Pick<TargetRow, 'status'> & Watched): TargetStatus {
  return watchers.some((each) => each.project === project) ? status : 'disabled';
}

/** Returns the status of a project, which is `finished` when all its present targets are. */
export function statusOf(row: ProjectRow, targets: readonly TargetRow[]): ProjectStatus {
  if (row.status === 'archived') return 'archived';
  return areFinished(row, targets) ? 'finished' : 'active';
}

/** The targets by number. */
interface TargetRows {
  readonly get: (target: number) => TargetRow | undefined;
}

/** Whether all targets of a project are finished. Targets that were taken out of the project do not count. */
export function isFinished(store: { readonly targets: TargetRows }, project: ProjectRow): boolean {
  return areFinished(
    project,
    project.targets.flatMap((target) => store.targets.get(target) ?? []),
  );
}

/** Whether a project of these targets is finished: it has targets, and all that are not disabled are finished. */
function areFinished({ id }: ProjectRow, targets: readonly TargetRow[]): boolean {
  const tracked = targets.map((target) => statusFor(id, target)).filter((status) => status !== 'disabled');
  return tracked.length > 0 && tracked.every((status) => status === 'finished');
}
