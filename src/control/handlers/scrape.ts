import { cancelScrape } from '../../store/scrapes.ts';
import type { ScrapeRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { ControlError } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import type { HandlerDeps } from './deps.ts';
import { newestFirst } from './newest.ts';
import { sliceOf } from './slice.ts';
import { scrapeView, stepView } from './views.ts';

type Methods = 'scrape.list' | 'scrape.get' | 'scrape.cancel';

export function scrapeHandlers(deps: HandlerDeps): Pick<Handlers, Methods> {
  return {
    'scrape.list': (params) => {
      const rows = candidates(deps.store(), params);
      const { found, last } = sliceOf(rows, params.limit, (row) => matches(row, params));
      return { scrapes: found.map(scrapeView), ...(last && { next: last.scrape }) };
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
  return newestFirst(
    row.targets.map((target) => store.scrapes.ofTarget(target, slice)),
    ({ scrape }) => scrape,
  );
}

function matches(row: ScrapeRow, { source, status }: Params<'scrape.list'>): boolean {
  return (source === undefined || row.source === source) && (status === undefined || row.status === status);
}

function find(store: Store, scrape: number): ScrapeRow {
  const row = store.scrapes.get(scrape);
  if (row === undefined) throw new ControlError('not_found', `no scrape ${scrape}`);
  return row;
}
