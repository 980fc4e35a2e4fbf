import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileCondition } from '../../src/expression/compile.ts';
import type { Value } from '../../src/extract/value/value.ts';
import { applyToRecord, type ProjectRules } from '../../src/figures/rules.ts';
import type { RecordView } from '../../src/view/record.ts';
import { temporaryStore } from '../store/fixture.ts';

const compiled = compileCondition('price < 10', { fields: { price: 'number' }, zone: 'UTC' });
if (!compiled.ok) assert.fail(compiled.message);
const { condition } = compiled;
const rules: ProjectRules = {
  project: 'solar',
  targets: [1],
  ofMetrics: [],
  ofRecords: new Map([['shop', new Map([['product', [{ name: 'cheap', condition }]]])]]),
};

function productAt(price: Value): RecordView {
  const seen = { firstSeenAt: 1, updatedAt: 1, sequence: 1, lastScrape: 1 };
  const name = { source: 'shop', type: 'product', key: 'kettle', target: 1, id: 'k', url: 'https://shop.example/k' };
  return { record: 1, ...name, ...seen, fields: { price: { value: price, observedAt: 1, verifiedAt: 1 } } };
}

test('a rule stays as it was while a value that it needs is not known', async (t) => {
  const { store } = await temporaryStore(t);
  for (const price of [null, 9, null, 8, 12, null])
    await store.write((change) => applyToRecord({ store, change }, rules, { number: 1, record: productAt(price) }));
  assert.deepEqual(
    Array.from(store.events.rows(), ({ type }) => type),
    ['rule.met', 'rule.ended'],
  );
});
