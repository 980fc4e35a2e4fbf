import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from '../cli/terminal.ts';
import { dueAt, hold, nth, runningUnder, scrapesOf, soon } from './tracking.ts';

const sources = { shop: productSource('shop') };
const nowhere = 'http://127.0.0.1:9/';

describe('a project', () => {
  test('is read after it was added, and what its page says is known', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.50') });
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'solar', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'scrape.completed', 'solar', daemon);
    const { records } = await client.call('project.records', { id: 'solar' });
    assert.deepEqual(records[0]?.fields['price']?.value, { amount: '1.50', currency: 'EUR' });
  });

  test('that is added runs at once, and moves the times of no other [B10]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '2') });
    const clock = new VirtualClock(1_000_000);
    const daemon = await startDaemon(t, { sources, clock });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    clock.advance(1_000);
    await nth(1, 'scrape.completed', 'a', daemon);
    const due = await dueAt('a', client);
    assert.equal(due, clock.now() + soon.everyMs);
    clock.advance(5_000);
    await client.call('project.add', { id: 'b', targets: [{ source: 'shop', url: site.url('/b') }] });
    assert.equal(await dueAt('a', client), due);
    clock.advance(1_000);
    await nth(1, 'scrape.completed', 'b', daemon);
    assert.deepEqual(await runningUnder('projects', client), ['a', 'b']);
    assert.equal(await dueAt('a', client), due);
    await daemon.daemon.system.idle();
    clock.advance(due - clock.now());
    // The other fell due in the same leap of the clock, and has the host for a millisecond.
    await nth(2, 'scrape.completed', 'b', daemon);
    await daemon.daemon.system.idle();
    clock.advance(1);
    await daemon.daemon.system.idle();
    // Its begin is written without its end once it lasts.
    clock.advance(500);
    const { at } = await nth(2, 'scrape.started', 'a', daemon);
    assert.equal(at, due + 1);
  });

  test('whose id is taken is refused, also by an archived one, and one actor is left [B11]', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    const spec = { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] };
    const outcomes = await Promise.allSettled([client.call('project.add', spec), client.call('project.add', spec)]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    await nth(1, 'scrape.completed', 'a', daemon);
    await assert.rejects(client.call('project.add', { ...spec, name: 'Other' }), { code: 'conflict', message: /"a"/ });
    assert.deepEqual(await runningUnder('projects', client), ['a']);
    assert.equal((await client.call('project.get', { id: 'a' })).name, 'a');
    assert.equal((await client.call('project.list', {})).projects.length, 1);
    await client.call('project.archive', { id: 'a' });
    await assert.rejects(client.call('project.add', spec), { code: 'conflict' });
  });

  test('of a source that is not loaded is refused, and nothing is kept of it', async (t) => {
    const { client } = await startDaemon(t, { sources });
    const targets = [{ source: 'nobody', url: nowhere }];
    await assert.rejects(client.call('project.add', { id: 'a', targets }), { code: 'not_found', message: /"nobody"/ });
    assert.deepEqual((await client.call('project.list', {})).projects, []);
  });
});

describe('changing a project', () => {
  test('changes what is named and leaves the rest', async (t) => {
    const { client } = await startDaemon(t, { sources, clock: new VirtualClock(1_000_000) });
    const added = await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: nowhere }] });
    const renamed = await client.call('project.update', { id: 'a', name: 'Solar', labels: ['x', 'y'] });
    const { changes, ...after } = renamed;
    assert.deepEqual(after, { ...added, name: 'Solar', labels: ['x', 'y'] });
    assert.deepEqual(changes, ['name: "a" → "Solar"', 'labels: [] → ["x","y"]']);
    assert.deepEqual(await client.call('project.get', { id: 'a' }), after);
    assert.deepEqual((await client.call('project.list', { label: 'x' })).projects, [after]);
    assert.deepEqual((await client.call('project.update', { id: 'a', name: 'Solar' })).changes, []);
    await assert.rejects(client.call('project.update', { id: 'b', name: 'B' }), { code: 'not_found' });
  });

  test('adds and removes labels and targets, and gives targets a schedule; a dry run only tells so', async (t) => {
    const { client, socket } = await startDaemon(t, { sources, clock: new VirtualClock(1_000_000) });
    for (const id of ['shop-a', 'shop-b', 'other'])
      await client.call('project.add', {
        id,
        labels: ['x'],
        targets: [{ source: 'shop', url: nowhere + id, everyMs: 3_600_000 }],
      });
    const target = (await client.call('project.get', { id: 'shop-a' })).targets[0]?.target ?? 0;
    const wanted = {
      id: 'shop-a',
      addLabels: ['y'],
      removeLabels: ['x'],
      addTargets: [{ source: 'shop', url: `${nowhere}new` }],
      removeTargets: [target],
    };
    const told = ['labels: ["x"] → ["y"]', `- shop ${nowhere}shop-a`, `+ shop ${nowhere}new`];
    const dry = await client.call('project.update', { ...wanted, dryRun: true });
    assert.deepEqual([dry.changes, dry.labels], [told, ['x']]);
    assert.deepEqual((await client.call('project.update', wanted)).changes, told);
    const { targets } = await client.call('project.get', { id: 'shop-a' });
    assert.deepEqual(
      targets.map(({ url, status }) => [url, status]),
      [
        [`${nowhere}shop-a`, 'disabled'],
        [`${nowhere}new`, 'active'],
      ],
    );
    await assert.rejects(client.call('project.update', { id: 'other', removeTargets: [target] }), {
      code: 'not_found',
    });
    await assert.rejects(client.call('project.update', { id: 'other', targetSchedule: { target, everyMs: 60_000 } }), {
      code: 'not_found',
    });
    const edit = ['edit', '--match', 'shop-?', '--every', '2h', '--socket', socket];
    assert.match((await run(edit)).err, /2 projects: expected --yes/);
    const { out } = await run([...edit, '--yes'], { columns: 80 });
    assert.equal(
      out,
      `PROJECT  RESULT\nshop-a   shop ${nowhere}new: default → every 2h\nshop-b   shop ${nowhere}shop-b: every 1h → every 2h\n2 projects edited\n`,
    );
    const one = await run(['edit', 'shop-b', '--every', '3h', '--name', 'B', '--dry-run', '--socket', socket]);
    assert.equal(one.out, `shop-b: name: "shop-b" → "B"\nshop-b: shop ${nowhere}shop-b: every 2h → every 3h\n`);
    const { everyMs } = (await client.call('project.get', { id: 'shop-b' })).targets[0] ?? {};
    assert.equal(everyMs, 7_200_000);
  });

  test('to a shorter interval has it scraped by that one, without a restart', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const clock = new VirtualClock(1_000_000);
    const daemon = await startDaemon(t, { sources, clock });
    const { client } = daemon;
    const place = { source: 'shop', url: site.url('/a') };
    await client.call('project.add', { id: 'a', targets: [place] });
    clock.advance(1_000);
    await nth(1, 'scrape.completed', 'a', daemon);
    await daemon.daemon.system.idle();
    await client.call('project.update', { id: 'a', targets: [{ ...place, everyMs: 60_000 }] });
    for (let round = 2; round <= 4; round += 1) {
      await daemon.daemon.system.idle();
      clock.advance(60_000);
      await nth(round, 'scrape.completed', 'a', daemon);
    }
  });

  test('to other targets ends what runs of the old one and begins the new one', async (t) => {
    const site = await openSite(t, { '/new': productPage('New', '2') });
    const held = hold(site, '/old');
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/old') }] });
    await held;
    await client.call('project.update', { id: 'a', targets: [{ source: 'shop', url: site.url('/new') }] });
    const cancelled = await nth(1, 'scrape.cancelled', 'a', daemon);
    const completed = await nth(1, 'scrape.completed', 'a', daemon);
    assert.notEqual(cancelled.target, completed.target);
    const { targets, status } = await client.call('project.get', { id: 'a' });
    assert.deepEqual(
      targets.map((target) => target.status),
      ['disabled', 'active'],
    );
    assert.equal(status, 'active');
    const { records } = await client.call('project.records', { id: 'a' });
    assert.deepEqual(
      records.map(({ key }) => key),
      ['New'],
    );
    assert.equal((await scrapesOf('a', client)).length, 2);
  });
});
