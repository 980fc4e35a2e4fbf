import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import {
  addProject,
  archiveProject,
  type ProjectSpec,
  restoreProject,
  updateProject,
} from '../../src/store/projects.ts';
import { requestScrape } from '../../src/store/scrapes.ts';
import { parkTarget } from '../../src/store/targets.ts';
import { begin, item, step, temporaryStore, told, track } from './fixture.ts';

const lamp: ProjectSpec = {
  id: 'lamp',
  name: 'Solar lamp',
  labels: ['solar'],
  multiplier: 2,
  targets: [
    { source: 'shop', url: 'https://shop.test/lamp' },
    { source: 'fund', url: 'https://fund.test/lamp', schedule: { every: 60_000 } },
  ],
};

describe('a project that is added', () => {
  test('has its targets scheduled to begin, and is told', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const added = await addProject(store, lamp);
    assert.deepEqual(added, {
      ok: true,
      project: {
        id: 'lamp',
        name: 'Solar lamp',
        labels: ['solar'],
        multiplier: 2,
        status: 'active',
        createdAt: clock.now,
        targets: [1, 2],
      },
    });
    assert.deepEqual(store.projects.get('lamp'), added.ok && added.project);
    assert.deepEqual(store.targets.get(2), {
      target: 2,
      source: 'fund',
      url: 'https://fund.test/lamp',
      watchers: [{ project: 'lamp', schedule: { every: 60_000 }, multiplier: 2 }],
      status: 'active',
      epoch: 1,
      createdAt: clock.now,
      settled: 0,
      crashes: { recent: [], inRow: 0, total: 0 },
    });
    assert.deepEqual(
      [1, 2].map((target) => store.schedule.get(target)?.dueAt),
      [clock.now + 1_000, clock.now + 1_000],
    );
    assert.deepEqual([...store.targets.numbersOfSource('fund')], [2]);
    assert.deepEqual(told(store), ['project.added']);
  });

  test('is a conflict when its id is taken, also by an archived one (B11)', async (t) => {
    const { store } = await temporaryStore(t);
    await addProject(store, lamp);
    assert.deepEqual(await addProject(store, lamp), { ok: false, why: 'conflict' });
    await archiveProject(store, 'lamp');
    assert.deepEqual(await addProject(store, lamp), { ok: false, why: 'conflict' });
    assert.equal(store.targets.count(), 2);
  });

  test('is a conflict for one of two who add it at once', async (t) => {
    const { store } = await temporaryStore(t);
    const both = await Promise.all([addProject(store, lamp), addProject(store, lamp)]);
    assert.deepEqual(
      both.map(({ ok }) => ok),
      [true, false],
    );
  });

  test('leaves the schedule of others alone (B10)', async (t) => {
    const { store } = await temporaryStore(t);
    await addProject(store, lamp);
    const before = [1, 2].map((target) => store.schedule.get(target));
    await track(store, 'other');
    assert.deepEqual(
      [1, 2].map((target) => store.schedule.get(target)),
      before,
    );
  });
});

describe('a project that is archived', () => {
  test('has nothing scheduled, running or waiting, and keeps its data (B12, B17)', async (t) => {
    const { store, clock } = await temporaryStore(t);
    await addProject(store, lamp);
    await commitStep(store, await begin(store, 1), step(50, [item('a', { price: 1 })]));
    const waiting = await requestScrape(store, 2);
    clock.now += 10;
    const archived = await archiveProject(store, 'lamp');
    assert.deepEqual(archived.ok && [archived.changed, archived.project.status, archived.project.archivedAt], [
      true,
      'archived',
      clock.now,
    ]);
    assert.equal(store.schedule.count(), 0);
    assert.equal(waiting.ok && store.scrapes.get(waiting.scrape)?.status, 'cancelled');
    assert.equal([...store.scrapes.running()].length, 0);
    assert.equal([...store.records.ofTarget(1)].length, 1);
    assert.equal(told(store).at(-1), 'project.archived');
  });

  test('again is left as it is, and not told again (B14)', async (t) => {
    const { store, clock } = await temporaryStore(t);
    await addProject(store, lamp);
    await archiveProject(store, 'lamp');
    const [row, events] = [store.projects.get('lamp'), store.events.last()];
    clock.now += 10;
    assert.deepEqual(await archiveProject(store, 'lamp'), { ok: true, project: row, changed: false });
    assert.equal(store.events.last(), events);
  });

  test('is not found when it is unknown (B15)', async (t) => {
    const { store } = await temporaryStore(t);
    for (const change of [
      archiveProject(store, 'lamp'),
      restoreProject(store, 'lamp'),
      updateProject(store, 'lamp', {}),
    ]) {
      assert.deepEqual(await change, { ok: false, why: 'not_found' });
    }
  });

  test('refuses a scrape (B23)', async (t) => {
    const { store } = await temporaryStore(t);
    await addProject(store, lamp);
    await archiveProject(store, 'lamp');
    assert.deepEqual(await requestScrape(store, 1), { ok: false, why: 'archived' });
    assert.deepEqual(await requestScrape(store, 99), { ok: false, why: 'not_found' });
  });
});

describe('a project that is restored', () => {
  test('begins as a new one does, but for targets that are finished or parked (B18)', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [active = 0, finished = 0, parked = 0] = await track(
      store,
      'lamp',
      'https://shop.test/1',
      'https://shop.test/2',
      'https://shop.test/3',
    );
    await commitStep(store, await begin(store, finished), step(50, [], { finished: true }));
    await parkTarget(store, parked, 'too often', 9e9);
    await archiveProject(store, 'lamp');
    clock.now += 10;
    const restored = await restoreProject(store, 'lamp');
    assert.deepEqual(restored.ok && [restored.changed, restored.project.status, restored.project.archivedAt], [
      true,
      'active',
      undefined,
    ]);
    assert.deepEqual(
      [...store.schedule.byDue()].map(({ target, dueAt, firstAt }) => [target, dueAt, firstAt]),
      [[active, clock.now + 1_000, clock.now + 1_000]],
    );
    const again = await restoreProject(store, 'lamp');
    assert.equal(again.ok && again.changed, false);
  });
});

describe('a project that is updated', () => {
  test('changes what is named and leaves the rest', async (t) => {
    const { store } = await temporaryStore(t);
    await addProject(store, lamp);
    await updateProject(store, 'lamp', { name: 'Lamp' });
    const { name, labels, multiplier, targets } = store.projects.get('lamp') ?? {};
    assert.deepEqual([name, labels, multiplier, targets], ['Lamp', ['solar'], 2, [1, 2]]);
  });

  test('has targets added, disabled, and enabled again under their old numbers', async (t) => {
    const { store } = await temporaryStore(t);
    await addProject(store, lamp);
    const more = { source: 'shop', url: 'https://shop.test/more' };
    await updateProject(store, 'lamp', { targets: [...lamp.targets.slice(0, 1), more] });
    assert.deepEqual(
      [1, 2, 3].map((target) => store.targets.get(target)?.status),
      ['active', 'disabled', 'active'],
    );
    assert.equal(store.schedule.get(2), undefined);
    await updateProject(store, 'lamp', { targets: lamp.targets });
    assert.deepEqual(
      [1, 2, 3].map((target) => store.targets.get(target)?.status),
      ['active', 'active', 'disabled'],
    );
    assert.deepEqual(
      [...store.schedule.byDue()].map(({ target }) => target),
      [1, 2],
    );
  });

  test('has a target of another interval planned anew, in a slot of that interval', async (t) => {
    const { store } = await temporaryStore(t);
    await addProject(store, lamp);
    const [shop, fund] = lamp.targets;
    await updateProject(store, 'lamp', {
      targets: [
        { ...shop, source: 'shop', url: 'https://shop.test/lamp', schedule: { every: 60_000 } },
        ...(fund ? [fund] : []),
      ],
    });
    assert.equal(store.targets.get(1)?.watchers[0]?.schedule?.every, 60_000);
    const pace = store.schedule.get(1)?.pace;
    assert.equal(pace?.kind === 'interval' && pace.grid.everyMs, 60_000);
    assert.equal(store.schedule.freeSlot('shop', 3_600_000), 0);
  });

  test('that is archived plans nothing', async (t) => {
    const { store } = await temporaryStore(t);
    await addProject(store, lamp);
    await archiveProject(store, 'lamp');
    await updateProject(store, 'lamp', { targets: [{ source: 'shop', url: 'https://shop.test/more' }] });
    assert.equal(store.schedule.count(), 0);
  });
});

describe('every change of a project', () => {
  test('is there when the store is opened again', async (t) => {
    const first = await temporaryStore(t);
    await addProject(first.store, lamp);
    await track(first.store, 'gone');
    await archiveProject(first.store, 'gone');
    await first.store.close();
    const { store } = await temporaryStore(t, { path: first.path });
    assert.deepEqual(
      [...store.projects.rows()].map(({ id, status }) => [id, status]),
      [
        ['gone', 'archived'],
        ['lamp', 'active'],
      ],
    );
    assert.equal(store.schedule.count(), 2);
  });
});
