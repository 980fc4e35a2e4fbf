import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ageText, durationMs, durationText } from '../../src/time-text.ts';
import { type Column, table } from '../../src/cli/table.ts';
import { bytesText, countText, plainText, shellText, valueText } from '../../src/view/text.ts';
import { paper } from '../cli/terminal.ts';

/** Columns that show the cells of a row by their place. */
function columns(...headings: readonly string[]): Column<readonly string[]>[] {
  return headings.map((heading, index) => [heading, (row) => row[index] ?? '']);
}

describe('texts for people', () => {
  test('a count has its noun, in the plural unless there is one', () => {
    const texts = [countText(0, 'page'), countText(1, 'entry'), countText(5, 'entry'), countText(2, 'day')];
    assert.deepEqual(texts, ['0 pages', '1 entry', '5 entries', '2 days']);
  });

  const durations: readonly [number, string][] = [
    [0, '0ms'],
    [999.4, '999ms'],
    [1_000, '1s'],
    [1_250, '1.2s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [90_000, '1m 30s'],
    [3_599_999, '59m'],
    [16_200_000, '4h 30m'],
    [90_000_000, '1d 1h'],
    [40 * 86_400_000, '40d'],
  ];
  for (const [ms, text] of durations) {
    test(`${ms} ms are "${text}"`, () => assert.equal(durationText(ms), text));
  }

  test('an address is one word of a shell, whatever stands in it', () => {
    assert.equal(shellText('https://shop.example/p/solar'), 'https://shop.example/p/solar');
    assert.equal(shellText('https://shop.example/?a=1&b=2'), "'https://shop.example/?a=1&b=2'");
    assert.equal(shellText("it's"), String.raw`'it'\''s'`);
  });

  test('ages are told in the past and in the future', () => {
    assert.equal(ageText(1_000, 61_000), '1m ago');
    assert.equal(ageText(7_201_000, 1_000), 'in 2h');
    assert.equal(ageText(1_000, 1_400), 'now');
  });

  test('durations are read in the units of files, and nothing else is', () => {
    assert.deepEqual(
      ['500ms', '90s', '15m', '6h', '1d'].map(durationMs),
      [500, 90_000, 900_000, 21_600_000, 86_400_000],
    );
    for (const wrong of ['', '5', '0s', '-1h', '1.5h', '1 h', '1w', 'h', '15M'])
      assert.equal(durationMs(wrong), undefined);
  });

  test('bytes are told in units of a thousand', () => {
    assert.deepEqual([0, 999, 1_000, 5_120, 2_500_000, 3e15].map(bytesText), [
      '0 B',
      '999 B',
      '1.0 kB',
      '5.1 kB',
      '2.5 MB',
      '3000.0 TB',
    ]);
  });

  test('a text from elsewhere cannot steer the terminal', () => {
    assert.equal(plainText('a\u001B[2Jb\u0007c\r\nd\u202Ee\u009Bf'), 'ab c d e');
  });

  test('values are told as people write them', () => {
    assert.equal(valueText({ amount: '5', currency: 'USD' }), '5 USD');
    assert.equal(valueText({ amount: '12.99', currency: 'EUR', per: 'month', from: true }), 'from 12.99 EUR / month');
    assert.equal(valueText({ amount: 18, unit: 'year' }), '18 year');
    assert.equal(valueText([{ amount: 330, unit: 'ml', count: 6 }]), '6 × 330 ml');
    assert.equal(
      valueText({ amount: '5', currency: 'USD', note: 'net' }),
      '{"amount":"5","currency":"USD","note":"net"}',
    );
    assert.equal(valueText([1, 'two', null]), '1, two, –');
    assert.equal(valueText({ nested: true }), '{"nested":true}');
    assert.equal(valueText(false), 'false');
  });
});

describe('table', () => {
  const red = (text: string): string => `\u001B[31m${text}\u001B[39m`;

  test('columns are as wide as what they show, colours not counted', () => {
    const { terminal } = paper({ columns: 80 });
    const rows = [
      ['aaa', red('x'), 'c'],
      ['b', 'y', ''],
    ];
    const text = table(terminal, rows, columns('A', 'LONG', 'C'));
    assert.equal(text, `A    LONG  C\naaa  ${red('x')}     c\nb    y`);
  });

  test('lines are cut at the edge, and colours end where they are cut', () => {
    const { terminal } = paper({ columns: 20 });
    const text = table(terminal, [[red('x'.repeat(30))]], columns('NAME'));
    assert.equal(text, `NAME\n${red('x'.repeat(19))}…`);
  });

  const narrow: readonly (readonly [why: string, columns: Column<readonly string[]>[], row: string[], text: string])[] =
    [
      [
        'the widest column that may be cut is',
        [
          ['KEY', ([key = '']) => key, { cutTo: 8 }],
          ['VALUE', ([, value = '']) => value],
        ],
        ['k'.repeat(60), 'v'.repeat(16)],
        `KEY           VALUE\n${'k'.repeat(11)}…  ${'v'.repeat(16)}`,
      ],
      [
        'the last spare column is left out where cutting is not enough, which a mark tells',
        [
          ['HOST', ([host = '']) => host],
          ['OPEN', ([, open = '']) => open, { spare: true }],
          ['DELAY', ([, , delay = '']) => delay, { spare: true }],
          ['NEXT', ([, , , next = '']) => next],
        ],
        ['http://a.example', '1', '1s', 'now'],
        'HOST              OPEN  NEXT …\nhttp://a.example  1     now',
      ],
      [
        'what should stay whole is cut in its middle, where nothing else is left',
        [
          ['HOST', ([host = '']) => host],
          ['NEXT', ([, next = '']) => next],
        ],
        ['https://a-long-name-of-a.shop.example', 'now'],
        'HOST                      NEXT\nhttps://a-lo…hop.example  now',
      ],
      [
        'letters of double width count twice',
        [['NAME', ([name = '']) => name, { cutTo: 8 }]],
        ['鷺'.repeat(40)],
        `NAME\n${'鷺'.repeat(14)}…`,
      ],
    ];
  for (const [why, columns, row, text] of narrow)
    test(`where the terminal is too narrow ${why}`, () => {
      assert.equal(table(paper({ columns: 30 }).terminal, [row], columns), text);
    });

  test('without a terminal it has its headings, and tabs between cells', () => {
    const { terminal } = paper();
    const rows = [
      ['1', '2'],
      ['3', ''],
    ];
    assert.equal(table(terminal, rows, columns('A', 'B')), 'A\tB\n1\t2\n3\t');
  });
});
