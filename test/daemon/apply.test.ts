import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { connect } from '../../src/control/client.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, runningUnder, soon } from './tracking.ts';

const sources = { shop: productSource('shop') };
const place = (path: string) => ({ source: 'shop', url: `http://127.0.0.1:9/${path}` });

describe('applying a list of projects', () => {
  test('tells the differences, and with a dry run does nothing', async (t) => {
    const { client } = await startDaemon(t, { sources, clock: new VirtualClock(1_000_000) });
    await client.call('project.add', { id: 'a', name: 'A', targets: [place('a')] });
    await client.call('project.add', { id: 'same', targets: [place('same')] });
    const before = await client.call('project.list', {});
    const list = [
      { id: 'a', name: 'Solar', targets: [{ ...place('a'), everyMs: 60_000 }, place('a2')] },
      { id: 'same', targets: [place('same')] },
      { id: 'new', targets: [place('new')] },
    ];
    const changes = [
      {
        id: 'a',
        action: 'update',
        details: [
          'name: "A" → "Solar"',
          'shop http://127.0.0.1:9/a: default → every 1m',
          '+ shop http://127.0.0.1:9/a2',
        ],
      },
      { id: 'new', action: 'add', details: ['+ shop http://127.0.0.1:9/new'] },
    ];
    assert.deepEqual(await client.call('project.apply', { projects: list, dryRun: true }), {
      changes,
      unchanged: 1,
      applied: false,
    });
    assert.deepEqual(await client.call('project.list', {}), before);
    assert.deepEqual(await client.call('project.apply', { projects: list }), { changes, unchanged: 1, applied: true });
    const changed = await client.call('project.get', { id: 'a' });
    assert.equal(changed.name, 'Solar');
    assert.deepEqual(
      changed.targets.map(({ url, everyMs }) => [url, everyMs]),
      [
        [place('a').url, 60_000],
        [place('a2').url, undefined],
      ],
    );
    assert.deepEqual(await client.call('project.apply', { projects: list }), {
      changes: [],
      unchanged: 3,
      applied: true,
    });
  });

  test('archives what is not in it only when told to prune, and restores what is in it again', async (t) => {
    const clock = new VirtualClock(1_000_000);
    const daemon = await startDaemon(t, { sources, clock });
    const { client } = daemon;
    const projects = ['a', 'b'].map((id) => ({ id, targets: [place(id)] }));
    await client.call('project.apply', { projects });
    const shorter = projects.slice(0, 1);
    assert.deepEqual((await client.call('project.apply', { projects: shorter })).changes, []);
    const archive = { id: 'b', action: 'archive', details: ['not in the list'] };
    const dry = await client.call('project.apply', { projects: shorter, prune: true, dryRun: true });
    assert.deepEqual(dry.changes, [archive]);
    assert.equal((await client.call('project.get', { id: 'b' })).status, 'active');
    const pruned = await client.call('project.apply', { projects: shorter, prune: true });
    assert.deepEqual(pruned.changes, [archive]);
    clock.advance(1_000);
    // Nobody listens there.
    await nth(1, 'scrape.failed', 'a', daemon);
    await daemon.daemon.system.idle();
    assert.deepEqual(await runningUnder('projects', client), ['a']);
    assert.equal((await client.call('project.get', { id: 'b' })).status, 'archived');

    const restored = await client.call('project.apply', { projects, prune: true });
    assert.deepEqual(restored.changes, [{ id: 'b', action: 'restore', details: ['was archived'] }]);
    assert.equal((await client.call('project.get', { id: 'b' })).status, 'active');
  });

  test('begins what it added', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '2') });
    const daemon = await startDaemon(t, { sources, settings: soon });
    const projects = ['a', 'b'].map((id) => ({ id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] }));
    await daemon.client.call('project.apply', { projects });
    await nth(1, 'scrape.completed', 'a', daemon);
    await nth(1, 'scrape.completed', 'b', daemon);
  });

  test('does nothing of a list with a mistake', async (t) => {
    const { client } = await startDaemon(t, { sources });
    const projects = [
      { id: 'a', targets: [place('a')] },
      { id: 'b', targets: [{ ...place('b'), source: 'nobody' }] },
    ];
    await assert.rejects(client.call('project.apply', { projects, prune: true }), {
      code: 'not_found',
      message: /"nobody"/,
    });
    assert.deepEqual((await client.call('project.list', {})).projects, []);
  });

  test('does not take a list that names an id twice', async (t) => {
    const { client } = await startDaemon(t, { sources });
    const projects = ['a', 'b'].map((path) => ({ id: 'twice', targets: [place(path)] }));
    await assert.rejects(client.call('project.apply', { projects }), {
      code: 'invalid_params',
      message: /"twice" is in the list more than once/,
    });
    assert.deepEqual((await client.call('project.list', {})).projects, []);
  });

  test('with very many projects writes many of them in one transaction, and answers others meanwhile', async (t) => {
    const { client, daemon, socket } = await startDaemon(t, { sources, clock: new VirtualClock(1_000_000) });
    const other = await connect(socket);
    t.after(() => other.close());
    const store = daemon.parts.state.store();
    let transactions = 0;
    store.onEvents((_last, told) => {
      if (told.some(({ type }) => type === 'project.added')) transactions += 1;
    });
    const projects = Array.from({ length: 1_000 }, (_, index) => ({ id: `p${index}`, targets: [place(`${index}`)] }));
    let isApplied = false;
    const applying = client.call('project.apply', { projects }).finally(() => (isApplied = true));
    let answers = 0;
    for (; !isApplied; answers += 1) await other.call('daemon.ping', {});
    assert.equal((await applying).changes.length, projects.length);
    assert.ok(transactions >= 20 && transactions <= 100, `${transactions} transactions`);
    assert.ok(answers > transactions / 2, `${answers} answers`);
    const { projects: counted } = await client.call('daemon.status', {});
    assert.equal(counted.active, projects.length);
  });

  test('archives only within the ids that a part of a list stands for', async (t) => {
    const { client } = await startDaemon(t, { sources, clock: new VirtualClock(1_000_000) });
    const projects = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, targets: [place(id)] }));
    await client.call('project.apply', { projects });
    const pruned = async (within: { after?: string; upTo?: string }, ...kept: readonly string[]) => {
      const list = projects.filter(({ id }) => kept.includes(id));
      const { changes } = await client.call('project.apply', { projects: list, prune: true, within, dryRun: true });
      return changes.map(({ id, action }) => `${action} ${id}`);
    };
    assert.deepEqual(await pruned({ upTo: 'b' }, 'a'), ['archive b']);
    assert.deepEqual(await pruned({ after: 'b', upTo: 'd' }, 'd'), ['archive c']);
    assert.deepEqual(await pruned({ after: 'd' }), ['archive e']);
    assert.deepEqual(await pruned({}, 'a', 'b', 'c', 'd'), ['archive e']);
  });

  test('is completed by applying again where somebody else was quicker', async (t) => {
    const daemon = await startDaemon(t, { sources, clock: new VirtualClock(1_000_000) });
    const { client } = daemon;
    const other = await connect(daemon.socket);
    t.after(() => other.close());
    const projects = Array.from({ length: 1_000 }, (_, index) => ({ id: `p${index}`, targets: [place(`${index}`)] }));
    const cut = client.call('project.apply', { projects });
    cut.catch(() => undefined);
    await daemon.event(({ type }) => type === 'project.added');
    await other.call('project.add', { id: 'p999', targets: [place('other')] });
    await assert.rejects(cut, { code: 'conflict', message: /^add "p999": somebody else changed it just now/ });
    const { changes, unchanged } = await client.call('project.apply', { projects });
    assert.deepEqual([unchanged, changes.map(({ id, action }) => `${action} ${id}`)], [999, ['update p999']]);
  });
});
