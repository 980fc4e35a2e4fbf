import assert from 'node:assert/strict';
import fc from 'fast-check';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, describe, test } from 'node:test';
import { isSeen, nextPlaces, sweepCrawls } from '../../src/store/crawl.ts';
import type { Store } from '../../src/store/store.ts';
import { type LinksOf, apply, begin, detail, finite, listing, shop, walk } from './crawling.ts';
import { temporaryFolder, temporaryStore } from './fixture.ts';

/** Has a process crawl `finite` that is killed when it has acknowledged so many pages; returns those. */
async function killedAfter(t: TestContext, path: string, pages: number): Promise<string[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'walking.ts'), path, `${pages}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const acknowledged: string[] = [];
  for await (const line of createInterface(child.stdout)) acknowledged.push(line);
  return acknowledged;
}

function urls(store: Store, target = 1, limit = 1_000, except: ReadonlySet<number> = new Set()): string[] {
  return nextPlaces(store, target, { except, limit }).map(({ url }) => url.slice(shop.length));
}

describe('the frontier', () => {
  test('gives pages with records before all others, first in first out (P23)', async (t) => {
    const { store } = await temporaryStore(t);
    const lists = Array.from({ length: 10 }, (_, index) => `c/${index}`);
    await begin(store, 1, { add: lists.map(listing) });
    const [first] = nextPlaces(store, 1, { except: new Set(), limit: 1 });
    assert.equal(first?.url, `${shop}c/0`);
    await apply(store, 1, { done: first, add: [listing('c/10'), detail('b'), detail('a')] });
    assert.deepEqual(urls(store), ['p/b', 'p/a', ...lists.slice(1), 'c/10']);
  });

  test('leaves out what is being asked', async (t) => {
    const { store } = await temporaryStore(t);
    await begin(store, 1, { add: [listing('a'), listing('b'), detail('c'), detail('d')] });
    const [first] = nextPlaces(store, 1, { except: new Set(), limit: 1 });
    assert.deepEqual(urls(store, 1, 2, new Set([first?.seq ?? 0])), ['p/d', 'a']);
    assert.deepEqual(urls(store, 1, 0), []);
  });

  test('gives a page that was put back after the others of its kind, those that were put back before included', async (t) => {
    const { store } = await temporaryStore(t);
    await begin(store, 1, { add: [listing('a'), listing('b'), listing('c'), detail('d'), detail('e')] });
    const back = (...paths: string[]) =>
      nextPlaces(store, 1, { except: new Set(), limit: 10 }).filter(({ url }) =>
        paths.includes(url.slice(shop.length)),
      );
    const { added } = await apply(store, 1, { back: back('a', 'p/d') });
    assert.equal(added, 0);
    assert.deepEqual(urls(store), ['p/e', 'p/d', 'b', 'c', 'a']);
    await apply(store, 1, { back: back('b', 'c') });
    await apply(store, 1, { add: [listing('f')] });
    assert.deepEqual(urls(store), ['p/e', 'p/d', 'a', 'b', 'c', 'f']);
    const row = store.crawls.newest(1);
    assert.deepEqual([row?.pages, row?.waiting], [0, { detail: 2, listing: 4 }]);
  });

  test('takes each request once in a crawl, also one that the crawl has met by another way (O46)', async (t) => {
    const { store } = await temporaryStore(t);
    await begin(store, 1, { add: [listing('a'), listing('a')], seen: [`${shop}b`] });
    const { added } = await apply(store, 1, { add: [listing('a'), listing('b'), { ...listing('a'), key: 'POST a' }] });
    assert.equal(added, 1);
    assert.deepEqual(urls(store), ['a', 'a']);
    assert.deepEqual(
      [`${shop}a`, `${shop}b`, `${shop}c`].map((key) => isSeen(store, 1, key)),
      [true, true, false],
    );
  });

  test('counts each page that shares a transaction with others, and none whose change is undone', async (t) => {
    const { store } = await temporaryStore(t);
    await begin(store, 1, { add: ['a', 'b', 'c', 'd'].map(listing) });
    const [a, b, c, d] = nextPlaces(store, 1, { except: new Set(), limit: 4 });
    assert.ok(a && b && c && d);
    const [, , undone] = await Promise.allSettled([
      apply(store, 1, { done: a, add: [detail('a')], tally: { bytes: 1 } }),
      apply(store, 1, { done: b, tally: { bytes: 10 } }),
      apply(store, 1, { done: { kind: 'listing', seq: 99 }, add: [detail('x')], tally: { bytes: 100 } }),
      apply(store, 1, { done: c, add: [detail('c')], tally: { bytes: 1_000 } }),
    ]);
    assert.equal(undone?.status, 'rejected');
    await apply(store, 1, { done: d });
    const row = store.crawls.newest(1);
    assert.deepEqual([row?.pages, row?.bytes, row?.waiting], [4, 1_011, { detail: 2, listing: 0 }]);
    assert.deepEqual(urls(store), ['p/a', 'p/c']);
  });

  test('ends one crawl and begins the next in a transaction that both share with a page', async (t) => {
    const { store } = await temporaryStore(t);
    await begin(store, 1, { add: [listing('a'), listing('b')] });
    const [a] = nextPlaces(store, 1, { except: new Set(), limit: 1 });
    assert.ok(a);
    await Promise.all([apply(store, 1, { done: a }), begin(store, 1, { add: [listing('c')] })]);
    assert.deepEqual(
      [...store.crawls.ofTarget(1)].map(({ crawl, pages, endReason }) => [crawl, pages, endReason]),
      [
        [2, 0, undefined],
        [1, 1, 'replaced'],
      ],
    );
  });

  test('takes what an earlier crawl has met again, and nothing that it left behind', async (t) => {
    const { store } = await temporaryStore(t);
    await begin(store, 1, { add: [listing('a'), detail('left')] });
    await apply(store, 1, { end: { at: 5, reason: 'cancelled' } });
    assert.deepEqual(urls(store), []);
    const { crawl } = await begin(store, 1, { add: [listing('a')] });
    assert.equal(crawl.crawl, 2);
    assert.deepEqual(urls(store), ['a']);
  });

  test('of one target is not that of another', async (t) => {
    const { store } = await temporaryStore(t);
    await begin(store, 1, { add: [listing('a')] });
    await begin(store, 2, { add: [listing('a'), detail('b')] });
    assert.deepEqual([urls(store, 1), urls(store, 2), urls(store, 3)], [['a'], ['p/b', 'a'], []]);
  });

  test('keeps no more than the budget of pages will reach', async (t) => {
    const { store } = await temporaryStore(t);
    const lists = Array.from({ length: 30 }, (_, index) => listing(`c/${index}`));
    const { crawl, added } = await begin(store, 1, { add: lists }, 10);
    assert.deepEqual([added, crawl.overBudget], [10, 20]);
    const articles = Array.from({ length: 30 }, (_, index) => detail(`${index}`));
    const next = await apply(store, 1, { add: articles });
    assert.deepEqual([next.added, next.crawl.overBudget, next.crawl.waiting], [10, 40, { detail: 10, listing: 10 }]);
  });

  test('gives the same order for whatever it is told of, each place once', async (t) => {
    const { store } = await temporaryStore(t);
    let target = 0;
    const found = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 20 })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(found, { minLength: 1, maxLength: 12 }), async (pages) => {
        target += 1;
        const model = {
          detail: [] as string[],
          listing: [] as string[],
          seen: new Set<string>(),
          asked: [] as string[],
        };
        await begin(store, target);
        for (const links of pages) {
          const [next] = nextPlaces(store, target, { except: new Set(), limit: 1 });
          const expected = model.detail.shift() ?? model.listing.shift();
          assert.equal(next?.url.slice(shop.length), expected);
          if (expected !== undefined) model.asked.push(expected);
          const add = links.map(([isDetail, number]) => (isDetail ? detail(`${number}`) : listing(`${number}`)));
          for (const { url, kind } of add) {
            const path = url.slice(shop.length);
            if (!model.seen.has(path)) model[kind].push(path);
            model.seen.add(path);
          }
          await apply(store, target, { ...(next !== undefined && { done: next }), add });
        }
        assert.deepEqual(urls(store, target), [...model.detail, ...model.listing]);
        assert.equal(new Set(model.asked).size, model.asked.length);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a crawl', () => {
  test('of a finite site of 200 pages asks every page once and completes (P24)', async (t) => {
    const { store } = await temporaryStore(t);
    const { asked, row } = await walk(store, finite);
    assert.equal(asked.length, 200);
    assert.equal(new Set(asked).size, 200);
    assert.deepEqual([row.endReason, row.pages, row.recordPages, row.newRecords], ['complete', 200, 180, 180]);
    assert.deepEqual(row.refused, { offsite: 180, file: 180 });
    assert.deepEqual(row.offsite, [{ domain: 'partner.test', links: 180 }]);
    assert.deepEqual(row.waiting, { detail: 0, listing: 0 });
  });

  test('goes on after it was killed, without a page twice or never (P49)', async (t) => {
    const { store, path } = await temporaryStore(t);
    const before = await walk(store, finite, { killedAfter: 73 });
    await store.close();
    const again = await temporaryStore(t, { path });
    const after = await walk(again.store, finite);
    assert.equal(before.asked.length, 73);
    assert.equal(new Set([...before.asked, ...after.asked]).size, 200);
    assert.equal(after.asked.length, 127);
    assert.deepEqual([after.row.crawl, after.row.pages, after.row.endReason], [1, 200, 'complete']);
  });

  test('goes on wherever its process was killed: no page that was acknowledged is asked again, none is left out (P49)', async (t) => {
    const path = temporaryFolder(t);
    const done: string[] = [];
    for (const pages of [1, 20, 60]) done.push(...(await killedAfter(t, path, pages)));
    const { store } = await temporaryStore(t, { path });
    assert.ok(done.length >= 81 && done.length < 200);
    const { asked, row } = await walk(store, finite);
    assert.equal(new Set(done).size, done.length);
    assert.deepEqual(
      asked.filter((url) => done.includes(url)),
      [],
    );
    // A page whose commit was not acknowledged any more is counted, and was not asked again either.
    assert.deepEqual([row.crawl, row.pages, row.endReason], [1, 200, 'complete']);
    assert.ok(asked.length + done.length >= 197);
  });

  test('of a site with an endless calendar ends as a loop that is named, with all else found before (P25, P27)', async (t) => {
    const { store } = await temporaryStore(t);
    const endless: LinksOf = (url) => {
      const month = /calendar\/(\d+)-(\d+)/.exec(url);
      if (month === null) return [...finite(url), `${shop}calendar/2026-01`];
      const next = Number(month[1]) * 12 + Number(month[2]);
      return [`${shop}calendar/${Math.floor(next / 12)}-${String((next % 12) + 1).padStart(2, '0')}`];
    };
    const { asked, row } = await walk(store, endless, { maxWithoutNew: 50 });
    assert.equal(row.endReason, 'loop');
    assert.equal(row.loop?.template, 'shop.test/calendar/{date}');
    assert.deepEqual([row.recordPages, row.loop?.pages, row.guard], [180, 50, undefined]);
    assert.equal(asked.slice(-50).filter((url) => url.includes('/p/')).length, 0);
  });

  test('of a site with endless facets ends as a loop that is named (P25)', async (t) => {
    const { store } = await temporaryStore(t);
    const endless: LinksOf = (url) => {
      const facets = new URL(url).searchParams.get('facets') ?? '';
      const deeper = ['cut', 'lining', 'season'].map((facet) => `${shop}c/0?facets=${facets}${facet}.`);
      return /\/c\/0/.test(url) ? [...finite(`${shop}c/0`), ...deeper] : finite(url);
    };
    const { row } = await walk(store, endless, { maxWithoutNew: 200 });
    assert.equal(row.endReason, 'loop');
    assert.equal(row.loop?.template, 'shop.test/c/{n}?facets');
    assert.deepEqual(row.loop?.signals.growing, ['length']);
    assert.equal(row.recordPages, 180);
  });

  test('of a site that is larger than its budget ends with that many pages', async (t) => {
    const { store } = await temporaryStore(t);
    const { asked, row } = await walk(store, finite, { maxPages: 120 });
    assert.deepEqual([asked.length, row.pages, row.endReason], [120, 120, 'budget']);
  });

  test('begins again with all its pages, under the next number', async (t) => {
    const { store } = await temporaryStore(t);
    await walk(store, finite);
    const { asked, row } = await walk(store, finite);
    assert.deepEqual([asked.length, row.crawl, row.pages], [200, 2, 200]);
    assert.deepEqual(
      [...store.crawls.ofTarget(1)].map(({ crawl, endReason }) => [crawl, endReason]),
      [
        [2, 'complete'],
        [1, 'complete'],
      ],
    );
  });

  test('keeps its counts and its definition to its end (P29, P51)', async (t) => {
    const { store } = await temporaryStore(t);
    await begin(store, 1, { add: [detail('a'), detail('b')] });
    const [first, second] = nextPlaces(store, 1, { except: new Set(), limit: 2 });
    const tally = {
      ...{
        records: 2,
        recordPages: 1,
        newRecords: 1,
        changed: 1,
        bytes: 100,
        errors: 1,
        tooDeep: 3,
        status: { '2xx': 1 },
      },
      fieldFill: { 'item.title': { seen: 2, total: 2 }, 'item.price': { seen: 1, total: 2 } },
    } as const;
    await apply(store, 1, { ...(first && { done: first }), tally });
    const { crawl } = await apply(store, 1, {
      ...(second && { done: second }),
      tally: { ...tally, status: { '2xx': 1, failed: 2 } },
      end: { at: 9, reason: 'complete' },
    });
    assert.deepEqual(crawl, {
      ...{
        target: 1,
        crawl: 1,
        version: 'v1',
        firstScrape: 1,
        startedAt: 1,
        endedAt: 9,
        endReason: 'complete',
        maxPages: 1_000,
      },
      ...{
        pages: 2,
        recordPages: 2,
        records: 4,
        newRecords: 2,
        changed: 2,
        bytes: 200,
        errors: 2,
        forbidden: 0,
        tooDeep: 6,
        startLinks: 0,
      },
      ...{ overBudget: 0, status: { '2xx': 2, failed: 2 }, refused: {}, offsite: [], seq: 2 },
      fieldFill: { 'item.title': { seen: 4, total: 4 }, 'item.price': { seen: 2, total: 4 } },
      waiting: { detail: 0, listing: 0 },
    });
    assert.deepEqual(store.crawls.get(1, 1), crawl);
  });

  test('tells of another domain once, and of 50 at most (O47)', async (t) => {
    const { store } = await temporaryStore(t);
    const domains = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => ({ domain: `h${from + index}.test`, links: 1 }));
    const told = async (from: number, to: number): Promise<number> =>
      (await apply(store, 1, { tally: { offsite: domains(from, to) } })).newDomains.length;
    await begin(store, 1);
    assert.deepEqual([await told(0, 3), await told(1, 5), await told(0, 100), await told(90, 120)], [3, 2, 45, 0]);
    assert.deepEqual(store.crawls.newest(1)?.offsite[1], { domain: 'h1.test', links: 3 });
  });

  test('that is begun while another one is under way replaces it, and 20 of them are remembered', async (t) => {
    const { store } = await temporaryStore(t);
    for (let index = 0; index < 25; index += 1) await begin(store, 1, { add: [listing('a')] });
    const rows = [...store.crawls.ofTarget(1)];
    assert.deepEqual(
      [rows.length, rows[0]?.crawl, rows[0]?.endReason, rows[1]?.endReason],
      [20, 25, undefined, 'replaced'],
    );
  });

  for (const [what, ops] of [
    ['a place that is not waiting', { done: { kind: 'detail', seq: 7 } }],
    ['a place of the other kind', { done: { kind: 'detail', seq: 1 } }],
  ] as const)
    test(`is not told of ${what}, and then has changed nothing`, async (t) => {
      const { store } = await temporaryStore(t);
      await begin(store, 1, { add: [listing('a')] });
      await assert.rejects(apply(store, 1, { ...ops, add: [listing('b')] }), /to be waiting in crawl 1/);
      assert.deepEqual([urls(store), store.crawls.newest(1)?.pages], [['a'], 0]);
    });

  test('that has ended is not told of more', async (t) => {
    const { store } = await temporaryStore(t);
    await assert.rejects(apply(store, 1, {}), /target 1: expected a crawl under way, got none/);
    await begin(store, 1, { end: { at: 2, reason: 'complete' } });
    await assert.rejects(apply(store, 1, {}), /expected a crawl under way, got complete/);
  });
});

describe('what crawls leave behind', () => {
  test('is swept without touching the crawl under way or another target', async (t) => {
    const { store } = await temporaryStore(t);
    const many = Array.from({ length: 2_500 }, (_, index) => listing(`old/${index}`));
    await begin(store, 1, { add: [...many, listing('a')] }, 10_000);
    await begin(store, 2, { add: [listing('a')] });
    await begin(store, 1, { add: [listing('a'), detail('b')] });
    assert.equal(await sweepCrawls(store, 1), 2_501 + 2_501);
    assert.equal(await sweepCrawls(store, 1), 0);
    assert.deepEqual([urls(store, 1), urls(store, 2), store.frontier.count()], [['p/b', 'a'], ['a'], 3]);
    assert.ok(isSeen(store, 1, `${shop}a`) && isSeen(store, 2, `${shop}a`));
  });

  test('is swept after a crawl has ended', async (t) => {
    const { store } = await temporaryStore(t);
    await begin(store, 1, { add: [listing('a'), listing('b')], end: { at: 2, reason: 'cancelled' } });
    assert.equal(await sweepCrawls(store, 1), 2);
    assert.equal(store.frontier.count(), 0);
  });
});
