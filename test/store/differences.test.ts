import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Value } from '../../src/extract/value/value.ts';
import { commitStep } from '../../src/store/commit.ts';
import { differencesOf } from '../../src/store/differences.ts';
import { applyJob } from '../../src/reextraction/apply.ts';
import { sameValue } from '../../src/store/same-value.ts';
import { differenceBy } from '../../src/store/record-difference.ts';
import type { HistoryView } from '../../src/view/record.ts';
import { jobOf } from '../reextraction/corrected.ts';
import { begin, item, step, temporaryStore, track } from './fixture.ts';

/** The fields of a record after changes. */
function stateAfter(changes: readonly HistoryView[]): Record<string, Value> {
  const told = changes.flatMap(({ fields }) => Object.entries(fields).map(([name, { new: value }]) => [name, value]));
  return Object.fromEntries(told) as Record<string, Value>;
}

describe('the difference of a record between two instants', () => {
  test('leads from what it was to what it is, and names nothing that is the same', () => {
    const step = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(1, 2, 'x', null), { minKeys: 1 });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 9 }), fc.nat(9), (steps, cut) => {
        const known: Record<string, Value> = {};
        const changes = steps.map((values, index): HistoryView => {
          const fields = Object.fromEntries(
            Object.entries(values).map(([name, value]) => [
              name,
              { ...(known[name] !== undefined && { old: known[name] }), new: value },
            ]),
          );
          Object.assign(known, values);
          const seen = { record: 1, target: 1, source: 'shop', type: 'item', key: 'a', scrape: 1, version: 'v1' };
          return { ...seen, serial: index + 1, at: index, kind: index === 0 ? 'added' : 'changed', fields };
        });
        const [before, after] = [changes.slice(0, cut), changes.slice(cut)];
        const difference = differenceBy(after, before.at(-1));
        const [old, now] = [stateAfter(before), stateAfter(changes)];
        const differing = Object.keys(now).filter(
          (name) => !Object.hasOwn(old, name) || !sameValue(old[name] ?? null, now[name] ?? null),
        );
        assert.deepEqual(Object.keys(difference?.fields ?? {}).toSorted(), differing.toSorted());
        for (const name of differing) {
          const { old: was, new: is, by } = difference?.fields[name] ?? assert.fail();
          assert.deepEqual([was, is], [old[name], now[name]]);
          assert.deepEqual(changes[by.at]?.fields[name]?.new, is);
        }
        assert.equal(difference?.kind, cut === 0 ? 'added' : differing.length > 0 ? 'changed' : undefined);
      }),
    );
  });

  test('tells that it is missing, gone or back', () => {
    const seen = {
      record: 1,
      serial: 1,
      at: 1,
      target: 1,
      source: 'shop',
      type: 'item',
      key: 'a',
      scrape: 1,
      version: 'v1',
      fields: {},
    };
    const kindOf = (before: HistoryView['kind'] | undefined, ...kinds: readonly HistoryView['kind'][]) =>
      differenceBy(
        kinds.map((kind) => ({ ...seen, kind })),
        before && { ...seen, kind: before },
      )?.kind;
    assert.equal(kindOf('changed', 'missing'), 'missing');
    assert.equal(kindOf('missing', 'gone'), 'gone');
    assert.equal(kindOf('gone', 'changed'), 'changed');
    assert.equal(kindOf('added', 'missing', 'changed'), undefined);
    assert.equal(kindOf(undefined, 'added', 'missing'), 'missing');
  });

  test('is found record by record, each once, in slices that fit together', async (t) => {
    const { store } = await temporaryStore(t);
    const targets = await track(store, 'lamp', 'https://shop.test/1', 'https://shop.test/2');
    const keys = Array.from({ length: 500 }, (_, index) => `${index}`);
    for (const [target, at] of [
      [1, 10],
      [2, 20],
      [1, 30],
    ] as const)
      // prettier-ignore
      await commitStep(store, await begin(store, target), step(at, keys.map((key) => item(key, { at: Math.min(at, Number(key)), x: 1 })), {}));
    const all = await differencesOf(store, targets, { from: 20, to: 30, limit: 1_000 });
    assert.equal(all.next, undefined);
    assert.deepEqual(
      all.differences.map(({ key, fields }) => [key, fields['at']?.old, fields['at']?.new]),
      keys.filter((key) => Number(key) > 20).map((key) => [key, 20, Math.min(30, Number(key))]),
    );
    const found = [];
    let after: (typeof all)['next'];
    do {
      const slice = await differencesOf(store, targets, { from: 20, to: 30, limit: 70, after });
      found.push(...slice.differences);
      after = slice.next;
    } while (after !== undefined);
    assert.deepEqual(found, all.differences);
    assert.equal((await differencesOf(store, targets, { from: 20, to: 30, key: '7', limit: 9 })).differences.length, 0);
    assert.equal(
      (await differencesOf(store, targets, { from: 9, to: 10, limit: 1_000 })).differences[0]?.kind,
      'added',
    );
  });

  test('begins with what a re-extraction corrected before the first instant', async (t) => {
    const { store } = await temporaryStore(t);
    const targets = await track(store, 'lamp');
    const [target = 0] = targets;
    const see = async (at: number, price: number) =>
      commitStep(store, await begin(store, target), step(at, [item('a', { price, stock: at })], {}));
    await see(10, 90);
    const [first] = store.history.rows();
    await see(20, 90);
    await see(30, 80);
    await see(40, 60);
    await applyJob(store, await jobOf(store, first === undefined ? [] : [first], { price: 60 }));
    const between = async (from: number, to: number) => {
      const { differences } = await differencesOf(store, targets, { from, to, limit: 9 });
      const { old, new: value } = differences[0]?.fields['price'] ?? {};
      return [old, value];
    };
    assert.deepEqual(await between(5, 15), [undefined, 60]);
    assert.deepEqual(await between(25, 35), [60, 80]);
    assert.deepEqual(await between(25, 45), [undefined, undefined], 'the price is the same');
    assert.deepEqual(await between(35, 45), [80, 60]);
  });
});
