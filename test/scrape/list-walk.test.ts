import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { pages, url, walk } from './list-walking.ts';
import type { PageAnswer } from './walking.ts';

/** Pages of a list of so many items, named by their places: item 0 is the newest. */
function pagesOf(items: number, size = 20): (page: number) => PageAnswer {
  return (page) => {
    const first = (page - 1) * size;
    const length = Math.max(0, Math.min(size, items - first));
    return { keys: Array.from({ length }, (_, index) => `${first + index}`) };
  };
}

/** Known are all but the first so many items. */
const after =
  (fresh: number) =>
  (key: string): boolean =>
    Number(key) >= fresh;

describe('a list', () => {
  test('is walked to its end at the first visit, however many pages that are (J44)', () => {
    const walked = walk(pagesOf(200), { visit: 'first', feed: { maxPages: 2 } });
    assert.deepEqual([pages(walked), walked.end.status, walked.end.reason], [11, 'complete', 'empty']);
  });

  test('asks for larger pages at the first visit than later (J43)', () => {
    const size = { param: 'limit', first: 100, later: 20 };
    const first = walk(pagesOf(5), { visit: 'first', feed: { size } });
    assert.equal(first.asked[0], `${url}?limit=100&page=1`);
    assert.equal(walk(pagesOf(5), { feed: { size } }).asked[0], `${url}?limit=20&page=1`);
  });

  const cases: readonly (readonly [string, number, number])[] = [
    ['something new', 3, 1],
    ['nothing new', 0, 1],
    ['exactly a page of new items', 20, 2],
    ['a page and a half of new items', 30, 2],
  ];
  for (const [what, fresh, expected] of cases) {
    test(`with ${what} is left behind the page with something known (J45${fresh === 0 ? ', J46' : ''})`, () => {
      const walked = walk(pagesOf(80), { known: after(fresh) });
      assert.deepEqual([pages(walked), walked.end.reason], [expected, 'known']);
    });
  }

  test('of new items only is cut at its limit of pages, and says so (J47)', () => {
    const walked = walk(pagesOf(1_000));
    assert.deepEqual([pages(walked), walked.end.status, walked.end.reason], [5, 'complete', 'page_limit']);
    assert.deepEqual(walked.end.gap, { pages: 5, url: `${url}?page=5` });
  });

  test('finds nothing missing where limits kept a part of a page from being read', () => {
    const feed = { by: 'link' };
    const whole = walk(() => ({ keys: ['a'] }), { feed, scrape: 7 });
    assert.deepEqual([whole.end.missingSince, whole.end.reading?.isWhole], [7, true]);
    const cut = walk(() => ({ keys: ['a'], isCut: true }), { feed, scrape: 7 });
    assert.deepEqual([cut.end.missingSince, cut.end.reading?.isWhole], [undefined, false]);
  });

  test('that ends exactly at its limit has no gap', () => {
    const walked = walk((page) => ({ keys: [`${page}`], ...(page < 5 && { next: `${page}` }) }), {
      feed: { by: 'cursor', next: { json: '$.next' } },
    });
    assert.deepEqual([pages(walked), walked.end.reason, walked.end.gap], [5, 'end', undefined]);
  });

  test('goes on behind known items with something new below them, however many are pinned to its head (J48)', () => {
    for (const pins of [1, 3, 7]) {
      const heads = Array.from({ length: pins }, (_, index) => `${90 + index}`);
      const pinned = (page: number): PageAnswer => ({
        keys: page === 1 ? [...heads, '0', '1'] : [`${page * 2}`, '99'],
      });
      const walked = walk(pinned, { known: after(50) });
      assert.deepEqual([pages(walked), walked.end.reason], [2, 'known']);
    }
  });

  test('goes on behind what stands on every page', () => {
    const shop = (page: number): PageAnswer => ({ keys: ['shop', `${page}`] });
    const walked = walk(shop, { known: (key) => key === 'shop' || Number(key) > 3 });
    assert.deepEqual([pages(walked), walked.end.reason], [4, 'known']);
  });

  test('goes on past what is known when all of it is wanted (J52)', () => {
    const walked = walk(pagesOf(200), { known: () => true, isFull: true, feed: { maxPages: 2 } });
    assert.deepEqual([pages(walked), walked.end.reason], [11, 'empty']);
  });

  test('is not read again when its first page has not changed', () => {
    const walked = walk(() => 'unmodified');
    assert.deepEqual([pages(walked), walked.end.status, walked.end.reason], [1, 'complete', 'unmodified']);
  });

  test('that says that there will be nothing more finishes its target', () => {
    const walked = walk((page) => ({ keys: [`${page}`], finished: page === 2 }));
    assert.deepEqual([pages(walked), walked.end.finished], [2, true]);
  });

  test('that fails on its third page fails with what that page said (J59, J60)', () => {
    const walked = walk((page) => (page === 3 ? { cause: 'origin_down' } : { keys: [`${page}`] }), { visit: 'first' });
    assert.deepEqual([pages(walked), walked.end.status], [3, 'failed']);
    assert.deepEqual(walked.end.failure, {
      code: 'status',
      message: 'got origin_down',
      cause: 'origin_down',
      excerpt: 'so it says',
    });
  });

  test('that is counted ends where there is no page any more; a page that was linked to is missing', () => {
    const none = (page: number): PageAnswer =>
      page === 3 ? { cause: 'not_found', status: 404 } : { keys: [`${page}`], next: `${page}` };
    assert.deepEqual(walk(none).end, { status: 'complete', reason: 'end', finished: false });
    assert.equal(walk(none, { feed: { by: 'cursor', next: { json: '$.next' } } }).end.status, 'failed');
    assert.equal(walk(() => ({ cause: 'not_found', status: 404 })).end.status, 'failed');
  });

  test('whose last page is shown for all behind it ends there', () => {
    const walked = walk((page) => ({ keys: [`${Math.min(page, 3)}`] }), { visit: 'first' });
    assert.deepEqual([pages(walked), walked.end.status, walked.end.reason], [4, 'complete', 'repeated']);
  });

  test('too many of whose items are errors fails, of ten items at least (O35)', () => {
    const bad = (page: number): PageAnswer => ({ keys: [`${page}a`, `${page}b`], items: 3, refused: 1 });
    const walked = walk(bad, { visit: 'first' });
    assert.deepEqual([pages(walked), walked.end.status], [4, 'failed']);
    assert.deepEqual(walked.end.failure, {
      code: 'too_many_errors',
      message: '4 of 12 items could not be read: expected at most 20 %',
    });
    assert.equal(walk(bad, { ceiling: 0.5 }).end.reason, 'page_limit');
  });

  test('is walked from its newest item to the page with the newest known one, for any list and any page size', () => {
    const sizes = fc.record({ items: fc.nat(120), fresh: fc.nat(120), size: fc.integer({ min: 1, max: 25 }) });
    fc.assert(
      fc.property(sizes, ({ items, fresh, size }) => {
        const walked = walk(pagesOf(items, size), { known: after(fresh), feed: { maxPages: 10_000 } });
        const last = fresh < items ? Math.floor(fresh / size) + 1 : Math.floor((items + size - 1) / size) + 1;
        assert.equal(pages(walked), last);
      }),
    );
  });
});

describe('a list goes on', () => {
  test('by the number of its pages (J50)', () => {
    const walked = walk(pagesOf(5, 2), { feed: { param: 'p', start: 0 } });
    assert.deepEqual(walked.asked, [`${url}?p=0`, `${url}?p=1`, `${url}?p=2`, `${url}?p=3`]);
  });

  test('by a number, an offset or a cursor anywhere in the addresses of its pages', () => {
    const numbered = walk(pagesOf(5, 2), {
      url: 'https://site.test/tag/love/',
      pattern: 'https://site.test/tag/{tag}/',
      feed: { url: 'https://site.test/tag/{tag}/page/{page}/' },
    });
    assert.deepEqual(numbered.asked, [
      'https://site.test/tag/love/',
      'https://site.test/tag/love/page/2/',
      'https://site.test/tag/love/page/3/',
      'https://site.test/tag/love/page/4/',
    ]);
    const offset = walk(pagesOf(3, 2), { feed: { by: 'offset', url: 'https://site.test/from-{offset}' } });
    assert.deepEqual(offset.asked, [url, 'https://site.test/from-2', 'https://site.test/from-3']);
    const next = { json: '$.next' };
    const cursor = walk((page) => ({ keys: [`${page}`], ...(page < 3 && { next: `a/${page}` }) }), {
      feed: { by: 'cursor', next, url: 'https://site.test/after/{cursor}' },
    });
    assert.deepEqual(cursor.asked, [url, 'https://site.test/after/a%2F1', 'https://site.test/after/a%2F2']);
  });

  test('by its pages while each says that there is one more', () => {
    const more = walk((page) => ({ keys: [`${page}`], ...(page < 3 && { next: true }) }), {
      feed: { next: { json: '$.more', type: 'json' } },
    });
    assert.deepEqual([pages(more), more.end.reason], [3, 'end']);
  });

  test('by how many items came before, errors among them (J50)', () => {
    const walked = walk(
      (page) => ({
        keys: page === 1 ? ['a', 'b'] : page === 2 ? ['c'] : [],
        ...(page === 1 && { items: 3, refused: 1 }),
      }),
      {
        feed: { by: 'offset' },
      },
    );
    assert.deepEqual(walked.asked, [`${url}?offset=0`, `${url}?offset=3`, `${url}?offset=4`]);
  });

  test('by a cursor that is handed back as it came (J50)', () => {
    const cursor = 'a b/+=&?é%20';
    const walked = walk((page) => ({ keys: [`${page}`], ...(page === 1 && { next: cursor }) }), {
      feed: { by: 'cursor', param: 'after', next: { json: '$.next' } },
    });
    assert.equal(walked.asked[0], url);
    assert.equal(new URL(walked.asked[1] ?? '').searchParams.get('after'), cursor);
  });

  for (const place of ['form', 'json'] as const)
    test(`by what its ${place} body says (J50)`, () => {
      const walked = walk((page) => ({ keys: [`${page}`], ...(page < 3 && { next: page * 10 }) }), {
        feed: { by: 'cursor', in: place, next: { json: '$.next', type: 'integer' } },
      });
      assert.deepEqual(walked.asked, [url, url, url]);
      assert.deepEqual(walked.bodies, [undefined, { json: { cursor: 10 } }, { json: { cursor: 20 } }]);
    });

  test('by its Link header, else by what the page says, against the address it came from (J50)', () => {
    const walked = walk(
      (page) => ({
        keys: [`${page}`],
        at: 'https://site.test/moved/list',
        ...(page === 1 && { link: 'https://site.test/2' }),
        ...(page === 2 && { next: '3?x=1' }),
      }),
      { feed: { by: 'link' } },
    );
    assert.deepEqual(walked.asked, [url, 'https://site.test/2', 'https://site.test/moved/3?x=1']);
  });

  test('by no link to anything but a page', () => {
    const walked = walk((page) => ({ keys: [`${page}`], next: 'javascript:void(0)' }), { feed: { by: 'link' } });
    assert.deepEqual([pages(walked), walked.end.reason], [1, 'end']);
  });

  test('not by a cursor or a link that came before: that is an error (J51)', () => {
    const cursor = { by: 'cursor', next: { json: '$.next' } };
    const same = walk(() => ({ keys: ['1'], next: 'same' }), { visit: 'first', feed: cursor });
    assert.deepEqual([pages(same), same.end.status, same.end.reason], [2, 'failed', 'loop']);
    assert.deepEqual(same.end.failure, {
      code: 'pagination_loop',
      message: 'page 2 leads to a page that was asked for before: same',
    });
    const round = walk((page) => ({ keys: [`${page}`], next: `${page % 3}` }), { visit: 'first', feed: cursor });
    assert.deepEqual([pages(round), round.end.reason], [4, 'loop']);
    const itself = walk(() => ({ keys: ['1'], link: url }), { visit: 'first', feed: { by: 'link' } });
    assert.deepEqual([pages(itself), itself.end.reason], [1, 'loop']);
  });
});
