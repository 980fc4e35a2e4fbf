import type { CrawlRow } from '../../store/tables/crawls.ts';
import type { Store } from '../../store/store.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { CrawlView } from '../methods/crawl.ts';
import type { HandlerDeps } from './deps.ts';
import { findProject } from './project.ts';
import { sliceOf } from './slice.ts';
import { targetsOf } from './work.ts';

export function crawlHandlers(deps: HandlerDeps): Pick<Handlers, 'crawl.list'> {
  return {
    'crawl.list': ({ project, target, before, limit }) => {
      const store = deps.store();
      const targets = targetsOf(findProject(store, project), target);
      const from = before === undefined ? undefined : readCursor(before);
      const { found, last } = sliceOf(crawlsOf(store, targets, from), limit, () => true);
      return {
        crawls: found.map((row) => crawlView(row, store, deps.clock.now())),
        ...(last && { next: `${last.target}.${last.crawl}` }),
      };
    },
  };
}

type Cursor = Pick<CrawlRow, 'target' | 'crawl'>;

function* crawlsOf(store: Store, targets: readonly number[], cursor: Cursor | undefined): Generator<CrawlRow> {
  const from = cursor === undefined ? 0 : Math.max(0, targets.indexOf(cursor.target));
  for (const target of targets.slice(from))
    yield* store.crawls.ofTarget(target, cursor?.target === target ? { before: cursor.crawl } : {});
}

function readCursor(text: string): Cursor {
  const [, target, crawl] = /^(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
  if (target === undefined || crawl === undefined)
    throw new ControlError('invalid_params', 'before: expected the "next" of an earlier answer');
  return { target: Number(target), crawl: Number(crawl) };
}

function crawlView(row: CrawlRow, store: Store, now: number): CrawlView {
  const { target, crawl, version, startedAt, endedAt, endReason, loop } = row;
  const { pages, maxPages, detailPages, records, newRecords, changed, errors, forbidden, bytes } = row;
  const { tooDeep, overBudget } = row;
  return {
    target,
    source: store.targets.get(target)?.source ?? '',
    crawl,
    version,
    startedAt,
    ...(endedAt !== undefined && { endedAt }),
    durationMs: Math.max(0, (endedAt ?? now) - startedAt),
    ...(endReason !== undefined && { endReason }),
    ...(loop !== undefined && { loop: loopView(loop) }),
    pages,
    maxPages,
    detailPages,
    records,
    newRecords,
    changed,
    errors,
    forbidden,
    bytes,
    status: { ...row.status },
    refused: { ...row.refused },
    offsite: [...row.offsite].sort((a, b) => b.links - a.links),
    tooDeep,
    overBudget,
    fieldFill: row.fieldFill,
    waiting: row.waiting,
  };
}

function loopView({ template, pages, samples, signals }: NonNullable<CrawlRow['loop']>): CrawlView['loop'] {
  const { share, nearDuplicates, growing, knownDetails } = signals;
  return { template, pages, samples: [...samples], share, nearDuplicates, growing: [...growing], knownDetails };
}
