import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectationsOf } from '../../src/definition/expectations.ts';
import { parseSource } from '../../src/definition/load.ts';
import { definitionVersion, type Source } from '../../src/definition/source.ts';
import { brokenExpectations, repeatedFields } from '../../src/health/expectation.ts';
import { emptyField, emptyTally, emptyType, type RunTally } from '../../src/health/tally.ts';

const definition = (expect: string): string => `id: shop
records:
  product:
    key: sku
    ${expect}
    fields: { sku: b, title: h1, price: { css: i, type: money } }
`;

function sourceOf(expect: string): Source {
  const loaded = parseSource(definition(expect), 'shop.yaml');
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.value;
}

function problemsOf(expect: string): string[] {
  const loaded = parseSource(definition(expect), 'shop.yaml');
  return loaded.ok ? [] : loaded.problems.map(({ message }) => message);
}

const tally: RunTally = {
  ...emptyTally,
  types: {
    product: {
      ...emptyType,
      ...{ records: 80, known: 60, added: 20, changed: 5, expected: 64, missing: 4 },
      fields: { price: { ...emptyField, total: 80, seen: 72, had: 60, lost: 6, empty: 9, min: 0, max: 99.5 } },
    },
  },
};

/** The texts of the conditions that a run does not meet, each with the figure that it names first. */
function broken(expect: string, run: Partial<Parameters<typeof brokenExpectations>[1]> = {}): [string, number][] {
  const symptoms = brokenExpectations(expectationsOf(sourceOf(expect)), { tally, scope: 'whole', ...run });
  return symptoms.map(({ kind, record, measure, observed }) => {
    assert.deepEqual({ kind, record }, { kind: 'rule', record: 'product' });
    return [measure, observed];
  });
}

describe('what a definition expects of a run', () => {
  test('is met or not by the number of its records', () => {
    assert.deepEqual(broken('expect: records > 100'), [['records > 100', 80]]);
    assert.deepEqual(broken('expect: records > 50'), []);
  });

  test('may be several conditions, on fields as well', () => {
    const expect =
      'expect: [price.fill >= 0.95, price.lost < 0.2, price.min > 0, price.max < 50, missing / records > 0.1, new == 20]';
    assert.deepEqual(broken(expect), [
      ['price.fill >= 0.95', 0.9],
      ['price.min > 0', 0],
      ['price.max < 50', 99.5],
      ['missing / records > 0.1', 4],
    ]);
  });

  test('tells each figure that it names', () => {
    const [symptom] = brokenExpectations(
      expectationsOf(sourceOf('expect: missing / records < 0.05 || new > 30 || price.fill > 0.95')),
      { tally, scope: 'whole' },
    );
    assert.deepEqual(symptom?.figures, { missing: 4, records: 80, new: 20, 'price.fill': 0.9 });
  });

  test('is met where a figure is not known', () => {
    assert.deepEqual(broken('expect: [records > 100, price.fill > 0.95]', { scope: 'part' }), [
      ['price.fill > 0.95', 0.9],
    ]);
    assert.deepEqual(broken('expect: [price.max > 5, title.fill > 0.5, title.unique]', { tally: emptyTally }), []);
    assert.deepEqual(broken('expect: 1 / (records - 80) > 5'), []);
  });

  test('may be that no two records have one value', () => {
    const expectations = expectationsOf(sourceOf('expect: title.unique'));
    const records = ['Kettle', 'Pot', undefined, 'Kettle'].map((title) => ({
      type: 'product',
      fields: title === undefined ? {} : { title },
    }));
    assert.deepEqual(repeatedFields(records.slice(0, 3), expectations), new Set());
    const repeated = repeatedFields(records, expectations);
    assert.deepEqual(repeated, new Set(['product.title']));
    const found = {
      ...tally,
      types: { product: { ...emptyType, fields: { title: { ...emptyField, total: 3, seen: 3 } } } },
    };
    assert.deepEqual(broken('expect: title.unique', { tally: found, repeated }), [['title.unique', 0]]);
    assert.deepEqual(broken('expect: title.unique', { tally: found, repeated: new Set() }), []);
  });

  test('changes no version', () => {
    const versions = ['expect: records > 100', 'expect: records > 5', ''].map((expect) =>
      definitionVersion(sourceOf(expect)),
    );
    assert.equal(new Set(versions).size, 1);
  });
});

describe('an expectation is refused', () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['that names no figure or field', 'recrods > 100', /records.*did you mean "records"/],
    ['that names no figure of its field', 'price.fil > 1', /fill.*of price, got "fil"; did you mean "fill"/],
    ['that names a field without a figure', 'price > 5', /expected price\.fill, or another of/],
    ['that is no condition', 'records + 1', /expected a condition/],
    ['that depends on the present', 'now > timestamp("2026-01-01T00:00:00Z")', /no "now"/],
    ['that compares other types', 'title.unique > 5', /no such overload/],
    ['that is no expression', 'records >', /./],
    ['that asks for a number of texts', 'title.min > 0', /expected numbers or amounts in title, as min is of these/],
    ['that takes a share for percents', 'price.fill >= 95', /from 0 to 1, as price\.fill is a share, got 95/],
    ['that takes a share for percents the other way', '-1 < price.lost', /as price\.lost is a share, got -1/],
    ['that divides by zero', 'records / 0 > 1', /expected no division by 0/],
  ];
  for (const [name, text, message] of cases)
    test(name, () => {
      const [problem = '', ...more] = problemsOf(`expect: ['records > 0', ${JSON.stringify(text)}]`);
      assert.match(problem, message);
      assert.deepEqual(more, []);
    });

  test('where there are too many', () =>
    assert.match(problemsOf(`expect: [${Array.from({ length: 21 }, () => 'records > 0').join(', ')}]`)[0] ?? '', /20/));
});
