import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { firstVisit, openWalk, pages, url, walk } from './list-walking.ts';
import { visitedAs } from './walking.ts';

const byCursor = { by: 'cursor', next: { json: '$.next' } };

/** What the heap holds once nothing is left that could go. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  return process.memoryUsage().heapUsed;
}

describe('a page of a list that holds nothing', () => {
  test('is passed where it says what comes next', () => {
    const walked = walk((page) => ({ keys: page === 2 ? [] : [`${page}`], ...(page < 4 && { next: `${page}` }) }), {
      visit: 'first',
      feed: byCursor,
    });
    assert.deepEqual([pages(walked), walked.end.reason], [4, 'end']);
  });

  test('is passed at a later visit as well, and counts for its limit of pages', () => {
    const walked = walk((page) => ({ keys: page % 2 === 0 ? [] : [`${page}`], next: `${page}` }), { feed: byCursor });
    assert.deepEqual([pages(walked), walked.end.reason, walked.end.gap?.pages], [5, 'page_limit', 5]);
  });

  test('hides nothing that lies behind a few of them', () => {
    const walked = walk(
      (page) => ({ keys: page > 1 && page < 5 ? [] : [`${page}`], ...(page < 8 && { next: page }) }),
      {
        visit: 'first',
        feed: byCursor,
      },
    );
    assert.deepEqual([pages(walked), walked.end.reason, walked.end.gap], [8, 'end', undefined]);
    const gaps = walk((page) => ({ keys: page % 10 === 1 ? [`${page}`] : [], next: page }), {
      feed: { ...byCursor, maxPages: 30 },
    });
    assert.deepEqual([pages(gaps), gaps.end.reason], [30, 'page_limit']);
  });

  test('is the end after nine others in a row, and what comes next is told as left out', () => {
    for (const visit of ['first', 'later'] as const) {
      const none = walk((page) => ({ keys: page === 1 ? ['1'] : [], next: page }), {
        visit,
        feed: { ...byCursor, maxPages: 100 },
      });
      assert.deepEqual([pages(none), none.end.status, none.end.reason], [11, 'complete', 'empty']);
      assert.equal(none.end.gap?.pages, 11);
    }
  });

  test('is the end of a list that is counted, unless it says that there is more', () => {
    const counted = walk((page) => ({ keys: page === 2 ? [] : [`${page}`], link: 'https://site.test/more' }));
    assert.deepEqual([pages(counted), counted.end.reason, counted.end.gap], [2, 'empty', undefined]);
    const more = { next: { json: '$.more', type: 'boolean' } };
    const said = walk((page) => ({ keys: page === 2 ? [] : [`${page}`], next: page < 3 }), { feed: more });
    assert.deepEqual([pages(said), said.end.reason], [3, 'end']);
    const offset = walk((page) => ({ keys: page === 2 ? [] : [`${page}`], next: page < 3 }), {
      feed: { ...more, by: 'offset' },
    });
    assert.deepEqual(offset.asked.slice(1), [`${url}?offset=1`, `${url}?offset=2`]);
    assert.equal(offset.end.reason, 'end');
  });

  test('ends a first visit only where the next page is empty as well; one with items behind it is broken', () => {
    const broken = walk((page) => ({ keys: page === 3 || page > 6 ? [] : [`${page}`] }), firstVisit);
    assert.deepEqual([pages(broken), broken.end.status, broken.end.failure?.code], [4, 'failed', 'empty_page']);
    assert.equal(broken.end.failure?.message, 'page 3 has no item, though page 4 behind it has items');
    const whole = walk((page) => ({ keys: page > 6 ? [] : [`${page}`] }), firstVisit);
    assert.deepEqual([pages(whole), whole.end.reason], [8, 'empty']);
  });

  test('is broken where a link leads to it', () => {
    const linked = { by: 'link', next: { json: '$.next' } };
    const answer = (page: number) => ({
      keys: page === 3 ? [] : [`${page}`],
      ...(page < 3 && { next: `https://site.test/list?page=${page + 1}` }),
    });
    const broken = walk(answer, { ...firstVisit, feed: linked });
    assert.deepEqual([pages(broken), broken.end.failure?.code], [3, 'empty_page']);
    assert.equal(walk(answer, { ...firstVisit, feed: byCursor }).end.reason, 'empty');
  });

  test('leads nowhere by a cursor that came before: that is an error (J51)', () => {
    const walked = walk((page) => ({ keys: page === 1 ? ['1'] : [], next: 'same' }), { feed: byCursor });
    assert.deepEqual([pages(walked), walked.end.reason], [2, 'loop']);
  });
});

describe('a list that leads round in a circle under cursors that change', () => {
  test('ends at the page that was there before, and settles, as all of it was seen', () => {
    for (const round of [1, 2, 7]) {
      const walked = walk((page) => ({ keys: [`${page % round}`], next: `at ${page}` }), {
        visit: 'first',
        feed: byCursor,
      });
      assert.deepEqual([pages(walked), walked.end.status, walked.end.reason], [round + 1, 'complete', 'repeated']);
    }
  });

  test('holds no cursor but the present one, however long they are', () => {
    const list = openWalk({ visit: 'first', feed: { ...byCursor, in: 'json' } });
    const length = 90_000;
    const before = heldBytes();
    for (let page = 1; page <= 1_000; page += 1) {
      const visit = list.next();
      assert.ok(visit !== undefined);
      const answer = { keys: [`${page}`], next: `${page}`.padEnd(length, 'x') + page };
      assert.deepEqual(list.advance(visit, visitedAs(answer, visit.url)), {});
    }
    const grown = heldBytes() - before;
    assert.ok(grown < 10e6, `${grown} bytes more for ${1_000 * length} bytes of cursors`);
    assert.notEqual(list.next(), undefined);
  });

  test('says the beginning only of a cursor that is long', () => {
    const walked = walk(() => ({ keys: ['1'], next: 'x'.repeat(90_000) }), { feed: byCursor });
    assert.ok((walked.end.failure?.message ?? '').length < 300);
  });
});

describe('what a scrape of a list has read', () => {
  const read = (known: boolean, scrape?: number) => {
    const given = { ...(scrape !== undefined && { scrape }), known: () => known, feed: byCursor };
    return walk((page) => ({ keys: [`${page}`], ...(page < 4 && { next: page }) }), given).end.reading;
  };

  test('is the whole of it at its end, and a part of it where the rest was known', () => {
    assert.deepEqual([read(false, 2)?.isWhole, read(true, 2)?.isWhole], [true, false]);
  });

  test('is not said of a list that is a part of something else', () => assert.equal(read(false), undefined));
});
