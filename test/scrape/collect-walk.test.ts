import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Collect, registerOf } from '../../src/definition/collect.ts';
import { Feed } from '../../src/definition/feed.ts';
import type { Extraction } from '../../src/extract/draft.ts';
import { openList } from '../../src/provider/list.ts';
import { plusDays } from '../../src/scrape/windows.ts';
import { collectWalk, windowUrl } from '../../src/scrape/collect-walk.ts';
import { ErrorTally } from '../../src/scrape/limits.ts';
import type { Visit, Walk } from '../../src/scrape/walk.ts';
import type { CollectorPosition } from '../../src/store/tables/rows.ts';
import type { ScrapeWish } from '../../src/view/scrape.ts';
import { draft, extraction, type PageAnswer, reading, request, visitedAs, walkThrough } from './walking.ts';

const url = 'https://register.test/trials';
const none = (): PageAnswer => ({});

interface Given {
  readonly collect?: object;
  readonly newest?: CollectorPosition['newest'];
  readonly wish?: ScrapeWish;
  readonly today?: string;
}

function walkFor({ collect, newest, wish = {}, today = '2008-12-31' }: Given = {}): Walk {
  const rule = registerOf({
    collect: Collect.parse({ since: { record: 'item', fields: ['published'] }, start: '2008-01-01', ...collect }),
  });
  assert.ok(rule !== undefined);
  return collectWalk({
    provider: { request },
    list: openList(Feed.parse({ by: 'cursor', next: { json: '$.next' }, maxPages: 2 }), reading),
    collect: rule,
    windowUrl: (window) => windowUrl(url, rule, window),
    position: newest && { newest },
    wish,
    today,
    errors: new ErrorTally(0.2),
  });
}

function windowOf({ url: address }: Visit): [string, string] {
  const { searchParams } = new URL(address);
  return [searchParams.get('from') ?? '', searchParams.get('to') ?? ''];
}

function windows(given: Given, answer: (visit: Visit, count: number) => PageAnswer = none): [string, string][] {
  return walkThrough(walkFor(given), answer).visits.map(windowOf);
}

function dated(...days: readonly string[]): Extraction {
  return extraction(days.map((day, index) => draft(`${day}/${index}`, { published: day })));
}

describe('a collector', () => {
  test('begins at its start and asks for a year in four windows (O28, O30)', () => {
    assert.deepEqual(windows({}), [
      ['2008-01-01', '2008-04-10'],
      ['2008-04-11', '2008-07-20'],
      ['2008-07-21', '2008-10-29'],
      ['2008-10-30', '2008-12-31'],
    ]);
  });

  test('goes on from the newest day that is known, less its overlap (O28)', () => {
    assert.deepEqual(windows({ newest: { published: '2008-12-01' } }), [['2008-12-01', '2008-12-31']]);
    assert.deepEqual(windows({ newest: { published: '2008-12-01' }, collect: { overlap: 10 } }), [
      ['2008-11-21', '2008-12-31'],
    ]);
  });

  test('goes on from the lesser of the newest days of two fields (O29)', () => {
    const newest = { published: '2008-12-01', updated: '2008-11-01T10:00:00.000Z' };
    assert.deepEqual(windows({ newest }), [['2008-11-01', '2008-12-31']]);
  });

  test('pauses before each window but the first (O31)', () => {
    const { visits } = walkThrough(walkFor(), none);
    assert.deepEqual(
      visits.map(({ afterMs }) => afterMs),
      [undefined, 1_000, 1_000, 1_000],
    );
  });

  test('whose newest day lies in the future asks for nothing and completes (O32)', () => {
    const { asked, end } = walkThrough(walkFor({ newest: { published: '2009-01-01' } }), none);
    assert.deepEqual([asked, end.status], [[], 'complete']);
  });

  test('reads the days that a person names (O33)', () => {
    const newest = { published: '2008-12-01' };
    assert.deepEqual(windows({ newest, wish: { from: '2001-01-01', to: '2001-02-01' } }), [
      ['2001-01-01', '2001-02-01'],
    ]);
    assert.deepEqual(windows({ newest, wish: { from: '2008-12-24' } }), [['2008-12-24', '2008-12-31']]);
    assert.deepEqual(windows({ newest, wish: { to: '2008-12-05' } }), [['2008-12-01', '2008-12-05']]);
  });

  test('writes the days of a window as its definition says', () => {
    const collect = { query: { range: '{from} TO {to}', all: '1' }, format: 'dd.MM.yyyy' };
    const { asked } = walkThrough(walkFor({ collect, newest: { published: '2008-12-01' } }), none);
    assert.deepEqual(
      [...new URL(asked[0] ?? '').searchParams],
      [
        ['range', '01.12.2008 TO 31.12.2008'],
        ['all', '1'],
      ],
    );
  });

  test('reads all pages of a window, and says how far it has come with the last', () => {
    const { visits, taken } = walkThrough(walkFor(), (_, count) => ({
      ...dated(`2008-0${count}-01`),
      ...(count < 3 && { next: `${count}` }),
    }));
    assert.deepEqual(visits.slice(0, 4).map(windowOf), [
      ['2008-01-01', '2008-04-10'],
      ['2008-01-01', '2008-04-10'],
      ['2008-01-01', '2008-04-10'],
      ['2008-04-11', '2008-07-20'],
    ]);
    assert.deepEqual(
      taken.slice(0, 3).map((ops) => ops?.position?.newest),
      [undefined, undefined, { published: '2008-03-01' }],
    );
  });

  test('tells what it left out of a window as it leaves that behind, and of several windows the first', () => {
    const walked = walkThrough(walkFor(), (_, count) => ({ ...(count < 25 && { next: `${count}` }) }));
    const told = walked.taken.flatMap((ops, page) => (ops?.gap === undefined ? [] : [[page, ops.gap.pages]]));
    assert.deepEqual([told, walked.end.reason, walked.end.gap], [[[9, 10]], 'end', undefined]);
  });

  test('is never further than the window that it has read, whatever its records say', () => {
    const { taken } = walkThrough(walkFor(), (_, count) => (count === 1 ? dated('2030-01-01') : {}));
    assert.deepEqual(taken[0]?.position?.newest, { published: '2008-04-10' });
  });

  test('that reads days which leave some out does not say that it has come so far', () => {
    const newest = { published: '2008-06-01' };
    const read = (wish: ScrapeWish) =>
      walkThrough(walkFor({ newest, wish }), (visit) => dated(windowOf(visit)[1])).taken.at(-1)?.position;
    assert.equal(read({ from: '2008-10-01' }), undefined);
    assert.deepEqual(read({ from: '2001-01-01', to: '2001-12-01' })?.newest, newest);
    assert.deepEqual(read({ from: '2008-05-01' })?.newest, { published: '2008-12-31' });
  });

  test('ends with the page that fails, and as far as it had come before', () => {
    const { visits, taken, end } = walkThrough(walkFor(), (visit, count) =>
      count === 2 ? { cause: 'origin_down' } : dated(windowOf(visit)[1]),
    );
    assert.deepEqual([visits.length, end.status], [2, 'failed']);
    assert.deepEqual(
      taken.map((ops) => ops?.position?.newest),
      [{ published: '2008-04-10' }, undefined],
    );
  });

  test('goes on past items that are errors, up to a share of ten items at least (O34, O35)', () => {
    const some = walkThrough(walkFor(), () => ({ ...dated('2008-01-01', '2008-01-02'), items: 3, refused: 1 }));
    assert.deepEqual([some.visits.length, some.end.status, some.end.failure?.code], [4, 'failed', 'too_many_errors']);
    const few = walkThrough(walkFor(), () => ({ ...dated('2008-01-01'), items: 2, refused: 1 }));
    assert.deepEqual([few.visits.length, few.end.status], [4, 'complete']);
  });

  test('that is told that there will be nothing more ends there', () => {
    const { visits, end } = walkThrough(walkFor(), () => ({ ...dated('2008-02-01'), finished: true }));
    assert.deepEqual([visits.length, end.status, end.finished], [1, 'complete', true]);
  });

  test('reads every day to the last, wherever it is cut and however often (O44)', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 6 });
    fc.assert(
      fc.property(
        cuts,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 3 }),
        (pagesPerRun, window, pages) => {
          const read = new Set<string>();
          let newest: CollectorPosition['newest'] = {};
          for (const budget of [...pagesPerRun, Infinity]) {
            const walk = walkFor({ newest, collect: { window } });
            let left = budget;
            for (let visit = walk.next(); visit !== undefined && left > 0; visit = walk.next(), left -= 1) {
              const [from, to] = windowOf(visit);
              const { page = 0 } = visit;
              // The last page of a window holds its last part.
              const days = daysOf(from, to).filter((_, index) => index % pages === page - 1);
              const answer = { ...dated(...days), ...(page < pages && { next: `${from}/${page}` }) };
              const { ops } = walk.advance(visit, visitedAs(answer, visit.url));
              for (const each of days) read.add(each);
              newest = ops?.position?.newest ?? newest;
            }
          }
          assert.equal(read.size, 366);
        },
      ),
      { numRuns: 60 },
    );
  });
});

function daysOf(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = plusDays(day, 1)) days.push(day);
  return days;
}
