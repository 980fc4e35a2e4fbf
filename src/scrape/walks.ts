import type { Source } from '../definition/source.ts';
import type { RecordDraft } from '../extract/draft.ts';
import { openProvider } from '../provider/all.ts';
import type { OpenProvider } from '../provider/provider.ts';
import { dayOf } from '../schedule/windows.ts';
import type { ScrapeWish, TargetRow } from '../store/rows.ts';
import { collectWalk, windowUrl } from './collect-walk.ts';
import type { CrawlState } from './crawl-state.ts';
import { crawlWalk } from './crawl-walk.ts';
import { ErrorTally } from './errors.ts';
import { listWalk } from './list-walk.ts';
import { pageWalk } from './page-walk.ts';
import type { ReachOptions } from './reach.ts';
import type { Walk } from './walk.ts';

/** What decides over the pages of a scrape. */
export interface WalkInputs {
  readonly source: Source;
  /** Of a source with a plug-in. */
  readonly provider?: OpenProvider;
  /** Of the definition. */
  readonly version: string;
  readonly target: TargetRow;
  readonly wish: ScrapeWish;
  /** Wall time. */
  now(): number;
  /** Whether a scrape of the target that completed has stored it. */
  isKnown(draft: RecordDraft): boolean;
  /** Of a list. */
  readonly reach?: ReachOptions;
  /** Of a source that is crawled. */
  readonly crawl?: { readonly startUrls: readonly string[]; readonly state: CrawlState };
}

/** The pages of a scrape, as the target's source has them. */
export function walkOf(inputs: WalkInputs): Walk {
  const { source, provider: given, version, target, wish, now, isKnown, reach, crawl } = inputs;
  const provider = given ?? openProvider(source);
  if (source.crawl !== undefined && crawl !== undefined) {
    const { concurrency: width } = source.politeness;
    return crawlWalk({ crawl: source.crawl, provider, width, now, ...crawl });
  }
  const { list } = provider;
  const errors = new ErrorTally(source.errorCeiling);
  const { url } = target;
  const copy = wish.full === true ? undefined : copyFor(target, version);
  // A page that redirects may lead elsewhere today.
  if (list === undefined) return pageWalk(url, provider, copy?.url === url ? copy : undefined);
  const { collect } = source;
  if (collect === undefined) {
    const visit = target.settled === 0 ? 'first' : 'later';
    const isFull = wish.full === true;
    return listWalk({ url, provider, list, visit, isFull, copy, keepsCopy: true, isKnown, errors, reach });
  }
  return collectWalk({
    provider,
    list,
    collect,
    windowUrl: (window) => windowUrl(url, collect, window),
    position: target.position,
    wish,
    today: dayOf(now()),
    errors,
  });
}

/** The copy says something only as this definition reads it. */
function copyFor({ copy }: TargetRow, version: string): TargetRow['copy'] {
  return copy?.version === version ? copy : undefined;
}
