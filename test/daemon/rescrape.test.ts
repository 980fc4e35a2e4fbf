import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import type { Result } from '../../src/control/methods.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { answerWith, dueAt, hold, nth, runningUnder, scrapesOf, soon } from './tracking.ts';

const sources = { shop: productSource('shop') };

describe('a scrape that a person asks for', () => {
  test('is of that target only [B19]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '2') });
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    const targets = ['/a', '/b'].map((path) => ({ source: 'shop', url: site.url(path) }));
    const { targets: views } = await client.call('project.add', { id: 'two', targets });
    const others = ['/a?', '/b?'].map((path) => ({ source: 'shop', url: site.url(path + 'other') }));
    await client.call('project.add', { id: 'other', targets: others });
    await nth(2, 'scrape.completed', 'two', daemon);
    await nth(2, 'scrape.completed', 'other', daemon);
    const [first] = views;
    assert.ok(first !== undefined);
    const { scrapes } = await client.call('project.rescrape', { id: 'two', target: first.target });
    assert.equal(scrapes.length, 1);
    await nth(3, 'scrape.completed', 'two', daemon);
    await daemon.daemon.system.idle();
    const all = (await client.call('scrape.list', { project: 'two' })).scrapes;
    assert.deepEqual(
      all.map(({ target, reason }) => [target, reason]).filter(([target]) => target === first.target),
      [
        [first.target, 'manual'],
        [first.target, 'due'],
      ],
    );
    assert.equal(all.length, 3);
    assert.equal((await scrapesOf('other', client)).length, 2);
    await assert.rejects(client.call('project.rescrape', { id: 'other', target: first.target }), {
      code: 'not_found',
    });
  });

  test('has a number by which its state is read to its end, good or bad [B20]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'scrape.completed', 'a', daemon);
    const held = hold(site, '/a');
    const [asked] = (await client.call('project.rescrape', { id: 'a' })).scrapes;
    assert.ok(asked !== undefined);
    const state = async (scrape: number) => (await client.call('scrape.get', { scrape })).scrape.status;
    const response = await held;
    assert.equal(await state(asked.scrape), 'running');
    site.answer('/a', { status: 500 });
    answerWith(productPage('A', '2'), response);
    assert.equal((await nth(2, 'scrape.completed', 'a', daemon)).scrape, asked.scrape);
    assert.equal(await state(asked.scrape), 'complete');

    const [next] = (await client.call('project.rescrape', { id: 'a' })).scrapes;
    assert.ok(next !== undefined && next.scrape > asked.scrape);
    await nth(1, 'scrape.failed', 'a', daemon);
    const { scrape, steps } = await client.call('scrape.get', { scrape: next.scrape });
    assert.equal(scrape.status, 'failed');
    assert.ok(scrape.failure !== undefined && steps[0]?.status === 500);
  });

  test('does not move the time at which the next one is due [B21]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '1') });
    const clock = new VirtualClock(1_000_000);
    const daemon = await startDaemon(t, { sources, clock });
    const { client } = daemon;
    for (const id of ['a', 'b']) {
      await client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
      clock.advance(1_000);
      await nth(1, 'scrape.completed', id, daemon);
      const due = await dueAt(id, client);
      clock.advance(60_000);
      await client.call('project.rescrape', { id });
      await nth(2, 'scrape.completed', id, daemon);
      assert.equal(await dueAt(id, client), due);
      await daemon.daemon.system.idle();
      assert.equal((await scrapesOf(id, client)).length, 2);
    }
    // In the order in which they are due.
    for (const id of ['b', 'a']) {
      const due = await dueAt(id, client);
      assert.ok(due !== undefined);
      clock.advance(due - clock.now());
      assert.equal((await nth(3, 'scrape.started', id, daemon)).at, due);
      await nth(3, 'scrape.completed', id, daemon);
      await daemon.daemon.system.idle();
    }
  });

  test('does not stand in for the first one either [B21]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '1') });
    const clock = new VirtualClock(1_000_000);
    const daemon = await startDaemon(t, { sources, clock });
    const { client } = daemon;
    // The second one's place in the grid is not where its first scrape is.
    for (const id of ['a', 'b']) {
      await client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
      const due = clock.now() + 1_000;
      clock.advance(500);
      await client.call('project.rescrape', { id });
      await nth(1, 'scrape.completed', id, daemon);
      assert.equal(await dueAt(id, client), due);
      await daemon.daemon.system.idle();
      clock.advance(500);
      await nth(2, 'scrape.completed', id, daemon);
    }
  });

  test('asked for ten times while one runs, is one more [B22]', async (t) => {
    const site = await openSite(t);
    const held = hold(site, '/a');
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    const response = await held;
    site.answer('/a', productPage('A', '2'));
    const asked = await Promise.all(Array.from({ length: 10 }, () => client.call('project.rescrape', { id: 'a' })));
    const scrapes = asked.flatMap((each) => each.scrapes);
    assert.equal(new Set(scrapes.map(({ scrape }) => scrape)).size, 1);
    assert.equal(scrapes.filter(({ coalesced }) => coalesced).length, 9);
    assert.deepEqual((await client.call('daemon.status', {})).scrapes, {
      running: 1,
      waiting: 1,
      complete: 0,
      failed: 0,
      cancelled: 0,
    });
    assert.equal(site.asked.length, 1);
    answerWith(productPage('A', '1'), response);
    await nth(2, 'scrape.completed', 'a', daemon);
    await daemon.daemon.system.idle();
    assert.equal(site.asked.length, 2);
    assert.equal((await scrapesOf('a', client)).length, 2);
  });

  test('is not told to be held back where it begins at once, however many ask for it at the same time', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'scrape.completed', 'a', daemon);
    const asked: Promise<Result<'project.rescrape'>>[] = [];
    // Requests come one after the other, so that some are written as the scrape of an earlier one begins.
    for (let count = 0; count < 400; count += 1) {
      asked.push(client.call('project.rescrape', { id: 'a' }));
      await new Promise(setImmediate);
    }
    const scrapes = (await Promise.all(asked)).flatMap((each) => each.scrapes);
    assert.deepEqual(
      scrapes.filter(({ held }) => held !== undefined),
      [],
    );
  });

  test('of a project that is archived or unknown is refused, and starts nothing [B23]', async (t) => {
    const { client, daemon } = await startDaemon(t, { sources });
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: 'http://127.0.0.1:9/' }] });
    await client.call('project.archive', { id: 'a' });
    await assert.rejects(client.call('project.rescrape', { id: 'a' }), { code: 'conflict', message: /archived/ });
    await assert.rejects(client.call('project.rescrape', { id: 'b' }), { code: 'not_found' });
    await daemon.system.idle();
    assert.deepEqual((await client.call('scrape.list', {})).scrapes, []);
    assert.deepEqual(await runningUnder('projects', client), []);
  });
});

describe('a wish that a scrape would ignore is refused', () => {
  const register = `id: register
allowPrivate: true
robots: ignore
records: { trial: { key: id, fields: { id: h1, published: { css: .date, type: date } } } }
collect: { since: { record: trial, fields: [published] }, start: '2016-01-01' }
`;

  test('days of a target that collects nothing, days in the wrong order, arguments without a plug-in', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { client } = await startDaemon(t, { sources: { ...sources, register } });
    const targets = (source: string) => [{ source, url: site.url('/a') }];
    await client.call('project.add', { id: 'page', targets: targets('shop') });
    await client.call('project.add', { id: 'days', targets: targets('register') });
    await client.call('project.add', { id: 'both', targets: [...targets('register'), ...targets('shop')] });
    const refused = (message: RegExp) => ({ code: 'invalid_params', message });
    for (const id of ['page', 'both']) {
      for (const wish of [{ from: '2016-03-01' }, { to: '2016-03-01' }]) {
        await assert.rejects(
          client.call('project.rescrape', { id, wish }),
          refused(/^wish: expected no days, as the source "shop" of target \d+ does not `collect` windows of days$/),
        );
      }
    }
    await assert.rejects(
      client.call('project.rescrape', { id: 'page', wish: { args: ['x'] } }),
      refused(/^wish: expected no arguments, as the source "shop" of target 1 has no plug-in and no program$/),
    );
    await assert.rejects(
      client.call('project.rescrape', { id: 'days', wish: { from: '2016-03-02', to: '2016-03-01' } }),
      refused(/^wish.from: expected a day not after 2016-03-01, got 2016-03-02$/),
    );
    const oneDay = { from: '2016-03-01', to: '2016-03-01' };
    assert.equal((await client.call('project.rescrape', { id: 'days', wish: oneDay })).scrapes.length, 1);
    assert.deepEqual((await client.call('scrape.list', { project: 'page' })).scrapes, []);
  });
});

describe('cancelling a scrape', () => {
  test('ends the request under way; nothing of it is stored, and the next one is due as before', async (t) => {
    const site = await openSite(t);
    const clock = new VirtualClock(1_000_000);
    const held = hold(site, '/a');
    const daemon = await startDaemon(t, { sources, clock });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    clock.advance(1_000);
    const response = await held;
    const hungUp = once(response, 'close');
    const [started] = (await client.call('scrape.list', { project: 'a' })).scrapes;
    assert.ok(started !== undefined);
    const cancelled = await client.call('scrape.cancel', { scrape: started.scrape });
    assert.equal(cancelled.status, 'cancelled');
    assert.equal(cancelled.failure?.code, 'cancelled');
    await hungUp;
    await daemon.daemon.system.idle();
    assert.deepEqual((await client.call('scrape.get', { scrape: started.scrape })).steps, []);
    assert.deepEqual((await client.call('project.records', { id: 'a' })).records, []);
    assert.equal(await dueAt('a', client), 1_001_000 + soon.everyMs);
    assert.deepEqual(await runningUnder('projects', client), ['a']);
    // Again, it is left as it is.
    assert.deepEqual(await client.call('scrape.cancel', { scrape: started.scrape }), cancelled);
    site.answer('/a', productPage('A', '1'));
    clock.advance(soon.everyMs);
    await nth(1, 'scrape.completed', 'a', daemon);
    await assert.rejects(client.call('scrape.cancel', { scrape: 99 }), { code: 'not_found' });
  });

  test('withdraws one that waits, and leaves the one that runs alone', async (t) => {
    const site = await openSite(t);
    const held = hold(site, '/a');
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    const response = await held;
    const [waiting] = (await client.call('project.rescrape', { id: 'a' })).scrapes;
    assert.ok(waiting !== undefined);
    const cancelled = await client.call('scrape.cancel', { scrape: waiting.scrape });
    assert.equal(cancelled.status, 'cancelled');
    answerWith(productPage('A', '1'), response);
    await nth(1, 'scrape.completed', 'a', daemon);
    await daemon.daemon.system.idle();
    assert.equal(site.asked.length, 1);
    const { targets } = await client.call('project.get', { id: 'a' });
    assert.equal(targets[0]?.waiting, undefined);
  });
});
