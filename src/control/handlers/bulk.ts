import { setImmediate } from 'node:timers/promises';
import { archiveIn, restoreIn, updateIn } from '../../store/projects.ts';
import { requestIn, scrapable } from '../../store/scrapes.ts';
import type { Change } from '../../store/store.ts';
import type { ProjectRow } from '../../store/tables/rows.ts';
import { ControlError } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import { trackedTargets } from './find.ts';
import type { Ports } from './ports.ts';
import { labelsAfter } from './project-change.ts';
import { allIdsOf } from './search.ts';
import { lookAt, tellChanged } from './tell-projects.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'projects' | 'sources' | 'scrapes'>;

/** What is to be done to each project. */
interface Work {
  /** Whether a project is to be changed; a text says why it cannot be. */
  judge(row: ProjectRow): boolean | string;
  make(change: Change, row: ProjectRow): void;
  /** Called with what was changed once it is on disk. */
  tell(rows: readonly ProjectRow[]): void;
}

/** Projects that are changed in one transaction, and those that are looked at in one go: some milliseconds. */
const atOnce = { changed: 16, looked: 200 };

/** The most ids that an answer lists. */
const listed = 20;

/** Creates the handler that does the same to many projects. */
export function bulkHandlers(deps: Deps): Pick<Handlers, 'project.bulk'> {
  return {
    'project.bulk': async ({ ids, query = '', dryRun, ...wanted }, { signal, ...sight }) => {
      const store = deps.store();
      const work = workOf(wanted, deps);
      const chosen = ids === undefined ? await allIdsOf(query, sight, deps) : [...new Set(ids)];
      const first: string[] = [];
      const refused: { readonly id: string; readonly why: string }[] = [];
      let [changed, unchanged, refusals] = [0, 0, 0];
      const size = dryRun ? atOnce.looked : atOnce.changed;
      for (let from = 0; from < chosen.length; from += size) {
        if (signal.aborted)
          throw new ControlError(
            'not_ready',
            `stopped after ${from} of ${chosen.length} projects: ask again for the others`,
          );
        const rows: ProjectRow[] = [];
        for (const id of chosen.slice(from, from + size)) {
          const row = store.projects.get(id);
          const verdict = row === undefined ? 'there is no such project' : work.judge(row);
          if (row !== undefined && verdict === true) rows.push(row);
          else if (verdict === false) unchanged += 1;
          else refusals += 1;
          if (typeof verdict === 'string' && refused.length < listed) refused.push({ id, why: verdict });
        }
        changed += rows.length;
        first.push(...rows.slice(0, listed - first.length).map(({ id }) => id));
        if (!dryRun && rows.length > 0) {
          await store.write(
            (change) => {
              for (const { id } of rows) {
                const row = store.projects.get(id);
                if (row !== undefined && work.judge(row) === true) work.make(change, row);
              }
            },
            { durable: true },
          );
          work.tell(rows);
        }
        await setImmediate();
      }
      return { matched: chosen.length, changed, first, unchanged, refused: { count: refusals, first: refused } };
    },
  };
}

function workOf({ action, ...edit }: Omit<Params<'project.bulk'>, 'ids' | 'query' | 'dryRun'>, deps: Deps): Work {
  const store = deps.store();
  const tell = (rows: readonly ProjectRow[]): void =>
    tellChanged(
      rows.map(({ id }) => id),
      deps,
    );
  switch (action) {
    case 'archive':
      return {
        judge: ({ status }) => status === 'active',
        make: (change, { id }) => void archiveIn(store, change, id),
        tell,
      };
    case 'restore':
      return {
        judge: ({ status }) => status === 'archived',
        make: (change, { id }) => void restoreIn(store, change, id),
        tell,
      };
    case 'edit':
      return { ...editing(edit, deps), tell };
    case 'rescrape':
      return rescraping(deps);
    default:
      return action satisfies never;
  }
}

function editing(
  { addLabels, removeLabels, multiplier }: Pick<Params<'project.bulk'>, 'addLabels' | 'removeLabels' | 'multiplier'>,
  deps: Deps,
): Omit<Work, 'tell'> {
  const after = (row: ProjectRow) => ({
    labels: labelsAfter(row.labels, addLabels, removeLabels),
    multiplier: multiplier ?? row.multiplier,
  });
  return {
    judge(row) {
      try {
        const { labels, multiplier: factor } = after(row);
        return factor !== row.multiplier || labels.join('\n') !== row.labels.join('\n');
      } catch (error) {
        if (error instanceof ControlError) return error.message;
        throw error;
      }
    },
    make: (change, row) => void updateIn(deps.store(), change, row.id, after(row)),
  };
}

function rescraping(deps: Deps): Work {
  const store = deps.store();
  if (deps.scrapes.apiOnly)
    throw new ControlError('not_ready', 'the daemon was started with --api-only, and scrapes nothing');
  const targetsOf = (row: ProjectRow) =>
    trackedTargets(row, store).filter(
      ({ target, source }) => deps.catalogue().sources.has(source) && scrapable(store, target).ok,
    );
  return {
    judge(row) {
      if (row.status === 'archived') return 'it is archived: restore it first';
      const targets = targetsOf(row);
      return targets.length === 0 ? 'nothing to scrape' : targets.some(({ waiting }) => waiting === undefined);
    },
    make(change, row) {
      for (const { target } of targetsOf(row)) requestIn(store, change, target);
    },
    tell: (rows) =>
      lookAt(
        rows.flatMap(({ targets }) => targets),
        deps,
      ),
  };
}
