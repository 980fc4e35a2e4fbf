import { emptyBaseline } from '../../src/health/baseline.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { hasSource, noteRename, renameSource } from '../../src/store/rename-source.ts';
import type { Store } from '../../src/store/store.ts';
import { begin, beginInMemory, historyOf, item, step, temporaryStore, track } from './fixture.ts';

const url = 'https://shop.test/a';

async function see(store: Store, target: number, at: number, ...keys: readonly string[]): Promise<void> {
  const drafts = keys.map((key) => item(key, { at }));
  await commitStep(store, await begin(store, target), step(at, drafts, {}));
}

/** What the store has under an id. */
function under(store: Store, source: string) {
  const targets = [...store.targets.numbersOfSource(source)];
  return {
    targets,
    at: store.targets.at({ source, url })?.source,
    keys: ['x', 'y'].filter((key) => store.records.get(source, 'item', key)?.source === source),
    counted: [store.records.countOfType(source, 'item', 9), store.counts.activeOf(source)],
    history: targets.flatMap((target) => historyOf(store, target).map((row) => row.source)),
    scrapes: targets.flatMap((target) => [...store.scrapes.ofTarget(target)].map((row) => row.source)),
    definition: store.definitions.current(source),
    baselines: [...store.runs.baselines.keys({ from: [source, 0], before: [source, Infinity] })],
    waste: store.waste.get(7, source)?.scrapes,
  };
}

const nothing = {
  targets: [],
  at: undefined,
  keys: [],
  counted: [0, 0],
  history: [],
  scrapes: [],
  definition: undefined,
  baselines: [],
  waste: undefined,
};

async function filled(store: Store): Promise<number> {
  const [target = 0] = await track(store, 'a', url);
  await see(store, target, 10, 'x', 'y');
  await store.write(() => {
    store.definitions.adopt('shop', 'v1', {});
    store.runs.baselines.put(['shop', target], { baseline: emptyBaseline({ version: 'v1' }), since: 0 });
    store.waste.put(7, 'shop', { scrapes: 3 } as Parameters<Store['waste']['put']>[2]);
    store.sessions.put('shop', 'sealed');
  });
  return target;
}

describe('a source that is renamed', () => {
  test('has all that it had under its new id, and nothing under the old one, also when the store is opened again', async (t) => {
    const { store, path } = await temporaryStore(t);
    const target = await filled(store);
    const before = under(store, 'shop');
    assert.deepEqual(
      [before.keys, before.history, before.baselines, before.definition],
      [['x', 'y'], ['shop', 'shop'], [['shop', target]], 'v1'],
    );
    await noteRename(store, { from: 'shop', to: 'store' });
    await renameSource(store, { from: 'shop', to: 'store' });
    const renamed = JSON.parse(JSON.stringify(before).replaceAll('"shop"', '"store"'));
    assert.deepEqual(JSON.parse(JSON.stringify(under(store, 'store'))), renamed);
    assert.deepEqual(under(store, 'shop'), nothing);
    assert.deepEqual(
      [hasSource(store, 'shop'), store.sessions.get('shop'), store.renames.get('source')],
      [false, undefined, undefined],
    );
    assert.deepEqual(store.counts.usedSources(), ['store']);
    const event = [...store.events.rows()].at(-1);
    assert.deepEqual([event?.type, event?.source, event?.data], ['source.renamed', 'store', { from: 'shop' }]);
    await store.close();
    const { store: opened } = await temporaryStore(t, { path });
    assert.deepEqual(JSON.parse(JSON.stringify(under(opened, 'store'))), renamed);
    await see(opened, target, 20, 'x');
    assert.deepEqual([opened.records.count(), opened.records.get('store', 'item', 'x')?.fields['at']?.value], [2, 20]);
  });

  test('leaves its id to another, which has nothing of it, whichever is renamed then', async (t) => {
    const { store } = await temporaryStore(t);
    const first = await filled(store);
    await renameSource(store, { from: 'shop', to: 'store' });
    const [second = 0] = await track(store, 'b', url);
    await see(store, second, 30, 'x');
    const ids = () => [first, second].map((target) => store.targets.get(target)?.source);
    assert.notEqual(second, first);
    assert.deepEqual(
      [ids(), under(store, 'shop').keys, under(store, 'store').keys],
      [['store', 'shop'], ['x'], ['x', 'y']],
    );
    await renameSource(store, { from: 'shop', to: 'mall' });
    assert.deepEqual([ids(), under(store, 'mall').keys, under(store, 'shop')], [['store', 'mall'], ['x'], nothing]);
    await renameSource(store, { from: 'store', to: 'shop' });
    assert.deepEqual(
      [ids(), under(store, 'shop').keys, under(store, 'store')],
      [['shop', 'mall'], ['x', 'y'], nothing],
    );
    await renameSource(store, { from: 'mall', to: 'store' });
    assert.deepEqual([ids(), under(store, 'store').keys, under(store, 'mall')], [['shop', 'store'], ['x'], nothing]);
  });

  test('keeps a scrape under way, written or not', async (t) => {
    const { store } = await temporaryStore(t);
    const targets = await track(store, 'a', url, `${url}2`);
    const fences = [await begin(store, targets[0] ?? 0), await beginInMemory(store, targets[1] ?? 0)];
    await renameSource(store, { from: 'shop', to: 'store' });
    for (const [index, fence] of fences.entries()) {
      const committed = await commitStep(store, fence, step(10, [item(`${index}`, { index })], {}));
      assert.equal(committed.outcome, 'committed');
      assert.deepEqual(
        [store.scrapes.get(fence.scrape)?.source, store.records.get('store', 'item', `${index}`)?.target],
        ['store', fence.target],
      );
    }
  });

  test('is known by its new id though somebody reads while the rename is written', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await filled(store);
    const sourceOf = () => store.targets.get(target)?.source;
    const renaming = store.write(() => {
      store.sources.rename('shop', 'store', store.events.last());
      setImmediate(sourceOf);
    });
    setImmediate(sourceOf);
    await renaming;
    assert.deepEqual([sourceOf(), under(store, 'shop')], ['store', nothing]);
  });

  test('is as it was where the rename is undone', async (t) => {
    const { store } = await temporaryStore(t);
    await filled(store);
    const failing = store.write(() => {
      store.sources.rename('shop', 'store', store.events.last());
      throw new Error('undone');
    });
    await assert.rejects(failing, /undone/);
    assert.deepEqual([under(store, 'shop').keys, under(store, 'store')], [['x', 'y'], nothing]);
  });
});
