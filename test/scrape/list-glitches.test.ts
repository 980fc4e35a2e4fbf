import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'node:test';
import type { ScrapeEnd } from '../../src/scrape/walk.ts';
import type { ListGap, ResumePoint } from '../../src/store/tables/rows.ts';
import { walk } from './list-walking.ts';
import type { PageAnswer } from './walking.ts';

const kinds = ['page', 'page with next', 'offset', 'offset with next', 'link', 'cursor'] as const;
type Kind = (typeof kinds)[number];

const feeds = {
  page: { by: 'page' },
  'page with next': { by: 'page', next: { json: '$.more' } },
  offset: { by: 'offset' },
  'offset with next': { by: 'offset', next: { json: '$.more' } },
  link: { by: 'link', next: { json: '$.next' } },
  cursor: { by: 'cursor', next: { json: '$.next' } },
} as const;

/** How one page answers a scrape, in place of what stands there. */
type Glitch = 'empty' | 'down' | 'missing';

interface Given {
  readonly kind: Kind;
  readonly size: number;
  readonly maxPages: number;
  /** Whether pages behind the last one are not there. Else they are empty. */
  readonly endsMissing?: boolean;
  /** Whether the last page leads on as well, to one that is empty. */
  readonly leadsOn?: boolean;
}

/** A list, newest first, and what scrapes of it have left in the store. */
function watchedList({ kind, size, maxPages, endsMissing = false, leadsOn = false }: Given) {
  let items: readonly number[] = [];
  let [newest, scrape, settled] = [0, 0, 0];
  let resume: ResumePoint | undefined;
  let gaps: readonly ListGap[] = [];
  const seen = new Map<string, { readonly first: number; last: number }>();
  const storedBy = (key: string, upTo: number): boolean => (seen.get(key)?.first ?? Number.NaN) <= upTo;

  return {
    get items() {
      return items;
    },
    get gaps() {
      return gaps;
    },
    add(count: number) {
      items = [...Array.from({ length: count }, (_, at) => newest + count - at), ...items];
      newest += count;
    },
    remove(places: readonly number[]) {
      items = items.filter((_, place) => !places.includes(place));
    },
    replace(count: number) {
      items = [];
      this.add(count);
    },
    /** One scrape, of which the pages with these numbers answer otherwise. */
    scrape(glitches: ReadonlyMap<number, Glitch> = new Map()): { readonly end: ScrapeEnd; readonly asked: number } {
      scrape += 1;
      const before = settled;
      const walked = walk((page) => answer(page, glitches.get(page)), {
        feed: { ...feeds[kind], maxPages },
        visit: settled === 0 ? 'first' : 'later',
        scrape,
        known: (key) => storedBy(key, before),
        resume: {
          version: 'v1',
          scrape,
          from: settled === 0 ? resume : undefined,
          isMet: ({ key }, since) => (seen.get(key)?.last ?? 0) >= since,
        },
        gaps: {
          version: 'v1',
          gaps,
          settled,
          scrape,
          now: () => scrape,
          isStored: ({ key }, upTo) => storedBy(key, upTo),
        },
      });
      for (const [at, { page = 1 }] of walked.visits.entries())
        if (walked.drafts[at] === undefined && glitches.get(page) === undefined)
          for (const key of keysOf(page)) seen.set(key, { first: seen.get(key)?.first ?? scrape, last: scrape });
      for (const ops of walked.taken) {
        if (ops?.resume !== undefined) resume = ops.resume === 'none' ? undefined : ops.resume;
        if (ops?.gaps !== undefined) gaps = ops.gaps;
      }
      if (walked.end.status === 'complete') settled = scrape;
      return { end: walked.end, asked: walked.asked.length };
    },
    /** What no scrape has stored. */
    unseen: () => items.filter((item) => !seen.has(`${item}`)),
    /** What is there still and scrapes before `since` have seen last. */
    missing: (since: number) => items.filter((item) => (seen.get(`${item}`)?.last ?? Infinity) < since),
  };

  function keysOf(page: number): string[] {
    return items.slice((page - 1) * size, page * size).map(String);
  }

  function answer(page: number, glitch: Glitch | undefined): PageAnswer {
    if (glitch === 'down') return { cause: 'network' };
    if (glitch === 'missing') return { cause: 'not_found', status: 404 };
    if (glitch === 'empty') return { keys: [] };
    const keys = keysOf(page);
    if (keys.length === 0 && endsMissing && page > 1) return { cause: 'not_found', status: 404 };
    const hasMore = page * size < items.length || (leadsOn && keys.length > 0);
    const next = kind === 'link' ? `https://site.test/list?p=${page + 1}` : kind === 'cursor' ? `${page}` : 'true';
    return { keys, ...(hasMore && { next }) };
  }
}

const pages = [2, 3, 4, 5, 6];

const changes = fc.record({
  added: fc.nat({ max: 12 }),
  removed: fc.array(fc.nat({ max: 20 }), { maxLength: 3 }),
  page: fc.constantFrom(...pages),
  glitch: fc.constantFrom<(Glitch | undefined)[]>('empty', 'down', 'missing', undefined),
});

describe('a list of which pages are now and then empty, missing or down', () => {
  for (const kind of kinds)
    test(`is known whole in the end, and nothing of it is missing: ${kind}`, () => {
      const given = [fc.integer({ min: 1, max: 4 }), fc.boolean(), fc.array(changes, { maxLength: 6 })] as const;
      fc.assert(
        fc.property(...given, (size, isMissing, all) => {
          // After three scrapes in a row that found a page empty, it is taken for what it is.
          fc.pre(pages.every((page) => all.filter((each) => each.page === page && each.glitch !== 'down').length < 4));
          const list = watchedList({
            kind,
            size,
            maxPages: 3,
            endsMissing: isMissing && !/next|link|cursor/.test(kind),
          });
          list.add(14);
          for (const { added, removed, page, glitch } of all) {
            list.add(added);
            list.remove(removed);
            // Where nothing says what comes next, neither an empty page by a cursor nor the last page that is counted tells that it is broken.
            const isSeen = /next|link/.test(kind) || (kind !== 'cursor' && page * size < list.items.length);
            const isTold = glitch === 'down' || (glitch !== undefined && isSeen);
            const { end } = list.scrape(new Map(isTold ? [[page, glitch]] : []));
            if (end.missingSince !== undefined) assert.deepEqual(list.missing(end.missingSince), []);
          }
          let last = list.scrape();
          for (let scrapes = 0; scrapes < 400 && last.asked > 1; scrapes += 1) last = list.scrape();
          assert.deepEqual([last.asked, last.end.reason, list.gaps], [1, 'known', []]);
          assert.deepEqual(list.unseen(), []);
        }),
        { numRuns: 300 },
      );
    });

  for (const kind of ['page', 'page with next', 'offset', 'link'] as const)
    test(`is read on behind a page that stays empty, or ends there, after three scrapes that found it so: ${kind}`, () => {
      for (const visit of ['first', 'later'] as const) {
        const list = watchedList({ kind, size: 2, maxPages: 20 });
        list.add(2);
        const isFirst = visit === 'first';
        if (!isFirst) list.scrape();
        list.add(10);
        const [failed, reason] = isFirst ? ['failed', 'empty'] : ['complete', 'catching_up'];
        for (const _ of [1, 2, 3]) {
          const { end } = list.scrape(new Map([[3, 'empty']]));
          assert.deepEqual([end.status, end.reason], [failed, reason], visit);
        }
        const { end } = list.scrape(new Map([[3, 'empty']]));
        assert.equal(end.status, 'complete', visit);
        const hidden = /next|link/.test(kind) ? (isFirst ? 8 : 6) : 2;
        assert.deepEqual(list.unseen().length, hidden, visit);
      }
    });

  test('of which a single page leads to an empty one is whole after three scrapes, also where all of it is new each time', () => {
    const list = watchedList({ kind: 'link', size: 5, maxPages: 5, leadsOn: true });
    const reasons = Array.from({ length: 8 }, () => {
      list.replace(5);
      return list.scrape().end.reason;
    });
    assert.deepEqual(reasons, ['empty', 'empty', 'empty', 'empty', ...Array(3).fill('catching_up'), 'empty']);
  });
});
