import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startAt, startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;
const sources = { shop: productSource('shop') };

describe('the times of a project', () => {
  test('its first scrape begins initialDelay after its creation, and no sooner (B6)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { pass, starts, track } = await startTimed(t, { sources, settings: settingsOf({ initialDelayMs: 7_000 }) });
    await pass(3_000);
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(6_999);
    assert.deepEqual(starts('a'), []);
    await pass(1);
    assert.deepEqual(starts('a'), [startAt + 10 * second]);
  });

  test('later scrapes begin four hours apart when nobody says otherwise (B7)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { clock, pass, settle, starts, track } = await startTimed(t, { sources });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(second);
    for (const times of [1, 2, 3]) {
      clock.advance(14_400_000 - 1);
      await settle();
      assert.equal(starts('a').length, times);
      await pass(1);
    }
    assert.deepEqual(
      starts('a'),
      [0, 1, 2, 3].map((n) => startAt + second + n * 14_400_000),
    );
  });

  test('initial delay and interval are settings of their own: 1 s and 10 s give scrapes at 1, 11 and 21 s (B8)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const settings = settingsOf({ initialDelayMs: second, everyMs: 10 * second });
    const { pass, starts, track } = await startTimed(t, { sources, settings });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(30 * second);
    assert.deepEqual(
      starts('a'),
      [1, 11, 21].map((n) => startAt + n * second),
    );
  });

  test("a new interval of the daemon's counts at once, from then on, without a restart (B9)", async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { client, pass, starts, track } = await startTimed(t, {
      sources,
      settings: settingsOf({ everyMs: 10 * second }),
    });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(5 * second);
    await client.call('settings.set', { everyMs: 25 * second });
    await pass(60 * second);
    assert.deepEqual(
      starts('a'),
      [1, 30, 55].map((n) => startAt + n * second),
    );
  });

  test("a new interval of the project's own counts at once, and moves no other project (B9)", async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '1') });
    const [a, b] = [site.url('/a'), site.url('/b')];
    const { client, pass, starts, track } = await startTimed(t, {
      sources,
      settings: settingsOf({ everyMs: 20 * second }),
    });
    await track('a', { source: 'shop', url: a });
    await track('b', { source: 'shop', url: b });
    await pass(5 * second);
    await client.call('project.update', { id: 'a', targets: [{ source: 'shop', url: a, everyMs: 8 * second }] });
    await pass(26 * second);
    assert.deepEqual(
      starts('a'),
      [1, 13, 21, 29].map((n) => startAt + n * second),
    );
    assert.deepEqual(
      starts('b'),
      // Its first turn comes a millisecond after that of the other, as the source's pace has it.
      [1.001, 11, 31].map((n) => startAt + n * second),
    );
  });
});

describe('many projects', () => {
  const count = 16;
  const everyMs = 64 * second;

  test('of one interval that were added at once begin at least interval/(2n) apart, round after round (B40)', async (t) => {
    const site = await siteOf(t);
    const timed = await startTimed(t, { sources, settings: settingsOf({ everyMs }) });
    await addAll(timed, site.url('/p'));
    await timed.pass(second);
    await timed.pass(3 * everyMs);
    const starts = startsOf(timed).slice(count);
    assert.equal(starts.length, 3 * count);
    assert.ok(smallestGap(starts) >= everyMs / (2 * count), `${smallestGap(starts)} ms`);
  });

  test('that fell due while the daemon was down begin by how long they have waited, as fast as their host may be asked (B41)', async (t) => {
    const site = await siteOf(t);
    const settings = settingsOf({ everyMs });
    const before = await startTimed(t, { sources, settings });
    await addAll(before, site.url('/p'));
    await before.pass(10 * everyMs);
    await before.define('shop', productSource('shop').replace('delay: 1ms, minDelay: 1ms', 'delay: 5s, minDelay: 5s'));

    const dueAts = new Map<string, number>();
    for (const id of ids()) {
      const { targets } = await before.client.call('project.why', { id });
      dueAts.set(id, targets[0]?.dueAt ?? Infinity);
    }
    await before.close();
    before.clock.advance(3_600_000);

    const from = { clock: before.clock, folder: before.folder, sources, settings };
    const bootAt = before.clock.now();
    const last = before.events.at(-1)?.id ?? 0;
    const after = await startTimed(t, from);
    await after.tracked(count);
    await after.pass(everyMs);
    const begun = after.events.filter(({ id, type }) => id > last && type === 'scrape.started');
    const inFirstMinute = after.sent.filter(({ at }) => at < bootAt + 60 * second).map(({ at }) => at);
    const inOrder = begun.map(({ projects: [project = ''] = [] }) => dueAts.get(project) ?? Infinity);
    assert.deepEqual(
      inOrder,
      inOrder.toSorted((a, b) => a - b),
    );
    assert.ok(inFirstMinute.length <= 12, `${inFirstMinute.length} requests`);
    assert.ok(inFirstMinute.length >= 8, `${inFirstMinute.length} requests`);
    assert.ok(smallestGap(inFirstMinute) >= 5 * second, `${smallestGap(inFirstMinute)} ms`);
  });

  function siteOf(t: Parameters<typeof openSite>[0]) {
    return openSite(t, Object.fromEntries(ids().map((id) => [`/${id}`, productPage(id, '1')])));
  }

  function ids(): string[] {
    return Array.from({ length: count }, (_, number) => `p${number}`);
  }

  async function addAll({ client, tracked }: TimedDaemon, url: string): Promise<void> {
    const projects = ids().map((id, number) => ({ id, targets: [{ source: 'shop', url: `${url}${number}` }] }));
    await client.call('project.apply', { projects });
    await tracked(count);
  }

  function startsOf({ events }: TimedDaemon): number[] {
    return events.filter(({ type }) => type === 'scrape.started').map(({ at }) => at);
  }
});

/** The shortest time between two neighbours, whatever order they come in. */
function smallestGap(instants: readonly number[]): number {
  const sorted = instants.toSorted((one, other) => one - other);
  return Math.min(...sorted.slice(1).map((at, index) => at - (sorted[index] ?? 0)));
}

describe('the wall clock', () => {
  test('set back by a day delays no scrape, and what is seen then counts', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.00') });
    const timed = await startTimed(t, { sources, settings: settingsOf({ everyMs: 600 * second }) });
    const { client, clock, pass, track } = timed;
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(10 * second);
    clock.wall = clock.now() - 86_400 * second;
    site.answer('/a', productPage('A', '2.00'));
    for (let looks = 0; looks < 20 && timed.starts('a').length < 3; looks += 1) await pass(600 * second);
    const { scrapes } = await client.call('scrape.list', { status: 'complete' });
    assert.ok(scrapes.length >= 2, `${scrapes.length} scrapes`);
    const { records } = await client.call('project.records', { id: 'a' });
    assert.deepEqual(records[0]?.fields['price']?.value, { amount: '2.00', currency: 'EUR' });
  });

  test('set back while the daemon was down delays no scrape', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.00') });
    const settings = settingsOf({ everyMs: 600 * second });
    const before = await startTimed(t, { sources, settings });
    await before.track('a', { source: 'shop', url: site.url('/a') });
    await before.pass(10 * second);
    await before.close();
    before.clock.wall = before.clock.now() - 86_400 * second;
    const after = await startTimed(t, { clock: before.clock, folder: before.folder, sources, settings });
    await after.tracked(1);
    await after.pass(700 * second);
    assert.equal((await after.client.call('scrape.list', { status: 'complete' })).scrapes.length, 2);
  });

  test('set forward begins what is overdue by it as its host may be asked', async (t) => {
    const names = ['a', 'b', 'c', 'd'];
    const site = await openSite(t, Object.fromEntries(names.map((id) => [`/${id}`, productPage(id, '1')])));
    const timed = await startTimed(t, { sources, settings: settingsOf({ everyMs: 14_400 * second }) });
    for (const id of names) await timed.track(id, { source: 'shop', url: site.url(`/${id}`) });
    await timed.pass(10 * second);
    timed.clock.wall = timed.clock.now() + 86_400 * second;
    const jumpedAt = timed.clock.now();
    const startsSince = () => names.flatMap(timed.starts).filter((at) => at >= jumpedAt);
    // It is noticed by a look every half minute, which has writes to wait for.
    for (let looks = 0; looks < 20 && startsSince().length < names.length; looks += 1) await timed.pass(30 * second);
    const starts = startsSince();
    assert.equal(starts.length, names.length);
    assert.ok(smallestGap(starts) >= 1, `${smallestGap(starts)} ms`);
  });
});
