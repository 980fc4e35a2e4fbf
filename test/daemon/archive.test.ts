import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { productPage, productSource, startDaemon, startDaemonIn } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from '../cli/terminal.ts';
import { dueAt, hold, nth, runningUnder, scrapesOf, soon } from './tracking.ts';

const sources = { shop: productSource('shop') };
const hourMs = 3_600_000;

describe('archiving a project', () => {
  test('takes its actor out of the tree, and it is never scraped again [B12, S18]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '2') });
    const clock = new VirtualClock(1_000_000);
    const daemon = await startDaemon(t, { sources, clock, settings: { ...soon, everyMs: hourMs } });
    const { client } = daemon;
    for (const id of ['a', 'b']) {
      await client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
      clock.advance(1_000);
      await nth(1, 'scrape.completed', id, daemon);
    }
    await client.call('project.archive', { id: 'a' });
    await daemon.daemon.system.idle();
    assert.deepEqual(await runningUnder('projects', client), ['b']);
    for (let round = 2; round <= 5; round += 1) {
      await daemon.daemon.system.idle();
      clock.advance(hourMs);
      await nth(round, 'scrape.completed', 'b', daemon);
    }
    assert.equal(site.asked.filter(({ path }) => path === '/a').length, 1);
    assert.equal((await scrapesOf('a', client)).length, 1);
  });

  test('ends a scrape under way within 5 s, as cancelled, and nothing of it is stored [B13]', async (t) => {
    const site = await openSite(t);
    const held = hold(site, '/a');
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    const response = await held;
    response.setHeader('content-type', 'text/html').write(productPage('A', '1'));
    const hungUp = once(response, 'close');
    const askedAt = Date.now();
    const { status } = await client.call('project.archive', { id: 'a' });
    await hungUp;
    assert.ok(Date.now() - askedAt < 5_000);
    assert.equal(status, 'archived');
    const cancelled = await nth(1, 'scrape.cancelled', 'a', daemon);
    await daemon.daemon.system.idle();
    assert.ok(cancelled.scrape !== undefined);
    const { scrape, steps } = await client.call('scrape.get', { scrape: cancelled.scrape });
    assert.equal(scrape.status, 'cancelled');
    assert.equal(scrape.failure?.code, 'archived');
    assert.deepEqual(steps, []);
    assert.deepEqual((await client.call('project.records', { id: 'a' })).records, []);
    assert.deepEqual(await runningUnder('projects', client), []);
  });

  test('again changes nothing and is no error [B14]', async (t) => {
    const { client } = await startDaemon(t, { sources, clock: new VirtualClock(1_000_000) });
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: 'http://127.0.0.1:9/' }] });
    const first = await client.call('project.archive', { id: 'a' });
    assert.deepEqual(await client.call('project.archive', { id: 'a' }), first);
    // One of adding it and one of archiving it.
    assert.equal((await client.call('daemon.status', {})).lastEvent, 2);
  });

  test('of an unknown id is answered with not found [B15]', async (t) => {
    const { client } = await startDaemon(t, { sources });
    for (const method of ['project.archive', 'project.restore', 'project.get'] as const)
      await assert.rejects(client.call(method, { id: 'nobody' }), { code: 'not_found', message: /"nobody"/ });
  });

  test('holds after a restart, and what was collected stays readable [B16, B17]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.50') });
    const daemon = await startDaemon(t, { sources, settings: soon });
    await daemon.client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'scrape.completed', 'a', daemon);
    await daemon.client.call('project.archive', { id: 'a' });
    const records = await daemon.client.call('project.records', { id: 'a' });
    const history = await daemon.client.call('project.history', { id: 'a' });
    assert.deepEqual(records.records[0]?.fields['price']?.value, { amount: '1.50', currency: 'EUR' });
    assert.equal(history.changes[0]?.kind, 'added');
    await daemon.close();

    const clock = new VirtualClock(Date.now());
    const { client, daemon: again } = await startDaemonIn(t, daemon.folder, { clock });
    clock.advance(3 * soon.everyMs);
    await again.system.idle();
    assert.equal((await client.call('project.get', { id: 'a' })).status, 'archived');
    assert.deepEqual(await runningUnder('projects', client), []);
    assert.equal(site.asked.length, 1);
    assert.deepEqual(await client.call('project.records', { id: 'a' }), records);
    assert.deepEqual(await client.call('project.history', { id: 'a' }), history);
    assert.equal((await scrapesOf('a', client)).length, 1);
  });

  test('is undone by restoring: its actor runs again, from the initial delay on [B18]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const clock = new VirtualClock(1_000_000);
    const daemon = await startDaemon(t, { sources, clock });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    clock.advance(1_000);
    await nth(1, 'scrape.completed', 'a', daemon);
    await client.call('project.archive', { id: 'a' });
    clock.advance(60_000);
    assert.equal(await dueAt('a', client), undefined);

    const restored = await client.call('project.restore', { id: 'a' });
    assert.equal(restored.status, 'active');
    assert.equal(restored.targets[0]?.dueAt, clock.now() + 1_000);
    assert.deepEqual((await client.call('project.restore', { id: 'a' })).targets, restored.targets);
    clock.advance(999);
    await daemon.daemon.system.idle();
    assert.equal(site.asked.length, 1);
    clock.advance(1);
    await nth(2, 'scrape.completed', 'a', daemon);
    assert.deepEqual(await runningUnder('projects', client), ['a']);
  });
});

describe('deleting a project', () => {
  test('ends its scrape and its actor, says what goes, and another that watches the place goes on', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '1') });
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client, socket } = daemon;
    const place = { source: 'shop', url: site.url('/a') };
    await client.call('project.add', { id: 'a', targets: [place, { source: 'shop', url: site.url('/b') }] });
    await nth(2, 'scrape.completed', 'a', daemon);
    await client.call('project.add', { id: 'other', targets: [place] });
    const heronry = (...words: string[]) => run([...words, '--socket', socket]);
    assert.match((await heronry('delete', 'a')).err, /expected --yes/);
    assert.equal(
      (await heronry('delete', 'a', '--records', '--dry-run')).out,
      'would delete a: 1 target and 1 record\n',
    );
    assert.equal((await heronry('delete', 'a', '--records', '--yes')).out, 'deleted a: 1 target and 1 record\n');
    await daemon.daemon.system.idle();
    assert.deepEqual(await runningUnder('projects', client), ['other']);
    await assert.rejects(client.call('project.get', { id: 'a' }), { code: 'not_found' });
    const { records } = await client.call('source.records', { id: 'shop' });
    assert.deepEqual(
      records.map(({ key }) => key),
      ['A'],
    );
    const asked = site.asked.length;
    await client.call('project.rescrape', { id: 'other' });
    await nth(1, 'scrape.completed', 'other', daemon);
    assert.ok(site.asked.length > asked);
    assert.equal((await heronry('delete', 'a', '--yes')).status, 3);
    for (const words of [
      ['scrapes'],
      ['list'],
      ['sources'],
      ['waste'],
      ['plan'],
      ['schedule'],
      ['freshness'],
      ['crawls', 'shop'],
    ])
      assert.equal((await heronry(...words)).status, 0, words.join(' '));
  });
});
