import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { compileRecordCondition, conditionFault } from '../../../src/extract/value/record-condition.ts';
import type { Value } from '../../../src/extract/value/value.ts';

describe('a condition on records', () => {
  test('holds of the record in the docs as its table says', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../docs/operating.md'), 'utf8');
    const [, section = ''] = page.split('## Records by what they say');
    const [, json = ''] = /```json\n(.*?)```/s.exec(section) ?? [];
    const rows = Array.from(section.matchAll(/^\| `(.+?)` \| (yes|no) \|/gm), ([, text = '', holds]) => [text, holds]);
    assert.equal(rows.length, 11);
    const record: Readonly<Record<string, Value>> = JSON.parse(json);
    assert.deepEqual(
      rows.map(([text = '']) => [text, compileRecordCondition(text)(record) === true ? 'yes' : 'no']),
      rows,
    );
  });

  test('compares amounts as numbers, however deep, and no other texts', () => {
    const price = (amount: string): Value => ({ amount, currency: 'EUR' });
    const record = { price: price('9.00'), offers: [{ price: price('120.00') }], code: { amount: '9' } };
    const holds = (text: string): unknown => compileRecordCondition(text)(record);
    assert.equal(holds('@.price.amount < 10 && @.price.amount == 9'), true);
    assert.equal(holds('@.offers[?@.price.amount > 20]'), true);
    assert.equal(holds('@.code.amount < 10'), false);
    assert.equal(holds('@.code.amount == "9"'), true);
  });

  for (const [text, message] of [
    ['stock > 0', 'unexpected "stock" at character 1'],
    ['@.a = 1', 'unexpected "=" at character 5'],
    ['@.a and @.b', 'unexpected "and" at character 5'],
    ['@.a == red', 'unexpected "red" at character 8'],
    ['@.a "x"', 'expected "&&", "||" or the end at character 5'],
    ['@.a ==', 'unexpected end of expression'],
    ['@.a[?@.b', 'unbalanced brackets'],
    ['@.a]..b[?@.c', 'it is more than one condition'],
    ['@.a, ?@.b', 'it is more than one condition'],
    ['search(@.a, "x")', 'search() is not available'],
  ] as const) {
    test(`is refused as ${text}, and it is told where`, () => {
      assert.equal(conditionFault(text), message);
    });
  }

  test('takes no longer than a record may, however it goes over the same values again', () => {
    const list = Array.from({ length: 10_000 }, (_, at) => ({ a: at }));
    let deep: Value = 1;
    for (let depth = 0; depth < 60; depth += 1) deep = { a: deep };
    const record = { list, deep };
    assert.equal(compileRecordCondition('@.list[?@.a == 9999]')(record), true);
    const startedAt = performance.now();
    for (const text of [
      '@.list[?$.list[?@.a == -1]]',
      '@.list[?@ == $.list]',
      `@.deep${'["a","a"]'.repeat(50)}`,
      '@..[?@..[?@..[?@.a > $.a]]]',
      '@..*..*..*..*',
    ])
      assert.equal(compileRecordCondition(text)(record), 'too long', text);
    assert.ok(performance.now() - startedAt < 5_000);
  });
});
