import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Exact } from '../../src/expression/exact.ts';
import { RateTable } from '../../src/metric/rates.ts';
import { readTable } from '../../src/figures/rates.ts';

const exact = (text: string): Exact => Exact.of(text) ?? assert.fail(text);
const rate = (base: string, quote: string, day: number, text: string, source = 'bank') => ({
  ...{ base, quote, day, source },
  rate: exact(text),
});

describe('rates of currencies', () => {
  const rates = new RateTable([
    rate('EUR', 'USD', 10, '1.10'),
    rate('EUR', 'USD', 14, '1.25'),
    rate('EUR', 'GBP', 13, '0.80', 'other bank'),
  ]);

  test('the newest rate that is not after the day counts', () => {
    assert.equal(rates.find('EUR', 'USD', 13, 7)?.factor.text(), '1.1');
    assert.equal(rates.find('EUR', 'USD', 14, 7)?.factor.text(), '1.25');
    assert.equal(rates.find('EUR', 'USD', 9, 7), undefined);
  });

  test('a rate that is too old is none', () => {
    assert.equal(rates.find('EUR', 'USD', 21, 7)?.day, 14);
    assert.equal(rates.find('EUR', 'USD', 22, 7), undefined);
  });

  test('a rate serves the other way round, and two serve over the currency that they share', () => {
    assert.equal(rates.find('USD', 'EUR', 14, 7)?.factor.text(), '0.8');
    const found = rates.find('USD', 'GBP', 14, 7);
    assert.deepEqual([found?.factor.text(), found?.over, found?.day], ['0.64', 'EUR', 13]);
    assert.deepEqual([found?.source, rates.find('USD', 'EUR', 14, 7)?.source], ['bank, other bank', 'bank']);
  });

  test('there and back an amount is what it was, exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), fc.integer({ min: 1, max: 10 ** 9 }), (top, bottom) => {
        const some = new RateTable([
          { base: 'EUR', quote: 'SEK', day: 1, rate: new Exact(BigInt(top), BigInt(bottom)), source: 'bank' },
        ]);
        const [there, back] = [some.find('EUR', 'SEK', 1, 0), some.find('SEK', 'EUR', 1, 0)];
        assert.equal(there && back && there.factor.times(back.factor).compare(new Exact(1n)), 0);
      }),
    );
  });

  test('a table with one wrong row has no rates, and says which row', () => {
    const { table, problem } = readTable(
      'base,quote,day,rate\nEUR,USD,2026-03-14,1.1\nEUR,usd,2026-03-15,1.2\n',
      'rates.csv',
    );
    assert.equal(table.find('EUR', 'USD', 20_530, 30), undefined);
    assert.match(problem ?? '', /rates\.csv: row 2: expected base and quote as codes/);
  });

  test('a rate of a table is from whom its column `source` says, or else from the file', () => {
    const { table } = readTable(
      'base,quote,day,rate,source\nEUR,USD,2026-03-14,1.1,bank\nEUR,GBP,2026-03-14,0.8,\n',
      '/srv/rates.csv',
    );
    assert.deepEqual(
      ['USD', 'GBP'].map((to) => table.find('EUR', to, 20_530, 30)?.source),
      ['bank', 'rates.csv'],
    );
  });

  test('a rate of the pair itself goes before one of the other way round, wherever they stand', () => {
    const both = [rate('EUR', 'USD', 10, '1.25'), rate('USD', 'EUR', 10, '0.79')];
    for (const some of [new RateTable(both), new RateTable(both.toReversed())]) {
      assert.equal(some.find('EUR', 'USD', 10, 0)?.factor.text(), '1.25');
      assert.equal(some.find('USD', 'EUR', 10, 0)?.factor.text(), '0.79');
    }
  });

  const header = 'base,quote,day,rate\n';
  const refused: readonly (readonly [what: string, text: string, says: string])[] = [
    [
      'that is empty',
      '',
      'expected the columns base, quote, day, rate in the first row, got no base, quote, day, rate',
    ],
    ['without rows', header, 'expected a row for each rate, got none'],
    [
      'without a column',
      'base,quote,date,rate\nEUR,USD,2026-03-14,1\n',
      'expected the columns base, quote, day, rate in the first row, got no day',
    ],
    [
      'with two rates of a pair and a day',
      `${header}EUR,USD,2026-03-14,1.1\nUSD,EUR,2026-03-14,0.9\nEUR,USD,2026-03-14,1.2\n`,
      'row 3: expected one rate of a pair and a day, got another than in row 1',
    ],
    ['with too many rows', header + 'x,y,z,1\n'.repeat(500_001), 'expected at most 500000 rows, got 500001'],
    [
      'with a day that there is not',
      `${header}EUR,USD,2026-02-31,1.1\n`,
      'row 1: expected base and quote as codes like "EUR", day like "2026-03-14" and rate from 1e-12 to 1e12, got {"base":"EUR","quote":"USD","day":"2026-02-31","rate":"1.1"}',
    ],
  ];
  for (const [what, text, says] of refused)
    test(`a table ${what} has no rates, and says why`, () => {
      const { table, problem } = readTable(text, 'rates.csv');
      assert.equal(problem, `rates.csv: ${says}`);
      assert.equal(table.find('EUR', 'USD', 30_000, 30_000), undefined);
    });
});
