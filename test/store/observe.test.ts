import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, test } from 'node:test';
import type { Value } from '../../src/extract/value/value.ts';
import { type RecordDifference, difference } from '../../src/store/observe.ts';
import { sameValue } from '../../src/store/same-value.ts';
import { item } from './fixture.ts';

/** Later than all that these tests observe. */
const now = 1_000_000;

type Known = Parameters<typeof difference>[0];

type Fields = Readonly<Record<string, Value>>;

/** What observations, each of one instant, make of a record, in the order given. */
function after(...observations: readonly (readonly [observedAt: number, fields: Fields])[]): Known {
  return observations.reduce<Known>(
    (known, [observedAt, fields]) => rowOf(compare(known, observedAt, fields), known),
    undefined,
  );
}

const evidence = { target: 1, scrape: 3, version: 'v1' };
const seen = { source: 'shop', evidence, url: 'https://shop.test/', id: 'r1', sequence: 7 };

function compare(known: Known, observedAt: number, fields: Fields): RecordDifference {
  return difference(known, item('a', fields), { ...seen, observedAt, at: now });
}

function rowOf(found: RecordDifference, known: Known): Known {
  return found.kind === 'stale' ? known : found.row;
}

test('the precision of a value goes with it, in whatever order observations come', () => {
  const draft = (day: string, precision?: string) => ({
    ...item('a', { day, title: 't' }),
    ...(precision !== undefined && { precision: { day: precision } }),
  });
  const read = (known: Known, observedAt: number, ...args: Parameters<typeof draft>) =>
    rowOf(difference(known, draft(...args), { ...seen, observedAt, at: now }), known);
  const first = read(undefined, 5, '2026-03-01', 'month');
  assert.deepEqual(first?.precision, { day: 'month' });
  assert.deepEqual(read(first, 3, '2026-03-14')?.precision, { day: 'month' });
  const later = read(first, 7, '2026-03-14');
  assert.equal(later?.precision, undefined);
  assert.deepEqual(read(later, 9, '2026-01-01', 'year')?.precision, { day: 'year' });
  assert.deepEqual(rowOf(compare(first, 9, { title: 'u' }), first)?.precision, { day: 'month' });
});

describe('the difference of a draft to what is known', () => {
  test('is all of it for a record that is new', () => {
    assert.deepEqual(compare(undefined, 5, { price: 1 }), {
      kind: 'added',
      row: {
        source: 'shop',
        type: 'item',
        key: 'a',
        target: 1,
        id: 'r1',
        url: 'https://shop.test/',
        sequence: 7,
        firstSeenAt: 5,
        updatedAt: 5,
        lastScrape: 3,
        fields: { price: { value: 1, observedAt: 5, verifiedAt: 5 } },
      },
      fields: { price: { new: 1 } },
    });
  });

  test('names the fields that differ, with their old and new values', () => {
    const found = compare(after([5, { price: 1, name: 'Lamp' }]), 7, { price: 2, name: 'Lamp', stock: 3 });
    assert.equal(found.kind, 'changed');
    assert.deepEqual(found.kind === 'changed' && found.fields, { price: { old: 1, new: 2 }, stock: { new: 3 } });
  });

  test('is a confirmation when nothing differs: verified later, observed as before', () => {
    const found = compare(after([5, { price: 1 }]), 7, { price: 1 });
    assert.equal(found.kind, 'confirmed');
    assert.deepEqual(rowOf(found, undefined)?.fields, { price: { value: 1, observedAt: 5, verifiedAt: 7 } });
  });

  test('leaves a field alone that is not named, and clears one that is null', () => {
    const row = after([5, { price: 1, name: 'Lamp' }], [7, { price: null }]);
    assert.deepEqual(row?.fields, {
      price: { value: null, observedAt: 7, verifiedAt: 7 },
      name: { value: 'Lamp', observedAt: 5, verifiedAt: 5 },
    });
  });

  test('is nothing for an observation older than the last (B45)', () => {
    assert.equal(compare(after([5, { price: 1 }]), 4, { price: 2 }).kind, 'stale');
    assert.equal(compare(after([5, { price: 1 }]), 4, { price: 1 }).kind, 'stale');
  });

  test('is nothing for an observation older than the last confirmation (B45)', () => {
    assert.equal(compare(after([5, { price: 1 }], [9, { price: 1 }]), 7, { price: 2 }).kind, 'stale');
  });

  test('takes of an older observation the fields that were not known', () => {
    const found = compare(after([5, { price: 1 }]), 4, { price: 2, stock: 3 });
    assert.deepEqual(found.kind === 'changed' && found.fields, { stock: { new: 3 } });
  });

  test('says where and when it was seen last by the newest observation, whatever an older one adds', () => {
    const found = compare(after([5, { price: 1 }]), 4, { stock: 3 });
    assert.deepEqual(found.kind === 'changed' && [found.row.updatedAt, found.row.firstSeenAt], [5, 5]);
    const late = rowOf(compare(after([5, { price: 1 }]), 6, {}), undefined);
    assert.equal(late?.updatedAt, 6);
  });

  test('lets the first of two observations of one instant stand', () => {
    assert.equal(compare(after([5, { price: 1 }]), 5, { price: 2 }).kind, 'stale');
  });

  test('takes a field by any name, also one that every object inherits', () => {
    const inherited = JSON.parse('{"__proto__": 1, "constructor": 2}') as Fields;
    const row = after([5, inherited]);
    assert.deepEqual(Object.keys(row?.fields ?? {}).toSorted(), ['__proto__', 'constructor']);
    assert.equal(compare(row, 6, inherited).kind, 'confirmed');
  });
});

const value = fc.jsonValue({ maxDepth: 2 }).map((json) => json as Value);
const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), value, { noNullPrototype: true });
const observations = fc.uniqueArray(fc.tuple(fc.nat(50), fields), {
  selector: ([at]) => at,
  minLength: 1,
  maxLength: 8,
});

/** What is known of each field, without when a value was first seen: that depends on what was known in between. */
function knownOf(row: Known): unknown {
  return Object.entries(row?.fields ?? {})
    .map(([field, cell]) => ({ field, value: cell.value, verifiedAt: cell.verifiedAt }))
    .toSorted((one, other) => one.field.localeCompare(other.field));
}

describe('observations of a record', () => {
  test('lead to the same values in whatever order they come', () => {
    const shuffled = observations.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => assert.deepEqual(knownOf(after(...other)), knownOf(after(...list)))),
    );
  });

  test('leave of each field the newest that named it', () => {
    fc.assert(
      fc.property(observations, (list) => {
        const row = after(...list);
        for (const [field, cell] of Object.entries(row?.fields ?? {})) {
          const named = list.filter(([, each]) => Object.hasOwn(each, field)).toSorted(([one], [other]) => other - one);
          assert.equal(cell.verifiedAt, named[0]?.[0]);
          assert.ok(sameValue(cell.value, named[0]?.[1][field] ?? null));
        }
      }),
    );
  });

  test('say nothing the second time', () => {
    fc.assert(
      fc.property(observations, (list) => {
        const row = after(...list);
        for (const [observedAt, each] of list) assert.equal(compare(row, observedAt, each).kind, 'stale');
      }),
    );
  });
});

describe('two values are the same', () => {
  test('whatever the order of their names, and after a way through JSON', () => {
    assert.ok(sameValue({ amount: '1', currency: 'EUR' }, { currency: 'EUR', amount: '1' }));
    fc.assert(fc.property(value, (each) => sameValue(each, JSON.parse(JSON.stringify(each)) as Value)));
  });

  const different: readonly (readonly [Value, Value])[] = [
    [null, 0],
    [null, {}],
    [[], {}],
    [[1], [1, 2]],
    [[null], []],
    [{ a: null }, {}],
    [{ a: null }, { b: null }],
    ['1', 1],
  ];
  for (const [one, other] of different) {
    test(`but not ${JSON.stringify(one)} and ${JSON.stringify(other)}`, () => {
      assert.equal(sameValue(one, other), false);
      assert.equal(sameValue(other, one), false);
    });
  }
});
