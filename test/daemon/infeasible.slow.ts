import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MethodInput } from '../../src/control/methods.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite, type Site } from '../support/site.ts';
import { settingsOf, startAt, startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** A source whose host is asked every so many seconds. */
function slow(id: string, seconds: number, more = ''): string {
  return productSource(id, more).replace('delay: 1ms, minDelay: 1ms', `delay: ${seconds}s, minDelay: ${seconds}s`);
}

type Listed = MethodInput<'project.apply'>['projects'][number];

/** So many projects of a target each, whose pages are there. */
function projectsOn(site: Site, count: number, more: Partial<Listed> = {}, source = 'shop'): Listed[] {
  return Array.from({ length: count }, (_, number) => {
    const path = `/${source}-${number}`;
    site.answer(path, productPage(path, '1'));
    return { id: `${source}-${number}`, ...more, targets: [{ source, url: site.url(path) }] };
  });
}

/** What is told of objectives: all that tells of what hosts do not allow, once the planner has looked. */
async function toldBy({ client, pass, settle, events }: TimedDaemon) {
  await pass(second);
  await settle();
  const { infeasible, objectives } = await client.call('schedule.plan', {});
  const report = await client.call('objective.report', {});
  const event = events.findLast((each) => each.type === 'objective.infeasible');
  return {
    plan: infeasible,
    report: report.infeasible,
    event: event?.data,
    kept: [objectives.kept, objectives.infeasible],
    broken: [objectives.broken, objectives.worstByMs],
  };
}

function breaches({ events }: TimedDaemon): string[] {
  return events.filter(({ type }) => /^objective\.(?:warn|error)$/.test(type)).map(({ type }) => type);
}

describe('an objective that cannot be kept', () => {
  test('as its hours are closed for longer is told where it is configured, and the nearest is kept over them (P47)', async (t) => {
    const site = await openSite(t);
    const timed = await startTimed(t, { sources: { shop: productSource('shop') }, settings: settingsOf({}) });
    const available = [{ days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 60, toMinute: 120, zone: 'UTC' }];
    const list = (errorAfterMs: number) => ({
      projects: projectsOn(site, 2, { everyMs: 20 * minute, objectives: { errorAfterMs }, available }),
    });
    const { infeasible = [] } = await timed.client.call('project.apply', list(5 * minute));
    const [first] = infeasible;
    assert.equal(infeasible.length, 1);
    assert.deepEqual([first?.targets, first?.hours?.closedMs, first?.nearestMs], [2, 23 * hour, 24 * hour]);
    const { plan, report, event, kept } = await toldBy(timed);
    assert.deepEqual([plan, report, kept], [infeasible, infeasible, [0, 2]]);
    assert.equal(event?.nearestMs, 24 * hour);
    const conditions = (await timed.client.call('project.get', { id: 'shop-1' })).targets[0]?.conditions;
    assert.ok(conditions?.includes('objective_infeasible'));

    assert.equal((await timed.client.call('project.apply', list(24 * hour))).infeasible, undefined);
    const day = async (number: number) => timed.until(startAt + number * 24 * hour + 130 * minute, 80 * minute);
    await day(1);
    assert.deepEqual((await toldBy(timed)).kept, [2, 0]);
    const before = breaches(timed).length;
    for (const number of [2, 3, 4]) await day(number);
    assert.ok(timed.starts('shop-0').length > 6);
    assert.deepEqual(breaches(timed).slice(before), []);
  });

  test('with half of the turns is told, and the nearest is kept while others want every turn (P47)', async (t) => {
    const site = await openSite(t);
    const timed = await startTimed(t, {
      sources: { shop: slow('shop', 2), ads: slow('ads', 2, 'every: 5s') },
      settings: settingsOf({}),
    });
    await timed.client.call('project.apply', { projects: projectsOn(site, 5, {}, 'ads') });
    const list = (errorAfterMs: number) => ({ projects: projectsOn(site, 30, { objectives: { errorAfterMs } }) });
    const { infeasible = [] } = await timed.client.call('project.apply', list(minute));
    assert.deepEqual(
      infeasible.map(({ targets, neededMs, nearestMs }) => [targets, neededMs, nearestMs]),
      [[30, minute, 139 * second]],
    );
    const { plan, report, kept } = await toldBy(timed);
    assert.deepEqual([plan, report, kept], [infeasible, infeasible, [0, 30]]);

    assert.equal((await timed.client.call('project.apply', list(139 * second))).infeasible, undefined);
    assert.deepEqual((await toldBy(timed)).kept, [30, 0]);
    await timed.pass(5 * minute);
    const before = breaches(timed).length;
    await timed.pass(10 * minute);
    assert.deepEqual(breaches(timed).slice(before), []);
  });

  test('about as long as a scrape takes is told as it is added (P47)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const shop = productSource('shop').replace('delay: 1ms, minDelay: 1ms', 'delay: 50ms, minDelay: 50ms');
    const timed = await startTimed(t, { sources: { shop }, settings: settingsOf({}) });
    const objective = { warnAfterMs: second };
    const added = await timed.client.call('project.add', {
      id: 'a',
      targets: [{ source: 'shop', url: site.url('/a'), objective }],
    });
    assert.deepEqual(
      added.infeasible?.map(({ scrapeMs, nearestMs }) => [scrapeMs, nearestMs]),
      [[second, 3 * second]],
    );
    const { plan, report, kept, broken } = await toldBy(timed);
    assert.deepEqual([plan, report, kept], [added.infeasible, added.infeasible, [0, 1]]);
    assert.deepEqual(broken, [0, 0], 'what it lacks is slack, and nobody knows of anything late');
  });

  test('beside those of another source and of projects that a list does not name is told with one figure (P47)', async (t) => {
    const site = await openSite(t);
    const sources = { shop: slow('shop', 2), ads: slow('ads', 2) };
    const timed = await startTimed(t, { sources, settings: settingsOf({}) });
    const ads = projectsOn(site, 20, { objectives: { errorAfterMs: 3 * minute } }, 'ads');
    assert.equal((await timed.client.call('project.apply', { projects: ads })).infeasible, undefined);
    const shop = { projects: projectsOn(site, 30, { objectives: { errorAfterMs: 4 * minute } }) };
    const dry = await timed.client.call('project.apply', { ...shop, dryRun: true });
    const applied = await timed.client.call('project.apply', shop);
    const again = await timed.client.call('project.apply', shop);
    const { infeasible = [] } = applied;
    // The other 20 take 2 of 9 turns, so that 5 of 18 are left: once round takes 216 s of them, and what was before 7 s.
    assert.deepEqual(
      infeasible.map(({ source, targets, nearestMs }) => [source, targets, nearestMs]),
      [['shop', 30, 250 * second]],
    );
    assert.deepEqual([dry.infeasible, again.infeasible], [infeasible, infeasible]);
    const { plan, report, event, kept } = await toldBy(timed);
    assert.deepEqual([plan, report, kept], [infeasible, infeasible, [20, 30]]);
    assert.deepEqual([event?.targets, event?.nearestMs], [30, 250 * second]);
    const ofAds = await timed.client.call('objective.report', { source: 'ads' });
    assert.deepEqual(ofAds.infeasible, []);
    const alone = await timed.client.call('project.apply', { ...shop, prune: true });
    assert.equal(alone.infeasible, undefined);
  });
});
