import type { LoadedSource } from '../definition/catalogue.ts';
import { registerOf } from '../definition/collect.ts';
import type { Crawl } from '../definition/crawl.ts';
import type { Source } from '../definition/source.ts';
import { defined } from '../defined.ts';
import type { RecordDraft } from '../extract/draft.ts';
import { canonicalOptions, canonicalUrl, requestKey } from '../frontier/canonical.ts';
import { linkRules } from '../frontier/links.ts';
import { fieldFill } from '../health/field-fill.ts';
import { openProvider } from '../provider/declared.ts';
import type { ItemPages, OpenProvider } from '../provider/provider.ts';
import { hasPagesOfRecords } from '../definition/objective-fields.ts';
import { hoursOver } from '../request/failure.ts';
import { dayOf } from './windows.ts';
import { beginCrawl, type NewPlace } from '../store/crawl.ts';
import type { Fence } from '../store/ops.ts';
import type { PageCopy, ResumePoint, TargetRow } from '../store/tables/rows.ts';
import type { ScrapeWish } from '../view/scrape.ts';
import type { Store } from '../store/store.ts';
import { collectWalk, windowUrl } from './collect-walk.ts';
import { crawlState } from './crawl-state.ts';
import { crawlWalk } from './crawl-walk.ts';
import { ErrorTally } from './limits.ts';
import type { ListGapsOptions } from './list-gaps.ts';
import type { ListResumeOptions } from './list-resume.ts';
import { itemWalk } from './item-walk.ts';
import { walkOf } from './walk-of.ts';
import { listWalk } from './list-walk.ts';
import { failedEnd, type Visit, type Walk } from './walk.ts';

/** A scrape that has just begun. */
export interface Begun {
  readonly target: TargetRow;
  readonly fence: Omit<Fence, 'step'>;
  readonly loaded: LoadedSource;
  readonly wish: ScrapeWish;
  /** Set for a source with a plug-in. Default: the built-in provider of the source. */
  readonly provider?: OpenProvider | undefined;
}

/** The facts of the store from which walks are opened. */
interface WalkFacts {
  readonly target: TargetRow;
  readonly provider: OpenProvider;
  /** Whether a completed scrape of the target has stored the item. */
  isKnown(draft: RecordDraft): boolean;
  readonly resume: ListResumeOptions;
  readonly gaps: ListGapsOptions;
  /** Wall time. */
  now(): number;
}

/**
 * Opens the walk of a scrape that has just begun: a crawl, a single page, a list, or the windows of a register. Resolves with
 * `undefined` when the scrape is superseded already. Rejects with `StoreFullError` when the store has no room to begin a crawl.
 *
 * @param now - gives wall time.
 */
export async function openWalk(store: Store, begun: Begun, now: () => number): Promise<Walk | undefined> {
  const facts = factsOf(store, begun, now);
  const walk = await openListed(store, begun, facts, now);
  const { items } = facts.provider;
  return walk === undefined || items === undefined ? walk : withItems(store, begun, { walk, items, now });
}

/** Goes on from a walk to the pages that the items lead to which it shows. */
function withItems(
  store: Store,
  { target: { target, source: id, url: home }, loaded: { source, version } }: Begun,
  { walk, items, now }: { readonly walk: Walk; readonly items: ItemPages; readonly now: () => number },
): Walk {
  return itemWalk(walk, {
    items,
    home,
    version,
    walk: walkOf(source),
    width: source.politeness.concurrency,
    due: () => store.itemPages.due(target, now()),
    recordsOf: (page) =>
      store.itemPages.recordsOf(target, page).flatMap((number) => {
        const record = store.records.byNumber(number);
        return record === undefined || record.source !== id ? [] : [{ type: record.type, key: record.key }];
      }),
    now,
  });
}

async function openListed(store: Store, begun: Begun, facts: WalkFacts, now: () => number): Promise<Walk | undefined> {
  const { source } = begun.loaded;
  if (source.crawl !== undefined) return openCrawl(store, begun, facts, source.crawl);
  const { target, provider, isKnown, resume } = facts;
  const { wish } = begun;
  const { list } = provider;
  const { url } = target;
  const isFull = wish.full === true;
  // A copy that another version of the definition read may lack fields.
  const isCopied = !isFull && provider.forms === undefined;
  const copy = isCopied && target.copy?.version === begun.loaded.version ? target.copy : undefined;
  // A page that redirects may lead elsewhere today.
  if (list === undefined) return pageWalk(url, provider, copy?.url === url ? copy : undefined);
  const errors = new ErrorTally(source.errorCeiling);
  const collect = registerOf(source);
  if (collect === undefined) {
    const visit = target.settled === 0 ? 'first' : 'later';
    // The first visit reads the whole list anyway.
    const revisit = visit === 'first' ? undefined : revisitOf(source, target, now());
    const keepsPages = hasPagesOfRecords(source) || undefined;
    return listWalk({
      url,
      provider,
      list,
      visit,
      isFull: isFull || revisit === 'all',
      ...(revisit !== undefined && revisit !== 'all' && { atLeast: revisit }),
      copy: revisit === undefined ? copy : undefined,
      ...(provider.forms === undefined && { keepsCopy: true }),
      keepsPages,
      isKnown,
      errors,
      resume,
      gaps: facts.gaps,
      scrape: begun.fence.scrape,
    });
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

/** The pages that a visit of a list reads beyond what is known, as `revisit` of its definition is due; `undefined` where it is not. */
function revisitOf({ feed }: Source, { revisitedAt, createdAt }: TargetRow, now: number): number | 'all' | undefined {
  const { revisit } = feed ?? {};
  if (revisit === undefined || now - (revisitedAt ?? createdAt) < revisit.every) return undefined;
  return revisit.pages ?? 'all';
}

function factsOf(store: Store, begun: Begun, now: () => number): WalkFacts {
  const { source, version } = begun.loaded;
  // What another kind of walk has stored says nothing of the pages of this one.
  const isNewWalk = begun.target.walk !== undefined && begun.target.walk !== walkOf(source);
  const known = isNewWalk ? { ...begun.target, settled: 0 } : begun.target;
  const resume = resumeOf(store, { ...begun, target: known });
  // A first visit that its limit ended is followed by later visits.
  const target = resume?.isOver === true ? { ...known, settled: resume.by } : known;
  const seenBy = ({ type, key }: { readonly type: string; readonly key: string }) =>
    store.records.seenBy(target.target, { source: source.id, type, key });
  return {
    target,
    provider: begun.provider ?? openProvider(source),
    now,
    isKnown(draft) {
      const first = seenBy(draft)?.first ?? 0;
      return first > 0 && first <= target.settled;
    },
    gaps: {
      version,
      gaps: target.gaps ?? [],
      settled: target.settled,
      scrape: begun.fence.scrape,
      now,
      isStored(draft, upTo) {
        const first = seenBy(draft)?.first ?? 0;
        return first > 0 && first <= upTo;
      },
    },
    resume: {
      version,
      scrape: begun.fence.scrape,
      from: resume?.isOver === true ? undefined : resume,
      isMet: (draft, since) => (seenBy(draft)?.last ?? 0) >= since,
    },
  };
}

/**
 * The point at which a walk to the end of a list resumes, or at which its limit ended it. A list that a person wants read again in full
 * is begun anew, unless the walk for that wish was cut by the end of the daemon or of the opening hours.
 */
function resumeOf(store: Store, { target, wish, loaded }: Begun): ResumePoint | undefined {
  const { resume } = store.targets.get(target.target) ?? target;
  if (resume?.version !== loaded.version) return undefined;
  if (wish.full !== true) return target.settled === 0 ? resume : undefined;
  const last = store.scrapes.get(resume.by);
  const wasCut = last?.failure?.code === 'interrupted' || last?.endReason === hoursOver;
  return last?.wish?.full === true && wasCut ? resume : undefined;
}

async function openCrawl(
  store: Store,
  begun: Begun,
  { target, provider, now }: WalkFacts,
  crawl: Crawl,
): Promise<Walk | undefined> {
  const { source, version } = begun.loaded;
  const startUrls = crawl.start ?? [target.url];
  const row = await beginCrawl(store, begun.fence, {
    version,
    maxPages: crawl.maxPages,
    places: startPlaces(crawl, startUrls),
    full: begun.wish.full === true,
  });
  if (row === undefined) return undefined;
  const state = crawlState(store, source.id, row);
  return crawlWalk({ crawl, provider, width: source.politeness.concurrency, now, startUrls, state });
}

function startPlaces(crawl: Crawl, startUrls: readonly string[]): NewPlace[] {
  const rules = linkRules(crawl, startUrls);
  const options = canonicalOptions(crawl);
  const places = startUrls.map((url) => ({ url: canonicalUrl(url, options) ?? url, depth: 0 }));
  const sitemaps = (crawl.sitemaps ?? []).map((url) => ({ url, depth: 0, sitemap: true, kind: 'listing' }) as const);
  const starts = places.map((place) => ({ ...place, kind: rules.kindOf(place.url) }));
  // Of a page that a link leads to as well, the sitemap is to say first when it has changed.
  return [...sitemaps, ...starts].map((place) => ({ ...place, key: requestKey(place) }));
}

/** Reads a target that is a single page. */
export function pageWalk(url: string, provider: OpenProvider, copy: PageCopy | undefined): Walk {
  const { request, page } = provider;
  const forms = provider.forms?.(url);
  const kept = forms === undefined ? { keepsCopy: true as const } : { forms };
  const keepsPage = provider.items === undefined || forms !== undefined ? undefined : (true as const);
  const visit: Visit = { url, reading: page, request, isOnly: true, ...kept, ...defined({ copy, keepsPage }) };
  let isLeft = true;
  return {
    width: 1,
    isOnePage: true,
    next() {
      const next = isLeft ? visit : undefined;
      isLeft = false;
      return next;
    },
    advance(_, visited) {
      const { outcome } = visited.result;
      if (outcome.kind === 'unmodified') return { end: { status: 'complete', reason: 'unmodified', finished: false } };
      if (outcome.kind !== 'read') return { end: failedEnd(visited) };
      const { drafts, finished } = outcome.extraction;
      const reading = { fill: fieldFill(drafts, outcome.extraction), isWhole: outcome.extraction.isCut !== true };
      return { end: { status: 'complete', reason: 'end', finished, reading } };
    },
    ending: () => ({ status: 'complete', finished: false }),
  };
}
