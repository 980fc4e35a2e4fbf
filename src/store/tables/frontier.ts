import type { PageKind } from '../../frontier/links.ts';
import type { Environment } from '../lmdb/environment.ts';
import { type Range, table } from '../lmdb/table.ts';
import { digestOf } from './digest.ts';

/** 0 for pages with records, 1 for pages that are only read for links; lower comes first. */
type PlaceClass = 0 | 1;

type PlaceKey = [target: number, crawl: number, place: PlaceClass, seq: number];

type MarkKey = [target: number, crawl: number, digest: string];

/** A page that a crawl still has to visit. */
export interface FrontierRow {
  /** Canonical. */
  readonly url: string;
  /** Links on the way from a start. */
  readonly depth: number;
  /** Address of the page that led to it first; missing for a start. */
  readonly from?: string;
  /** When it has changed at the latest, by a sitemap that lists it. */
  readonly changedBy?: number;
  /** Set for a sitemap, which is no page. */
  readonly sitemap?: true;
}

/** A page and its place in the order of its crawl. */
export interface FrontierPlace extends FrontierRow {
  readonly kind: PageKind;
  /** Unique within the crawl. */
  readonly seq: number;
}

/** The pages that crawls still have to visit, and the requests that they have met. */
export type FrontierTable = ReturnType<typeof frontierTable>;

/** Opens the table; its writes throw outside a transaction. */
export function frontierTable(environment: Environment) {
  const places = table<PlaceKey, FrontierRow>(environment, 'frontier');
  /** The addresses that each crawl has met. */
  const seen = table<MarkKey, 1>(environment, 'frontier.seen');

  return {
    /** Up to `limit` places in the order in which they are to be asked: by class, then the oldest first. */
    *ofCrawl(target: number, crawl: number, limit: number): Iterable<FrontierPlace> {
      const range = { from: [target, crawl, 0, 0], before: [target, crawl + 1, 0, 0], limit } satisfies Range<PlaceKey>;
      for (const { key, row } of places.entries(range)) {
        yield { ...row, kind: key[2] === 0 ? 'detail' : 'listing', seq: key[3] };
      }
    },
    add(target: number, crawl: number, { kind, seq, ...row }: FrontierPlace): void {
      places.put([target, crawl, classOf(kind), seq], row);
    },
    /** Removes a place. Returns whether there was one. */
    remove: (target: number, crawl: number, { kind, seq }: Pick<FrontierPlace, 'kind' | 'seq'>) =>
      places.remove([target, crawl, classOf(kind), seq]),
    isSeen: (target: number, crawl: number, key: string) => seen.has([target, crawl, digestOf(key)]),
    /** Whether the crawl has met the request whose key has this digest. */
    isDigestSeen: (target: number, crawl: number, digest: string) => seen.has([target, crawl, digest]),
    /** Marks a request as met. Returns whether the crawl had not met it before. */
    see: (target: number, crawl: number, key: string) => seen.putNew([target, crawl, digestOf(key)], 1),
    /** Removes up to `limit` places of a target's crawls before `crawl`. Returns the number of removed places. */
    removePlaces: (target: number, crawl: number, limit: number) =>
      places.removeRange({ from: [target, 0, 0, 0], before: [target, crawl, 0, 0], limit }),
    /** Removes up to `limit` marks of a target's crawls before `crawl`. Returns the number of removed marks. */
    removeMarks: (target: number, crawl: number, limit: number) =>
      seen.removeRange({ from: [target, 0, ''], before: [target, crawl, ''], limit }),
    /** The number of all places. */
    count: places.count,
  };
}

function classOf(kind: PageKind): PlaceClass {
  return kind === 'detail' ? 0 : 1;
}
