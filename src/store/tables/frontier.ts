import { hash } from 'node:crypto';
import type { PageKind } from '../../frontier/links.ts';
import type { Environment } from '../environment.ts';
import { table } from './table.ts';

/** Pages with records come before those that are only looked through for links. */
export type PlaceClass = 0 | 1;

/** A page that a crawl still has to visit. */
export interface PlaceRow {
  /** Canonical. */
  readonly url: string;
  /** How many links lead to it from a start. */
  readonly depth: number;
  /** The page that led to it first; missing for a start. */
  readonly from?: string;
  /** Set for a sitemap, which is no page. */
  readonly sitemap?: true;
}

/** A page and its place in the order of its crawl. */
export interface Place extends PlaceRow {
  readonly kind: PageKind;
  /** Unique within the crawl. */
  readonly seq: number;
}

/** The pages that crawls still have to visit, and which they have met. */
export interface FrontierTable {
  /** In the order in which they are to be asked: of each class the oldest first. */
  ofCrawl(target: number, crawl: number, limit: number): Iterable<Place>;
  add(target: number, crawl: number, place: Place): void;
  /** Whether there was such a place. */
  remove(target: number, crawl: number, place: Pick<Place, 'kind' | 'seq'>): boolean;
  isSeen(target: number, crawl: number, key: string): boolean;
  /** Whether the crawl had not seen it before. */
  see(target: number, crawl: number, key: string): boolean;
  /** Removes up to `limit` places of a target's crawls before `crawl`; how many that were. */
  removePlaces(target: number, crawl: number, limit: number): number;
  /**
   * Looks at up to `limit` of a target's marks after one and removes those of crawls before `crawl`; returns the last one
   * looked at, unless it was the last of all.
   */
  removeMarks(target: number, crawl: number, limit: number, after?: string): { removed: number; last?: string };
  /** How many places there are in all. */
  count(): number;
}

export function frontierTable(environment: Environment): FrontierTable {
  const places = table<[target: number, crawl: number, place: PlaceClass, seq: number], PlaceRow>(
    environment,
    'frontier',
  );
  /** The crawl that met each address last: a mark of an older one says nothing, so that none need be removed for a crawl to begin. */
  const seen = table<[target: number, digest: string], number>(environment, 'frontier.seen');

  return {
    *ofCrawl(target, crawl, limit) {
      for (const { key, row } of places.entries({
        from: [target, crawl, 0, 0],
        before: [target, crawl + 1, 0, 0],
        limit,
      })) {
        yield { ...row, kind: key[2] === 0 ? 'detail' : 'listing', seq: key[3] };
      }
    },
    add(target, crawl, { kind, seq, ...row }) {
      places.put([target, crawl, classOf(kind), seq], row);
    },
    remove: (target, crawl, { kind, seq }) => places.remove([target, crawl, classOf(kind), seq]),
    isSeen: (target, crawl, key) => seen.get([target, digestOf(key)]) === crawl,
    see(target, crawl, key) {
      const mark: [number, string] = [target, digestOf(key)];
      if (seen.get(mark) === crawl) return false;
      seen.put(mark, crawl);
      return true;
    },
    removePlaces(target, crawl, limit) {
      const old = [...places.keys({ from: [target, 0, 0, 0], before: [target, crawl, 0, 0], limit })];
      for (const key of old) places.remove(key);
      return old.length;
    },
    removeMarks(target, crawl, limit, after = '') {
      const marks = [...seen.entries({ after: [target, after], before: [target + 1, ''], limit })];
      const old = marks.filter(({ row }) => row < crawl);
      for (const { key } of old) seen.remove(key);
      const last = marks.at(-1)?.key[1];
      return { removed: old.length, ...(marks.length === limit && last !== undefined && { last }) };
    },
    count: places.count,
  };
}

function classOf(kind: PageKind): PlaceClass {
  return kind === 'detail' ? 0 : 1;
}

/** 132 bits, as an address may be longer than a key. */
function digestOf(key: string): string {
  return hash('sha256', key, 'base64url').slice(0, 22);
}
