import { cancelScrape } from '../../store/scrapes.ts';
import { stepsOf } from '../../store/steps.ts';
import type { ScrapeRow } from '../../store/tables/rows.ts';
import type { Store } from '../../store/store.ts';
import { defined } from '../../defined.ts';
import type { Handlers, Params } from '../methods.ts';
import { checkNames, findProject, findScrape, scrapeNotFound } from './find.ts';
import type { Ports } from './ports.ts';
import { newestFirst, sliceOf } from './slices.ts';
import { seenOf } from './sight.ts';
import { lookAt } from './tell-projects.ts';
import { scrapeViewOf } from './views.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'projects'>;

/** Creates the handlers of scrapes. */
export function scrapeHandlers(deps: Deps) {
  return {
    'scrape.list': (params, sight) => {
      checkNames({ project: params.project, source: params.source }, deps);
      const rows = candidates(deps.store(), params);
      const { found, last } = sliceOf(rows, params.limit, (row) => matches(row, params));
      return {
        scrapes: found.map((row) => scrapeViewOf(row, deps.store(), sight)),
        ...defined({ next: last?.scrape }),
      };
    },

    'scrape.get': ({ scrape, afterStep, limit }, sight) => {
      const store = deps.store();
      const row = findScrape(store, scrape);
      const watchers = store.targets.get(row.target)?.watchers ?? [];
      const projects = watchers.map(({ project }) => project);
      if (sight.labels !== undefined && seenOf(projects, sight, store).length === 0) throw scrapeNotFound(scrape);
      return { scrape: scrapeViewOf(row, store, sight), steps: [...stepsOf(store, row, { afterStep, limit })] };
    },

    'scrape.cancel': async ({ scrape }) => {
      const store = deps.store();
      const row = findScrape(store, scrape);
      await cancelScrape(store, scrape, 'cancelled by an operator');
      lookAt([row.target], deps);
      return scrapeViewOf(findScrape(store, scrape), store);
    },
  } satisfies Partial<Handlers>;
}

function candidates(store: Store, { project, before }: Params<'scrape.list'>): Iterable<ScrapeRow> {
  if (project === undefined) return store.scrapes.rows({ before });
  return newestFirst(
    findProject(store, project).targets.map((target) => store.scrapes.ofTarget(target, { before })),
    ({ scrape }) => scrape,
  );
}

function matches(row: ScrapeRow, { source, status }: Params<'scrape.list'>): boolean {
  return (source === undefined || row.source === source) && (status === undefined || row.status === status);
}
