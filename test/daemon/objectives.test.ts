import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startAt, startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** What was told of objectives: what, and how many seconds after the start. */
function told({ events }: TimedDaemon): (readonly [string, number])[] {
  return events
    .filter(({ type }) => type.startsWith('objective.'))
    .map(({ type, at }) => [type.slice('objective.'.length), Math.round((at - startAt) / second)] as const);
}

async function verifiedAt({ client }: TimedDaemon, id: string): Promise<number | undefined> {
  const { targets } = await client.call('project.why', { id });
  return targets[0]?.objectives[0]?.lastVerifiedAt;
}

describe('a target with an objective', () => {
  test('of 60 s has a change at the site stored within 60 s (P44)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.00') });
    const sources = { shop: productSource('shop', 'objective: { errorAfter: 60s }') };
    const timed = await startTimed(t, { sources });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(2 * second);
    for (let round = 2; round < 6; round += 1) {
      await timed.pass((13 * round + 5) * second);
      const changedAt = timed.clock.now();
      site.answer('/a', productPage('A', `${round}.00`));
      await timed.pass(minute);
      const seen = timed.events.findLast(({ type }) => type === 'record.changed');
      assert.ok(seen !== undefined && seen.at >= changedAt && seen.at <= changedAt + minute);
    }
    assert.deepEqual(told(timed), []);
  });

  test('that its hours are too short for is asked once in each while they are open, and no more often (P47)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.00') });
    const schedule = 'objective: { errorAfter: 1m }\navailable: [{ hours: "00:05-00:25" }]';
    const sources = { shop: productSource('shop', schedule).replace('delay: 1ms', 'delay: 200ms') };
    const timed = await startTimed(t, { sources });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.until(startAt + 5 * minute, second);
    await timed.pass(25 * minute);
    const starts = timed.starts('a');
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
    assert.ok(starts.length >= 20 && starts.length <= 24, String(starts.length));
    assert.ok(
      gaps.every((gap) => gap >= 50 * second && gap <= minute),
      gaps.join(' '),
    );
  });

  test('is drawn forward by what is promised where its interval would be too late', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.00') });
    const sources = { shop: productSource('shop', 'every: 4h\nobjectives: { warnAfter: 10m }') };
    const timed = await startTimed(t, { sources });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(hour);
    const starts = timed.starts('a');
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
    assert.ok(gaps.length >= 5 && gaps.every((gap) => gap < 10 * minute && gap >= 5 * minute), gaps.join(' '));
    assert.deepEqual(told(timed), []);
  });

  test('of a field whose value is not believed is broken, while that of its page is kept', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '100.00') });
    const objectives = 'every: 5m\nobjectives: { errorAfter: 20m, fields: { price: { errorAfter: 20m } } }';
    const shop = productSource('shop', objectives).replace(
      '{ css: .price, type: money }',
      '{ css: .price, type: money, hold: { jump: 80% } }',
    );
    const timed = await startTimed(t, { sources: { shop } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(2 * second);
    site.answer('/a', productPage('A', '0.00'));
    await timed.pass(6 * minute);
    // A second look would release a single jump.
    assert.equal((await timed.client.call('held.reject', { source: 'shop', all: true })).values, 1);
    await timed.pass(25 * minute);
    const broken = timed.events.flatMap((event) => (event.type === 'objective.error' ? [event.data.field] : []));
    assert.deepEqual(broken, ['price']);
    site.answer('/a', productPage('A', '100.00'));
    await timed.pass(10 * minute);
    assert.deepEqual(
      told(timed).map(([what]) => what),
      ['error', 'recovered'],
    );
  });

  test('is told late once, broken once and kept again once per episode, also over a restart (P46)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.00') });
    const sources = { shop: productSource('shop', 'every: 1h\nobjectives: { warnAfter: 10m, errorAfter: 20m }') };
    const before = await startTimed(t, { sources });
    await before.track('a', { source: 'shop', url: site.url('/a') });
    await before.pass(2 * second);
    site.answer('/a', { status: 404 });
    await before.pass(12 * minute);
    assert.deepEqual(told(before), [['warn', 601]]);
    await before.close();
    const timed = await startTimed(t, { clock: before.clock, folder: before.folder, sources: {} });
    await timed.tracked(1);
    await timed.pass(20 * minute);
    assert.deepEqual(told(timed), [
      ['warn', 601],
      ['error', 1_201],
    ]);
    site.answer('/a', productPage('A', '1.00'));
    await timed.pass(20 * minute);
    assert.deepEqual(
      told(timed).map(([what]) => what),
      ['warn', 'error', 'recovered'],
    );
    site.answer('/a', { status: 404 });
    await timed.pass(30 * minute);
    assert.deepEqual(
      told(timed).map(([what]) => what),
      ['warn', 'error', 'recovered', 'warn', 'error'],
    );
  });

  test('grows older while its re-checks fail, which are ever rarer; one that finds nothing changed verifies it (P48)', async (t) => {
    const site = await openSite(t, { '/a': { headers: { etag: '"1"' }, body: productPage('A', '1.00') } });
    const sources = { shop: productSource('shop', 'objective: { errorAfter: 16m }') };
    const timed = await startTimed(t, { sources });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(2 * second);
    assert.equal(await verifiedAt(timed, 'a'), startAt + second);
    site.answer('/a', { status: 400 });
    await timed.pass(hour);
    assert.equal(await verifiedAt(timed, 'a'), startAt + second);
    const failed = timed.starts('a').slice(1);
    assert.ok(failed.length >= 5 && failed.length <= 20, `${failed.length} re-checks`);
    site.answer('/a', (_request, response) => void response.writeHead(304, { etag: '"1"' }).end());
    await timed.pass(10 * minute);
    const verified = await verifiedAt(timed, 'a');
    assert.ok(verified !== undefined && verified > startAt + hour);
    assert.equal(timed.events.filter(({ type }) => type === 'record.changed').length, 0);
  });

  test('has the field that a pulse asks for verified by the pulse', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.00'), '/pulse/a': productPage('A', '1.00') });
    const pulse = `url: "${site.origin}/{name}"
objectives: { fields: { price: { errorAfter: 10m } } }
pulse:
  every: 4m
  url: "${site.origin}/pulse/{name}"
  record: product
  fields: { sku: { css: h1, required: true }, price: { css: .price, type: money } }`;
    const timed = await startTimed(t, { sources: { shop: productSource('shop', pulse) } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(40 * minute);
    assert.equal(timed.starts('a').length, 1);
    assert.deepEqual(told(timed), []);
    const { targets } = await timed.client.call('project.why', { id: 'a' });
    assert.ok((targets[0]?.objectives[0]?.ageMs ?? Infinity) <= 4 * minute);
  });
});

describe('many targets with objectives', () => {
  test('are re-checked in the order of their deadlines (P45)', async (t) => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const site = await openSite(t, Object.fromEntries(names.map((name) => [`/${name}`, productPage(name, '1')])));
    const slow = productSource('shop').replace('delay: 1ms, minDelay: 1ms', 'delay: 10s, minDelay: 10s');
    const timed = await startTimed(t, { sources: { shop: slow } });
    const minutes = [30, 12, 24, 8, 18, 60];
    for (const [index, name] of names.entries())
      await timed.track(name, {
        source: 'shop',
        url: site.url(`/${name}`),
        objective: { errorAfterMs: (minutes[index] ?? 0) * minute },
      });
    await timed.pass(2 * minute);
    assert.equal(timed.sent.length, names.length);
    await timed.close();
    // All of them are overdue when it comes up, and the host is slow.
    timed.clock.advance(2 * hour);
    const after = await startTimed(t, { clock: timed.clock, folder: timed.folder, sources: {} });
    await after.tracked(names.length);
    await after.pass(3 * minute);
    const order = names.toSorted(
      (one, other) => (minutes[names.indexOf(one)] ?? 0) - (minutes[names.indexOf(other)] ?? 0),
    );
    assert.deepEqual(
      after.sent.slice(0, names.length).map(({ url }) => url),
      order.map((name) => site.url(`/${name}`)),
    );
  });

  test('have one that their host does not allow told when it is configured, with the nearest that it does (P47)', async (t) => {
    const site = await openSite(t);
    const slow = (objective: string): string =>
      productSource('shop', objective).replace('delay: 1ms, minDelay: 1ms', 'delay: 2s, minDelay: 1s');
    const timed = await startTimed(t, {
      sources: { shop: slow('objective: { errorAfter: 1m }') },
      settings: settingsOf({ initialDelayMs: hour }),
    });
    // All of them at once, so that the planner sees none or all.
    const list = (count: number) => {
      const targets = Array.from({ length: count }, (_, number) => ({ source: 'shop', url: site.url(`/${number}`) }));
      return { projects: [{ id: 'p', targets }] };
    };
    await timed.client.call('project.apply', list(12));
    await timed.pass(second);
    assert.deepEqual(told(timed), []);
    await timed.client.call('project.apply', list(60));
    await timed.pass(second);
    await timed.settle();
    const events = timed.events.filter((event) => event.type === 'objective.infeasible');
    assert.equal(events.length, 1);
    const { neededMs, nearestMs, targets, objectiveMs } = events[0]?.data ?? {};
    assert.deepEqual([targets, objectiveMs, neededMs, nearestMs], [60, minute, 120 * second, 273 * second]);
    const { sources } = await timed.client.call('source.list', {});
    assert.equal(sources[0]?.infeasible?.[0]?.nearestMs, 273 * second);
    const condition = async () => (await timed.client.call('project.get', { id: 'p' })).targets[7]?.conditions;
    assert.ok((await condition())?.includes('objective_infeasible'));
    await timed.define('shop', slow('objective: { errorAfter: 1h }'));
    await timed.client.call('source.reload', {});
    await timed.settle();
    assert.ok(!(await condition())?.includes('objective_infeasible'));
    await timed.define('shop', slow('objective: { errorAfter: 1m }'));
    await timed.client.call('source.reload', {});
    await timed.settle();
    assert.equal(timed.events.filter((event) => event.type === 'objective.infeasible').length, 2);
  });
});
