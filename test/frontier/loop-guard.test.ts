import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type CrawledPage,
  distance,
  type GuardState,
  newGuard,
  type LoopVerdict,
  wantsFingerprint,
  watchPage,
} from '../../src/frontier/loop-guard.ts';

const listing = (url: string, fingerprint?: string): CrawledPage => ({
  url,
  detail: false,
  newRecords: 0,
  ...(fingerprint !== undefined && { fingerprint }),
});

/** Tells the guard of pages until it says stop, or there are no more. */
function watch(
  pages: Iterable<CrawledPage>,
  maxWithoutNew: number,
): { readonly told: number; readonly verdict: LoopVerdict; readonly state: GuardState } {
  let state = newGuard;
  let told = 0;
  for (const page of pages) {
    told += 1;
    const watched = watchPage(state, page, { maxWithoutNew });
    // As it is stored between two pages.
    state = JSON.parse(JSON.stringify(watched.state)) as GuardState;
    if (!watched.verdict.go) return { told, verdict: watched.verdict, state };
  }
  return { told, verdict: { go: true }, state };
}

function* endless(page: (index: number) => CrawledPage, from = 0): Generator<CrawledPage> {
  for (let index = from; index < 100_000; index += 1) yield page(index);
}

const month = (index: number): string =>
  `${2026 + Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`;

describe('the loop guard', () => {
  for (const limit of [50, 5_000]) {
    test(`takes ${limit} pages of a calendar without a new record for a loop and names it (P25)`, () => {
      const { told, verdict } = watch(
        endless((index) => listing(`http://shop.test/calendar/${month(index)}`)),
        limit,
      );
      assert.equal(told, limit);
      assert.ok(!verdict.go);
      assert.equal(verdict.reason, 'loop');
      assert.equal(verdict.template, 'shop.test/calendar/{date}');
      assert.equal(verdict.pages, limit);
      assert.deepEqual(verdict.samples, [
        'http://shop.test/calendar/2026-01',
        'http://shop.test/calendar/2026-02',
        'http://shop.test/calendar/2026-03',
      ]);
      assert.deepEqual(verdict.signals, { share: 1, nearDuplicates: 0, growing: [], knownDetails: 0 });
    });
  }

  test('names the path of facets that are combined without end (P25)', () => {
    const facets = ['cut', 'lining', 'season', 'size', 'colour', 'brand', 'style', 'price'];
    const { verdict } = watch(
      endless((index) => {
        const chosen = facets.filter((_, bit) => ((index >> bit) & 1) === 1);
        return listing(`http://shop.test/c/coats?${chosen.map((facet) => `${facet}=${index}`).join('&')}`);
      }, 1),
      500,
    );
    assert.ok(!verdict.go);
    assert.equal(verdict.template, 'shop.test/c/coats?…');
    assert.equal(verdict.signals.share, 1);
    assert.equal(verdict.samples.length, 3);
  });

  test('names the trap that most pages came from, when there are others', () => {
    const { verdict } = watch(
      endless((index) =>
        listing(index % 3 === 0 ? `http://shop.test/help/${index}` : `http://shop.test/calendar/${month(index)}`),
      ),
      300,
    );
    assert.ok(!verdict.go);
    assert.equal(verdict.template, 'shop.test/calendar/{date}');
    assert.equal(verdict.signals.share, 2 / 3);
  });

  test('begins to count anew with a new record, and not with one that the crawl has met (P26)', () => {
    const limit = 50;
    const found = { url: 'http://shop.test/p/1', detail: true, newRecords: 1 };
    const known = { url: 'http://shop.test/p/1?again', detail: true, newRecords: 0 };
    const others = Array.from({ length: limit - 1 }, (_, index) => listing(`http://shop.test/c/${index}`));
    assert.deepEqual(watch([...others, found, ...others], limit).verdict, { go: true });
    const { told, verdict } = watch([...others, known, ...others], limit);
    assert.equal(told, limit);
    assert.ok(!verdict.go);
  });

  test('tells how many pages with records brought nothing new', () => {
    const { verdict } = watch(
      endless((index) => ({ url: `http://shop.test/p/7?view=${index}`, detail: true, newRecords: 0 })),
      60,
    );
    assert.ok(!verdict.go);
    assert.equal(verdict.signals.knownDetails, 60);
  });

  const growingPath = (index: number): string => `http://shop.test/x${'/a/b'.repeat(2 + Math.floor(index / 20))}`;
  const alike = (index: number): string => `00000000ffff000${(index % 4).toString(16)}`;
  const different = (index: number): string =>
    ((BigInt(index) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn).toString(16).padStart(16, '0');

  test('stops at a fifth of the limit when pages of one kind look alike and their URLs keep growing', () => {
    const { told, verdict } = watch(
      endless((index) => listing(growingPath(index), alike(index))),
      2_000,
    );
    assert.equal(told, 400);
    assert.ok(!verdict.go);
    assert.equal(verdict.template, 'shop.test/x/(a/b)+');
    assert.deepEqual(verdict.signals.growing, ['length', 'segments']);
    assert.ok(verdict.signals.nearDuplicates > 0.99);
  });

  test('wants to know what pages show from a tenth of the limit on, and judges by those', () => {
    let state = newGuard;
    let told = 0;
    let wanted = 0;
    for (let go = true; go; told += 1) {
      const isWanted = wantsFingerprint(state, { maxWithoutNew: 2_000 });
      wanted += isWanted ? 1 : 0;
      const page = listing(growingPath(told), isWanted ? alike(told) : undefined);
      const watched = watchPage(state, page, { maxWithoutNew: 2_000 });
      ({ state } = watched);
      ({ go } = watched.verdict);
    }
    assert.deepEqual([told, wanted], [400, 200]);
  });

  test('wants no more of them after a new record', () => {
    const { state } = watch(
      Array.from({ length: 300 }, (_, index) => listing(growingPath(index))),
      2_000,
    );
    const found = { url: 'http://shop.test/p/1', detail: true, newRecords: 1 };
    const after = watchPage(state, found, { maxWithoutNew: 2_000 });
    assert.equal(wantsFingerprint(state, { maxWithoutNew: 2_000 }), true);
    assert.equal(wantsFingerprint(after.state, { maxWithoutNew: 2_000 }), false);
  });

  for (const [what, page] of [
    [
      'pages look alike but their URLs do not grow',
      (index: number) => listing(`http://shop.test/calendar/${month(index)}`, alike(index)),
    ],
    ['URLs grow but the pages differ', (index: number) => listing(growingPath(index), different(index))],
    ['URLs grow and nobody knows what the pages show', (index: number) => listing(growingPath(index))],
  ] as const)
    test(`waits for the limit where ${what}`, () => assert.equal(watch(endless(page), 2_000).told, 2_000));

  test('does not stop before 200 pages of one kind, however small the limit', () => {
    assert.equal(
      watch(
        endless((index) => listing(growingPath(index), alike(index))),
        150,
      ).told,
      150,
    );
    assert.equal(
      watch(
        endless((index) => listing(growingPath(index), alike(index))),
        300,
      ).told,
      200,
    );
  });

  test('remembers 200 templates at most, and forgets those with the fewest pages', () => {
    const letters = (index: number): string =>
      String.fromCharCode(97 + (index % 26), 97 + (Math.floor(index / 26) % 26), 97 + Math.floor(index / 676));
    const long = 'x'.repeat(1_900);
    let state = newGuard;
    for (let index = 0; index < 12_000; index += 1) {
      const other = `http://shop.test/${letters(index)}?q=${long}`;
      const url = index % 4 === 0 ? `http://shop.test/calendar/${month(index)}` : other;
      state = watchPage(state, listing(url, alike(index)), { maxWithoutNew: 100_000 }).state;
    }
    assert.equal(state.templates.length, 200);
    assert.equal(state.pages, 12_000);
    assert.equal(state.templates.find(({ template }) => template === 'shop.test/calendar/{date}')?.pages, 3_000);
    assert.ok(JSON.stringify(state).length < 250_000);
  });

  test('of any site is bounded and stops at its limit at the latest', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            url: fc.webUrl({ withQueryParameters: true }),
            detail: fc.boolean(),
            newRecords: fc.constantFrom(0, 0, 0, 0, 1),
          }),
          { maxLength: 60 },
        ),
        fc.integer({ min: 1, max: 30 }),
        (pages, limit) => {
          const { verdict, told } = watch(pages, limit);
          const since = pages.slice(0, told).findLastIndex(({ newRecords }) => newRecords > 0);
          assert.equal(!verdict.go, told - 1 - since >= limit);
        },
      ),
    ));
});

test('two simhashes are as far apart as they differ in bits', () => {
  assert.equal(distance('0000000000000000', 'ffffffffffffffff'), 64);
  assert.equal(distance('8000000000000001', '0000000000000000'), 2);
  assert.equal(distance('00000000ffff0000', '00000000ffff0000'), 0);
});
