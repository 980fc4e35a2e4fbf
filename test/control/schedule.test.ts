import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { settingsOf, startAt, startTimed } from '../daemon/passing.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const sources = { shop: productSource('shop'), ads: productSource('ads') };

/** Four targets of three projects on two hosts, each scraped once. */
async function four(t: TestContext) {
  const pages = { '/a': productPage('A', '1'), '/b': productPage('B', '1') };
  const [one, two] = [await openSite(t, pages), await openSite(t, pages)];
  const daemon = await startTimed(t, { sources, settings: settingsOf({}) });
  const { track, pass } = daemon;
  await track('slow', { source: 'shop', url: one.url('/a'), everyMs: 8 * hour });
  await track('fast', { source: 'ads', url: two.url('/a'), everyMs: hour });
  await track('both', { source: 'shop', url: one.url('/b'), everyMs: 2 * hour }, { source: 'ads', url: two.url('/b') });
  await pass(5 * second);
  return { ...daemon, one, two };
}

describe('schedule.list', () => {
  test('lists each turn that is to come with its page, source and exact time, sorted by time (J39)', async (t) => {
    const { client, one, two } = await four(t);
    const { turns, more } = await client.call('schedule.list', {});
    assert.equal(more, false);
    const dueAt = await Promise.all(
      turns.map(
        async ({ projects: [project = ''], target }) =>
          (await client.call('project.get', { id: project })).targets.find((each) => each.target === target)?.dueAt,
      ),
    );
    assert.deepEqual(
      turns.map((turn) => turn.dueAt),
      dueAt,
    );
    assert.deepEqual(
      turns.map((turn) => turn.dueAt),
      turns.map((turn) => turn.dueAt).sort((a, b) => a - b),
    );
    assert.deepEqual(
      turns.map(({ projects: [project], source, url, key, by }) => [project, source, url, key, by]),
      [
        ['fast', 'ads', two.url('/a'), two.origin, 'interval'],
        ['both', 'shop', one.url('/b'), one.origin, 'interval'],
        ['both', 'ads', two.url('/b'), two.origin, 'interval'],
        ['slow', 'shop', one.url('/a'), one.origin, 'interval'],
      ],
    );
  });

  test('by host, of one host, source or project, before an instant, and no more than are wanted', async (t) => {
    const { client, one, two } = await four(t);
    const list = async (params: Parameters<typeof client.call<'schedule.list'>>[1]) =>
      (await client.call('schedule.list', params)).turns.map(
        ({ projects: [project], source }) => `${project} ${source}`,
      );
    const ofOne = ['both shop', 'slow shop'];
    const ofTwo = ['fast ads', 'both ads'];
    const byHost = one.origin < two.origin ? [...ofOne, ...ofTwo] : [...ofTwo, ...ofOne];
    assert.deepEqual(await list({ by: 'host' }), byHost);
    assert.deepEqual(await list({ key: one.origin }), ofOne);
    assert.deepEqual(await list({ source: 'ads' }), ofTwo);
    assert.deepEqual(await list({ project: 'both' }), ['both shop', 'both ads']);
    assert.deepEqual(await list({ before: startAt + 3 * hour }), ['fast ads', 'both shop']);
    const cut = await client.call('schedule.list', { limit: 1 });
    assert.deepEqual([cut.turns.length, cut.turns[0]?.projects[0], cut.more], [1, 'fast', true]);
    await assert.rejects(client.call('schedule.list', { project: 'nope' }), { code: 'not_found' });
  });
});

describe('schedule.plan', () => {
  test('forecasts requests by host and day, bytes and the fullest minute', async (t) => {
    const { client, one, two } = await four(t);
    const plan = await client.call('schedule.plan', { days: 2 });
    assert.deepEqual([plan.days, plan.hosts, plan.targets, plan.skipped], [2, 2, 4, 0]);
    assert.deepEqual(plan.requests, [3 + 24 + 12 + 6, 3 + 24 + 12 + 6]);
    assert.deepEqual(
      new Map(plan.busiest.map(({ key, requests }) => [key, requests])),
      new Map([
        [one.origin, [15, 15]],
        [two.origin, [30, 30]],
      ]),
    );
    const pageBytes = Buffer.byteLength(productPage('A', '1'));
    assert.equal(plan.bytes, 90 * pageBytes);
    assert.ok(plan.peak.requests >= 1);
  });

  test('forecasts a list that is about to be applied, beside what it does not name or without it', async (t) => {
    const { client, one } = await four(t);
    const projects = [{ id: 'slow', targets: [{ source: 'shop', url: one.url('/a'), everyMs: 2 * hour }] }];
    const beside = await client.call('schedule.plan', { projects });
    assert.deepEqual([beside.targets, beside.requests], [4, [12 + 24 + 12 + 6]]);
    const alone = await client.call('schedule.plan', { projects, prune: true });
    assert.deepEqual([alone.targets, alone.requests], [1, [12]]);
    assert.equal((await client.call('project.get', { id: 'slow' })).targets[0]?.everyMs, 8 * hour);
  });

  test('follows every pace: cron, tokens, continuous and objective', async (t) => {
    const { client, one } = await four(t);
    const place = { source: 'shop', url: one.url('/new') };
    const planned = async (more: object) => {
      const projects = [{ id: 'new', targets: [{ ...place, ...more }] }];
      return (await client.call('schedule.plan', { days: 7, projects, prune: true })).requests;
    };
    // The first scrape of a new target comes at once, whatever its pace is.
    assert.deepEqual(await planned({ cron: '0 6 * * 1' }), [1, 0, 0, 0, 1, 0, 0]);
    assert.deepEqual(await planned({ tokens: true }), [1, 1, 1, 1, 1, 1, 1]);
    // From a second after midnight on, every two hours less a second: the thirteenth scrape begins before the day ends.
    assert.deepEqual(await planned({ continuous: { sleepMs: 2 * hour - second } }), [13, 12, 12, 12, 12, 12, 12]);
    const [first = 0] = await planned({ objective: { warnAfterMs: 2 * hour } });
    assert.ok(first > 12 && first < 15, String(first));
  });

  test('an objective that a host cannot keep is told with what it needs and the nearest that can be kept (P47)', async (t) => {
    const site = await openSite(t);
    const slow = productSource('slow').replace('delay: 1ms, minDelay: 1ms', 'delay: 2s, minDelay: 2s');
    const { client } = await startTimed(t, { sources: { slow }, settings: settingsOf({}) });
    const targets = Array.from({ length: 100 }, (_, page) => ({ source: 'slow', url: site.url(`/${page}`) }));
    const plan = async (warnAfterMs: number) =>
      client.call('schedule.plan', { projects: [{ id: 'a', objectives: { warnAfterMs }, targets }] });
    const infeasible = await plan(150 * second);
    assert.deepEqual(infeasible.infeasible, [
      {
        source: 'slow',
        key: site.origin,
        targets: 100,
        objectiveMs: 150 * second,
        neededMs: 200 * second,
        scrapeMs: second,
        delayMs: 2 * second,
        nearestMs: 450 * second,
      },
    ]);
    const { kept, broken, infeasible: unpromised } = infeasible.objectives;
    assert.deepEqual([kept, broken, unpromised], [0, 0, 100]);
    assert.ok((infeasible.busiest[0]?.load ?? 0) <= 1.001);
    const feasible = await plan(10 * minute);
    assert.deepEqual([feasible.infeasible, feasible.objectives.kept], [[], 100]);
  });

  test('counts the initial delay, before a list is applied and after', async (t) => {
    const site = await openSite(t);
    const { client } = await startTimed(t, { sources, settings: settingsOf({}) });
    const targets = Array.from({ length: 100 }, (_, page) => ({ source: 'shop', url: site.url(`/${page}`) }));
    const often = { id: 'often', everyMs: minute, initialDelayMs: 20 * hour, targets: targets.slice(0, 1) };
    const daily = { id: 'daily', everyMs: 4 * hour, initialDelayMs: 24 * hour, targets: targets.slice(1) };
    const plan = async (projects?: unknown[], from?: number) =>
      (
        await client.call('schedule.plan', {
          days: 2,
          ...(projects && { projects: projects as [typeof often] }),
          ...(from && { from }),
        })
      ).requests;
    assert.deepEqual(await plan([often]), [240, 1_440]);
    assert.deepEqual(await plan([daily]), [0, 99 + 99 * 6 - 1]);
    // When a later day begins, the first scrapes are over.
    assert.deepEqual(await plan([daily], startAt + 48 * hour), [99 * 6, 99 * 6]);
    await client.call('project.apply', { projects: [often, daily] });
    const [first, second] = await plan();
    assert.equal(first, 240);
    assert.ok((second ?? 0) >= 1_440 + 99 * 6 && (second ?? 0) <= 1_440 + 99 * 7, String(second));
  });

  test('counts a turn at the very begin of the day that it is from', async (t) => {
    const site = await openSite(t);
    const { client } = await startTimed(t, { sources, settings: settingsOf({}) });
    const targets = [{ source: 'shop', url: site.url('/a'), cron: '*/10 * * * *' }];
    const from = (Math.floor(startAt / (24 * hour)) + 2) * 24 * hour;
    const plan = await client.call('schedule.plan', { from, projects: [{ id: 'a', targets }] });
    assert.deepEqual([plan.requests, plan.peak.at], [[144], from]);
  });

  test('one forecast is made at a time, some wait, and more are told to ask again', async (t) => {
    const site = await openSite(t);
    const { client } = await startTimed(t, { sources, settings: settingsOf({}) });
    const targets = Array.from({ length: 15 }, (_, page) => ({
      source: 'shop',
      url: site.url(`/${page}`),
      cron: '* * * * *',
    }));
    const ask = async () => client.call('schedule.plan', { days: 60, projects: [{ id: 'a', targets }] });
    const over: string[] = [];
    const plans = Array.from({ length: 20 }, ask);
    const first = plans[0]?.then(() => over.push('plan'));
    await client.call('daemon.ping', {});
    over.push('ping');
    const all = await Promise.allSettled(plans);
    await first;
    assert.deepEqual(over, ['ping', 'plan']);
    const refused = all.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []));
    assert.equal(refused.length, 3);
    assert.match(
      refused[0]?.message ?? '',
      /^schedule\.plan: one forecast is under way and 16 wait, .*: ask again when some are answered$/,
    );
  });

  test('others are answered while very many targets are looked at', async (t) => {
    const site = await openSite(t);
    const { client } = await startTimed(t, { sources, settings: settingsOf({}) });
    const projects = Array.from({ length: 30 }, (_, project) => ({
      id: `p${project}`,
      objectives: { warnAfterMs: 24 * hour },
      targets: Array.from({ length: 100 }, (_each, page) => ({ source: 'shop', url: site.url(`/${project}/${page}`) })),
    }));
    await client.call('project.apply', { projects });
    const asked = [
      ['schedule.plan', client.call('schedule.plan', { days: 30 })],
      ['schedule.list', client.call('schedule.list', { source: 'shop' })],
      ['objective.report', client.call('objective.report', {})],
      ['waste.report', client.call('waste.report', {})],
    ] as const;
    const over: string[] = [];
    const all = asked.map(([method, answer]) => answer.then(() => over.push(method)));
    await client.call('daemon.ping', {});
    assert.deepEqual(over, []);
    await Promise.all(all);
    assert.equal((await asked[0][1]).targets, 3_000);
  });
});
