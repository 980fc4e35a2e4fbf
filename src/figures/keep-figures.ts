import { tellsCorrections } from '../event/tells-corrections.ts';
import type { Event } from '../event/catalogue.ts';
import type { LogSlice } from '../store/follow.ts';
import { inSlices, writeInSlices } from '../store/slices.ts';
import type { Store } from '../store/store.ts';
import type { ProjectRow } from '../store/tables/rows.ts';
import { applyDue, applyToChanged, applyToProject, ruleCursor } from './apply-rules.ts';
import { KeptTotals } from './kept-totals.ts';
import type { MetricDeps } from './read-metrics.ts';
import { changedMetrics, recordMetrics } from './record-metrics.ts';
import { compileRules } from './rules.ts';

/** What the actor that keeps metrics and rules does, as far as it needs no mailbox. */
export interface KeptFigures {
  /** The id of the event up to which rules were applied. */
  cursor(): number;
  /**
   * Applies the rules of projects to the records that a slice of the log concerns, and stores the end of the slice with that. Resolves with the projects
   * whose metrics the slice concerns; with `undefined` while the store is full.
   */
  applyEvents(slice: LogSlice): Promise<ReadonlySet<string> | undefined>;
  /** When a rule that depends on the present is to be applied again; wall time. */
  nextTurn(): number | undefined;
  /** Applies the rules that have turned by now. Resolves with false while the store is full. */
  applyDue(): Promise<boolean>;
  /** Yields the projects that have metrics, all of which are read in full the next time they are computed. */
  projectsWithMetrics(): AsyncIterable<readonly string[]>;
  /** Computes the metrics of a project, and stores and tells those that changed. Resolves with false while the store is full. */
  updateMetrics(project: string): Promise<boolean>;
}

/** The dependencies of keeping metrics and rules. */
export interface KeepDeps extends MetricDeps {
  /** Runs what writes to the store; resolves with `undefined` when the store is full. */
  unlessFull<T>(write: () => Promise<T>): Promise<T | undefined>;
}

/** Rows of a deleted project that are removed in one transaction. */
const removedAtOnce = 250;

/** Events after which the rules of a project are applied to all its records. */
const ofRules: ReadonlySet<Event['type']> = new Set([
  'project.added',
  'project.updated',
  'project.restored',
  'records.recalled',
]);

/** Creates what the actor that keeps metrics and rules does. */
export function createKeptFigures(deps: KeepDeps): KeptFigures {
  const totals = new KeptTotals(deps);
  return {
    cursor: () => ruleCursor(deps.store()),
    applyEvents,
    nextTurn: () => deps.store().metRules.nextTurn(),
    applyDue: async () =>
      (await deps.unlessFull(() => applyDue(deps.store(), deps.catalogue()).then(() => true))) === true,
    async *projectsWithMetrics() {
      totals.forgetAll();
      yield* activeProjects(deps.store(), ({ metrics }) => metrics !== undefined);
    },
    updateMetrics,
  };

  async function applyEvents({ events, upTo, trimmedTo }: LogSlice): Promise<ReadonlySet<string> | undefined> {
    const store = deps.store();
    const concerned = new Set(events.flatMap((event) => totals.note(event)));
    const isLost = trimmedTo !== undefined;
    if (isLost) totals.forgetAll();
    if (isLost || events.some(({ type }) => tellsCorrections(type)))
      for (const id of await collect(activeProjects(store, ({ metrics }) => metrics !== undefined))) concerned.add(id);
    const changed = projectsOf(events, ({ type }) => ofRules.has(type));
    // Of a record whose events are lost, rules were not asked.
    if (isLost)
      for (const id of await collect(activeProjects(store, ({ rules }) => rules !== undefined))) changed.add(id);
    const done = await deps.unlessFull(async () => {
      for (const id of projectsOf(events, ({ type }) => type === 'project.deleted')) await forget(store, id);
      for (const id of changed) await applyToProject(store, deps.catalogue(), id);
      await applyToChanged(store, deps.catalogue(), { events, upTo });
      return true;
    });
    if (done === undefined) return undefined;
    return new Set([...concerned].filter((id) => store.projects.get(id)?.metrics !== undefined));
  }

  async function updateMetrics(id: string): Promise<boolean> {
    const store = deps.store();
    const project = store.projects.get(id);
    if (project === undefined || project.status === 'archived') return true;
    const { metrics } = await totals.compute(project);
    const changes = changedMetrics(store, id, metrics);
    if (changes.length === 0) return true;
    const rules = compileRules(project, store, deps.catalogue());
    return (await deps.unlessFull(() => recordMetrics(store, rules, changes).then(() => true))) === true;
  }

  /** Removes what is kept of a project that was deleted, unless there is one of its id again. */
  async function forget(store: Store, id: string): Promise<void> {
    totals.forget(id);
    if (store.projects.get(id) !== undefined) return;
    await writeInSlices(store, removedAtOnce, () => store.metrics.clear(id, removedAtOnce));
    await writeInSlices(store, removedAtOnce, () => store.metRules.clear(id, removedAtOnce));
  }
}

/** The projects of those events that are wanted. */
function projectsOf(events: readonly Event[], isWanted: (event: Event) => boolean): Set<string> {
  return new Set(events.filter(isWanted).flatMap(({ projects = [] }) => projects));
}

/** Yields the ids of those active projects that are wanted. */
async function* activeProjects(
  store: Store,
  isWanted: (project: ProjectRow) => boolean,
): AsyncGenerator<readonly string[]> {
  for await (const rows of inSlices<ProjectRow>((last, limit) => store.projects.rows({ after: last?.id, limit })))
    yield rows.filter((row) => row.status === 'active' && isWanted(row)).map(({ id }) => id);
}

async function collect(slices: AsyncIterable<readonly string[]>): Promise<string[]> {
  const all: string[] = [];
  for await (const slice of slices) all.push(...slice);
  return all;
}
