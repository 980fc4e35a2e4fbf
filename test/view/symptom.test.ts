import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Symptom, symptomId } from '../../src/view/symptom.ts';

const fill: Symptom = {
  kind: 'field',
  record: 'product',
  field: 'price',
  measure: 'fill',
  observed: 0.9,
  expected: { low: 0.95, median: 0.99 },
  of: 100,
};

test('symptoms of one field are the same whatever was measured', () => {
  assert.equal(symptomId(fill), 'field product price');
  assert.equal(symptomId({ ...fill, measure: 'lost' }), symptomId(fill));
});

test('symptoms of other kinds, records or fields are others', () => {
  const others: readonly Symptom[] = [
    fill,
    { ...fill, kind: 'values' },
    { ...fill, record: 'offer' },
    { ...fill, field: 'title' },
  ];
  assert.equal(new Set(others.map(symptomId)).size, others.length);
});

test('a symptom of a whole source names no record', () => {
  assert.equal(symptomId({ kind: 'failing', measure: 'targets' }), 'failing');
});

test('each expectation of a definition is a symptom of its own', () => {
  const [one, other] = ['records > 100', 'unique(title)'].map((measure) =>
    symptomId({ kind: 'rule', record: 'product', measure }),
  );
  assert.notEqual(one, other);
});

test('a symptom with an unknown key is refused', () => {
  assert.ok(Symptom.safeParse(fill).success);
  assert.equal(Symptom.safeParse({ ...fill, before: 3 }).success, false);
});
