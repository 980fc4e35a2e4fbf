import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'node:test';
import type { ResumePoint } from '../../src/store/tables/rows.ts';
import { url, walk } from './list-walking.ts';
import type { PageAnswer, Walked } from './walking.ts';

const at = (page: number): string => `${url}?page=${page}`;

/** Pages of a list without end; `items` of each, named by where they stand. */
const endless =
  (items = 2, shift = 0) =>
  (page: number): PageAnswer => ({
    keys: Array.from({ length: items }, (_, index) => `${(page - 1) * items + index - shift}`),
  });

/** What the steps of a walk have left of how far it came. */
function reached({ taken }: Walked, before?: ResumePoint): ResumePoint | undefined {
  return taken.reduce<ResumePoint | undefined>((kept, ops) => {
    if (ops?.resume === undefined) return kept;
    return ops.resume === 'none' ? undefined : ops.resume;
  }, before);
}

/** A first visit that goes on from what another left, with all below `met` stored by that. */
function goOn(answer: (page: number) => PageAnswer, from: ResumePoint | undefined, met = Infinity, scrape = 8): Walked {
  const isMet = ({ key }: { readonly key: string }, since: number): boolean => since === 7 && Number(key) < met;
  return walk(answer, { visit: 'first', resume: { version: 'v1', scrape, from, isMet } });
}

/** As a list without end that is cut before its fourth page. */
function cutAtFour(cause: 'network' | 'not_found' | 'unexpected' = 'network'): Walked {
  return goOn((page) => (page < 4 ? endless()(page) : { cause, status: 500 }), undefined, 0, 7);
}

describe('a walk to the end of a list that was cut', () => {
  test('has kept the last page that it read', () => {
    const place = { url: at(3), page: 3, cursor: 3 };
    assert.deepEqual(reached(cutAtFour()), { version: 'v1', place, since: 7, by: 7, before: 4 });
  });

  test('goes on with that page, and its items stand behind those of the pages before', () => {
    const walked = goOn((page) => (page < 6 ? endless()(page) : { keys: [] }), reached(cutAtFour()), 6);
    assert.deepEqual(walked.asked, [at(3), at(4), at(5), at(6), at(7)]);
    assert.deepEqual([walked.end.status, reached(walked)], ['complete', undefined]);
    assert.deepEqual(
      walked.taken.map((ops) => [ops?.since, ops?.draftsBefore]),
      [
        [7, 4],
        [7, 6],
        [7, 8],
        [7, 10],
        [7, 10],
      ],
    );
  });

  test('is cut again further on, and goes on there', () => {
    const walked = goOn((page) => (page < 9 ? endless()(page) : { cause: 'rate_limited' }), reached(cutAtFour()), 6);
    const { place, ...rest } = reached(walked) ?? {};
    assert.deepEqual([place?.page, rest], [8, { version: 'v1', since: 7, by: 8, before: 14 }]);
  });

  test('goes on where new items have moved the rest to later pages', () => {
    const shifted = (page: number): PageAnswer => (page < 5 ? endless(2, 3)(page) : { keys: [] });
    assert.deepEqual(goOn(shifted, reached(cutAtFour()), 6).asked, [at(3), at(4), at(5), at(6)]);
  });

  test('remembers what stands on every page, which does not tell where the list stands', () => {
    const shop = (answer: PageAnswer): PageAnswer =>
      typeof answer === 'object' && 'keys' in answer ? { keys: ['-1', ...(answer.keys ?? [])] } : answer;
    const cut = goOn((page) => (page < 4 ? shop(endless()(page)) : { cause: 'network' }), undefined, 0, 7);
    const same = goOn((page) => (page < 5 ? shop(endless()(page)) : { keys: [] }), reached(cut), 6);
    assert.deepEqual(same.asked, [at(3), at(4), at(5), at(6)]);
    const gone = goOn((page) => (page < 5 ? shop(endless(2, -2)(page)) : { keys: [] }), reached(cut), 6);
    assert.deepEqual(gone.asked, [at(3), at(1), at(2), at(3), at(4), at(5), at(6)]);
  });

  test('keeps no place where too much stands on every page', () => {
    const many = Array.from({ length: 300 }, (_, index) => `of all ${index}`);
    const walked = goOn((page) => (page < 4 ? { keys: [...many, `${page}`] } : { cause: 'network' }), undefined, 0, 7);
    assert.equal(reached(walked), undefined);
  });

  test('ends behind its last page as it would have, and tells with whom it began', () => {
    const none = { cause: 'not_found', status: 404 } as const;
    const walked = goOn((page) => (page < 5 ? endless()(page) : none), reached(cutAtFour()), 6);
    assert.deepEqual([walked.end.status, walked.end.reason], ['complete', 'end']);
    assert.deepEqual(walked.taken.at(-1), { resume: 'none', since: 7, draftsBefore: 8 });
  });

  for (const [what, answer] of [
    ['holds nothing any more that was met', endless(2, -2)(3)],
    ['begins with what is newer than all that was met, as a head does', { keys: ['70', '71', '0', '1'] }],
    ['holds nothing', { keys: [] }],
    ['is not there', { cause: 'not_found', status: 404 }],
    ['is refused', { cause: 'unexpected', status: 400 }],
  ] as const)
    test(`is begun anew by the same scrape where the page ${what}, of which nothing is written`, () => {
      let asked = 0;
      const walked = goOn(
        (page) => ((asked += 1) === 1 ? answer : page < 4 ? endless()(page) : { keys: [] }),
        reached(cutAtFour()),
        6,
      );
      assert.deepEqual(walked.asked, [at(3), at(1), at(2), at(3), at(4), at(5)]);
      assert.deepEqual([walked.end.reason, walked.taken[0]?.resume, walked.drafts[0]], ['empty', 'none', []]);
      assert.deepEqual(
        walked.taken.map((ops) => ops?.since),
        [undefined, undefined, undefined, undefined, undefined, undefined],
      );
    });

  test('goes on there however often its site is down, but for three times in a row without coming further', () => {
    let kept = reached(cutAtFour());
    const down = (): PageAnswer => ({ cause: 'origin_down' });
    const stuck = [1, 2, 3].map(() => {
      const walked = goOn(down, kept, 6);
      kept = reached(walked) ?? (walked.taken.some((ops) => ops?.resume === 'none') ? undefined : kept);
      return [walked.asked, walked.end.status, kept?.stuck];
    });
    assert.deepEqual(stuck, [
      [[at(3)], 'failed', 1],
      [[at(3)], 'failed', 2],
      [[at(3)], 'failed', undefined],
    ]);
    assert.equal(kept, undefined);
  });

  test('goes on there however often nobody can be asked, as that says nothing of the place', () => {
    for (const code of ['not_initialised', 'login_unavailable', 'renderer_missing']) {
      const walked = goOn(() => ({ lacks: code }), reached(cutAtFour()), 6);
      assert.deepEqual([walked.asked, walked.end.failure?.code, walked.taken], [[at(3)], code, [undefined]]);
    }
  });

  test('is begun anew the next time where a page behind says that it is not to be had, or leads round', () => {
    for (const cause of ['not_found', 'unexpected'] as const) {
      const linked = { visit: 'first', feed: { by: 'cursor', next: { json: '$.next' } } } as const;
      const resume = { version: 'v1', scrape: 7, isMet: () => false };
      const walked = walk((page) => (page < 4 ? { keys: [`${page}`], next: `c${page}` } : { cause, status: 404 }), {
        ...linked,
        resume,
      });
      assert.deepEqual([walked.end.status, reached(walked)], ['failed', undefined]);
      const round = walk((page) => ({ keys: [`${page}`], next: `c${Math.min(page, 3)}` }), { ...linked, resume });
      assert.deepEqual([round.end.reason, reached(round)], ['loop', undefined]);
    }
  });

  test('keeps no place for a later visit, which begins at the newest item', () => {
    const walked = walk(endless(), { resume: { version: 'v1', scrape: 7, isMet: () => false } });
    assert.deepEqual([walked.end.reason, reached(walked)], ['page_limit', undefined]);
  });

  test('keeps one for all of a list that a person wants again', () => {
    const resume = { version: 'v1', scrape: 7, isMet: () => false };
    const answer = (page: number): PageAnswer => (page < 4 ? endless()(page) : { cause: 'network' });
    assert.equal(reached(walk(answer, { isFull: true, known: () => true, resume }))?.place.page, 3);
  });

  test('keeps no cursor that is too long to be written with each page', () => {
    const resume = { version: 'v1', scrape: 7, isMet: () => false };
    const answer = (page: number): PageAnswer =>
      page < 5 ? { keys: [`${page}`], next: 'x'.repeat(page < 3 ? page : 5_000 + page) } : { cause: 'network' };
    const walked = walk(answer, { visit: 'first', feed: { by: 'cursor', next: { json: '$.next' } }, resume });
    assert.equal(reached(walked)?.place.page, 3);
  });
});

/** A list, newest first, as it is when a scrape begins, with the pages that the scrape reads before it is cut. */
const changes = fc.record({
  added: fc.nat({ max: 12 }),
  removed: fc.array(fc.nat({ max: 40 }), { maxLength: 12 }),
  pages: fc.integer({ min: 1, max: 8 }),
});

test('a walk that is cut again and again leaves out nothing of what stood in its list all the time', () => {
  const given = [fc.integer({ min: 1, max: 5 }), fc.boolean(), fc.array(changes, { maxLength: 5 })] as const;
  fc.assert(
    fc.property(...given, (size, hasShop, all) => {
      const first = Array.from({ length: 30 }, (_, index) => 30 - index);
      let list: readonly number[] = first;
      let newest = 30;
      const lastSeen = new Map<string, number>();
      let from: ResumePoint | undefined;
      for (const [index, { added, removed, pages }] of [...all, { added: 0, removed: [], pages: Infinity }].entries()) {
        const scrape = index + 1;
        list = [...Array.from({ length: added }, (_, at) => newest + added - at), ...list];
        list = list.filter((_, place) => !removed.includes(place));
        newest += added;
        const keysOf = (page: number): readonly string[] => {
          const keys = list.slice((page - 1) * size, page * size).map(String);
          return hasShop && keys.length > 0 ? ['shop', ...keys] : keys;
        };
        const isMet = ({ key }: { readonly key: string }, since: number): boolean => (lastSeen.get(key) ?? 0) >= since;
        let count = 0;
        const walked = walk((page) => ((count += 1) > pages ? { cause: 'network' } : { keys: keysOf(page) }), {
          visit: 'first',
          resume: { version: 'v1', scrape, from, isMet },
        });
        for (const [at, { page = 1 }] of walked.visits.entries())
          if (at < pages && walked.drafts[at] === undefined) for (const key of keysOf(page)) lastSeen.set(key, scrape);
        from = reached(walked, from);
        if (walked.end.status === 'complete') break;
      }
      const left = list.filter((item) => first.includes(item) && !lastSeen.has(`${item}`));
      assert.deepEqual(left, []);
    }),
    { numRuns: 500 },
  );
});
