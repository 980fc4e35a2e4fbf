import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Event } from '../../src/event/catalogue.ts';
import { commitStep } from '../../src/store/commit.ts';
import { archiveProject, deleteIn } from '../../src/store/projects.ts';
import { removeRecords } from '../../src/store/remove-records.ts';
import { removeTargets } from '../../src/store/remove-targets.ts';
import { renameSource } from '../../src/store/rename-source.ts';
import { trim } from '../../src/store/retention.ts';
import { wireId } from '../../src/event/wire-id.ts';
import { beginGeneration } from '../../src/store/generation.ts';
import type { Store } from '../../src/store/store.ts';
import { begin, historyOf, item, step, temporaryStore, track } from './fixture.ts';

async function see(store: Store, target: number, at: number, ...keys: readonly string[]): Promise<void> {
  const drafts = keys.map((key) => item(key, { at, text: `“${key}”`, list: [1, null], price: { amount: '1.50' } }));
  await commitStep(store, await begin(store, target), step(at, drafts, {}));
}

/** The events of changes of records as they are read now, to the byte. */
function changesIn(store: Store): string[] {
  return Array.from(store.events.rows(), (event) => JSON.stringify(event)).filter((text) =>
    /"record\.[acmg]/.test(text),
  );
}

/** A store with some changes, and the events that its listeners were given. */
async function watched(t: Parameters<typeof temporaryStore>[0]) {
  const opened = await temporaryStore(t);
  const { store, clock } = opened;
  const [target = 0] = await track(store, 'lamp');
  const heard: Event[] = [];
  store.onEvents((_, told) => heard.push(...told.filter(({ type }) => /^record\.[acmg]/.test(type))));
  await see(store, target, 10, 'a', 'b');
  clock.now += 1;
  await see(store, target, 20, 'a');
  return { ...opened, target, told: heard.map((event) => JSON.stringify(event)) };
}

describe('the event of a change', () => {
  test('is not stored twice, and is read as it was told', async (t) => {
    const { store, target, told } = await watched(t);
    assert.equal(told.length, 3);
    assert.deepEqual(changesIn(store), told);
    assert.deepEqual(
      historyOf(store, target).map(({ serial, kind, key }) => [serial, `record.${kind}`, key]),
      told
        .map((text) => JSON.parse(text))
        .reverse()
        .map(({ id, type, data }) => [id, type, data.key]),
    );
    const [row] = store.environment.database<unknown>('events').getRange({ start: JSON.parse(told[2] ?? '').id });
    assert.deepEqual(row?.value, [0, 1, 20, 1_000_001, [1]]);
  });

  const later: Record<string, (store: Store, target: number) => Promise<unknown>> = {
    'more changes': (store, target) => see(store, target, 30, 'a', 'b', 'c'),
    'its record is removed': (store) => removeRecords(store, [1, 2]),
    'its project is archived': (store) => archiveProject(store, 'lamp'),
    'its source is renamed, more than once': async (store, target) => {
      await renameSource(store, { from: 'shop', to: 'store' });
      await see(store, target, 30, 'a');
      const all = changesIn(store);
      assert.match(all.at(-1) ?? '', /"source":"store"/);
      await renameSource(store, { from: 'store', to: 'mall' });
      assert.deepEqual(changesIn(store), all);
      await renameSource(store, { from: 'mall', to: 'shop' });
      assert.deepEqual(changesIn(store), all);
    },
    'its record and its history are removed': async (store) => {
      await store.write((change) => deleteIn(store, change, 'lamp', true));
      await removeTargets(store);
      assert.equal(store.history.count(), 0);
    },
  };
  for (const [name, change] of Object.entries(later))
    test(`is the same to the byte after ${name}`, async (t) => {
      const { store, target, told, path } = await watched(t);
      await change(store, target);
      assert.deepEqual(changesIn(store).slice(0, 3), told);
      await store.close();
      const { store: opened } = await temporaryStore(t, { path });
      assert.deepEqual(changesIn(opened).slice(0, 3), told);
    });

  test('is told of nothing where its commit is undone', async (t) => {
    const { store, target } = await watched(t);
    const [last, rows] = [store.events.last(), store.history.count()];
    const seen = { record: 1, source: 'shop', type: 'item', key: 'a', target, at: 40, scrape: 1, version: 'v1' };
    const failing = store.write((change) => {
      change.tellChange({ ...seen, kind: 'changed', fields: {} }, []);
      throw new Error('undone');
    });
    await assert.rejects(failing, /undone/);
    assert.deepEqual([store.events.last(), store.history.count()], [last, rows]);
  });

  test('goes with its log, and the history of its record stays', async (t) => {
    const { store, target } = await watched(t);
    await trim(store, { events: 1, scrapes: 1, steps: 1 });
    assert.deepEqual([store.events.count(), historyOf(store, target).length], [1, 3]);
  });
});

describe('the history of a removed record', () => {
  test('is told by its name as long as its target is there', async (t) => {
    const { store, target } = await watched(t);
    await removeRecords(store, [2]);
    await see(store, target, 30, 'b');
    assert.deepEqual(
      historyOf(store, target).map(({ key, kind, record }) => [key, kind, record]),
      [
        ['b', 'added', 3],
        ['a', 'changed', 1],
        ['b', 'added', 2],
        ['a', 'added', 1],
      ],
    );
    await store.write((change) => deleteIn(store, change, 'lamp', true));
    await removeTargets(store);
    assert.deepEqual(
      [store.history.count(), store.targets.get(target), store.records.nameOf(2)],
      [0, undefined, undefined],
    );
  });
});

describe('the id of an event on the wire', () => {
  test('has the generation of its store, which a restart keeps and a restored backup does not', async (t) => {
    const { store, path } = await temporaryStore(t);
    const first = store.generation();
    assert.match(wireId(store, 1_042), /^[0-9A-Za-z]{6}-1042$/);
    await store.close();
    const { store: opened } = await temporaryStore(t, { path });
    assert.equal(opened.generation(), first);
    await beginGeneration(opened);
    assert.notEqual(opened.generation(), first);
  });
});
