import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Value } from '../../../src/extract/value/value.ts';
import { plainText } from '../../../src/extract/value/plain-text.ts';
import { type ReadValue, readValue, type ScalarRule } from '../../../src/extract/value/all.ts';

function read(raw: Value, rule: ScalarRule): ReadValue {
  return readValue(raw, rule, 'http://site.test/');
}

function nested(depth: number): Value {
  let value: Value = 1;
  for (let at = 0; at < depth; at += 1) value = [value];
  return value;
}

describe('values of JSON, CSV and plug-ins', () => {
  for (const [raw, rule, value] of [
    ['  a  b ', { type: 'text' }, '  a  b '],
    [5, { type: 'text' }, '5'],
    [1e21, { type: 'text' }, '1000000000000000000000'],
    [-1.5e-7, { type: 'text' }, '-0.00000015'],
    [false, { type: 'text' }, 'false'],
    [42, { type: 'integer' }, 42],
    [' 42 ', { type: 'integer' }, 42],
    [`${' '.repeat(1_000)}42`, { type: 'integer' }, 42],
    [3.25, { type: 'number' }, 3.25],
    [true, { type: 'boolean' }, true],
    [false, { type: 'boolean', true: ['yes'] }, false],
    [1, { type: 'boolean' }, true],
    [20_260_314, { type: 'date', formats: ['yyyyMMdd'] }, '2026-03-14'],
    [1_763_719_200, { type: 'datetime', formats: ['X'] }, '2025-11-21T10:00:00.000Z'],
    [19.9, { type: 'money', currency: 'EUR' }, { amount: '19.90', currency: 'EUR' }],
    [19.999, { type: 'money', currency: 'EUR', decimal: ',' }, { amount: '19.999', currency: 'EUR' }],
    [{ amount: '5.00', currency: 'EUR' }, { type: 'money' }, { amount: '5.00', currency: 'EUR' }],
    [{ a: [1, { b: null }] }, { type: 'json' }, { a: [1, { b: null }] }],
    [[1, 'x'], { type: 'json' }, [1, 'x']],
    [null, { type: 'integer' }, null],
  ] as const) {
    test(`${JSON.stringify(raw)} is read as ${rule.type}: ${JSON.stringify(value)} (O4, O5, O7, O12)`, () => {
      assert.deepEqual(read(raw, rule), { ok: true, value });
    });
  }

  for (const [raw, rule] of [
    [3.5, { type: 'integer' }],
    ['3.5', { type: 'integer' }],
    ['abc', { type: 'integer' }],
    [2 ** 53, { type: 'integer' }],
    [true, { type: 'integer' }],
    [true, { type: 'date', formats: ['%Y'] }],
    [Number.POSITIVE_INFINITY, { type: 'number' }],
    [['a'], { type: 'text' }],
    [{ a: 1 }, { type: 'text' }],
    [19.9, { type: 'money' }],
    [
      { amount: '5', currency: 'EUR' },
      { type: 'money', currency: 'USD' },
    ],
    [{ amount: 5, currency: 'EUR' }, { type: 'money' }],
    [nested(65), { type: 'json' }],
    ['x'.repeat(100_001), { type: 'text' }],
  ] as const) {
    test(`${JSON.stringify(raw).slice(0, 50)} is no ${rule.type} (O5)`, () => {
      assert.equal(read(raw, rule).ok, false);
    });
  }

  test('half a character is made whole, since no store keeps it', () => {
    assert.deepEqual(read('a\ud800', { type: 'text' }), { ok: true, value: 'a\ufffd' });
  });

  test('brackets within strings do not count as depth', () => {
    assert.deepEqual(read(JSON.stringify('['.repeat(100)), { type: 'json' }), { ok: true, value: '['.repeat(100) });
  });

  test('the text of a number is the same number, and has no exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = plainText(value) ?? '';
        assert.match(text, /^-?\d+(?:\.\d+)?$/);
        assert.equal(Number(text), value === 0 ? 0 : value);
      }),
    );
  });
});
