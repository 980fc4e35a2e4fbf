import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { productPage, productSource, startDaemon, startDaemonIn, type TestDaemon } from '../support/daemon.ts';
import { openSite, type Site } from '../support/site.ts';
import { nth, runningUnder, scrapesOf, soon } from './tracking.ts';

const sources = { shop: productSource('shop') };

/** Adds two projects, of which `a` says at its first scrape that it is finished. */
async function finishOne(site: Site, daemon: TestDaemon, clock: VirtualClock): Promise<void> {
  for (const id of ['a', 'b']) {
    await daemon.client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
    clock.advance(1_000);
    await nth(1, 'scrape.completed', id, daemon);
  }
  await nth(1, 'project.finished', 'a', daemon);
  await daemon.daemon.system.idle();
}

describe('a project that is finished', () => {
  test('is so also when what was left to scrape is removed from it', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1', 'gone'), '/b': productPage('B', '1') });
    const daemon = await startDaemon(t, { sources: { shop: productSource('shop') }, settings: soon });
    const [a, b] = ['/a', '/b'].map((path) => ({ source: 'shop', url: site.url(path) }));
    assert.ok(a && b);
    await daemon.client.call('project.add', { id: 'both', targets: [a, b] });
    await nth(2, 'scrape.completed', 'both', daemon);
    assert.equal((await daemon.client.call('project.get', { id: 'both' })).status, 'active');
    const updated = await daemon.client.call('project.update', { id: 'both', targets: [a] });
    assert.equal(updated.status, 'finished');
    await nth(1, 'project.finished', 'both', daemon);
    assert.deepEqual((await daemon.client.call('daemon.status', {})).projects, { active: 0, finished: 1, archived: 0 });
  });

  test('stops by itself and is not scraped again [B24]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1', 'gone'), '/b': productPage('B', '2') });
    const clock = new VirtualClock(1_000_000);
    const daemon = await startDaemon(t, { sources, clock });
    const { client } = daemon;
    await finishOne(site, daemon, clock);
    assert.deepEqual(await runningUnder('projects', client), ['b']);
    const project = await client.call('project.get', { id: 'a' });
    assert.equal(project.status, 'finished');
    assert.equal(project.targets[0]?.status, 'finished');
    assert.equal(project.targets[0].dueAt, undefined);
    for (let round = 2; round <= 4; round += 1) {
      await daemon.daemon.system.idle();
      clock.advance(soon.everyMs);
      await nth(round, 'scrape.completed', 'b', daemon);
    }
    assert.equal((await scrapesOf('a', client)).length, 1);
    // What the last page said is kept.
    const { records } = await client.call('project.records', { id: 'a' });
    assert.equal(records[0]?.fields['state']?.value, 'gone');
  });

  test('is started neither by a supervisor nor after a restart [B25]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1', 'gone'), '/b': productPage('B', '2') });
    const clock = new VirtualClock(1_000_000);
    const daemon = await startDaemon(t, { sources, clock });
    await finishOne(site, daemon, clock);
    // Two passes of the reconciler.
    for (let pass = 0; pass < 2; pass += 1) {
      clock.advance(30_000);
      await daemon.daemon.system.idle();
      await daemon.client.call('daemon.ping', {});
    }
    assert.deepEqual(await runningUnder('projects', daemon.client), ['b']);
    await daemon.close();

    const later = new VirtualClock(clock.now() + 60_000);
    const again = await startDaemonIn(t, daemon.folder, { clock: later });
    later.advance(soon.everyMs);
    await nth(2, 'scrape.completed', 'b', again);
    assert.deepEqual(await runningUnder('projects', again.client), ['b']);
    assert.equal((await again.client.call('project.get', { id: 'a' })).status, 'finished');
    assert.deepEqual((await again.client.call('daemon.status', {})).projects, { active: 1, finished: 1, archived: 0 });
    assert.equal((await scrapesOf('a', again.client)).length, 1);
  });

  test('may also be found so by a scrape that a person asked for [B26]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'scrape.completed', 'a', daemon);
    site.answer('/a', productPage('A', '1', 'gone'));
    await client.call('project.rescrape', { id: 'a' });
    await nth(1, 'project.finished', 'a', daemon);
    await daemon.daemon.system.idle();
    assert.deepEqual(await runningUnder('projects', client), []);
    await assert.rejects(client.call('project.rescrape', { id: 'a' }), { code: 'conflict', message: /finished/ });
    assert.equal((await scrapesOf('a', client)).length, 2);
  });

  test('goes on while one of its targets does', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1', 'gone'), '/b': productPage('B', '2') });
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    const targets = ['/a', '/b'].map((path) => ({ source: 'shop', url: site.url(path) }));
    await client.call('project.add', { id: 'both', targets });
    await nth(2, 'scrape.completed', 'both', daemon);
    await daemon.daemon.system.idle();
    const project = await client.call('project.get', { id: 'both' });
    assert.equal(project.status, 'active');
    assert.deepEqual(
      project.targets.map(({ status }) => status),
      ['finished', 'active'],
    );
    assert.deepEqual(await runningUnder('projects', client), ['both']);
    const { scrapes } = await client.call('project.rescrape', { id: 'both' });
    assert.deepEqual(
      scrapes.map(({ target }) => target),
      [project.targets[1]?.target],
    );
  });
});
