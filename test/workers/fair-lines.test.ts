import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { FairLines } from '../../workers/fair-lines.ts';

interface Page {
  readonly source: string;
  readonly tookMs: number;
}

const any = (): boolean => true;

function linesOf(...pages: readonly Page[]): FairLines<Page> {
  const lines = new FairLines<Page>();
  for (const page of pages) lines.add(page.source, page);
  return lines;
}

/** Takes what waits, one after the other, up to a number of pages. */
function served(lines: FairLines<Page>, most = Infinity): readonly Page[] {
  const pages: Page[] = [];
  while (pages.length < most) {
    const page = lines.take(any);
    if (page === undefined) break;
    pages.push(page);
    lines.ended(page, page.tookMs);
  }
  return pages;
}

function pages(source: string, count: number, tookMs: number): Page[] {
  return Array.from({ length: count }, () => ({ source, tookMs }));
}

function usedBy(source: string, all: readonly Page[]): number {
  return all.filter((page) => page.source === source).reduce((sum, { tookMs }) => sum + tookMs, 0);
}

describe('lines of requests', () => {
  test('keep the order of arrival within a source', () => {
    const all = pages('a', 5, 10);
    assert.deepEqual(served(linesOf(...all)), all);
  });

  test('charge a long request to its source: the others go first until they have used as much', () => {
    const [long, short] = [pages('long', 3, 1_000), pages('short', 300, 10)];
    const order = served(linesOf(...long, ...short), 105).map(({ source }) => source);
    assert.deepEqual(order.slice(0, 1), ['long']);
    assert.equal(order.indexOf('long', 1), 101);
  });

  test('charge what is under way by what its source took before, so that it does not take all threads', () => {
    const lines = linesOf({ source: 'long', tookMs: 500 });
    served(lines);
    for (const page of [...pages('long', 2, 500), ...pages('short', 2, 1)]) lines.add(page.source, page);
    const taken = [lines.take(any), lines.take(any), lines.take(any)].map((page) => page?.source);
    assert.deepEqual(taken, ['short', 'short', 'long']);
  });

  test('save nothing up for a source that did not wait', () => {
    const lines = linesOf(...pages('busy', 100, 10));
    served(lines, 50);
    for (const page of pages('late', 20, 10)) lines.add(page.source, page);
    const next = served(lines, 20);
    assert.equal(usedBy('late', next), usedBy('busy', next));
  });

  test('pass over what may not be taken now, in its own line too', () => {
    const [first, second] = pages('a', 2, 1);
    assert.ok(first !== undefined && second !== undefined);
    const lines = linesOf(first, second);
    assert.equal(
      lines.take((page) => page !== first),
      second,
    );
    assert.equal(
      lines.take((page) => page !== first),
      undefined,
    );
    assert.equal(lines.waiting, 1);
    assert.ok(lines.remove(first));
    assert.ok(!lines.remove(first));
    assert.equal(lines.take(any), undefined);
  });

  test('give sources that always wait the same time, but for one request of each, however long theirs are', () => {
    const costs = fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(costs, (each) => {
        const lines = linesOf(...each.flatMap((tookMs) => pages(`${tookMs}`, 1_000, tookMs)));
        const order = served(lines, 500);
        const used = each.map((tookMs) => usedBy(`${tookMs}`, order));
        assert.ok(Math.max(...used) - Math.min(...used) <= 2 * Math.max(...each));
      }),
      { numRuns: 50 },
    );
  });
});
