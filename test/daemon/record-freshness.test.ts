import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { openSite, type Site } from '../support/site.ts';
import { crawlSource, openShop, page } from './crawls/shop.ts';
import { itemsOf, listSource } from './lists/listing.ts';
import { startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** A daemon that crawls the shop of 40 products once a day, and keeps each product no older than ten minutes. */
async function keepShop(
  t: TestContext,
  objectives = 'errorAfter: 10m',
): Promise<TimedDaemon & { readonly site: Site }> {
  const site = await openShop(t);
  const definition = `${crawlSource()}every: 1d\nobjectives: { ${objectives} }\n`;
  const timed = await startTimed(t, { sources: { shop: definition } });
  await timed.track('all', { source: 'shop', url: site.url('/') });
  return { ...timed, site };
}

/** When each product's page was asked for, by its path. */
function askedAt({ sent }: TimedDaemon): Map<string, number[]> {
  const asked = new Map<string, number[]>();
  for (const { url, at } of sent) {
    const { pathname } = new URL(url);
    asked.set(pathname, [...(asked.get(pathname) ?? []), at]);
  }
  return asked;
}

function told({ events }: TimedDaemon) {
  return events.filter(({ type }) => type.startsWith('objective.'));
}

describe('the records of a crawl with an objective', () => {
  test('are each asked for again before they are too old, and hardly more often, while the crawl keeps its pace', async (t) => {
    const timed = await keepShop(t);
    await timed.pass(hour);
    const asked = askedAt(timed);
    for (const [path, times] of asked) {
      if (!path.startsWith('/p/')) assert.equal(times.length, 1, path);
      else {
        const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
        assert.ok(Math.max(...gaps) <= 10 * minute, `${path}: ${Math.max(...gaps)}`);
        assert.ok(times.length <= 1 + Math.ceil(hour / (8 * minute)), `${path}: ${times.length}`);
      }
    }
    assert.equal([...asked.keys()].filter((path) => path.startsWith('/p/')).length, 40);
    assert.deepEqual(told(timed), []);
    const { all } = await timed.client.call('objective.report', {});
    assert.deepEqual([all.count, all.shareWithin], [40, 1]);
  });

  test('count among what their host is asked for, by their pages', async (t) => {
    const timed = await keepShop(t);
    await timed.pass(minute);
    const { requests } = await timed.client.call('schedule.plan', { days: 1 });
    const [all = 0] = requests;
    assert.ok(all > 40 * 24 * 6 && all < 40 * 24 * 7, String(all));
    const [target] = (await timed.client.call('project.why', { id: 'all' })).targets;
    assert.deepEqual(target?.objectives[0]?.records, { count: 40, overdue: 0, missed: [] });
  });

  test('tell a change within the objective', async (t) => {
    const timed = await keepShop(t);
    await timed.pass(25 * minute);
    const changedAt = timed.clock.now();
    timed.site.answer('/p/7', page([], '7').replace('<b>1</b>', '<b>99</b>'));
    await timed.pass(10 * minute);
    const changed = timed.events.filter(({ type }) => type === 'record.changed');
    assert.deepEqual(
      changed.map(({ at, data }) => [at - changedAt <= 10 * minute, data]),
      [[true, { type: 'product', key: '7', fields: { price: { old: 1, new: 99 } } }]],
    );
  });

  test('that cannot be had are told once, with how many there are and which, and the report is true', async (t) => {
    const timed = await keepShop(t);
    await timed.pass(minute);
    for (const path of ['/p/7', '/p/8']) timed.site.answer(path, { status: 500 });
    await timed.pass(25 * minute);
    const [event, ...others] = told(timed);
    assert.deepEqual(others, []);
    assert.equal(event?.type, 'objective.error');
    const { records, ageMs } = event.data;
    assert.ok(ageMs > 10 * minute && ageMs < 11 * minute, String(ageMs));
    assert.equal(records?.count, 1);
    const { all, next } = await timed.client.call('objective.report', {});
    assert.deepEqual([all.count, all.breaches], [40, 2]);
    assert.ok(all.maxMs > 20 * minute);
    assert.deepEqual(new Set(next.slice(0, 2).map(({ record }) => record?.key)), new Set(['7', '8']));
    for (const path of ['/p/7', '/p/8']) timed.site.answer(path, page([], path.slice(3)));
    await timed.pass(5 * minute);
    assert.equal(told(timed).at(-1)?.type, 'objective.recovered');
    assert.equal((await timed.client.call('objective.report', {})).all.breaches, 0);
  });
});

describe('the records of a list with an objective', () => {
  test('are verified by the pages on which they stand, which a site may say are unchanged', async (t) => {
    const site = await openSite(t);
    let unmodified = 0;
    for (const number of [1, 2, 3])
      site.answer(`/pages/${number}`, (request, response) => {
        const etag = `"${number}"`;
        response.setHeader('etag', etag);
        response.setHeader('content-type', 'application/json');
        const isSame = request.headers['if-none-match'] === etag;
        unmodified += Number(isSame);
        response.statusCode = isSame ? 304 : 200;
        const items = itemsOf(number * 10, 10);
        response.end(isSame ? undefined : JSON.stringify({ items, next: number < 3 ? `/pages/${number + 1}` : null }));
      });
    const feed = 'feed: { by: link, next: { json: $.next } }\nevery: 1d\nobjectives: { errorAfter: 10m }';
    const timed = await startTimed(t, { sources: { list: listSource(feed) } });
    await timed.track('all', { source: 'list', url: site.url('/pages/1') });
    await timed.pass(hour);
    const asked = askedAt(timed);
    for (const path of ['/pages/1', '/pages/2', '/pages/3']) {
      const times = asked.get(path) ?? [];
      const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
      assert.ok(Math.max(...gaps) <= 10 * minute && times.length <= 9, `${path}: ${times.length}`);
    }
    assert.ok(unmodified >= 18, String(unmodified));
    assert.deepEqual(told(timed), []);
    const { all } = await timed.client.call('objective.report', {});
    assert.deepEqual([all.count, all.shareWithin], [30, 1]);
    assert.equal(timed.starts('all').length, 1);
  });
});
