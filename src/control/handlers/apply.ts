import { addIn, archiveIn, type ProjectSpec, restoreIn, updateIn } from '../../store/projects.ts';
import { inSlices, slicesOf } from '../../store/slices.ts';
import type { ProjectRow } from '../../store/tables/rows.ts';
import type { Change, Store } from '../../store/store.ts';
import { ControlError, invalidParam } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import type { AppliedChange } from '../methods/project.ts';
import { demandsWith } from './demands.ts';
import type { Ports } from './ports.ts';
import { addedText, differencesOf } from './differences.ts';
import { type ReadProject, readProject, specsOf } from './project-spec.ts';
import { concernedBy } from './tell-projects.ts';

type Deps = Pick<Ports, 'clock' | 'store' | 'catalogue' | 'projects' | 'hosts' | 'schedule'>;

/** A change that applying the list makes, and how it is carried out; `ok` is false where somebody else was quicker. */
interface Step {
  readonly change: AppliedChange;
  /** The number of targets that the change concerns, which is about what it takes. */
  readonly targets: number;
  carryOut(change: Change): { readonly ok: boolean };
}

/** Projects that are read and compared in one go, and targets that are written in one transaction: some milliseconds of the loop. */
const readAtOnce = 50;
const writtenAtOnce = 16;

/** Creates the handler that makes the tracked projects equal to a list. */
export function applyHandlers(deps: Deps): Pick<Handlers, 'project.apply'> {
  return {
    'project.apply': async ({ projects, prune, within, dryRun }) => {
      const store = deps.store();
      refuseTwins(projects);
      // All addresses are made first, so that a list with a mistake changes nothing.
      const read: ReadProject[] = [];
      for await (const slice of slicesOf(projects, readAtOnce))
        for (const project of slice) read.push(readProject(project, read.length, deps));
      const wanted = specsOf(read);
      const planned: Step[][] = [];
      for await (const slice of slicesOf(wanted, readAtOnce))
        for (const spec of slice) planned.push(stepsOf(store, spec));
      const surplus = prune ? await surplusOf(store, new Set(wanted.map(({ id }) => id)), within) : [];
      const replaced = [...wanted.map(({ id }) => id), ...surplus.map(({ id }) => id)].flatMap(
        (id) => store.projects.get(id) ?? [],
      );
      const infeasible = (await demandsWith(wanted, replaced, deps)).infeasible();
      const steps = [...planned.flat(), ...surplus.map((row) => archiveStep(store, row))];
      if (!dryRun) await carryOut(store, steps, deps);
      return {
        changes: steps.map(({ change }) => change),
        unchanged: planned.filter(({ length }) => length === 0).length,
        applied: !dryRun,
        ...(infeasible.length > 0 && { infeasible }),
      };
    },
  };
}

/** Throws a `ControlError` where two entries of the list have one id. */
function refuseTwins(projects: readonly { readonly id: string }[]): void {
  const seen = new Set<string>();
  for (const { id } of projects) {
    if (seen.has(id)) throw invalidParam('projects', `"${id}" is in the list more than once`);
    seen.add(id);
  }
}

/**
 * Carries out steps in their order, some in a transaction. All are on disk when this resolves. Rejects with a
 * `ControlError` `conflict` at a step for which somebody else was quicker; the steps before it stay.
 */
async function carryOut(store: Store, steps: readonly Step[], deps: Deps): Promise<void> {
  const concerned = new Set<string>();
  try {
    for (let from = 0; from < steps.length;) {
      const batch = batchAt(steps, from);
      const isLast = from + batch.length === steps.length;
      const failed = await store.write((change) => batch.find((step) => !step.carryOut(change).ok), {
        // What is flushed last is flushed with all before it.
        durable: isLast,
      });
      const ids = batch.map(({ change }) => change.id);
      for (const id of concernedBy(ids, deps)) concerned.add(id);
      if (failed !== undefined) throw conflict(failed);
      from += batch.length;
    }
  } finally {
    for (const id of concerned) deps.projects.look(id);
    deps.projects.reconcile([...concerned]);
  }
}

/** Returns the steps from one on that are made in one transaction: one at least. */
function batchAt(steps: readonly Step[], from: number): readonly Step[] {
  let to = from;
  for (let room = writtenAtOnce; to < steps.length && room > 0; to += 1) room -= steps[to]?.targets ?? 0;
  return steps.slice(from, to);
}

function conflict({ change: { action, id } }: Step): ControlError {
  return new ControlError(
    'conflict',
    `${action} "${id}": somebody else changed it just now: what was applied before it stays, so apply the list again`,
  );
}

function archiveStep(store: Store, { id, targets }: ProjectRow): Step {
  return {
    change: { id, action: 'archive', details: ['not in the list'] },
    targets: targets.length,
    carryOut: (change) => archiveIn(store, change, id),
  };
}

/** Returns the steps that make a tracked project equal to one of the list; none where it is equal. */
function stepsOf(store: Store, spec: ProjectSpec): Step[] {
  const { id, ...rest } = spec;
  const targets = spec.targets.length;
  const row = store.projects.get(id);
  if (row === undefined) {
    const details = spec.targets.map((place) => addedText(store, id, place));
    return [{ change: { id, action: 'add', details }, targets, carryOut: (change) => addIn(store, change, spec) }];
  }
  const details = differencesOf(store, row, spec);
  const steps: Step[] = [];
  // The list says all of a project: what it leaves out is the default again.
  if (details.length > 0)
    steps.push({
      change: { id, action: 'update', details },
      targets,
      carryOut: (change) => updateIn(store, change, id, { schedule: {}, sinks: [], metrics: {}, rules: {}, ...rest }),
    });
  if (row.status === 'archived')
    steps.push({
      change: { id, action: 'restore', details: ['was archived'] },
      targets,
      carryOut: (change) => restoreIn(store, change, id),
    });
  return steps;
}

/** Returns the tracked projects that a list leaves out: all, or those within a range of ids. */
async function surplusOf(
  store: Store,
  wanted: ReadonlySet<string>,
  { after, upTo }: NonNullable<Params<'project.apply'>['within']> = {},
): Promise<readonly ProjectRow[]> {
  const surplus: ProjectRow[] = [];
  const rowsAfter = (last: ProjectRow | undefined, limit: number) =>
    store.projects.rows({ after: last?.id ?? after, limit });
  for await (const rows of inSlices(rowsAfter, readAtOnce))
    for (const row of rows) {
      if (upTo !== undefined && row.id > upTo) return surplus;
      if (row.status === 'active' && !wanted.has(row.id)) surplus.push(row);
    }
  return surplus;
}
