import { cancelScrape } from '../../store/scrapes.ts';
import type { ScrapeRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { ControlError } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import type { HandlerDeps } from './deps.ts';
import { scrapeView, stepView } from './views.ts';

type Methods = 'scrape.list' | 'scrape.get' | 'scrape.cancel';

/** However few of them match, no call looks at more rows than this. */
const maxScanned = 100_000;

export function scrapeHandlers(deps: HandlerDeps): Pick<Handlers, Methods> {
  return {
    'scrape.list': (params) => {
      const scrapes: ScrapeRow[] = [];
      let scanned = 0;
      for (const row of candidates(deps.store(), params)) {
        if ((scanned += 1) > maxScanned) return { scrapes: scrapes.map(scrapeView), next: row.scrape + 1 };
        if (!matches(row, params)) continue;
        if (scrapes.length === params.limit)
          return { scrapes: scrapes.map(scrapeView), next: scrapes.at(-1)?.scrape ?? row.scrape };
        scrapes.push(row);
      }
      return { scrapes: scrapes.map(scrapeView) };
    },

    'scrape.get': ({ scrape, afterStep, limit }) => {
      const row = find(deps.store(), scrape);
      return {
        scrape: scrapeView(row),
        steps: Array.from(deps.store().steps.ofScrape(scrape, { afterStep, limit }), stepView),
      };
    },

    'scrape.cancel': async ({ scrape }) => {
      const store = deps.store();
      const row = find(store, scrape);
      await cancelScrape(store, scrape, 'cancelled by an operator');
      deps.look(row.project);
      return scrapeView(find(store, scrape));
    },
  };
}

function candidates(store: Store, { project, before }: Params<'scrape.list'>): Iterable<ScrapeRow> {
  const slice = before === undefined ? {} : { before };
  if (project === undefined) return store.scrapes.rows(slice);
  const row = store.projects.get(project);
  if (row === undefined) throw new ControlError('not_found', `no project "${project}"`);
  const [only, ...others] = row.targets;
  if (only !== undefined && others.length === 0) return store.scrapes.ofTarget(only, slice);
  return store.scrapes.rows(slice);
}

function matches(row: ScrapeRow, { project, source, status }: Params<'scrape.list'>): boolean {
  return (
    (project === undefined || row.project === project) &&
    (source === undefined || row.source === source) &&
    (status === undefined || row.status === status)
  );
}

function find(store: Store, scrape: number): ScrapeRow {
  const row = store.scrapes.get(scrape);
  if (row === undefined) throw new ControlError('not_found', `no scrape ${scrape}`);
  return row;
}
