import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Event } from '../../src/event/catalogue.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;
const minute = 60 * second;
const delay = 10 * second;
const settings = settingsOf({ everyMs: minute });

/** A source whose hosts are asked every ten seconds at most. */
function slowSource(id: string, more = ''): string {
  return productSource(id, more).replace('delay: 1ms, minDelay: 1ms', 'delay: 10s, minDelay: 10s');
}

/** A daemon that scrapes one page of each of two sites every minute: of source `shop` and of source `mart`. */
async function twoShops(t: TestContext) {
  const [shop, mart] = [
    await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '1') }),
    await openSite(t, { '/a': productPage('A', '1') }),
  ];
  const timed = await startTimed(t, {
    settings,
    sources: { shop: productSource('shop'), mart: productSource('mart') },
  });
  await timed.track('one', { source: 'shop', url: shop.url('/a') });
  await timed.track('two', { source: 'mart', url: mart.url('/a') });
  await timed.pass(2 * second);
  return { timed, shop, mart };
}

/** How many requests come in some time. */
async function askedIn(timed: TimedDaemon, ms: number): Promise<readonly string[]> {
  const before = timed.sent.length;
  await timed.pass(ms);
  await timed.settle();
  return timed.sent.slice(before).map(({ url }) => url);
}

function paused(events: readonly Event[]) {
  return events
    .filter(({ type }) => type.startsWith('schedule.'))
    .map(({ type, source, data }) => ({ type, source, data }));
}

describe('what an operator has paused', () => {
  test('is asked nothing, while all else goes on, and is asked again once it is resumed', async (t) => {
    const { timed, shop, mart } = await twoShops(t);
    await timed.client.call('schedule.pause', { source: 'shop', reason: 'the site moves', by: 'ada' });
    assert.deepEqual(new Set(await askedIn(timed, 10 * minute)), new Set([mart.url('/a')]));
    const { resumed, pauses } = await timed.client.call('schedule.resume', { source: 'shop', by: 'ada' });
    assert.deepEqual([resumed, pauses], [true, []]);
    assert.ok((await askedIn(timed, minute)).includes(shop.url('/a')));
    await timed.event(({ type }) => type === 'schedule.resumed');
    assert.deepEqual(paused(timed.events), [
      { type: 'schedule.paused', source: 'shop', data: { reason: 'the site moves', by: 'ada' } },
      { type: 'schedule.resumed', source: 'shop', data: { by: 'ada' } },
    ]);
  });

  test('may be a host, by its politeness key, or everything', async (t) => {
    const { timed, shop, mart } = await twoShops(t);
    await timed.client.call('schedule.pause', { host: mart.origin });
    assert.deepEqual(new Set(await askedIn(timed, 5 * minute)), new Set([shop.url('/a')]));
    await timed.client.call('schedule.pause', {});
    assert.deepEqual(await askedIn(timed, 5 * minute), []);
    const left = await timed.client.call('schedule.resume', {});
    assert.deepEqual(
      left.pauses.map(({ host }) => host),
      [mart.origin],
    );
    assert.deepEqual(new Set(await askedIn(timed, 5 * minute)), new Set([shop.url('/a')]));
  });

  test('is still paused after a restart, and until its time is over', async (t) => {
    const { timed, shop, mart } = await twoShops(t);
    await timed.client.call('schedule.pause', { source: 'shop', forMs: 60 * minute });
    await timed.client.call('schedule.pause', { host: mart.origin });
    await timed.close();
    const again = await startTimed(t, { sources: {}, settings, folder: timed.folder, clock: timed.clock });
    assert.deepEqual(await askedIn(again, 55 * minute), []);
    assert.deepEqual(new Set(await askedIn(again, 10 * minute)), new Set([shop.url('/a')]));
    await again.event(({ type }) => type === 'schedule.resumed');
    assert.deepEqual(paused(again.events).at(-1), { type: 'schedule.resumed', source: 'shop', data: {} });
  });

  test('asks for nothing that comes before a request either, as a robots.txt, nor for a pulse', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const obeying = productSource('shop', 'pulse: { every: 5s, record: product, fields: { sku: h1 } }').replace(
      'robots: ignore\n',
      '',
    );
    const timed = await startTimed(t, { settings, sources: { shop: obeying } });
    await timed.client.call('schedule.pause', { source: 'shop' });
    await timed.track('one', { source: 'shop', url: site.url('/a') });
    assert.deepEqual(await askedIn(timed, 10 * minute), []);
    assert.equal(site.asked.length, 0);
    await timed.client.call('schedule.resume', { source: 'shop' });
    assert.deepEqual((await askedIn(timed, minute)).slice(0, 2), [site.url('/robots.txt'), site.url('/a')]);
  });

  test('has what is under way come to its end', async (t) => {
    const { timed, shop } = await twoShops(t);
    const answers: (() => void)[] = [];
    shop.answer('/a', (_request, response) => answers.push(() => response.end(productPage('A', '2'))));
    const asked = shop.nextAsked('/a');
    timed.clock.advance(minute);
    await asked;
    await timed.client.call('schedule.pause', { source: 'shop' });
    const ended = timed.event(({ type, source }) => type === 'record.changed' && source === 'shop');
    for (const answer of answers) answer();
    await timed.during(ended);
    assert.ok(!(await askedIn(timed, 5 * minute)).includes(shop.url('/a')));
  });

  test('takes its turns at the pace of its host once it is resumed, however much is due', async (t) => {
    const pages = Array.from({ length: 6 }, (_, page) => `/${page}`);
    const site = await openSite(t, Object.fromEntries(pages.map((path) => [path, productPage(path, '1')])));
    const timed = await startTimed(t, {
      settings: settingsOf({ everyMs: 60 * minute }),
      sources: { shop: slowSource('shop') },
    });
    await timed.client.call('schedule.pause', {});
    await timed.track('many', ...pages.map((path) => ({ source: 'shop', url: site.url(path) })));
    assert.deepEqual(await askedIn(timed, 10 * minute), []);
    await timed.client.call('schedule.resume', {});
    await timed.pass(3 * minute);
    assert.equal(timed.sent.length, pages.length);
    const gaps = timed.sent.slice(1).map(({ at }, index) => at - (timed.sent[index]?.at ?? 0));
    assert.ok(
      gaps.every((gap) => gap >= delay * 0.8),
      `gaps of ${gaps.join(', ')} ms`,
    );
  });

  test('holds back what a person asks for, and says so', async (t) => {
    const { timed } = await twoShops(t);
    const { client, clock } = timed;
    await client.call('schedule.pause', { source: 'shop', reason: 'the site moves', by: 'ada' });
    const { scrapes } = await client.call('project.rescrape', { id: 'one' });
    const [held] = scrapes[0]?.held?.because.filter(({ decides }) => decides) ?? [];
    assert.equal(held?.by, 'pause');
    assert.equal(held.text, 'source shop, which is paused by ada: the site moves');
    assert.deepEqual(await askedIn(timed, minute).then((urls) => urls.length), 1);

    await client.call('schedule.pause', { forMs: 60 * minute });
    const status = await client.call('daemon.status', {});
    assert.match(status.paused ?? '', /^paused by hand until /);
    assert.equal(status.pausedUntil, clock.now() + 60 * minute);
    assert.deepEqual(
      status.pauses?.map(({ source }) => source),
      [undefined, 'shop'],
    );
    assert.match((await client.call('project.rescrape', { id: 'two' })).paused ?? '', /^paused by hand/);
  });

  test('is told of a target, of its host and of what waits', async (t) => {
    const { timed, shop } = await twoShops(t);
    const { client } = timed;
    await client.call('schedule.pause', { host: shop.origin });
    await timed.pass(5 * minute);
    const { targets } = await client.call('project.why', { id: 'one' });
    assert.equal(targets[0]?.dueAt, undefined);
    assert.deepEqual(targets[0]?.line?.shut, { waitFor: 'pause' });
    assert.deepEqual(targets[0]?.host?.hold, { kind: 'pause' });
    assert.deepEqual((await client.call('host.list', { key: shop.origin })).hosts[0]?.hold, { kind: 'pause' });
    const { offers } = await client.call('daemon.status', {});
    assert.deepEqual(
      offers.map(({ waitFor, offers: count }) => [waitFor, count]),
      [['pause', 1]],
    );
    const { turns } = await client.call('schedule.list', {});
    assert.deepEqual(
      turns.map(({ source }) => source),
      ['mart'],
    );
  });

  test('is one of those that are known, and a source or a host', async (t) => {
    const { timed } = await twoShops(t);
    await assert.rejects(timed.client.call('schedule.pause', { source: 'shpo' }), /no source "shpo"|shpo/);
    await assert.rejects(
      timed.client.call('schedule.pause', { source: 'shop', host: 'x' }),
      /expected at most one of "source" and "host"/,
    );
    assert.equal((await timed.client.call('schedule.resume', {})).resumed, false);
  });

  test('keeps the name of its source when that is renamed', async (t) => {
    const { timed, mart } = await twoShops(t);
    await timed.client.call('schedule.pause', { source: 'shop' });
    await timed.client.call('source.rename', { id: 'shop', to: 'store' });
    assert.deepEqual(
      (await timed.client.call('daemon.status', {})).pauses?.map(({ source }) => source),
      ['store'],
    );
    assert.deepEqual(new Set(await askedIn(timed, 10 * minute)), new Set([mart.url('/a')]));
  });

  test('is not asked by the trial of a page either, which says why', async (t) => {
    const { timed, shop } = await twoShops(t);
    await timed.client.call('schedule.pause', { host: shop.origin, reason: 'the site moves', by: 'ada' });
    const before = shop.asked.length;
    await assert.rejects(
      timed.client.call('source.try', { id: 'shop', url: shop.url('/a') }),
      /host http:\/\/127\.0\.0\.1:\d+ is paused by ada: the site moves/,
    );
    assert.equal(shop.asked.length, before);
  });

  test('can be paused for a shorter time instead', async (t) => {
    const { timed, shop } = await twoShops(t);
    await timed.client.call('schedule.pause', { source: 'shop' });
    await timed.pass(5 * minute);
    await timed.client.call('schedule.pause', { source: 'shop', forMs: minute });
    assert.ok((await askedIn(timed, 3 * minute)).includes(shop.url('/a')));
  });
});
