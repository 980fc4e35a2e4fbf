import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { commitStep } from '../../src/store/commit.ts';
import { adoptTypes, entityOf, isLinking, makeLinks, mostLinked } from '../../src/store/entities.ts';
import { removeRecords } from '../../src/store/remove-records.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { begin, hourly, item, step, temporaryStore, track } from './fixture.ts';
import { assertLinked, linkItems, way } from './linking.ts';

type Fields = Parameters<typeof item>[1];

/** Has a scrape see items; resolves when they are stored. */
function createSight(store: Store, target: number) {
  let at = 1_000;
  return async (items: Readonly<Record<string, Fields>>): Promise<void> => {
    at += 1;
    const drafts = Object.entries(items).map(([key, fields]) => item(key, fields));
    await commitStep(store, await begin(store, target), step(at, drafts, {}));
  };
}

function numberOf(store: Store, key: string): number {
  return store.records.get('shop', 'item', key)?.record ?? 0;
}

/** The keys of the records that are one thing with a record. */
function keysOf(store: Store, key: string): string[] {
  const record = store.records.get('shop', 'item', key);
  return record === undefined ? [] : entityOf(store, record).records.map((each) => each.key);
}

describe('the entity of a record', () => {
  test('has all that one value, or a chain of values, links to it, as they are now', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const see = createSight(store, target);
    await linkItems(store, way('gtin'), way('brand', 'model'));
    await see({
      a: { gtin: '1', brand: 'B', model: 'M' },
      b: { gtin: '1' },
      c: { gtin: '2', brand: 'B', model: 'M' },
      d: { gtin: '3', brand: 'B' },
      e: { gtin: '' },
      f: { gtin: '' },
    });
    for (const key of ['a', 'b', 'c']) assert.deepEqual(keysOf(store, key), ['a', 'b', 'c']);
    for (const key of ['d', 'e']) assert.deepEqual(keysOf(store, key), [key]);
    await see({ a: { model: 'N' }, d: { gtin: '2' } });
    assert.deepEqual(
      [keysOf(store, 'b'), keysOf(store, 'd')],
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    );
    await removeRecords(store, [numberOf(store, 'c')]);
    assert.deepEqual(keysOf(store, 'd'), ['d']);
    assertLinked(store);
  });

  test('has none by a value that too many have, which is told once, nor where a chain is too long', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const see = createSight(store, target);
    await linkItems(store, way('gtin'), way('model'));
    const many = (count: number, fieldsOf: (index: number) => Fields) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, fieldsOf(index)]));
    await see(many(mostLinked, () => ({ gtin: '0' })));
    assert.equal(keysOf(store, 'k0').length, mostLinked);
    await see({
      ...many(mostLinked + 1, () => ({ gtin: '0' })),
      last: { gtin: '0', model: 'x' },
      other: { model: 'x' },
    });
    const entity = entityOf(store, store.records.get('shop', 'item', 'last') ?? assert.fail());
    assert.deepEqual(
      [entity.records.map(({ key }) => key), entity.tooCommon, entity.isTooLarge],
      [['last', 'other'], [{ gtin: '0' }], false],
    );
    const told = [...store.events.rows()].filter(({ type }) => type === 'entity.unlinked');
    assert.deepEqual(
      told.map(({ source, data }) => ({ source, data })),
      [{ source: 'shop', data: { type: 'product', values: { gtin: '0' }, records: mostLinked + 1 } }],
    );

    // Each is one thing with the next one.
    await see(many(mostLinked + 1, (index) => ({ gtin: `g${index >> 1}`, model: `m${(index + 1) >> 1}` })));
    for (const key of ['k0', 'k50', 'k100']) {
      const { records, isTooLarge } = entityOf(store, store.records.get('shop', 'item', key) ?? assert.fail());
      assert.deepEqual([records.map((each) => each.key), isTooLarge], [[key], true]);
    }
    await see({ k1: { gtin: 'none' } });
    assert.deepEqual([keysOf(store, 'k0').length, keysOf(store, 'k50').length], [1, mostLinked]);
  });

  test('follows another rule after a while, across restarts and whatever is seen meanwhile', async (t) => {
    const { store, path } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const see = createSight(store, target);
    const items = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`k${index}`, { gtin: `${index >> 1}`, model: `${index % 3}` }]),
    );
    await linkItems(store, way('gtin'));
    await see(items);
    assert.ok(isLinking(store, 'product'));
    while (await makeLinks(store));
    assert.deepEqual([keysOf(store, 'k0'), isLinking(store)], [['k0', 'k1'], false]);
    await linkItems(store, way('model'));
    assert.equal(await makeLinks(store, 4), true);
    await see({
      ...items,
      k1: { gtin: '9', model: '5' },
      k8: { gtin: '7', model: '5' },
      new: { gtin: '0', model: '5' },
    });
    await linkItems(store, way('gtin', 'model'), way('model'));
    await makeLinks(store, 4);
    await removeRecords(store, [numberOf(store, 'k9'), numberOf(store, 'k2')]);
    await store.close();

    const reopened = await openStore({ path, now: () => 2_000_000, scheduling: hourly });
    t.after(() => reopened.close());
    while (await makeLinks(reopened, 4));
    assertLinked(reopened);
    assert.deepEqual(keysOf(reopened, 'k1'), ['k1', 'k8', 'new']);
    const other = new Map([['item', { type: 'other', link: [way('gtin', 'model'), way('model')] }]]);
    await reopened.write(() => adoptTypes(reopened, 'shop', other));
    const links = reopened.types.countOfLinks();
    while (await makeLinks(reopened, 4));
    assert.deepEqual([reopened.types.countOfLinks(), keysOf(reopened, 'k1')], [links, ['k1', 'k8', 'new']]);
    await linkItems(reopened);
    while (await makeLinks(reopened, 4));
    assert.deepEqual(
      [reopened.types.countOfLinks(), reopened.types.entries(), keysOf(reopened, 'k1')],
      [0, [], ['k1']],
    );
  });

  test('is the same whichever of its records is asked, and is linked by what records say, whatever is done', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const see = createSight(store, target);
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const value = fc.constantFrom('1', '2', null);
    const act = fc.oneof(
      { weight: 4, arbitrary: fc.record({ see: key, fields: fc.record({ gtin: value, model: value }) }) },
      fc.record({ remove: key }),
      fc.record({ link: fc.constantFrom([way('gtin')], [way('gtin'), way('model')], []) }),
      fc.record({ make: fc.integer({ min: 1, max: 3 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 20 }), async (acts) => {
        for (const each of acts) {
          if ('see' in each) await see({ [each.see]: each.fields });
          else if ('remove' in each) await removeRecords(store, [numberOf(store, each.remove)]);
          else if ('link' in each) await linkItems(store, ...each.link);
          else await makeLinks(store, each.make);
        }
        while (await makeLinks(store));
        assertLinked(store);
        const entities = ['a', 'b', 'c', 'd', 'e'].map((each) => keysOf(store, each));
        for (const keys of entities) for (const other of keys) assert.deepEqual(keysOf(store, other), keys);
      }),
      { numRuns: 15 },
    );
  });
});
