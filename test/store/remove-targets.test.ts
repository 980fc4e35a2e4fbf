import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { archiveProject, deleteIn } from '../../src/store/projects.ts';
import { removeTargets } from '../../src/store/remove-targets.ts';
import { makeRoom, Sweep } from '../../src/store/retention.ts';
import type { Store } from '../../src/store/store.ts';
import { begin, historyOf, item, step, temporaryStore, told, track } from './fixture.ts';

const url = 'https://shop.test/one';
const page = { url: 'https://shop.test/', version: 'v1', etag: '"1"' };

/** Has a scrape of a target see items under these keys at an instant, which differ from those of all other instants. */
async function see(store: Store, target: number, at: number, ...keys: readonly string[]): Promise<void> {
  const drafts = keys.map((key) => item(key, { at }));
  await commitStep(store, await begin(store, target), { ...step(at, drafts, {}), page });
}

async function remove(store: Store, id: string, records: boolean): Promise<void> {
  await store.write((change) => deleteIn(store, change, id, records));
  await removeTargets(store);
}

/** The numbers of rows that a target has, by table. */
function rowsOf(store: Store, target: number) {
  return {
    target: store.targets.get(target) === undefined ? 0 : 1,
    schedule: store.schedule.get(target) === undefined ? 0 : 1,
    pages: store.pages.countOfTarget(target),
    records: store.records.countOfTarget(target, 1_000),
    history: historyOf(store, target).length,
  };
}

const nothing = { target: 0, schedule: 0, pages: 0, records: 0, history: 0 };

describe('a project that is deleted', () => {
  test('leaves what was read to its source, where it is found again', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'a', url);
    await see(store, target, 10, 'x', 'y');
    const before = store.events.last();
    await remove(store, 'a', false);
    assert.equal(store.projects.get('a'), undefined);
    assert.deepEqual(rowsOf(store, target), { target: 1, schedule: 0, pages: 0, records: 2, history: 2 });
    assert.deepEqual(told(store, before), ['project.deleted']);
    assert.deepEqual([...store.targets.numbersOfSource('shop')], [target]);
    assert.deepEqual(await track(store, 'a', url), [target]);
    const { settled, watchers, status } = store.targets.get(target) ?? {};
    assert.deepEqual(
      [settled, watchers?.length, status, store.schedule.get(target)?.rest],
      [0, 1, 'active', undefined],
    );
  });

  for (const last of [true, false])
    test(`takes records and history with it if it is to, and its numbers are given to nothing else (${last})`, async (t) => {
      const { store } = await temporaryStore(t);
      const [target = 0] = await track(store, 'a', url);
      await see(store, target, 10, 'x', 'y');
      if (!last) await track(store, 'b');
      const before = store.events.last();
      await archiveProject(store, 'a');
      await remove(store, 'a', true);
      assert.deepEqual(rowsOf(store, target), nothing);
      assert.equal(store.records.get('shop', 'item', 'x'), undefined);
      assert.deepEqual(told(store, before), [
        'project.archived',
        'project.deleted',
        'record.removed',
        'record.removed',
      ]);
      assert.deepEqual(
        [[...store.targets.rows()].length, store.targets.at({ source: 'shop', url })],
        [last ? 0 : 1, undefined],
      );
      const [again = 0] = await track(store, 'a', url);
      assert.ok(again > target);
      await see(store, again, 20, 'x');
      assert.deepEqual(
        historyOf(store, again).map(({ kind, key }) => [kind, key]),
        [['added', 'x']],
      );
    });

  test('leaves a place to those who watch it too, also while they are archived', async (t) => {
    for (const isAway of [true, false]) {
      const { store } = await temporaryStore(t);
      const [target = 0] = await track(store, 'a', url);
      await track(store, 'b', url);
      await see(store, target, 10, 'x');
      if (isAway) await archiveProject(store, 'b');
      await remove(store, 'a', true);
      const { target: rows, records, history } = rowsOf(store, target);
      assert.deepEqual([rows, records, history], [1, 1, 1]);
      assert.deepEqual(
        store.targets.get(target)?.watchers.map(({ project }) => project),
        ['b'],
      );
      assert.equal(store.schedule.get(target) === undefined, isAway);
    }
  });

  test('leaves a record to the target that saw it last', async (t) => {
    const { store } = await temporaryStore(t);
    const [one = 0] = await track(store, 'a', url);
    const [other = 0] = await track(store, 'b');
    await see(store, one, 10, 'x', 'y', 'z');
    await see(store, other, 20, 'x', 'z');
    await see(store, one, 30, 'z');
    await remove(store, 'a', true);
    const keys = [...store.records.ofTarget(other)].map((record) => [record.key, record.target]);
    assert.deepEqual(keys, [['x', other]]);
    assert.deepEqual(rowsOf(store, one), nothing);
  });

  test('is removed in transactions of a few rows, which go on after a restart where they stopped', async (t) => {
    const { store, path } = await temporaryStore(t);
    const [target = 0] = await track(store, 'a', url);
    const keys = Array.from({ length: 700 }, (_, index) => `${index}`);
    await see(store, target, 10, ...keys);
    const changes = () => store.environment.commitCounts().changes;
    const before = changes();
    await store.write((change) => deleteIn(store, change, 'a', true));
    const stopped = {
      ...store,
      write: async (...given: Parameters<typeof store.write>) => {
        if (changes() > before + 2) throw new Error('killed');
        return store.write(...given);
      },
    } as Store;
    await assert.rejects(removeTargets(stopped), /killed/);
    const left = store.records.countOfTarget(target, 1_000);
    assert.ok(left > 0 && left < 700, String(left));
    await store.close();
    const { store: opened } = await temporaryStore(t, { path });
    await makeRoom(opened, new Sweep(() => false), 0);
    assert.deepEqual(rowsOf(opened, target), nothing);
    assert.deepEqual([...opened.removals.keys()], []);
    assert.ok(opened.environment.commitCounts().changes >= 3);
  });

  test('whose place is watched again meanwhile keeps what is left of it', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'a', url);
    await see(store, target, 10, 'x');
    await store.write((change) => deleteIn(store, change, 'a', true));
    await track(store, 'b', url);
    await removeTargets(store);
    assert.deepEqual([rowsOf(store, target).records, [...store.removals.keys()]], [1, []]);
    assert.equal(store.schedule.get(target)?.rest, undefined);
  });
});
