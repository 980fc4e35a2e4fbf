import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Value } from '../../src/extract/value/value.ts';
import type { ExtractPlan } from '../../src/extract/plan.ts';
import { typedDrafts } from '../../src/extract/record.ts';
import { parseSource } from '../../src/definition/load.ts';
import { planOf } from '../../src/provider/plans.ts';

const base = 'https://register.example/trials/';

/** The plan of a source with a plug-in whose record `trial` has these fields besides its key `id`. */
function planWith(fields: string, more = ''): ExtractPlan {
  const parsed = parseSource(
    `id: reg\nplugin: reg.ts\nrecords:\n  trial: { key: id, ${more} fields: { id: {}, ${fields} } }\n`,
    'reg.yaml',
  );
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return planOf(parsed.value);
}

function readField(rule: string, value: Value): [Value | undefined, readonly string[]] {
  const found = [{ type: 'trial', fields: { id: 'a', x: value } }];
  const { drafts, unparsed } = typedDrafts(found, planWith(`x: ${rule}`), base);
  return [drafts[0]?.fields['x'], unparsed.map(({ field, text, expected }) => `${field} "${text}": ${expected}`)];
}

describe('a draft of a plug-in', () => {
  const table: readonly (readonly [rule: string, given: Value, value: Value | undefined, lost?: string])[] = [
    ['{}', ' as it is ', ' as it is '],
    ['{}', 12, '12'],
    ['{ type: integer }', ' 3 ', 3],
    ['{ type: integer }', 'three', undefined, 'x "three": a whole number'],
    ['{ type: url }', 'a/b', 'https://register.example/trials/a/b'],
    ['{ type: json }', { a: [1, null] }, { a: [1, null] }],
    ['{ type: array, of: { type: integer } }', ['1', 2], [1, 2]],
    ['{ type: array, of: { type: integer } }', ['1', 'two'], undefined, 'x[1] "two": a whole number'],
    ['{ type: array }', 'a text', undefined, 'x "a text": a list'],
    ['{ fields: { n: { type: integer }, t: {} } }', { n: '7', other: 1 }, { n: 7 }],
    ['{ fields: { n: { type: integer }, t: {} } }', { n: 'x', t: 'y' }, { t: 'y' }, 'x.n "x": a whole number'],
    ['{ fields: { n: { required: true } } }', { t: 'y' }, undefined],
    ['{ type: boolean, "true": Yes }', 'yes', true],
    ['{ type: integer }', null, null],
    ['{ type: integer }', ' ', undefined],
    ['{}', '', null],
    ['{ fields: { n: { type: integer }, t: {} } }', { n: '', t: 'y' }, { t: 'y' }],
  ];
  for (const [rule, given, value, lost] of table) {
    test(`has ${JSON.stringify(given)} read as ${rule}`, () => {
      assert.deepEqual(readField(rule, given), [value, lost === undefined ? [] : [lost]]);
    });
  }

  test('that has a list with several elements of the wrong type tells of each', () => {
    assert.deepEqual(readField('{ type: array, of: { type: integer } }', ['one', 2, 'three']), [
      undefined,
      ['x[0] "one": a whole number', 'x[2] "three": a whole number'],
    ]);
  });

  test('has its own key, else the text of the key field', () => {
    const plan = planWith('n: { type: integer }');
    const keys = (drafts: Parameters<typeof typedDrafts>[0]) =>
      typedDrafts(drafts, plan, base).drafts.map(({ key }) => key);
    assert.deepEqual(
      keys([
        { type: 'trial', key: 'own', fields: { id: 'a' } },
        { type: 'trial', fields: { id: 12 } },
      ]),
      ['own', '12'],
    );
    assert.deepEqual(
      keys([
        { type: 'trial', fields: { id: '' } },
        { type: 'trial', fields: { n: 1 } },
      ]),
      [],
    );
  });

  test('has its own key as its key field too, unless it gives that itself', () => {
    const found = [
      { type: 'trial', key: 'a', fields: {} },
      { type: 'trial', key: 'b', fields: { id: 'B' } },
    ];
    const { drafts } = typedDrafts(found, planWith(''), base);
    assert.deepEqual(
      drafts.map(({ key, fields }) => [key, fields]),
      [
        ['a', { id: 'a' }],
        ['b', { id: 'B' }],
      ],
    );
  });

  test('that lacks a required field, or is of no declared type, is refused and counted', () => {
    const plan = planWith('n: { required: true }');
    const found = typedDrafts(
      [
        { type: 'trial', fields: { id: 'a', n: null } },
        { type: 'study', key: 'b', fields: {} },
      ],
      plan,
      base,
    );
    assert.deepEqual([found.drafts, found.refused, found.notes], [[], 2, ['Undefined record: study']]);
  });

  test('whose key is too long is refused, which says so', () => {
    const id = 'k'.repeat(1_001);
    const { drafts, refused, unparsed } = typedDrafts([{ type: 'trial', fields: { id } }], planWith('n: {}'), base);
    const told = unparsed.map(({ field, expected }) => `${field}: ${expected}`);
    assert.deepEqual([drafts, refused, told], [[], 1, ['id: a key of at most 1000 characters, got 1001']]);
  });

  test('that says something else than one before it with its key is counted and told, and one that adds to it is not', () => {
    const plan = planWith('n: { type: integer }, m: { type: integer }');
    const drafts = [{ n: 1 }, { n: 1 }, { m: 2 }, { n: 3 }, { m: 4 }].map((fields) => ({
      type: 'trial',
      key: 'a',
      fields,
    }));
    const { repeated, notes } = typedDrafts([...drafts, { type: 'trial', key: 'b', fields: { n: 5 } }], plan, base);
    assert.deepEqual([repeated, notes], [2, ['Repeated key: trial - a']]);
    assert.equal(typedDrafts(drafts.slice(0, 3), plan, base).repeated, undefined);
  });

  test('never has a field that is not declared, nor loses another by it', () => {
    const plan = planWith('n: { type: integer }');
    const fields = fc.dictionary(fc.constantFrom('id', 'n', 'a', '__proto__', 'toString'), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(fields, { maxLength: 5 }), (all) => {
        const drafts = all.map((each) => ({ type: 'trial', key: 'k', fields: each as Record<string, Value> }));
        const typed = typedDrafts(drafts, plan, base);
        assert.equal(typed.drafts.length, drafts.length);
        for (const { fields: kept } of typed.drafts)
          assert.ok(Object.keys(kept).every((name) => name === 'id' || name === 'n'));
      }),
    );
  });
});
