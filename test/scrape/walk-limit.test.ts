import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { hoursOver, unsentResult } from '../../src/request/failure.ts';
import { openWalk } from '../../src/scrape/open-walk.ts';
import { parseSource } from '../../src/definition/load.ts';
import type { RequestIntent } from '../../src/request/intent.ts';
import { runScrape } from '../../src/scrape/run.ts';
import { closeScrape, commitStep } from '../../src/store/commit.ts';
import type { ResumePoint } from '../../src/store/tables/rows.ts';
import type { ScrapeWish } from '../../src/view/scrape.ts';
import { beginScrape, cancelScrape, requestScrape } from '../../src/store/scrapes.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryStore, track } from '../store/fixture.ts';
import { url, walk } from './list-walking.ts';
import { visitedAs } from './walking.ts';

const list = 'https://shop.test/list';
const yaml = 'id: shop\nfeed: { by: page }\nrecords: { item: { each: li, key: id, fields: { id: h1 } } }\n';

interface Run {
  readonly wish?: ScrapeWish;
  readonly version?: string;
  /** Ends this process' work, as a kill does, when so many pages were asked. */
  readonly killedAfter?: number;
  /** The hours of the source are over when so many pages were asked. */
  readonly openFor?: number;
}

interface Endless {
  readonly store: Store;
  readonly target: number;
  /** Puts so many new items at the head. */
  add(count: number): void;
  /** One scrape that may store six records: the pages that it asked for, how it ended, and how many records there are. */
  scrape(run?: Run): Promise<readonly [pages: readonly number[], end: string | undefined, records: number]>;
}

/** A list without end, with two items on each page. */
async function endless(t: TestContext): Promise<Endless> {
  const { store } = await temporaryStore(t);
  const [target = 0] = await track(store, 'all', list);
  const source = parseSource(yaml, 'shop.yaml');
  assert.ok(source.ok);
  const { value } = source;
  let added = 0;
  let instant = 0;
  return {
    store,
    target,
    add(count) {
      added += count;
    },
    async scrape({ wish, version = 'v1', killedAfter = Infinity, openFor = Infinity } = {}) {
      const began = await beginScrape(store, target, version);
      const row = store.targets.get(target);
      assert.ok(began.ok && row !== undefined);
      const { fence } = began;
      const begun = { target: row, loaded: { source: value, version }, fence, wish: wish ?? began.wish };
      const walk = await openWalk(store, begun, () => instant);
      assert.ok(walk !== undefined);
      const killed = new AbortController();
      const asked: number[] = [];
      const makeRequest = async ({ step: { request } }: RequestIntent) => {
        if (asked.length >= killedAfter) killed.abort(new Error('killed'));
        killed.signal.throwIfAborted();
        if (asked.length >= openFor) return unsentResult({ code: hoursOver, message: 'closed' }, instant);
        const page = Number(new URL(request.url).searchParams.get('page') ?? 1);
        asked.push(page);
        const keys = [0, 1].map((index) => `${(page - 1) * 2 + index - added}`);
        const { result } = visitedAs({ keys }, request.url);
        instant += 1;
        return { ...result, outcome: { ...result.outcome, at: instant } };
      };
      const deps = {
        clock: systemClock(),
        random: () => 0.5,
        makeRequest,
        timeLimitMs: 60_000,
        maxRecords: 6,
        commit: commitStep.bind(undefined, store),
        close: closeScrape.bind(undefined, store),
      };
      const ran = { ...fence, address: 'https://site.test/', version, dueAt: 0, nextDueAt: Infinity };
      await runScrape(ran, value, walk, deps, killed.signal).catch((error: unknown) => {
        if (!killed.signal.aborted) throw error;
      });
      return [asked, store.scrapes.get(fence.scrape)?.endReason, store.records.count()];
    },
  };
}

describe('the first visit of a list without end', () => {
  test('stores no more over all its scrapes than one may', async (t) => {
    const { store, target, scrape } = await endless(t);
    assert.deepEqual(await scrape({ killedAfter: 2 }), [[1, 2], undefined, 4]);
    assert.deepEqual(await scrape(), [[2, 3], 'record_limit', 6]);
    const { status, scrape: last = 0, failure } = [...store.scrapes.ofTarget(target)][0] ?? {};
    assert.deepEqual([status, last], ['aborted', 2]);
    assert.match(
      failure?.message ?? '',
      /^this visit of the list has stored 6 records, and one visit may store no more/,
    );
    const gaps = [...store.events.rows({ after: 0, limit: 100 })].filter(({ type }) => type === 'scrape.gap');
    assert.deepEqual(
      gaps.map((gap) => [gap.scrape, gap.data]),
      [[2, { pages: 3, url: `${list}?page=3` }]],
    );
  });

  test('is over with that: the scrapes behind it read the head up to what it has stored, and settle', async (t) => {
    const { store, target, add, scrape } = await endless(t);
    assert.deepEqual(await scrape(), [[1, 2, 3], 'record_limit', 6]);
    assert.equal(store.targets.get(target)?.settled, 0);
    assert.deepEqual(await scrape(), [[1], 'known', 6]);
    assert.equal(store.targets.get(target)?.settled, 2);
    for (let count = 0; count < 5; count += 1) assert.deepEqual(await scrape(), [[1], 'known', 6]);
    add(3);
    assert.deepEqual(await scrape(), [[1, 2], 'known', 9]);
  });

  test('stays over though a person cancels the scrape behind it', async (t) => {
    const { store, target, scrape } = await endless(t);
    await scrape();
    const began = await beginScrape(store, target, 'v1');
    assert.ok(began.ok);
    await cancelScrape(store, began.fence.scrape, 'by hand');
    assert.deepEqual(await scrape(), [[1], 'known', 6]);
  });

  test('hides nothing that is new, though the scrape behind it is cut', async (t) => {
    const { add, scrape } = await endless(t);
    await scrape();
    add(5);
    assert.deepEqual(await scrape({ killedAfter: 1 }), [[1], undefined, 8]);
    assert.deepEqual(await scrape(), [[1, 2, 3], 'known', 11]);
  });

  test('is begun anew when a person wants all of it, or by another definition', async (t) => {
    for (const run of [{ wish: { full: true } }, { version: 'v2' }]) {
      const { scrape } = await endless(t);
      await scrape();
      assert.deepEqual(await scrape(run), [[1, 2, 3], 'record_limit', 6]);
      assert.deepEqual(await scrape({ ...run, wish: {} }), [[1], 'known', 6]);
    }
  });

  test('reads no more pages over all its scrapes than a list may have', () => {
    const from = { version: 'v1', place: { url, page: 99_999, cursor: 99_999 }, since: 7, by: 7, before: 50 };
    const resume = { version: 'v1', scrape: 8, from, isMet: () => true };
    const { asked, end, taken } = walk((page) => ({ keys: [`${page}`] }), { visit: 'first', resume });
    const behind = `${url}?page=100000`;
    assert.deepEqual([asked.length, end.status, end.reason], [2, 'aborted', 'page_limit']);
    assert.deepEqual(end.gap, { pages: 100_000, url: behind });
    const over: ResumePoint = {
      version: 'v1',
      place: { url: behind, page: 100_000 },
      since: 7,
      by: 8,
      before: 52,
      isOver: true,
    };
    assert.deepEqual(taken.at(-1), { resume: over, since: 7, draftsBefore: 51 });
  });
});

describe('all of a list that a person wants again, longer than the hours of its source', () => {
  test('goes on in the next hours where it stood, until it is read', async (t) => {
    const { store, target, scrape } = await endless(t);
    await scrape();
    await scrape();
    await requestScrape(store, target, { full: true });
    assert.deepEqual(await scrape({ openFor: 1 }), [[1], 'unavailable', 6]);
    assert.deepEqual(store.scrapes.get(store.targets.get(target)?.waiting ?? 0)?.wish, { full: true });
    assert.deepEqual(await scrape({ openFor: 2 }), [[1, 2], 'unavailable', 6]);
    assert.deepEqual(await scrape({ openFor: 2 }), [[2, 3], 'record_limit', 6]);
    assert.equal(store.targets.get(target)?.waiting, undefined);
    assert.deepEqual(await scrape(), [[1], 'known', 6]);
  });

  test('is asked for once: what was due and is cut does not become a wish', async (t) => {
    const { store, target, scrape } = await endless(t);
    assert.deepEqual(await scrape({ openFor: 1 }), [[1], 'unavailable', 2]);
    assert.equal(store.targets.get(target)?.waiting, undefined);
  });
});
