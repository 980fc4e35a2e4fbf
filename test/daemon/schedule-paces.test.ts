import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { isEnd } from './lists/listing.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startAt, startTimed } from './passing.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe('a target with a cron pattern', () => {
  test('begins at the right instants by the clocks of its zone, across a change of them (S17)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const clock = new VirtualClock(Date.UTC(2026, 2, 27, 12));
    const sources = { shop: productSource('shop', 'cron: "0 6 * * *"\nzone: Europe/Berlin') };
    const { pass, starts, track, until } = await startTimed(t, { sources, clock });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(second);
    const instants = [
      [28, 5],
      [29, 4],
      [30, 4],
    ].map(([date = 0, at = 0]) => Date.UTC(2026, 2, date, at));
    for (const [index, at] of instants.entries()) {
      await until(at - 1);
      assert.equal(starts('a').length, index + 1);
      await pass(1);
      await pass(second);
    }
    assert.deepEqual(starts('a').slice(1), instants);
  });

  test('that was missed while the daemon was down begins once, and then keeps its times (O42, S19)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const sources = { shop: productSource('shop', 'cron: "0 6 * * *"') };
    const before = await startTimed(t, { sources });
    await before.track('a', { source: 'shop', url: site.url('/a') });
    await before.pass(second);
    await before.close();
    before.clock.advance(5 * day + 7 * hour);
    const bootAt = before.clock.now();
    const after = await startTimed(t, { clock: before.clock, folder: before.folder, sources });
    await after.tracked(1);
    await after.pass(minute);
    const since = after.starts('a').slice(1);
    assert.equal(since.length, 1);
    assert.ok((since[0] ?? 0) - bootAt <= minute);
    await after.until(startAt + 6 * day + 6 * hour);
    await after.pass(second);
    assert.deepEqual(after.starts('a').slice(2), [startAt + 6 * day + 6 * hour]);
  });

  test('that is taken away is not scraped by it any more (S18)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const timed = await startTimed(t, { sources: { shop: productSource('shop') } });
    const { client, pass, starts, track } = timed;
    const place = { source: 'shop', url: site.url('/a') };
    await track('a', { ...place, cron: '* * * * *' });
    await pass(3 * minute);
    const count = starts('a').length;
    assert.ok(count >= 3);
    const changedAt = timed.clock.now();
    await client.call('project.update', { id: 'a', targets: [{ ...place, everyMs: hour }] });
    await pass(5 * minute);
    assert.equal(starts('a').length, count);
    const { targets } = await client.call('project.get', { id: 'a' });
    assert.equal(targets[0]?.dueAt, changedAt + hour);
  });
});

describe('a target that is scraped again and again', () => {
  test('begins a while after the end of each scrape, and never beside itself (O38, O41)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const sources = { shop: productSource('shop', 'continuous: { sleep: 30s }') };
    const timed = await startTimed(t, { sources });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(second);
    await timed.pass(5 * minute);
    const begun = timed.events.filter(({ type }) => type === 'scrape.started').map(({ at }) => at);
    const ended = timed.events.filter(({ type }) => type === 'scrape.completed').map(({ at }) => at);
    assert.ok(begun.length >= 8, `${begun.length} scrapes`);
    for (const [index, at] of begun.slice(1).entries()) assert.equal(at - (ended[index] ?? 0), 30 * second);
  });

  test('waits longer after each failure, and as before once it works again (O39)', async (t) => {
    const site = await openSite(t, { '/a': { status: 400 } });
    const sources = { shop: productSource('shop', 'continuous: { sleep: 10s, longest: 4m }') };
    const timed = await startTimed(t, { sources });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(second);
    await timed.pass(15 * minute);
    const failed = timed.starts('a');
    const gaps = failed.slice(1).map((at, index) => Math.round((at - (failed[index] ?? 0)) / second));
    assert.deepEqual(gaps.slice(0, 4), [60, 120, 240, 240]);
    site.answer('/a', productPage('A', '1'));
    await timed.pass(5 * minute);
    const [one = 0, other = 0] = timed.starts('a').slice(-2);
    assert.equal(other - one, 10 * second);
  });

  test('waits longer after each scrape that a guard of its definition ended, though it does not sleep', async (t) => {
    const site = await openSite(t, { '/': '<a href="/1">1</a>', '/1': '<a href="/2">2</a>' });
    const crawl = 'continuous: { sleep: 0s, longest: 4m }\ncrawl: { detail: [/p/], maxPages: 1 }';
    const timed = await startTimed(t, { sources: { shop: productSource('shop', crawl) } });
    await timed.track('a', { source: 'shop', url: site.url('/') });
    await timed.pass(15 * minute);
    const ended = timed.events.filter(isEnd);
    assert.deepEqual(
      [...new Set(ended.map(({ type, data }) => `${type} ${String(data.endReason)}`))],
      ['scrape.aborted budget'],
    );
    const starts = timed.starts('a');
    const gaps = starts.slice(1).map((at, index) => Math.round((at - (starts[index] ?? 0)) / second));
    assert.deepEqual(gaps.slice(0, 4), [60, 120, 240, 240]);
  });
});

describe('a source that may be asked at some hours only', () => {
  const hours = 'available: { days: [mon, wed, thu], hours: "06:00-08:00" }';

  test('is asked at no other: what falls due meanwhile waits for them (O43)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const sources = { shop: productSource('shop', `every: 30m\n${hours}`) };
    const timed = await startTimed(t, { sources });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(10 * second);
    assert.deepEqual(timed.sent, []);
    // The first of January is a Thursday; the next day with hours is a Monday.
    const opens = [startAt + 6 * hour, startAt + 4 * day + 6 * hour];
    for (const from of opens) {
      for (const half of [0, 1, 2, 3, 4, 5]) {
        await timed.until(from + half * 30 * minute);
        await timed.pass(2 * second);
      }
    }
    const asked = timed.sent.map(({ at }) => at);
    assert.ok(asked.length >= 8, `${asked.length} requests`);
    assert.ok(asked.every((at) => opens.some((from) => from <= at && at < from + 2 * hour)));
    assert.equal(asked[0], opens[0]);
  });

  test('leaves alone what still waits for its turn when they end, and goes on with it when they begin again', async (t) => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const site = await openSite(t, Object.fromEntries(names.map((id) => [`/${id}`, productPage(id, '1')])));
    const source = productSource('shop', hours).replace('delay: 1ms, minDelay: 1ms', 'delay: 30m, minDelay: 30m');
    const timed = await startTimed(t, { sources: { shop: source } });
    for (const id of names) await timed.track(id, { source: 'shop', url: site.url(`/${id}`) });
    const opens = [startAt + 6 * hour, startAt + 4 * day + 6 * hour];
    for (const from of opens) {
      await timed.until(from);
      for (let slice = 0; slice < 30; slice += 1) await timed.pass(10 * minute);
    }
    const first = timed.sent.filter(({ at }) => at < startAt + day);
    assert.ok(first.length > 1 && first.length < names.length, `${first.length} requests in the first hours`);
    assert.ok(timed.sent.every(({ at }) => opens.some((from) => from <= at && at < from + 2 * hour)));
    const pages = new Set(timed.sent.map(({ url }) => new URL(url).pathname));
    assert.ok(names.every((id) => pages.has(`/${id}`)));
  });

  test('has a list under way end between two pages, with the reason, and begin again with the hours (O43)', async (t) => {
    const page = (number: number): string =>
      `${productPage(`P${number}`, '1')}<a class="next" href="/p${number + 1}">more</a>`;
    const site = await openSite(
      t,
      Object.fromEntries([1, 2, 3, 4, 5, 6].map((number) => [`/p${number}`, page(number)])),
    );
    const list = `feed: { by: link, next: { css: a.next, attr: href } }\n${hours}`;
    const source = productSource('shop', list).replace('delay: 1ms, minDelay: 1ms', 'delay: 30m, minDelay: 30m');
    const timed = await startTimed(t, { sources: { shop: source }, settings: settingsOf({ timeLimitMs: 10 * hour }) });
    await timed.track('a', { source: 'shop', url: site.url('/p1') });
    for (let half = 0; half < 6; half += 1) {
      await timed.until(startAt + 6 * hour + half * 30 * minute);
      await timed.pass(2 * second);
    }
    const ended = timed.events.find((event) => event.type === 'scrape.aborted');
    assert.equal(ended?.data.endReason, 'unavailable');
    assert.ok(timed.sent.every(({ at }) => at < startAt + 8 * hour));
    const { targets } = await timed.client.call('project.get', { id: 'a' });
    assert.equal(targets[0]?.dueAt, startAt + 4 * day + 6 * hour);
  });
});

describe('a definition that changes while the daemon runs', () => {
  test('counts at once for what is not yet due, without a restart, and makes up for nothing (B9)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const timed = await startTimed(t, { sources: { shop: productSource('shop', 'every: 4h') } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(second);
    await timed.until(startAt + 3 * hour);
    await timed.define('shop', productSource('shop', 'cron: "*/10 * * * *"'));
    await timed.client.call('source.reload', {});
    await timed.settle();
    await timed.pass(25 * minute);
    assert.deepEqual(
      timed.starts('a').slice(1),
      [10, 20].map((minutes) => startAt + 3 * hour + minutes * minute),
    );
  });

  test('while the daemon is down counts from its start on (B9)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const before = await startTimed(t, { sources: { shop: productSource('shop', 'every: 4h') } });
    await before.track('a', { source: 'shop', url: site.url('/a') });
    await before.pass(second);
    await before.close();
    await before.define('shop', productSource('shop', 'every: 5m'));
    const from = before.clock.now();
    const after = await startTimed(t, { clock: before.clock, folder: before.folder, sources: {} });
    await after.tracked(1);
    await after.pass(11 * minute);
    assert.equal(after.starts('a').filter((at) => at > from).length, 2);
  });

  test('of a project is what its targets go by that say nothing themselves', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '1') });
    const timed = await startTimed(t, { sources: { shop: productSource('shop', 'every: 4h') } });
    const [one, other] = ['/a', '/b'].map((path) => ({ source: 'shop', url: site.url(path) }));
    if (one === undefined || other === undefined) return;
    await timed.track('a', one, { ...other, everyMs: 2 * hour });
    await timed.pass(2 * second);
    await timed.client.call('project.update', { id: 'a', everyMs: 2 * minute });
    const { targets } = await timed.client.call('project.get', { id: 'a' });
    const from = timed.clock.now();
    assert.deepEqual(
      targets.map(({ dueAt = 0 }) => Math.round((dueAt - from) / minute)),
      [2, 120],
    );
  });
});
