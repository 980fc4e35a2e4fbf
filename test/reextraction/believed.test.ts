import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Value } from '../../src/extract/value/value.ts';
import type { Guards } from '../../src/health/guard.ts';
import { believedReadings } from '../../src/reextraction/believed.ts';
import { commitStep } from '../../src/store/commit.ts';
import { decideHeld } from '../../src/store/decide-held.ts';
import { begin, item, step, temporaryStore, track } from '../store/fixture.ts';

const guards: Guards = {
  missing: true,
  empty: true,
  fields: { item: { price: { jump: { factor: 5 } }, stock: { confirm: { times: 2, of: 2 } } } },
};

/** Six items of which a first scrape saw these fields, and a second one others. */
async function seenTwice(t: TestContext, before: Record<string, Value>, after: Record<string, Value>) {
  const { store } = await temporaryStore(t);
  const [target = 0] = await track(store, 'lamp');
  for (const [at, fields] of [
    [1_000, before],
    [2_000, after],
  ] as const) {
    const drafts = Array.from({ length: 6 }, (_, key) => item(`${key}`, fields));
    await commitStep(store, await begin(store, target), { ...step(at, drafts, {}), guards });
  }
  const { record = 0 } = store.records.get('shop', 'item', '0') ?? {};
  /** The fields that are believed of a page that shows these at an instant. */
  const believed = (at: number, fields: Record<string, Value>): readonly string[] =>
    believedReadings(store, record, [{ at, page: 'p', target, scrape: 2, version: 'v1', fields }]).flatMap((each) =>
      Object.keys(each.fields),
    );
  return { store, target, believed };
}

describe('what a kept page says by a corrected definition', () => {
  test('leaves out a value that is held, and still does once it is rejected', async (t) => {
    const { store, believed } = await seenTwice(t, { price: 10, name: 'A' }, { price: 99, name: 'B' });
    assert.deepEqual(believed(2_000, { price: 99, name: 'C' }), ['name']);
    assert.deepEqual(believed(2_000, { price: 12, name: 'C' }), ['price', 'name'], 'another value than the held one');
    assert.deepEqual(believed(1_000, { price: 99, name: 'C' }), ['price', 'name'], 'before it was held');
    await decideHeld(store, { source: 'shop', field: 'price' }, 'rejected');
    assert.deepEqual(believed(2_000, { price: 99 }), []);
  });

  test('leaves out empty values of a field that became empty everywhere, also once a person has rejected them', async (t) => {
    const { store, believed } = await seenTwice(t, { col: 'red' }, { col: '' });
    assert.deepEqual(believed(2_000, { col: '' }), []);
    await decideHeld(store, { source: 'shop', field: 'col' }, 'rejected');
    assert.deepEqual(believed(2_000, { col: '' }), []);
    assert.deepEqual(believed(2_000, { col: 'blue' }), ['col']);
  });

  test('leaves out a value that waits to be confirmed', async (t) => {
    const { believed } = await seenTwice(t, { stock: 5 }, { stock: 7 });
    assert.deepEqual([believed(2_000, { stock: 7 }), believed(1_000, { stock: 5 })], [[], ['stock']]);
  });
});
