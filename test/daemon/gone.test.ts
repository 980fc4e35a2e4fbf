import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite, type Site } from '../support/site.ts';
import { settingsOf, startAt, startTimed, type TimedDaemon } from './passing.ts';

const hour = 3_600_000;

/** A target that is scraped every hour, and whose page answers with a status from the second scrape on. */
async function startLost(t: TestContext, status: number, more = ''): Promise<{ site: Site; timed: TimedDaemon }> {
  const site = await openSite(t, { '/a': productPage('A', '1.00') });
  const timed = await startTimed(t, {
    sources: {
      shop: productSource('shop', `every: 1h\n${more}`),
    },
    settings: settingsOf({}),
  });
  await timed.track('a', { source: 'shop', url: site.url('/a') });
  await timed.pass(hour / 2);
  site.answer('/a', { status, body: 'no such page' });
  return { site, timed };
}

const targetOf = async ({ client }: TimedDaemon) => (await client.call('project.get', { id: 'a' })).targets[0];

/** Hours after the start at which scrapes began, to the nearest. */
function hours({ starts }: TimedDaemon): number[] {
  return starts('a').map((at) => Math.round((at - startAt) / hour));
}

describe('a page that is taken down', () => {
  test('is asked ever more seldom, and at its usual pace once it is back', async (t) => {
    const { site, timed } = await startLost(t, 404);
    await timed.pass(20 * hour);
    assert.deepEqual(hours(timed), [0, 1, 2, 3, 5, 9, 17]);
    const gone = await targetOf(timed);
    assert.deepEqual(gone?.conditions, ['gone']);
    assert.deepEqual([gone.gone?.cause, gone.gone?.times], ['not_found', 6]);
    const why = (await timed.client.call('project.why', { id: 'a' })).targets[0];
    assert.equal(why?.because.find(({ decides }) => decides)?.by, 'gone');
    assert.equal(why.dueAt, gone.dueAt);
    site.answer('/a', productPage('A', '2.00'));
    await timed.client.call('project.rescrape', { id: 'a' });
    await timed.pass(3 * hour);
    assert.deepEqual((await targetOf(timed))?.conditions, []);
    assert.deepEqual(
      hours(timed)
        .slice(8)
        .map((at, _, all) => at - (all[0] ?? 0)),
      [0, 1, 2],
    );
  });

  for (const [ends, planned] of [
    ['', [1, 1]],
    ['gone: finished', [1, 0]],
  ] as const)
    test(`is planned to be asked as seldom as it will be ${ends}`, async (t) => {
      const { timed } = await startLost(t, 410, ends);
      await timed.pass(20 * hour);
      const { client, sent } = timed;
      const { requests } = await client.call('schedule.plan', { days: 2 });
      assert.deepEqual(requests, planned);
      const made: number[] = [];
      for (let day = 0; day < 2; day += 1) {
        const before = sent.length;
        await timed.pass(24 * hour);
        made.push(sent.length - before);
      }
      assert.deepEqual(made, requests);
    });

  test('rests with its pulse, and is asked for by it whenever it is due itself', async (t) => {
    const pulse = 'pulse: { every: 10m, record: product, fields: { sku: h1 } }';
    const { site, timed } = await startLost(t, 404, pulse);
    await timed.pass(3 * hour);
    const before = site.asked.length;
    await timed.pass(13 * hour);
    const since = site.asked.length - before;
    // At 5, 9 and, but for the last, 17 hours; each time the pulse may have come first.
    assert.ok(since >= 2 && since <= 6, `asked ${since} times`);
  });

  test('does not slow down for failures of another kind', async (t) => {
    const { timed } = await startLost(t, 500);
    await timed.pass(6 * hour);
    assert.equal((await targetOf(timed))?.gone, undefined);
  });

  test('ends its target where its source says so', async (t) => {
    const { timed } = await startLost(t, 410, 'gone: finished');
    await timed.until(startAt + 2 * hour);
    await timed.until(startAt + 20 * hour);
    assert.equal((await targetOf(timed))?.status, 'active');
    await timed.until(startAt + 30 * hour);
    await timed.until(startAt + 60 * hour);
    assert.equal((await targetOf(timed))?.status, 'finished');
    assert.ok(timed.events.some(({ type }) => type === 'project.finished'));
  });
});
