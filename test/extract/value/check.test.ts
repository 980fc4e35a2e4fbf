import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Value } from '../../../src/extract/value/value.ts';
import { extracted, keyed, planFor } from '../plan.ts';

/** What a field of a page gives, with what was told of it. */
async function fieldOf(html: string, rule: object): Promise<{ readonly value: Value | undefined; told: string }> {
  const { drafts, unparsed } = await extracted(`<p class=key>a</p>${html}`, planFor([keyed({ x: rule })]));
  return {
    value: drafts[0]?.fields['x'],
    told: unparsed.map(({ text, expected }) => `${text}: ${expected}`).join('; '),
  };
}

describe('a check', () => {
  for (const [text, rule, expected] of [
    ['3', { type: 'integer', min: 1, max: 5 }],
    ['0', { type: 'integer', min: 1 }, 'at least 1'],
    ['6', { type: 'number', max: 5.5 }, 'at most 5.5'],
    ['€5', { type: 'money', min: 5, max: 5 }],
    ['€4.99', { type: 'money', min: 5 }, 'at least 5'],
    ['2020-01-01', { type: 'date', min: '2020-01-01', max: '2020-01-01' }],
    ['1970-01-01', { type: 'date', min: '2020-01-01' }, 'at least 2020-01-01'],
    ['2020-01-01T23:00:00Z', { type: 'datetime', max: '2020-01-01' }],
    ['2020-01-02T00:00:00Z', { type: 'datetime', max: '2020-01-01' }, 'at most 2020-01-01'],
    ['new', { enum: ['new', 'used'] }],
    ['sold', { enum: ['new', 'used'] }, 'one of new, used'],
    ['3', { type: 'integer', enum: [1, 3] }],
    ['2', { type: 'integer', enum: [1, 3] }, 'one of 1, 3'],
    ['B012345678', { pattern: '^B[0-9]{9}$' }],
    ['xB012345678', { pattern: '^B[0-9]{9}$' }, 'a text that matches "^B[0-9]{9}$"'],
    ['http://x.test/p/1', { type: 'url', pattern: '/p/' }],
    ['ab😀', { length: 3 }],
    ['ab', { length: 3 }, 'a length of 3'],
    ['ab', { length: { min: 3 } }, 'a length of at least 3'],
    ['abcde', { length: { min: 3, max: 4 } }, 'a length of 3 to 4'],
  ] as const satisfies readonly (readonly [string, object, string?])[]) {
    test(`of ${JSON.stringify(rule)} ${expected === undefined ? 'passes' : 'refuses'} ${text}`, async () => {
      const { value, told } = await fieldOf(`<b>${text}</b>`, { css: 'b', ...rule });
      if (expected === undefined) assert.ok(value !== undefined && told === '', told);
      else assert.deepEqual([value, told], [undefined, `${text}: ${expected}`]);
    });
  }

  test('refuses a list that is too short, also one without any match, and one with a bad element', async () => {
    const rule = { css: 'b', type: 'array', of: { type: 'integer', max: 5 }, length: { min: 2 } };
    assert.deepEqual((await fieldOf('<b>1</b><b>2</b>', rule)).value, [1, 2]);
    assert.deepEqual(await fieldOf('<b>1</b>', rule), { value: undefined, told: '1 elements: a length of at least 2' });
    assert.deepEqual(await fieldOf('', rule), { value: undefined, told: '0 elements: a length of at least 2' });
    assert.deepEqual(await fieldOf('<b>1</b><b>9</b>', rule), { value: undefined, told: '9: at most 5' });
  });

  test('does not ask of an empty text', async () => {
    assert.deepEqual(await fieldOf('<b></b>', { css: 'b', length: 3 }), { value: null, told: '' });
  });
});
