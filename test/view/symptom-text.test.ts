import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { symptomText } from '../../src/view/symptom-text.ts';
import { measureKinds } from '../../src/health/measure-kind.ts';

const ofRule = { kind: 'rule', record: 'product', observed: 6 } as const;

describe('a symptom in words', () => {
  test('has a name for each measure that a reader finds in the manual as well', () => {
    const manual = readFileSync('docs/health.md', 'utf8');
    for (const [measure, { symptom: kind }] of Object.entries(measureKinds)) {
      const [, name = ''] = /^(.*) 3$/.exec(symptomText({ kind, measure, observed: 3 })) ?? [];
      assert.ok(manual.includes(`| ${name} |`), `expected a line on ${name}`);
    }
  });

  test('says by each figure of a condition why it is not met', () => {
    const figures = { missing: 6, records: 60, new: 0 };
    assert.equal(
      symptomText({ ...ofRule, measure: 'missing / records < 0.1 || new > 0', figures }),
      'product: expected missing / records < 0.1 || new > 0, but missing is 6, records is 60, new is 0',
    );
    assert.equal(
      symptomText({ ...ofRule, measure: 'title.unique', figures: { 'title.unique': 0 } }),
      'product: expected title.unique, but title has a value twice',
    );
    assert.equal(symptomText({ ...ofRule, measure: 'records > 9' }), 'product: expected records > 9, but it is 6');
  });

  test('counts failures as a sentence does', () => {
    const failing = { kind: 'failing', measure: 'failures', observed: 3, expected: { high: 2 } } as const;
    assert.equal(symptomText(failing), '3 failures in a row, usually at most 2');
  });

  test('never says of a number that it is usual', () => {
    const missing = { kind: 'missing', record: 'item', measure: 'missing', expected: { high: 0.5 } } as const;
    assert.match(symptomText({ ...missing, observed: 0.5 }), / 0\.5, usually less than 0\.5$/);
    assert.match(symptomText({ ...missing, observed: 0.6 }), / 0\.6, usually at most 0\.5$/);
    const few = { kind: 'records', record: 'item', measure: 'records', observed: 5, expected: { low: 5 } } as const;
    assert.match(symptomText(few), / 5, usually more than 5$/);
  });
});
