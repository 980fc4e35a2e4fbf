import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ageText, durationMs, durationText } from '../../src/time-text.ts';
import { type Column, table } from '../../src/cli/table.ts';
import { bytesText, plainText, shellText, valueText } from '../../src/cli/text.ts';
import { paper } from './terminal.ts';

/** Columns that show the cells of a row by their place. */
function columns(...headings: readonly string[]): Column<readonly string[]>[] {
  return headings.map((heading, index) => [heading, (row) => row[index] ?? '']);
}

describe('texts for people', () => {
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

  test('where the terminal is too narrow the widest column gives way, and the others stay', () => {
    const { terminal } = paper({ columns: 30 });
    const text = table(terminal, [['k'.repeat(60), 'v'.repeat(9), '3m ago']], columns('KEY', 'VALUE', 'AGE'));
    assert.equal(text, `KEY          VALUE      AGE\n${'k'.repeat(10)}…  ${'v'.repeat(9)}  3m ago`);
  });

  test('without a terminal it may have its headings', () => {
    assert.equal(table(paper().terminal, [['1', '2']], columns('A', 'B'), 'headed'), 'A\tB\n1\t2');
  });

  test('without a terminal it is bare rows with tabs', () => {
    assert.equal(
      table(
        paper().terminal,
        [
          ['1', '2'],
          ['3', ''],
        ],
        columns('A', 'B'),
      ),
      '1\t2\n3\t',
    );
  });
});
