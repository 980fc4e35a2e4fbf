import { setImmediate } from 'node:timers/promises';
import { defined } from '../../defined.ts';
import { type IndexedProject, projectIndexOf } from '../../store/project-index.ts';
import { projectChangesOf } from '../../store/project-changes.ts';
import { inSlices } from '../../store/slices.ts';
import type { Store } from '../../store/store.ts';
import { statusFor, statusOf } from '../../store/tables/project-status.ts';
import type { ProjectRow, TargetRow } from '../../store/tables/rows.ts';
import type { Handlers } from '../methods.ts';
import { rowsOf } from './find.ts';
import type { Ports } from './ports.ts';
import { readQuery, type SearchQuery, type State } from './search-query.ts';
import { sees, type Sight } from './sight.ts';
import { freshnessOf } from './tracked-objectives.ts';
import { unviewedOf } from './unviewed.ts';
import { marksOf, projectView } from './views.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'sources'>;

/** The most projects whose state one call looks up, and how long it works before others have their turn, in milliseconds. */
const mostLooked = 2_000;
const turnMs = 4;

/** Rows that are read in one go. */
const readAtOnce = 100;

interface Slice {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The projects of one slice, by their ids, and how many match in all. */
interface FoundIds {
  readonly ids: readonly string[];
  readonly total: { readonly count: number; readonly isExact: boolean };
  readonly next?: string;
}

/** Creates the handler that searches projects. */
export function searchHandlers(deps: Deps): Pick<Handlers, 'project.search'> {
  return {
    'project.search': async ({ query, ...slice }, sight) => {
      const { ids, ...found } = await searchIds(readQuery(query), slice, sight, deps);
      const store = deps.store();
      const rows = ids.flatMap((id) => store.projects.get(id) ?? []);
      const changes = projectChangesOf(store).peek();
      const unviewed = changes && ids.filter(unviewedOf(changes, sight, deps));
      return { projects: rows.map((row) => projectView(row, deps, sight)), ...found, ...defined({ unviewed }) };
    },
  };
}

/** Finds the ids of all projects that a query wants. Throws a `ControlError` that says what is wrong with the query. */
export async function allIdsOf(text: string, sight: Sight, deps: Deps): Promise<readonly string[]> {
  const query = readQuery(text);
  const all: string[] = [];
  for (let after: string | undefined; ;) {
    const { ids, next } = await searchIds(query, { after, limit: Infinity }, sight, deps);
    for (const id of ids) all.push(id);
    if (next === undefined) return all;
    after = next;
  }
}

async function searchIds(query: SearchQuery, slice: Slice, sight: Sight, deps: Deps): Promise<FoundIds> {
  const kept = keptCount(query, sight, deps);
  if (kept !== undefined) return { total: { count: kept, isExact: true }, ...(await inOrder(query, slice, deps)) };
  const { after, limit } = slice;
  const all = await projectIndexOf(deps.store()).all();
  const held = query.states.includes('held') ? await heldProjects(deps) : undefined;
  const isUnviewed = query.isUnviewed
    ? unviewedOf(await projectChangesOf(deps.store()).all(), sight, deps)
    : () => true;
  const ids: string[] = [];
  let [count, looked, passed] = [0, 0, 0];
  let next: string | undefined;
  let last: string | undefined;
  const turns = new Turns();
  for (const each of all) {
    passed += 1;
    if (passed % 256 === 0) await turns.given();
    const isBefore = after !== undefined && each.id <= after;
    // States are not looked up again for what was passed by an earlier slice.
    if (!sees(sight, each) || !isWanted(each, query) || (isBefore && query.states.length > 0)) continue;
    if (!isUnviewed(each.id) || held?.has(each.id) === false) continue;
    if (query.states.length > 0) {
      if (looked === mostLooked) {
        next ??= last;
        break;
      }
      looked += 1;
      if (looked % 16 === 0) await turns.given();
      last = each.id;
      if (!hasStates(each.id, query.states, deps)) continue;
    }
    count += 1;
    if (isBefore) continue;
    if (ids.length < limit) ids.push(each.id);
    else next ??= ids.at(-1);
  }
  const isExact = query.states.length === 0 || (after === undefined && looked < mostLooked);
  return { ids, total: { count, isExact }, ...defined({ next }) };
}

/** Finds one slice of all projects that are tracked, or of those that have one status, and reads no more rows than that takes. */
async function inOrder(
  { states: [state] }: SearchQuery,
  { after, limit }: Slice,
  deps: Deps,
): Promise<Omit<FoundIds, 'total'>> {
  const { projects } = deps.store();
  const ids: string[] = [];
  let looked = 0;
  const rowsAfter = (last: ProjectRow | undefined, most: number) =>
    projects.rows({ after: last?.id ?? after, limit: most });
  for await (const rows of inSlices(rowsAfter, readAtOnce)) {
    for (const row of rows) {
      const isFound = state === undefined ? row.status !== 'archived' : hasStates(row.id, [state], deps);
      if (isFound && ids.length === limit) return { ids, ...defined({ next: ids.at(-1) }) };
      if (isFound) ids.push(row.id);
      looked += 1;
      if (state !== undefined && looked === mostLooked) return { ids, next: row.id };
    }
  }
  return { ids };
}

/** The projects of all targets that something is held of. */
async function heldProjects({ store }: Deps): Promise<ReadonlySet<string>> {
  const { holds, targets } = store();
  const found = new Set<string>();
  const turns = new Turns();
  for (const target of holds.targets()) {
    for (const { project } of targets.get(target)?.watchers ?? []) found.add(project);
    await turns.given();
  }
  return found;
}

/** Lets others have their turn now and then. */
class Turns {
  #endsAt = performance.now() + turnMs;

  /** Resolves at once while the turn lasts, else when others have had theirs. */
  async given(): Promise<void> {
    if (performance.now() < this.#endsAt) return;
    await setImmediate();
    this.#endsAt = performance.now() + turnMs;
  }
}

/** The number of projects that a query wants, where the store keeps it: of all those that are tracked, or that have one status. */
function keptCount(
  { words, sources, labels, states, isUnviewed }: SearchQuery,
  sight: Sight,
  { store }: Deps,
): number | undefined {
  if (sight.labels !== undefined || isUnviewed || words.length + sources.length + labels.length > 0) return undefined;
  const { active, finished, archived } = store().counts.all().projects;
  const [state, ...more] = states;
  if (state === undefined) return active + finished;
  if (more.length > 0) return undefined;
  const counts: Partial<Record<State, number>> = { active, finished, archived };
  return counts[state];
}

/** Whether the index says that a project is what a query wants, but for its state. */
function isWanted(
  { text, sources, labels, isArchived }: IndexedProject,
  { words, sources: ofSources, labels: withLabels, states }: SearchQuery,
): boolean {
  return (
    isArchived === states.includes('archived') &&
    words.every((word) => text.includes(word)) &&
    ofSources.every((source) => sources.includes(source)) &&
    withLabels.every((label) => labels.includes(label))
  );
}

function hasStates(id: string, states: readonly State[], deps: Deps): boolean {
  const row = deps.store().projects.get(id);
  if (row === undefined) return false;
  const targets = rowsOf(row.targets, deps.store());
  const tracked = targets.filter((target) => statusFor(id, target) !== 'disabled');
  return states.every((state) => isState(state, row, { targets, tracked }, deps));
}

function isState(
  state: State,
  row: ProjectRow,
  { targets, tracked }: { readonly targets: readonly TargetRow[]; readonly tracked: readonly TargetRow[] },
  deps: Deps,
): boolean {
  const store = deps.store();
  switch (state) {
    case 'active':
    case 'finished':
    case 'archived':
      return statusOf(row, targets) === state;
    case 'parked':
      return tracked.some((target) => target.status === 'parked');
    case 'late':
      return tracked.some((target) => isLate(target, deps));
    case 'ticket':
      return tracked.some((target) => marksOf(target, store) !== undefined);
    case 'held':
      return tracked.some((target) => isHeld(target, store));
    default:
      return state satisfies never;
  }
}

/** Whether an objective of a target is exceeded, as was last told. */
function isLate({ target }: TargetRow, deps: Pick<Ports, 'store'>): boolean {
  return Object.values(freshnessOf(target, deps)?.episodes ?? {}).some(({ level }) => level !== 'fresh');
}

function isHeld({ source, target }: TargetRow, { holds }: Store): boolean {
  for (const _ of holds.masses(source, target)) return true;
  for (const _ of holds.members({ source, target, limit: 1 })) return true;
  return false;
}
