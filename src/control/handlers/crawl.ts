import type { CrawlRow } from '../../store/tables/crawls.ts';
import { unfoundIn } from '../../definition/unfound.ts';
import { defined } from '../../defined.ts';
import type { Handlers, Params } from '../methods.ts';
import { CrawlView } from '../../view/crawl.ts';
import type { Ports } from './ports.ts';
import { createCursor, rowsFrom, sliceOf } from './slices.ts';
import { checkNames, findProject, targetsOf } from './find.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'clock'>;

const cursor = createCursor('before', CrawlView.pick({ target: true, crawl: true }).strip());

/** Creates the handler that lists crawls. */
export function crawlHandlers(deps: Deps): Pick<Handlers, 'crawl.list'> {
  return {
    'crawl.list': ({ before, limit, ...wanted }) => {
      const rows = crawlsOf(wanted, cursor.read(before), deps);
      const { found, last } = sliceOf(rows, limit, () => true);
      return {
        crawls: found.map((row) => crawlView(row, deps)),
        ...defined({ next: last && cursor.textOf(last) }),
      };
    },
  };
}

/** Yields the crawls of a project, of a source or of both, from one on. */
function* crawlsOf(
  { project, source, target }: Pick<Params<'crawl.list'>, 'project' | 'source' | 'target'>,
  from: Pick<CrawlRow, 'target' | 'crawl'> | undefined,
  deps: Deps,
): Generator<CrawlRow> {
  const store = deps.store();
  checkNames({ project, source, ...(project === undefined && { target }) }, deps);
  const ofTarget = (each: number, last?: Pick<CrawlRow, 'crawl'>) =>
    store.crawls.ofTarget(each, { before: last?.crawl });
  if (project !== undefined) {
    const isWanted = (number: number) => source === undefined || store.targets.get(number)?.source === source;
    yield* rowsFrom(targetsOf(findProject(store, project), target).filter(isWanted), from, ofTarget);
  } else if (source !== undefined) {
    if (from !== undefined) yield* ofTarget(from.target, from);
    for (const each of store.targets.numbersOfSource(source, { after: from?.target }))
      if (target === undefined || each === target) yield* ofTarget(each);
  }
}

/** Returns a crawl without what only its walk needs. */
function crawlView(row: CrawlRow, { store, catalogue, clock }: Deps): CrawlView {
  const {
    firstScrape: _first,
    startLinks: _links,
    seq: _seq,
    guard: _guard,
    lastRead: _read,
    full: _full,
    downs: _downs,
    ...rest
  } = row;
  const { loop, ...shown } = rest;
  const source = store().targets.get(row.target)?.source ?? '';
  const loaded = catalogue().sources.get(source);
  const unfound = unfoundIn(row.fieldFill, loaded?.version === row.version ? loaded.source : { records: {} });
  return {
    ...shown,
    source,
    durationMs: Math.max(0, (row.endedAt ?? clock.now()) - row.startedAt),
    offsite: [...row.offsite].sort((a, b) => b.links - a.links),
    ...defined({ loop: loop && loopView(loop), unfound: unfound.length === 0 ? undefined : unfound }),
  };
}

function loopView({ go: _go, reason: _reason, signals, ...loop }: NonNullable<CrawlRow['loop']>): CrawlView['loop'] {
  return { ...loop, ...signals };
}
