import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Value } from '../../../src/extract/value/value.ts';
import { readValue, type ScalarRule } from '../../../src/extract/value/all.ts';

interface Case {
  readonly rule: ScalarRule;
  /** What each text is read as. */
  readonly reads: readonly (readonly [text: string, value: Value, precision?: string])[];
  readonly refuses: readonly string[];
}

const cases: readonly Case[] = [
  {
    rule: { type: 'text' },
    reads: [
      ['  a\n\t b\u00a0c ', '  a\n\t b\u00a0c '],
      ['0', '0'],
    ],
    refuses: [],
  },
  {
    rule: { type: 'integer' },
    reads: [
      ['482', 482],
      ['-7', -7],
      ['\u22127', -7],
      ['+7', 7],
      ['007', 7],
      ['-0', 0],
      ['1,234', 1234],
      ['1.234', 1234],
      ['1.234.567', 1_234_567],
      ['12,34,567', 1_234_567],
      ['12\u202f345', 12_345],
      ['12 345', 12_345],
      ["12'345", 12_345],
      ['9007199254740991', 9_007_199_254_740_991],
    ],
    refuses: [
      '1.5',
      '1,5',
      '12,34',
      '1,2345',
      '1 2',
      '482 backers',
      '1e3',
      '--1',
      '1.',
      'NaN',
      '9007199254740993',
      '1,234.567.890',
    ],
  },
  {
    rule: { type: 'number' },
    reads: [
      ['1.5', 1.5],
      ['1,5', 1.5],
      ['.5', 0.5],
      ['-1.5e3', -1500],
      ['1,234', 1234],
      ['1.234', 1.234],
      ['0,123', 0.123],
      ['1,234.5', 1234.5],
      ['1.234,5', 1234.5],
      ['1 234,5', 1234.5],
    ],
    refuses: ['1,2,3', '1.2.3', '1.234,567.8', 'e5', '1e999', '5 %', 'Infinity', '0x10', '1-2'],
  },
  {
    rule: { type: 'number', decimal: ',' },
    reads: [
      ['1,234', 1.234],
      ['1.234', 1234],
      ['1.234,5', 1234.5],
    ],
    refuses: ['1,234.5', '1.5'],
  },
  { rule: { type: 'integer', decimal: '.' }, reads: [['1,234', 1234]], refuses: ['1.234'] },
  {
    rule: { type: 'boolean' },
    reads: [
      ['Yes', true],
      ['true', true],
      ['1', true],
      ['on', true],
      ['no', false],
      ['FALSE', false],
      ['off', false],
      ['0', false],
    ],
    refuses: ['ja', '2', 'yes please'],
  },
  {
    rule: { type: 'boolean', true: ['sold out'] },
    reads: [
      ['Sold  Out', true],
      ['in stock', false],
    ],
    refuses: [],
  },
  {
    rule: { type: 'boolean', false: ['sold out'] },
    reads: [
      ['sold out', false],
      ['in stock', true],
    ],
    refuses: [],
  },
  {
    rule: { type: 'boolean', true: ['ja'], false: ['nein'] },
    reads: [
      ['JA', true],
      ['nein', false],
    ],
    refuses: ['yes', 'vielleicht'],
  },
  {
    rule: { type: 'date' },
    reads: [
      ['2026-11-21', '2026-11-21'],
      ['2028-02-29', '2028-02-29'],
      ['2026-11-21T23:30:00-08:00', '2026-11-21'],
      ['Sat, 21 Nov 2026 23:30:00 EST', '2026-11-21'],
      ['Sat Nov 21 2026 23:30:00 GMT-0800 (heure normale du Pacifique)', '2026-11-21'],
      ['2026-11', '2026-11-01', 'month'],
    ],
    refuses: ['2026-02-30', '2026-13-01', '21.11.2026', '11/21/2026', '2026-13', '2026', 'today', '2026-11-21x'],
  },
  {
    rule: { type: 'datetime' },
    reads: [
      ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z'],
      ['2026-11-21 10:00', '2026-11-21T10:00:00.000Z', 'minute'],
      ['2026-11-21T10:00:00.5+02:00', '2026-11-21T08:00:00.500Z'],
      ['2026-01-01T00:30+0100', '2025-12-31T23:30:00.000Z', 'minute'],
      ['2026-11-21T10:00:00.123456Z', '2026-11-21T10:00:00.123Z'],
      ['0099-01-01T00:00Z', '0099-01-01T00:00:00.000Z', 'minute'],
      ['Sat, 21 Nov 2026 10:00:00 GMT', '2026-11-21T10:00:00.000Z'],
    ],
    refuses: [
      '2026-11-21',
      '2026-02-30T10:00Z',
      '2026-11-21T24:00Z',
      '2026-11-21T10:60Z',
      '2026-11-21T10:00+25:00',
      '1763719200',
      'Sun, 21 Nov 2026 10:00:00 GMT',
      'Sat, 21 Nov 2026 10:00:00 CST',
    ],
  },
  {
    rule: { type: 'url' },
    reads: [
      ['../a b?x=1#y', 'http://site.test/a%20b?x=1#y'],
      ['//other.test', 'http://other.test/'],
      ['https://x.test/é', 'https://x.test/%C3%A9'],
    ],
    refuses: ['javascript:alert(1)', 'mailto:a@b.test', 'http://', 'data:text/html,x'],
  },
  {
    rule: { type: 'json' },
    reads: [
      ['{"a": [1, null, "b  c"]}', { a: [1, null, 'b  c'] }],
      ['3', 3],
    ],
    refuses: ['{a: 1}', '[1,]', 'undefined'],
  },
];

describe('typed values', () => {
  for (const { rule, reads, refuses } of cases) {
    const name = JSON.stringify(rule);
    for (const [text, value, precision] of reads) {
      test(`${name} reads ${JSON.stringify(text)}`, () => {
        assert.deepEqual(readValue(text, rule, 'http://site.test/list/page'), {
          ...{ ok: true, value },
          ...(precision !== undefined && { precision }),
        });
      });
    }
    test(`${name} refuses ${refuses.length} other texts and says what it expected`, () => {
      for (const text of refuses) {
        const read = readValue(text, rule, 'http://site.test/list/page');
        assert.equal(read.ok, false, `${text} was read as ${JSON.stringify(read)}`);
        assert.ok(!read.ok && read.text === text.replaceAll(/\s+/g, ' ') && read.expected !== '');
      }
    });
    test(`${name} reads an empty place as null`, () => {
      assert.deepEqual(readValue(' \n ', rule, 'http://site.test/'), { ok: true, value: null });
    });
  }

  test('a long text is refused as a number without being looked at, and quoted in part', () => {
    const read = readValue('1'.repeat(1_000_000), { type: 'money' }, 'http://site.test/');
    assert.ok(!read.ok && read.text.length === 200);
  });

  for (const [rule, last] of [
    [{ type: 'integer' }, '7'],
    [{ type: 'number' }, '7'],
    [{ type: 'money' }, '7 €'],
    [{ type: 'boolean', true: ['7'.padStart(200, '0'), '7'.padStart(201, '0')], false: [] }, '7'],
  ] as const) {
    test(`a text of 200 characters is read as ${rule.type}, and a longer one is not`, () => {
      const isRead = (length: number): boolean => readValue(last.padStart(length, '0'), rule, 'http://site.test/').ok;
      assert.deepEqual([isRead(200), isRead(201)], [true, false]);
    });
  }

  test('a text of 100,000 characters is one, and a longer one is refused', () => {
    const isRead = (length: number): boolean => readValue('x'.repeat(length), { type: 'text' }, '').ok;
    assert.deepEqual([isRead(100_000), isRead(100_001)], [true, false]);
  });

  test('what a language writes for a whole number is read back, whatever marks its groups', () => {
    const languages = ['en', 'de', 'fr', 'sv', 'de-CH', 'en-IN', 'pt-BR', 'pl'];
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.constantFrom(...languages), (value, language) => {
        const text = new Intl.NumberFormat(language).format(value);
        assert.deepEqual(readValue(text, { type: 'integer' }, 'http://site.test/'), { ok: true, value });
      }),
    );
  });
});
