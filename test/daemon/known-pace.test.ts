import assert from 'node:assert/strict';
import { test } from 'node:test';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startTimed } from './passing.ts';

const second = 1_000;
const minute = 60 * second;

test('what a host asks for by its crawl-delay makes an objective infeasible as soon as it is known, for events, reports, plans and leads alike (P47)', async (t) => {
  const site = await openSite(t, { '/robots.txt': 'User-agent: *\nCrawl-delay: 10\n' });
  const paths = Array.from({ length: 40 }, (_, number) => `/${number}`);
  for (const path of paths) site.answer(path, productPage(path, '1'));
  const obeying = productSource('shop', 'objective: { errorAfter: 5m }')
    .replace('robots: ignore', 'robots: obey')
    .replace('delay: 1ms, minDelay: 1ms', 'delay: 1s, minDelay: 1s, concurrency: 4');
  const timed = await startTimed(t, { sources: { shop: obeying }, settings: settingsOf({}) });
  const { client } = timed;
  const applied = await client.call('project.apply', {
    projects: paths.map((path, number) => ({ id: `p${number}`, targets: [{ source: 'shop', url: site.url(path) }] })),
  });
  assert.equal(applied.infeasible, undefined, 'its definition would allow it');
  await timed.pass(second);
  await timed.settle();
  const events = () => timed.events.filter((event) => event.type === 'objective.infeasible');
  assert.equal(events().length, 0);
  await timed.pass(2 * minute);
  await timed.settle();
  const expected = { targets: 40, objectiveMs: 5 * minute, neededMs: 400 * second, delayMs: 10 * second };
  assert.equal(events().length, 1);
  for (const found of [
    events()[0]?.data,
    (await client.call('objective.report', {})).infeasible[0],
    (await client.call('schedule.plan', {})).infeasible[0],
  ]) {
    const { targets, objectiveMs, neededMs, delayMs } = found ?? {};
    assert.deepEqual({ targets, objectiveMs, neededMs, delayMs }, expected);
  }
  assert.equal((await client.call('schedule.plan', {})).busiest[0]?.delayMs, 10 * second);
  const conditions = (await client.call('project.get', { id: 'p7' })).targets[0]?.conditions;
  assert.ok(conditions?.includes('objective_infeasible'));
  // It cannot be kept any more, so that it is asked for about once in each objective.
  // Pauses are drawn, so that it may be another target that is read and waits.
  const whys = await Promise.all(paths.map((_, number) => client.call('project.why', { id: `p${number}` })));
  const leads = whys.flatMap(({ targets: [why] }) => {
    const objective = why?.because.find(({ by }) => by === 'objective');
    return objective === undefined ? [] : [(why?.objectives[0]?.deadlineAt ?? 0) - (objective.at ?? 0)];
  });
  assert.deepEqual([...new Set(leads)], [0.1 * 5 * minute]);
});

test('a host that was too slow before a restart is the same for plans, reports and conditions until it has answered again (P47)', async (t) => {
  const site = await openSite(t, { '/robots.txt': 'User-agent: *\nCrawl-delay: 10\n' });
  const paths = Array.from({ length: 40 }, (_, number) => `/${number}`);
  for (const path of paths) site.answer(path, productPage(path, '1'));
  const obeying = productSource('shop', 'objective: { errorAfter: 5m }')
    .replace('robots: ignore', 'robots: obey')
    .replace('delay: 1ms, minDelay: 1ms', 'delay: 1s, minDelay: 1s');
  const first = await startTimed(t, { sources: { shop: obeying }, settings: settingsOf({}) });
  const projects = paths.map((path, number) => ({
    id: `p${number}`,
    targets: [{ source: 'shop', url: site.url(path) }],
  }));
  await first.client.call('project.apply', { projects });
  await first.pass(2 * minute);
  await first.settle();
  await first.close();
  const { folder, clock } = first;
  const { client } = await startTimed(t, { sources: {}, folder, clock, apiOnly: true, settings: settingsOf({}) });
  const { infeasible, busiest } = await client.call('schedule.plan', {});
  assert.equal(busiest[0]?.delayMs, 10 * second);
  const conditions = (await client.call('project.why', { id: 'p7' })).targets[0]?.conditions;
  assert.ok(conditions?.includes('objective_infeasible'));
  const report = await client.call('objective.report', {});
  const applied = await client.call('project.apply', { projects, dryRun: true });
  for (const told of [infeasible, report.infeasible, applied.infeasible])
    assert.equal(told?.[0]?.neededMs, 400 * second);
});
