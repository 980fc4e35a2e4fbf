import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordDraft } from '../../src/extract/draft.ts';
import { ListGaps } from '../../src/scrape/list-gaps.ts';
import type { ListGap } from '../../src/store/tables/rows.ts';

const url = 'https://shop.test/list';
const first = { url, page: 1 };

function place(page: number) {
  return { url: `${url}?page=${page}`, page };
}

function gapAt(page: number, known: number, version = 'v1'): ListGap {
  return { version, place: place(page), known, since: 50, order: { scrape: 6, before: 40 } };
}

/** Items by the number of the scrape that stored them; those of 0 are stored by none. */
function items(...scrapes: readonly number[]): RecordDraft[] {
  return scrapes.map((scrape) => ({ type: 'item', key: String(scrape), fields: {} }));
}

function gapsOf(gaps: readonly ListGap[], maxPages = 2): ListGaps {
  const isStored = ({ key }: RecordDraft, upTo: number): boolean => Number(key) > 0 && Number(key) <= upTo;
  return new ListGaps({ version: 'v1', gaps, settled: 7, scrape: 8, isStored, now: () => 99 }, { first, maxPages });
}

/** The page at which the first gap begins, and all pages and known scrapes of the gaps. */
function shown(gaps: ListGaps) {
  return gaps.changed?.map((gap) => [gap.version, gap.place.page, gap.known]);
}

describe('the gaps of a list', () => {
  test('are looked for where they were left, or from the first page on by another definition', () => {
    assert.deepEqual(gapsOf([gapAt(6, 3)]).begin(), place(6));
    assert.deepEqual(gapsOf([gapAt(6, 3, 'v0')]).begin(), first);
    assert.equal(gapsOf([]).begin(), undefined);
  });

  test('close at an item from below, and go on for as many pages as a scrape may read', () => {
    const gaps = gapsOf([gapAt(6, 3), gapAt(9, 1)]);
    const at = gaps.begin();
    assert.ok(at);
    assert.equal(gaps.read(at, items(7, 0, 5)), 'go on');
    assert.deepEqual(shown(gaps), [
      ['v1', 6, 3],
      ['v1', 9, 1],
    ]);
    assert.equal(gaps.read(place(7), items(0, 3)), 'closed');
    assert.deepEqual([shown(gaps), gaps.areClosed], [[['v1', 9, 1]], false]);
    assert.equal(gaps.begin(), undefined);
    const long = gapsOf([gapAt(6, 3)]);
    long.begin();
    assert.equal(long.read(place(7), items(5, 0)), 'go on');
    assert.equal(long.read(place(8), items(0, 0)), 'spent');
    assert.deepEqual(shown(long), [['v1', 8, 3]]);
  });

  test('are looked for from the first page on where the page that they begin with begins with something new', () => {
    const gaps = gapsOf([gapAt(6, 3), gapAt(9, 1)]);
    const at = gaps.begin();
    assert.ok(at);
    assert.equal(gaps.read(at, items(0, 3)), 'moved');
    assert.deepEqual(shown(gaps), [
      ['v1', 1, 3],
      ['v1', 9, 1],
    ]);
    // The first page begins with what is new, and nothing is before it.
    const again = gapsOf([{ ...gapAt(1, 3), place: first }]);
    const begin = again.begin();
    assert.ok(begin);
    assert.equal(again.read(begin, items(0, 3)), 'closed');
  });

  test('are looked for from the first page on where all of the page that they begin with lies below, as items above have gone', () => {
    const gaps = gapsOf([gapAt(6, 3)]);
    const at = gaps.begin();
    assert.ok(at);
    assert.equal(gaps.read(at, items(3, 2, 1)), 'moved');
    assert.deepEqual(shown(gaps), [['v1', 1, 3]]);
  });

  test('remember the page that was found empty until more of them is read, and believe it after three scrapes', () => {
    let left: readonly ListGap[] = [gapAt(6, 3)];
    for (const scrapes of [1, 2, 3]) {
      const gaps = gapsOf(left);
      const at = gaps.begin();
      assert.ok(at);
      assert.equal(gaps.read(at, items(7, 0)), 'go on');
      assert.equal(gaps.isEmpty(7), false);
      gaps.broken(7, at, 0);
      left = gaps.changed ?? [];
      assert.deepEqual(left[0]?.empty, { page: 7, scrapes });
    }
    const gaps = gapsOf(left);
    assert.deepEqual([gaps.isEmpty(7), gaps.isEmpty(8)], [true, false]);
    gaps.begin();
    gaps.read(place(7), items(0));
    assert.equal(gaps.changed?.[0]?.empty, undefined);
  });

  test('are left at an empty page in the part that is new, once for each such page', () => {
    const one = gapsOf([]);
    one.broken(2, place(1), 5);
    assert.deepEqual(one.changed, [
      {
        version: 'v1',
        place: place(1),
        known: 7,
        since: 99,
        order: { scrape: 8, before: 5 },
        empty: { page: 2, scrapes: 1 },
      },
    ]);
    const again = gapsOf(one.changed ?? []);
    again.broken(2, place(1), 5);
    assert.deepEqual([again.changed?.length, again.changed?.[0]?.empty], [1, { page: 2, scrapes: 2 }]);
    const other = gapsOf(one.changed ?? []);
    other.broken(4, place(3), 5);
    assert.deepEqual(shown(other), [
      ['v1', 3, 7],
      ['v1', 1, 7],
    ]);
  });

  test('are looked for from the first page on where a page cannot be had, but not where it may come back', () => {
    const gaps = gapsOf([gapAt(6, 3), gapAt(9, 1)]);
    gaps.failed(true);
    assert.equal(gaps.changed, undefined);
    gaps.failed(false);
    assert.deepEqual(shown(gaps), [
      ['v1', 1, 3],
      ['v1', 9, 1],
    ]);
  });

  test('are twenty at most: the oldest two become one, down to what lies below both', () => {
    const gaps = gapsOf(Array.from({ length: 19 }, (_, at) => gapAt(40 + at, 30 - at)));
    gaps.leave({ ...place(5), cursor: 'c' }, 30);
    const order = { scrape: 8, before: 30 };
    assert.deepEqual(gaps.changed?.[0], {
      version: 'v1',
      place: { ...place(5), cursor: 'c' },
      known: 7,
      since: 99,
      order,
    });
    assert.equal(gaps.changed?.length, 20);
    gaps.leave(place(4), 20);
    assert.deepEqual(shown(gaps)?.slice(-2), [
      ['v1', 56, 14],
      ['v1', 57, 12],
    ]);
    assert.equal(gaps.changed?.length, 20);
    gaps.end();
    assert.deepEqual([gaps.areClosed, gaps.changed], [true, []]);
  });
});
