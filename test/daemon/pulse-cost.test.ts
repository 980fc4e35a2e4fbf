import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite, type Site } from '../support/site.ts';
import { startAt, startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;
const minute = 60_000;
const hour = 60 * minute;
const everyMs = hour / 2;
const names = ['a', 'b', 'c'];

/** A source whose targets stand at `/name`, with a pulse every half hour. */
function pulsing(id: string, { origin }: Site, pulse: string): string {
  return productSource(
    id,
    `url: "${origin}/{name}"
every: 4h
pulse:
  every: 30m
  record: product
  ${pulse}
  fields: { sku: { css: h1, required: true }, price: { css: .price, type: money } }`,
  );
}

async function openShop(t: TestContext): Promise<Site> {
  const site = await openSite(t, Object.fromEntries(names.map((name) => [`/${name}`, productPage(name, '1.00')])));
  for (const name of names) site.answer(`/pulse/${name}`, productPage(name, '2.00'));
  return site;
}

/** Lets time pass from one round to the next, with what is due at the same time. */
async function live(timed: TimedDaemon, until: number): Promise<void> {
  while (timed.clock.now() < until) {
    const round = startAt + (Math.floor((timed.clock.now() - startAt) / everyMs) + 1) * everyMs;
    await timed.until(Math.min(round, until));
    await timed.pass(Math.min(2 * second, until - timed.clock.now()));
    await timed.settle();
  }
}

async function start(t: TestContext) {
  const [each, many] = [await openShop(t), await openShop(t)];
  const timed = await startTimed(t, {
    sources: {
      each: pulsing('each', each, `url: "${each.origin}/pulse/{name}"`),
      many: pulsing('many', many, `url: "${many.origin}/prices?of={ids}"\n  batch: 2\n  each: { css: tr }`),
    },
  });
  many.answer('/prices', '<table></table>');
  for (const name of names) {
    await timed.track(`each-${name}`, { source: 'each', url: each.url(`/${name}`) });
    await timed.track(`many-${name}`, { source: 'many', url: many.url(`/${name}`) });
  }
  return { timed, each, many };
}

describe('what pulses ask for', () => {
  test('is in the plan, a batch as one request, and in the load of their hosts', async (t) => {
    const { timed, each, many } = await start(t);
    await live(timed, startAt + hour + minute);
    const plan = await timed.client.call('schedule.plan', { days: 1 });
    const before = timed.sent.length;
    await live(timed, startAt + 25 * hour + minute);
    const sent = timed.sent.slice(before);
    for (const { origin } of [each, many]) {
      const host = plan.busiest.find(({ key }) => key === origin) ?? assert.fail();
      const done = sent.filter(({ url }) => url.startsWith(`${origin}/`));
      const [requests = 0] = host.requests;
      assert.ok(Math.abs(requests - done.length) <= 0.1 * done.length, `${requests} planned, ${done.length} made`);
    }
    assert.equal(plan.pulses, 48 * (3 + 2));
    assert.equal(sent.filter(({ url }) => /\/(pulse|prices)/.test(url)).length, plan.pulses);
  });

  test('is in what was spent, by target where it asked for one and by source where it asked for many', async (t) => {
    const { timed, each } = await start(t);
    each.answer('/pulse/b', { status: 404, body: 'gone' });
    await timed.client.call('project.archive', { id: 'each-c' });
    await live(timed, startAt + 5 * hour + minute);
    const { all, sources } = await timed.client.call('waste.report', {});
    assert.equal(all.requests, timed.sent.length);
    assert.deepEqual(
      sources.map(({ source, pulses, scrapes, requests }) => [source, pulses, requests - scrapes]),
      [
        ['each', 20, 20],
        ['many', 20, 20],
      ],
    );
    const ofEach = await timed.client.call('waste.report', { source: 'each' });
    const byProject = Map.groupBy(ofEach.targets, ({ projects = [] }) => projects[0]);
    const pulsesOf = (project: string) => byProject.get(project)?.[0]?.pulses;
    assert.deepEqual(['each-a', 'each-b', 'each-c'].map(pulsesOf), [10, 10, undefined]);
    const ofMany = await timed.client.call('waste.report', { source: 'many' });
    assert.deepEqual([ofMany.all.pulses, ofMany.targets.map(({ pulses }) => pulses)], [20, [0, 0, 0]]);
    const bytes = Buffer.byteLength(productPage('a', '2.00'));
    const { bytes: spent = 0, requests = 0 } = byProject.get('each-a')?.[0] ?? {};
    assert.equal(spent, requests * bytes);
  });

  test('counts what robots.txt forbids as no request, neither of a scrape nor of a pulse', async (t) => {
    const site = await openShop(t);
    site.answer('/robots.txt', { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /b\n' });
    const shop = pulsing('shop', site, `url: "${site.origin}/{name}"`).replace('robots: ignore\n', '');
    const timed = await startTimed(t, { sources: { shop } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.track('b', { source: 'shop', url: site.url('/b') });
    await live(timed, startAt + hour + minute);
    const { targets } = await timed.client.call('waste.report', { source: 'shop' });
    const byProject = targets.toSorted((a, b) => (a.projects?.[0] ?? '').localeCompare(b.projects?.[0] ?? ''));
    const told = byProject.map(({ projects: [project] = [], scrapes, requests, pulses }) => [
      project,
      scrapes > 0,
      requests,
      pulses,
    ]);
    assert.deepEqual(told, [
      ['a', true, 3, 2],
      ['b', true, 0, 0],
    ]);
    assert.equal(timed.sent.filter(({ url }) => url === site.url('/b')).length, 0);
  });

  test('keeps what is promised of the fields that it reads', async (t) => {
    const site = await openShop(t);
    const promise = 'objectives: { fields: { price: { warnAfter: 1h } } }';
    const shop = `${promise}\n${pulsing('shop', site, `url: "${site.origin}/pulse/{name}"`)}`;
    const timed = await startTimed(t, { sources: { shop } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await live(timed, startAt + hour + minute);
    const plan = await timed.client.call('schedule.plan', { days: 1 });
    assert.deepEqual([plan.requests, plan.pulses], [[54], 48]);
    assert.deepEqual(plan.objectives, { kept: 1, broken: 0, infeasible: 0, worstByMs: 0 });
    const before = timed.sent.length;
    await live(timed, startAt + 9 * hour + minute);
    assert.equal(timed.sent.slice(before).filter(({ url }) => url === site.url('/a')).length, 2);
  });
});
