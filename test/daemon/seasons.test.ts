import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { openSite } from '../support/site.ts';
import { crawlSource, page } from './crawls/shop.ts';
import { startAt, startTimed, type TimedDaemon } from './passing.ts';

const minute = 60_000;
/** When the first day of the year begins on the Azores. */
const newYearAt = startAt + 60 * minute;
const products = Array.from({ length: 8 }, (_, index) => `/p/${index}`);

/** A daemon that crawls a shop of eight products once a day. */
async function keepShop(t: TestContext, objectives: string): Promise<TimedDaemon> {
  const site = await openSite(t, { '/': page(products) });
  for (const path of products) site.answer(path, page([], path.slice(3)));
  const timed = await startTimed(t, { sources: { shop: `${crawlSource()}every: 1d\nobjectives:\n${objectives}` } });
  await timed.track('all', { source: 'shop', url: site.url('/') });
  return timed;
}

/** How often each product was asked for between two instants. */
function asked({ sent }: TimedDaemon, from: number, to: number): number[] {
  return products.map((path) => sent.filter(({ url, at }) => url.endsWith(path) && at >= from && at < to).length);
}

const each = (times: number): number[] => products.map(() => times);
const told = ({ events }: TimedDaemon): string[] =>
  events.flatMap(({ type }) => (type.startsWith('objective.') ? [type] : []));

describe('an objective with a season', () => {
  test('begins at the first instant of its day, from which ages count, and nothing is late before', async (t) => {
    const timed = await keepShop(
      t,
      '  - { errorAfter: 10m, from: 2026-01-01, to: 2026-01-02, zone: Atlantic/Azores }\n',
    );
    await timed.pass(50 * minute);
    const before = await timed.client.call('objective.report', {});
    assert.deepEqual(
      [before.all.count, before.resting],
      [
        0,
        [
          {
            source: 'shop',
            targets: 1,
            errorAfterMs: 10 * minute,
            from: '2026-01-01',
            to: '2026-01-02',
            zone: 'Atlantic/Azores',
            beginsAt: newYearAt,
          },
        ],
      ],
    );
    const [target] = (await timed.client.call('project.why', { id: 'all' })).targets;
    assert.deepEqual([target?.objectives, target?.resting?.length], [[], 1]);
    assert.equal((await timed.client.call('schedule.plan', { days: 1 })).resting?.length, 1);
    await timed.pass(20 * minute);
    assert.deepEqual(asked(timed, startAt + minute, newYearAt), each(0));
    assert.deepEqual(asked(timed, newYearAt, newYearAt + 10 * minute), each(1));
    assert.deepEqual(told(timed), []);
    const { all } = await timed.client.call('objective.report', {});
    assert.deepEqual([all.count, all.shareWithin], [8, 1]);
  });

  test('of a single page sets its turns up to its end, and tells then that what was late is over', async (t) => {
    const site = await openSite(t, { '/a': page([], 'a') });
    const objectives = '  - { errorAfter: 10m, from: 12-31, to: 12-31, zone: Atlantic/Azores }\n';
    const source = `${crawlSource().replace(/^crawl: .*\n/m, '')}every: 1d\nobjectives:\n${objectives}`;
    const timed = await startTimed(t, { sources: { shop: source } });
    await timed.track('all', { source: 'shop', url: site.url('/a') });
    await timed.pass(30 * minute);
    assert.ok(timed.sent.length >= 3);
    site.answer('/a', { status: 500 });
    await timed.pass(30 * minute);
    assert.deepEqual(told(timed), ['objective.error', 'objective.recovered']);
    const before = timed.sent.length;
    await timed.pass(15 * minute);
    assert.equal(timed.sent.length, before);
    assert.equal((await timed.client.call('objective.report', {})).all.count, 0);
  });

  test('gives way to another at its end, and one that is over asks for nothing and tells nothing', async (t) => {
    const timed = await keepShop(
      t,
      '  - { errorAfter: 10m, from: 12-31, to: 12-31, zone: Atlantic/Azores }\n  - { errorAfter: 1h, from: 2026-01-01, to: 2026-01-01 }\n',
    );
    await timed.pass(60 * minute);
    const times = asked(timed, startAt + minute, newYearAt);
    assert.ok(Math.min(...times) >= 5 && Math.max(...times) <= 8, times.join(' '));
    await timed.pass(70 * minute);
    assert.deepEqual(asked(timed, newYearAt, newYearAt + 40 * minute), each(0));
    assert.deepEqual(asked(timed, newYearAt, newYearAt + 70 * minute), each(1));
    assert.deepEqual(told(timed), []);
    const [target] = (await timed.client.call('project.why', { id: 'all' })).targets;
    assert.deepEqual([target?.objectives[0]?.errorAfterMs, target?.resting?.[0]?.endedAt], [60 * minute, newYearAt]);
  });
});
