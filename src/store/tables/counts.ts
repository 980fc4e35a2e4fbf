import type { Environment } from '../lmdb/environment.ts';
import { type ProjectStatus, statusOf } from './project-status.ts';
import { ownerOf } from '../../schedule/watchers.ts';
import { table } from '../lmdb/table.ts';
import { namingSources } from './source-names.ts';
import type { ProjectRow, TargetRow, TargetStatus } from './rows.ts';
import type { projectTable } from './projects.ts';
import type { targetTable } from './targets.ts';

/** How many projects and targets there are. */
export interface Counts {
  readonly projects: Readonly<Record<ProjectStatus, number>>;
  /** The targets that an active project watches, and those that no project names any more; each once. */
  readonly targets: Readonly<Record<TargetStatus, number>>;
  /** Scrapes that a person asked for and that have not begun. */
  readonly waiting: number;
  /** How often a project was added, was removed, or changed its status. */
  readonly moves: number;
}

const none: Counts = {
  projects: { active: 0, finished: 0, archived: 0 },
  targets: { active: 0, finished: 0, disabled: 0, parked: 0 },
  waiting: 0,
  moves: 0,
};

const all = 'all';

/**
 * The tables of projects and targets, which count their rows by status as the rows change. The counts are rows too, so
 * that they are read without a walk and are undone with the change that made them.
 */
export function countedTables(
  environment: Environment,
  {
    projects,
    targets,
  }: { readonly projects: ReturnType<typeof projectTable>; readonly targets: ReturnType<typeof targetTable> },
) {
  const totals = table<string, Counts>(environment, 'counts');
  const activeBySource = namingSources(environment, table<string, number>(environment, 'counts.active_by_source'), {
    key: 'whole',
  });

  return {
    projects: {
      ...projects,
      put(id: string, row: ProjectRow): void {
        countProject(statusNow(id), statusOf(row, rowsOf(row)));
        projects.put(id, row);
      },
      /** Removes a project, if there is one. */
      remove(id: string): void {
        countProject(statusNow(id), undefined);
        projects.remove(id);
      },
    },
    targets: {
      ...targets,
      /** Stores a new target under the next number. */
      add(make: (target: number) => TargetRow): TargetRow {
        const row = targets.add(make);
        countTarget(row, 1);
        return row;
      },
      /** Stores a known target, whose place must not change. */
      put(row: TargetRow): void {
        const before = targets.get(row.target);
        const waited = Number(row.waiting !== undefined) - Number(before?.waiting !== undefined);
        if (waited !== 0) count(({ waiting, ...rest }) => ({ ...rest, waiting: waiting + waited }));
        const projectsBefore =
          before === undefined ? [] : concerned(before, row).map((id) => [id, statusNow(id)] as const);
        targets.put(row);
        for (const [id, was] of projectsBefore) if (was !== undefined) countProject(was, statusNow(id) ?? was);
        if (before === undefined || countedAs(before) === countedAs(row)) return;
        countTarget(before, -1);
        countTarget(row, 1);
      },
      /** Removes a target that nobody watches. */
      remove(row: TargetRow): void {
        targets.remove(row);
        countTarget(row, -1);
      },
    },
    counts: {
      /** The counts as of the last commit, and within a transaction also with its own changes. */
      all: (): Counts => totals.get(all) ?? none,
      /** The number of active targets of a source that an active project watches. */
      activeOf: (source: string): number => activeBySource.get(source) ?? 0,
      /** The sources with active targets that an active project watches, loaded or not. */
      usedSources: (): string[] =>
        Array.from(activeBySource.entries()).flatMap(({ key, row }) => (row > 0 ? [key] : [])),
    },
  };

  function rowsOf({ targets: numbers }: ProjectRow): TargetRow[] {
    return numbers.flatMap((number) => targets.get(number) ?? []);
  }

  function statusNow(id: string): ProjectStatus | undefined {
    const project = projects.get(id);
    return project && statusOf(project, rowsOf(project));
  }

  /** Counts a project that is new, is removed, or whose status may have changed. */
  function countProject(before: ProjectStatus | undefined, after: ProjectStatus | undefined): void {
    if (before === after) return;
    count(({ projects: counted, moves, ...rest }) => {
      const changed = { ...counted };
      if (after !== undefined) changed[after] += 1;
      if (before !== undefined) changed[before] -= 1;
      return { ...rest, projects: changed, moves: moves + 1 };
    });
  }

  function countTarget(target: TargetRow, by: 1 | -1): void {
    const { source } = target;
    const status = countedAs(target);
    if (status === undefined) return;
    count(({ targets: before, ...rest }) => ({ ...rest, targets: { ...before, [status]: before[status] + by } }));
    if (status === 'active') activeBySource.put(source, (activeBySource.get(source) ?? 0) + by);
  }

  function count(change: (counts: Counts) => Counts): void {
    totals.put(all, change(totals.get(all) ?? none));
  }
}

/** The status under which a target counts; `undefined` where only archived projects watch it. */
function countedAs(target: TargetRow): TargetStatus | undefined {
  return target.status === 'disabled' || ownerOf(target) !== undefined ? target.status : undefined;
}

/** The projects whose status a change of a target may change: those that came or went, and where it finishes or begins anew, all. */
function concerned(before: TargetRow, after: TargetRow): string[] {
  const isAnew = (before.status === 'finished') !== (after.status === 'finished');
  if (!isAnew && before.watchers === after.watchers) return [];
  const [left, came] = [before, after].map(({ watchers }) => new Set(watchers.map(({ project }) => project)));
  const all = new Set([...(left ?? []), ...(came ?? [])]);
  return [...all].filter((id) => isAnew || left?.has(id) !== came?.has(id));
}
