import type { CrawlRow } from '../../store/tables/crawls.ts';
import type { Store } from '../../store/store.ts';
import { defined } from '../../defined.ts';
import type { Handlers } from '../methods.ts';
import { CrawlView } from '../../view/crawl.ts';
import type { Ports } from './ports.ts';
import { createCursor, rowsFrom, sliceOf } from './slices.ts';
import { findProject, targetsOf } from './find.ts';

type Deps = Pick<Ports, 'store' | 'clock'>;

const cursor = createCursor('before', CrawlView.pick({ target: true, crawl: true }).strip());

/** Creates the handler that lists crawls. */
export function crawlHandlers(deps: Deps): Pick<Handlers, 'crawl.list'> {
  return {
    'crawl.list': ({ project, target, before, limit }) => {
      const store = deps.store();
      const targets = targetsOf(findProject(store, project), target);
      const rows = rowsFrom(targets, cursor.read(before), (each, from) =>
        store.crawls.ofTarget(each, { before: from?.crawl }),
      );
      const { found, last } = sliceOf(rows, limit, () => true);
      return {
        crawls: found.map((row) => crawlView(row, store, deps.clock.now())),
        ...defined({ next: last && cursor.textOf(last) }),
      };
    },
  };
}

/** Returns a crawl without what only its walk needs. */
function crawlView(row: CrawlRow, store: Store, now: number): CrawlView {
  const {
    firstScrape: _first,
    startLinks: _links,
    seq: _seq,
    guard: _guard,
    lastRead: _read,
    downs: _downs,
    ...rest
  } = row;
  const { loop, ...shown } = rest;
  return {
    ...shown,
    source: store.targets.get(row.target)?.source ?? '',
    durationMs: Math.max(0, (row.endedAt ?? now) - row.startedAt),
    offsite: [...row.offsite].sort((a, b) => b.links - a.links),
    ...defined({ loop: loop && loopView(loop) }),
  };
}

function loopView({ go: _go, reason: _reason, signals, ...loop }: NonNullable<CrawlRow['loop']>): CrawlView['loop'] {
  return { ...loop, ...signals };
}
