import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { PlanView } from '../../src/control/methods/schedule.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { type Answer, openSite } from '../support/site.ts';
import { startAt, startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;
const hour = 3_600_000;
const day = 24 * hour;
const days = 3;

/** How each source paces its target, by its id. */
const paces: Readonly<Record<string, string>> = {
  interval: 'every: 4h',
  often: 'every: 50m',
  cron: 'cron: "0 6,20 * * *"',
  tokens: 'tokens: true',
  continuous: 'continuous: { sleep: 3h }',
};
const promises: Readonly<Record<string, string>> = {
  'nearly-as-often': 'objectives: { warnAfter: 4h }',
  'twice-as-often': 'objectives: { warnAfter: 2h }',
};

/** Lets time pass from one turn, or one day's plan, to the next. */
async function live(timed: TimedDaemon, until: number): Promise<void> {
  for (let from = timed.clock.now(); from < until; from = timed.clock.now()) {
    const { turns } = await timed.client.call('schedule.list', { limit: 1 });
    const midnight = (Math.floor(from / day) + 1) * day;
    await timed.until(Math.min(Math.max(turns[0]?.dueAt ?? Infinity, from + 1), midnight, until));
    if (timed.clock.now() === midnight) await timed.settle();
    await timed.pass(Math.min(2 * second, Math.max(0, until - timed.clock.now())));
  }
}

/** Tracks one target of each source on a host of its own, and returns what the plan said and what was done, by source. */
async function compare(t: TestContext, kinds: Readonly<Record<string, string>>) {
  const sources = Object.fromEntries(Object.entries(kinds).map(([id, more]) => [id, productSource(id, more)]));
  const timed = await startTimed(t, { sources });
  const keys = new Map<string, string>();
  for (const id of Object.keys(kinds)) {
    let shown = 0;
    // Each time there is one thing more, so that what tokens pay for stays what it is.
    const page: Answer = (_, response) => {
      shown += 1;
      response.setHeader('content-type', 'text/html').end(productPage(`${id} ${shown}`, '1.00'));
    };
    const site = await openSite(t, { '/page': page, '/pulse': productPage('pulse', '1.00') });
    keys.set(id, site.origin);
    await timed.track(id, { source: id, url: site.url('/page') });
  }
  // The first scrapes are over, and the next day is planned.
  await live(timed, timed.clock.now() + day);
  const plan: PlanView = await timed.client.call('schedule.plan', { days });
  const before = timed.sent.length;
  await live(timed, timed.clock.now() + days * day);
  const sent = timed.sent.slice(before);
  return {
    plan,
    sent,
    byKind: Object.entries(kinds).map(([id]) => {
      const key = keys.get(id) ?? assert.fail();
      const planned =
        plan.busiest.find((host) => host.key === key)?.requests ?? assert.fail(`nothing is said of ${id}`);
      const done = sent.filter(({ url }) => url.startsWith(`${key}/`)).length;
      return { id, planned: planned.reduce((a, b) => a + b), done };
    }),
  };
}

function assertAgrees({ id, planned, done }: { id: string; planned: number; done: number }): void {
  const off = Math.abs(planned - done);
  assert.ok(off <= Math.max(1, 0.1 * done), `${id}: ${planned} were planned, ${done} were made`);
}

describe('the plan', { concurrency: true }, () => {
  test('says how often each kind of pace asks in some days', async (t) => {
    const { byKind } = await compare(t, { ...paces, objective: 'objective: { warnAfter: 5h }' });
    byKind.forEach(assertAgrees);
  });

  for (const [name, promise] of Object.entries(promises))
    test(`says how often they ask with a promise ${name}`, async (t) => {
      const kinds = Object.entries(paces).map(([id, pace]) => [id, `${pace}\n${promise}`] as const);
      const { byKind } = await compare(t, Object.fromEntries(kinds));
      byKind.forEach(assertAgrees);
    });
});

describe('a re-check that comes shortly before a turn of the interval', () => {
  const shop = productSource('shop', 'every: 4h\nobjectives: { warnAfter: 4h }');
  const hoursOf = (timed: TimedDaemon) => timed.starts('a').map((at) => Math.round((at - startAt) / (hour / 10)) / 10);

  test('stands in for it, so that a round asks once', async (t) => {
    const site = await openSite(t, { '/a': productPage('a', '1.00') });
    const timed = await startTimed(t, { sources: { shop } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await live(timed, startAt + 29 * hour);
    // The one at 21.6 h is too far from 24 h to stand in for that.
    assert.deepEqual(hoursOf(timed), [0, 3.6, 7.2, 10.8, 14.4, 18, 21.6, 24, 27.6]);
  });

  test('stands in for nothing when it failed', async (t) => {
    const site = await openSite(t, { '/a': productPage('a', '1.00') });
    const timed = await startTimed(t, { sources: { shop } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await live(timed, startAt + 3 * hour);
    site.answer('/a', { status: 404 });
    await live(timed, startAt + 3.65 * hour);
    const [why] = (await timed.client.call('project.why', { id: 'a' })).targets;
    const byInterval = why?.because.find(({ by }) => by === 'interval')?.at ?? 0;
    assert.equal(Math.round((byInterval - startAt) / hour), 4);
  });
});
