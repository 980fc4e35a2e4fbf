import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordPlan } from '../../src/extract/rule/plan.ts';
import { extracted, fieldOf, planFor } from './plan.ts';

const each = { by: 'css', css: '.item' } as const;

/** A record for each `.item` of a page. */
function items(key: readonly string[], rules: Readonly<Record<string, unknown>>): RecordPlan {
  return { type: 'item', key, each, fields: Object.entries(rules).map(([name, rule]) => fieldOf(name, rule)) };
}

/** The keys of the records of a page. */
async function keysOf(html: string, plan: RecordPlan): Promise<readonly string[]> {
  const { drafts } = await extracted(html, planFor([plan]));
  return drafts.map(({ key }) => key);
}

const quote = (author: string, text: string, more = '') => `<p class=item><i>${author}</i><b>${text}</b>${more}</p>`;

describe('the key of a record', () => {
  for (const [type, rule, text, key] of [
    ['an integer', { type: 'integer' }, '1,234', '1234'],
    ['a number, in decimals', { type: 'number' }, '0.0000001', '0.0000001'],
    ['a boolean', { type: 'boolean' }, 'Yes', 'true'],
    ['a date', { type: 'date', formats: 'd.M.yyyy' }, '3.4.2026', '2026-04-03'],
    ['money', { type: 'money' }, '€ 12.50', '{"amount":"12.50","currency":"EUR"}'],
    ['JSON, its names in order', { type: 'json' }, '{"b": 1, "a": [2]}', '{"a":[2],"b":1}'],
    ['a list', { type: 'array' }, 'a', '["a"]'],
  ] as const) {
    test(`is the canonical text of ${type} (O15)`, async () => {
      assert.deepEqual(await keysOf(quote('x', text), items(['id'], { id: { css: 'b', ...rule } })), [key]);
    });
  }

  test('of several fields tells apart what differs in any of them', async () => {
    const page = quote('A', 'x') + quote('A', 'y') + quote('A, x', '') + quote('A', 'x');
    assert.deepEqual(await keysOf(page, items(['author', 'text'], { author: 'i', text: 'b' })), [
      '["A","x"]',
      '["A","y"]',
    ]);
  });

  const all = items([], { author: 'i', text: 'b', tags: { css: 'u', type: 'array' } });

  test('of all content is the same for the same content, whatever lies around it', async () => {
    const plan = { ...all, fields: all.fields.toReversed() };
    const [one, two] = [quote('A', 'x'), `<div>${quote('A', 'x', '<s>new</s>')}</div>`];
    const [first] = await keysOf(one, all);
    assert.match(first ?? '', /^[\da-f]{32}$/);
    assert.deepEqual(await keysOf(two, all), [first]);
    assert.deepEqual(await keysOf(two, plan), [first]);
    const others = quote('B', 'x') + quote('A', 'xx') + quote('x', 'A') + quote('A', 'x', '<u>tag</u>');
    const keys = await keysOf(one + others + one, all);
    assert.equal(new Set(keys).size, 5);
    assert.equal(keys.length, 5);
  });

  test('of all content counts the text of what cannot be read', async () => {
    const plan = items([], { author: 'i', pages: { css: 'b', type: 'integer' } });
    const keys = await keysOf(quote('A', 'few') + quote('A', 'many') + quote('A', ''), plan);
    assert.equal(new Set(keys).size, 3);
  });

  for (const [what, key, page, told] of [
    [
      'lacks one of its fields',
      ['author', 'text'],
      '<p class=item><i>A</i></p>',
      { field: 'text', text: '{"author":"A","tags":[]}', expected: 'a value, as it is of the key' },
    ],
    [
      'holds nothing at all',
      [],
      '<p class=item></p>',
      { field: 'key', text: '{"tags":[]}', expected: 'a field with a value, as all fields are the key' },
    ],
    [
      'is too long',
      ['text'],
      quote('A', 'k'.repeat(1_001)),
      {
        field: 'text',
        text: `${'k'.repeat(199)}…`,
        expected: 'a key of at most 1000 characters, got 1001',
      },
    ],
  ] as const) {
    test(`that ${what} makes no record, which is told`, async () => {
      const both = quote('A', 'x') + page;
      const { drafts, refused, unparsed } = await extracted(both, planFor([{ ...all, key }]));
      assert.deepEqual([drafts.length, refused, unparsed], [1, 1, [{ record: 'item', position: 2, ...told }]]);
    });
  }
});
