import { programOf, registerOf } from '../../definition/collect.ts';
import { pageId } from '../../definition/page.ts';
import { matchedBy } from '../../definition/target-address.ts';
import { matchesPattern } from '../../schema/id-pattern.ts';
import {
  addProject,
  archiveProject,
  deleteIn,
  type ProjectResult,
  restoreProject,
  updateIn,
} from '../../store/projects.ts';
import { statusFor, statusOf } from '../../store/tables/project-status.ts';
import type { ProjectRow } from '../../store/tables/rows.ts';
import { projectIndexOf } from '../../store/project-index.ts';
import { removeTargets } from '../../store/remove-targets.ts';
import { requestScrape } from '../../store/scrapes.ts';
import type { Store } from '../../store/store.ts';
import { releaseTarget } from '../../store/targets.ts';
import { defined } from '../../defined.ts';
import { ControlError, invalidParam } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import type { ProjectView, RequestedScrape } from '../methods/project.ts';
import type { RequestedHold } from '../methods/why.ts';
import type { ScrapeWish } from '../../view/scrape.ts';
import type { Ports } from './ports.ts';
import { demandsBeside } from './demands.ts';
import { differencesOf } from './differences.ts';
import { findProject, projectNotFound, rowsOf, targetsOf, trackedTargets } from './find.ts';
import { heldDue, type Holds, holdsOf, pausedBy, reasonViews } from './held-due.ts';
import { changedSpec } from './project-change.ts';
import { newProjectId, projectSpec } from './project-spec.ts';
import { withSource } from './resolve.ts';
import { sees, type Sight } from './sight.ts';
import { sliceOf } from './slices.ts';
import { concernedBy, lookAt, tellChanged } from './tell-projects.ts';
import { projectView, wholeMs } from './views.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'projects' | 'sources' | 'hosts' | 'scrapes' | 'schedule' | 'clock'>;

/** The most records of one target that are counted. */
const maxCounted = 100_000;

/** Creates the handlers of single projects. */
export function projectHandlers(deps: Deps) {
  return {
    'project.add': async ({ targets, ...given }, { signal }) => {
      const known = await Promise.all(targets.map((target) => withSource(target, deps, signal)));
      const { id = newProjectId() } = given;
      const added = await addProject(deps.store(), projectSpec({ ...given, targets: known }, id, deps));
      if (!added.ok) throw new ControlError('conflict', `project "${id}" exists already`);
      tellChanged([id], deps);
      const unknown = known.flatMap(({ source, url }, index) =>
        source === pageId && targets[index]?.source === undefined ? (url ?? []) : [],
      );
      const matched = known.flatMap(({ source, url }, index) => {
        const definition = deps.catalogue().sources.get(source)?.source;
        if (source === pageId || url === undefined || targets[index]?.source !== undefined) return [];
        return definition === undefined ? [] : [{ url, source, by: matchedBy(definition, url) }];
      });
      const paused = pausedBy(deps);
      const infeasible = demandsBeside(added.project, deps).infeasible();
      return {
        ...projectView(added.project, deps),
        ...defined({
          paused,
          infeasible: infeasible.length > 0 ? infeasible : undefined,
          unknown: unknown.length > 0 ? unknown : undefined,
          matched: matched.length > 0 ? matched : undefined,
        }),
      };
    },

    'project.list': async (params, sight) => {
      const { after, limit } = params;
      const store = deps.store();
      const rows = sight.labels === undefined ? store.projects.rows({ after }) : await seenRows(store, sight, after);
      const { found, last } = sliceOf(rows, limit, (row) => sees(sight, row) && matches(store, row, params));
      return { projects: found.map((row) => projectView(row, deps, sight)), ...defined({ next: last?.id }) };
    },

    'project.get': ({ id }, sight) => projectView(findProject(deps.store(), id), deps, sight),

    'project.update': async ({ dryRun, ...given }, { signal }) => {
      const { id, addTargets = [] } = given;
      findProject(deps.store(), id);
      const added = await Promise.all(addTargets.map((target) => withSource(target, deps, signal)));
      const store = deps.store();
      const plan = () => {
        const row = findProject(store, id);
        const { id: _, ...spec } = changedSpec(row, { ...given, addTargets: added }, deps);
        return { spec, changes: differencesOf(store, row, { id, ...spec }) };
      };
      if (dryRun) return { ...projectView(findProject(store, id), deps), changes: plan().changes };
      const changes = await store.write(
        (change) => {
          const { spec, changes } = plan();
          if (changes.length > 0) updateIn(store, change, id, { schedule: {}, ...spec });
          return changes;
        },
        { durable: true },
      );
      if (changes.length > 0) tellChanged([id], deps);
      return { ...projectView(findProject(store, id), deps), changes };
    },

    'project.archive': async ({ id }, sight) => changed(id, await archiveProject(deps.store(), id), sight, deps),
    'project.restore': async ({ id }, sight) => changed(id, await restoreProject(deps.store(), id), sight, deps),

    'project.delete': async ({ id, records, dryRun }) => {
      const store = deps.store();
      const row = findProject(store, id);
      const orphans = rowsOf(row.targets, store).filter(({ watchers }) =>
        watchers.every(({ project }) => project === id),
      );
      const targets = orphans.map(({ target }) => target);
      const seen = targets.reduce((sum, target) => sum + store.records.countOfTarget(target, maxCounted), 0);
      if (!dryRun) {
        const deleted = await store.write((change) => deleteIn(store, change, id, records), { durable: true });
        if (!deleted.ok) throw projectNotFound(id, store);
        tellChanged([id], deps, row.targets);
        await removeTargets(store);
      }
      return { targets, records: seen };
    },

    'project.rescrape': async ({ id, target, wish }) => {
      const store = deps.store();
      const row = findProject(store, id);
      if (row.status === 'archived')
        throw new ControlError('conflict', `project "${id}" is archived: restore it first`);
      if (deps.scrapes.apiOnly)
        throw new ControlError('not_ready', 'the daemon was started with --api-only, and scrapes nothing');
      const numbers = targetsOf(row, target);
      refuseWish(numbers, wish, deps);
      const holds = await holdsOf(rowsOf(numbers, store), deps);
      const scrapes: RequestedScrape[] = [];
      const idle: string[] = [];
      for (const number of numbers) {
        const target = store.targets.get(number);
        const source = target?.source ?? '';
        if (target !== undefined && statusFor(id, target) === 'disabled') {
          idle.push(`target ${number} is disabled`);
          continue;
        }
        if (!deps.catalogue().sources.has(source)) {
          idle.push(`target ${number} is on "${source}", of which no definition is loaded`);
          continue;
        }
        const requested = await requestScrape(store, number, wish);
        if (requested.ok) {
          const { scrape, coalesced } = requested;
          // Since it was asked for it may have begun, and nothing asks for it any more.
          const isWaiting = store.scrapes.get(scrape)?.status === 'waiting';
          const held = isWaiting ? heldOf(number, holds, deps) : undefined;
          scrapes.push({ target: number, scrape, coalesced, ...defined({ held }) });
        } else idle.push(`target ${number} is ${requested.why}`);
      }
      if (scrapes.length === 0)
        throw new ControlError('conflict', `project "${id}": nothing to scrape: ${idle.join(', ')}`);
      lookAt(numbers, deps);
      const paused = pausedBy(deps);
      return { scrapes, ...defined({ paused }) };
    },

    'project.release': async ({ id, target }, sight) => {
      const store = deps.store();
      const row = findProject(store, id);
      const tracked = new Set(trackedTargets(row, store).map((each) => each.target));
      for (const number of targetsOf(row, target)) if (tracked.has(number)) await releaseTarget(store, number);
      for (const each of new Set(concernedBy([id], deps))) await deps.projects.release(each);
      tellChanged([id], deps);
      return projectView(row, deps, sight);
    },
  } satisfies Partial<Handlers>;
}

/**
 * Throws a `ControlError` where a scrape of one of these targets would ignore a part of the wish: days are for registers that a
 * definition collects, arguments for plug-ins. A target whose definition is not loaded is not judged.
 */
function refuseWish(targets: readonly number[], { from, to, args }: ScrapeWish = {}, deps: Deps): void {
  if (from !== undefined && to !== undefined && from > to)
    throw invalidParam('wish.from', `expected a day not after ${to}, got ${from}`);
  for (const number of targets) {
    const id = deps.store().targets.get(number)?.source ?? '';
    const source = deps.catalogue().sources.get(id)?.source;
    if (source === undefined) continue;
    const whose = `the source "${id}" of target ${number}`;
    if ((from ?? to) !== undefined && registerOf(source) === undefined)
      throw invalidParam('wish', `expected no days, as ${whose} does not \`collect\` windows of days`);
    if (args !== undefined && source.plugin === undefined && programOf(source) === undefined)
      throw invalidParam('wish', `expected no arguments, as ${whose} has no plug-in and no program`);
  }
}

/** Returns when a requested scrape can begin and why not now; nothing where it can begin now. */
function heldOf(target: number, holds: Holds, deps: Deps): RequestedHold | undefined {
  const row = deps.store().targets.get(target);
  const due = row && heldDue(row, holds, deps);
  if (due === undefined || (due.dueAt !== undefined && due.dueAt <= deps.clock.now())) return undefined;
  return {
    ...defined({ dueAt: wholeMs(due.dueAt) }),
    because: reasonViews(due),
  };
}

/**
 * Tells the running actors of a change that is stored. Throws a `ControlError` `not_found` where there is no such
 * project.
 */
function changed(id: string, result: ProjectResult, sight: Sight, deps: Deps): ProjectView {
  if (!result.ok) throw projectNotFound(id, deps.store());
  tellChanged([id], deps);
  return projectView(result.project, deps, sight);
}

/** Resolves with the projects that a caller sees, after one. They are found by their labels, so that no cursor names one that it does not see. */
async function seenRows(store: Store, sight: Sight, after = ''): Promise<Iterable<ProjectRow>> {
  const all = await projectIndexOf(store).all();
  const seen = all.filter((each) => each.id > after && sees(sight, each));
  return (function* () {
    for (const { id } of seen) {
      const row = store.projects.get(id);
      if (row !== undefined) yield row;
    }
  })();
}

function matches(store: Store, row: ProjectRow, { status, label, source, match }: Params<'project.list'>): boolean {
  if (match !== undefined && !matchesPattern(row.id, match)) return false;
  const targets = rowsOf(row.targets, store);
  const own = statusOf(row, targets);
  return (
    (status === undefined ? own !== 'archived' : own === status) &&
    (label === undefined || row.labels.includes(label)) &&
    (source === undefined || targets.some((target) => target.source === source))
  );
}
