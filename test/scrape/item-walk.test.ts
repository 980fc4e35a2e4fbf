import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';
import { openProvider } from '../../src/provider/declared.ts';
import { itemWalk } from '../../src/scrape/item-walk.ts';
import type { Visited, Walk } from '../../src/scrape/walk.ts';
import type { ItemPageRow } from '../../src/store/tables/item-pages.ts';

const minute = 60_000;

const definition = `id: shop
records: { article: { key: id, each: li, fields: { id: "@id" }, page: { url: a, fields: { price: .price } } } }
`;

/** A walk whose list has ended, and so many pages of items that are still to be asked. */
function walkOver(pages: number, more: Partial<ItemPageRow> = {}): Walk {
  const parsed = parseSource(definition, 'shop.yaml');
  assert.ok(parsed.ok);
  const { items } = openProvider(parsed.value);
  assert.ok(items);
  const rows = Array.from({ length: pages }, (_, index) => ({
    url: `https://site.test/${index}`,
    type: 'article',
    ...more,
  }));
  const list: Walk = {
    width: 1,
    next: () => undefined,
    advance: () => assert.fail(),
    ending: () => ({ status: 'complete', reason: 'known', finished: false }),
  };
  const options = { home: 'https://site.test/', version: 'v', walk: 'page', width: 1 };
  return itemWalk(list, {
    items,
    ...options,
    due: () => rows,
    recordsOf: () => [{ type: 'article', key: 'k' }],
    now: () => 0,
  });
}

function failed(code: string, cause: 'not_found' | 'origin_down' | 'unexpected'): Visited {
  const outcome = { kind: 'failed', failure: { code, message: code }, at: 0, elapsedMs: 0, bytes: 0 } as const;
  return { result: { outcome, trouble: { cause, message: '' }, generation: 0, wasAsked: true, waitedMs: 0 }, url: '' };
}

/** When a page is asked for again that fails once more. */
function retryAt(failures: number, ...how: Parameters<typeof failed>): number | undefined {
  const walk = walkOver(1, { failures });
  const visit = walk.next();
  assert.ok(visit);
  const { result } = walk.advance(visit, failed(...how)).ops?.item ?? {};
  assert.ok(result?.kind === 'failed');
  return result.retryAt;
}

describe('a page of an item that cannot be had', () => {
  test('is asked for again after a pause that doubles, up to a day', () => {
    const times = [0, 1, 2, 20].map((failures) => retryAt(failures, 'status', 'origin_down'));
    assert.deepEqual(times, [5 * minute, 10 * minute, 20 * minute, 24 * 60 * minute]);
  });

  test('is left alone after the third time where it is not there, until its item changes', () => {
    const times = [0, 1, 2].map((failures) => retryAt(failures, 'status', 'not_found'));
    assert.deepEqual(times, [5 * minute, 10 * minute, undefined]);
    assert.equal(retryAt(2, 'robots_disallowed', 'unexpected'), undefined);
  });

  test('ends the scrape as its list did, after the fifth in a row for which the site is to blame', () => {
    const walk = walkOver(9);
    let asked = 0;
    for (let visit = walk.next(); visit !== undefined; visit = walk.next()) {
      asked += 1;
      // The second one is to blame alone.
      walk.advance(visit, asked === 2 ? failed('status', 'not_found') : failed('status', 'origin_down'));
      walk.written?.(visit);
    }
    assert.deepEqual([asked, walk.ending().status, walk.ending().reason], [7, 'complete', 'known']);
  });
});
