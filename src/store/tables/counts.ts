import type { Environment } from '../lmdb/environment.ts';
import { type ProjectStatus, statusOf } from './project-status.ts';
import { table } from '../lmdb/table.ts';
import type { ProjectRow, TargetRow, TargetStatus } from './rows.ts';
import type { projectTable } from './projects.ts';
import type { targetTable } from './targets.ts';

/** How many projects and targets there are. */
export interface Counts {
  readonly projects: Readonly<Record<ProjectStatus, number>>;
  /** The targets of projects that are not archived. */
  readonly targets: Readonly<Record<TargetStatus, number>>;
  /** Scrapes that a person asked for and that have not begun. */
  readonly waiting: number;
  /** How often a project was added or changed its status. */
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
  const activeBySource = table<string, number>(environment, 'counts.active_by_source');

  return {
    projects: {
      ...projects,
      put(id: string, row: ProjectRow): void {
        const before = projects.get(id);
        const own = rowsOf(row);
        countProject(before && statusOf(before, rowsOf(before)), statusOf(row, own));
        const isTracked = row.status !== 'archived';
        if (before !== undefined && isTracked !== (before.status !== 'archived'))
          for (const target of own) countTarget(target, isTracked ? 1 : -1);
        projects.put(id, row);
      },
    },
    targets: {
      ...targets,
      /** Stores a new target under the next number. */
      add(make: (target: number) => TargetRow): TargetRow {
        const row = targets.add(make);
        if (projects.get(row.project)?.status !== 'archived') countTarget(row, 1);
        return row;
      },
      /** Stores a known target, whose source and project must not change. */
      put(row: TargetRow): void {
        const before = targets.get(row.target);
        const waited = Number(row.waiting !== undefined) - Number(before?.waiting !== undefined);
        if (waited !== 0) count(({ waiting, ...rest }) => ({ ...rest, waiting: waiting + waited }));
        if (before === undefined || before.status === row.status) return targets.put(row);
        const project = projects.get(row.project);
        const was = project && statusOf(project, rowsOf(project));
        targets.put(row);
        if (project === undefined) return;
        countProject(was, statusOf(project, rowsOf(project)));
        if (project.status === 'archived') return;
        countTarget(before, -1);
        countTarget(row, 1);
      },
    },
    counts: {
      /** The counts as of the last commit, and within a transaction also with its own changes. */
      all: (): Counts => totals.get(all) ?? none,
      /** The number of active targets of a source in projects that are not archived. */
      activeOf: (source: string): number => activeBySource.get(source) ?? 0,
      /** The sources with active targets in projects that are not archived, loaded or not. */
      usedSources: (): string[] =>
        Array.from(activeBySource.entries()).flatMap(({ key, row }) => (row > 0 ? [key] : [])),
      /** Whether there are rows that were never counted, as in a store of a version without counts. */
      isMissing: (): boolean => totals.get(all) === undefined && projects.count() > 0,
      /** Counts all rows; to be called where counts are missing. */
      countAll(): void {
        for (const project of projects.rows()) {
          const own = rowsOf(project);
          countProject(undefined, statusOf(project, own));
          if (project.status !== 'archived') for (const target of own) countTarget(target, 1);
        }
        let waiting = 0;
        for (const row of targets.rows()) if (row.waiting !== undefined) waiting += 1;
        count((counts) => ({ ...counts, waiting }));
      },
    },
  };

  function rowsOf({ targets: numbers }: ProjectRow): TargetRow[] {
    return numbers.flatMap((number) => targets.get(number) ?? []);
  }

  /** Counts a project that is new, or whose status may have changed. */
  function countProject(before: ProjectStatus | undefined, after: ProjectStatus): void {
    if (before === after) return;
    count(({ projects: counted, moves, ...rest }) => {
      const changed = { ...counted, [after]: counted[after] + 1 };
      if (before !== undefined) changed[before] -= 1;
      return { ...rest, projects: changed, moves: moves + 1 };
    });
  }

  function countTarget({ status, source }: TargetRow, by: 1 | -1): void {
    count(({ targets: before, ...rest }) => ({ ...rest, targets: { ...before, [status]: before[status] + by } }));
    if (status === 'active') activeBySource.put(source, (activeBySource.get(source) ?? 0) + by);
  }

  function count(change: (counts: Counts) => Counts): void {
    totals.put(all, change(totals.get(all) ?? none));
  }
}
