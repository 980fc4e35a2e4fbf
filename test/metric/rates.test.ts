import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Exact } from '../../src/expression/exact.ts';
import { RateTable } from '../../src/metric/rates.ts';
import { readTable } from '../../src/figures/rates.ts';

const exact = (text: string): Exact => Exact.of(text) ?? assert.fail(text);
const rate = (base: string, quote: string, day: number, text: string) => ({ base, quote, day, rate: exact(text) });

describe('rates of currencies', () => {
  const rates = new RateTable([
    rate('EUR', 'USD', 10, '1.10'),
    rate('EUR', 'USD', 14, '1.25'),
    rate('EUR', 'GBP', 13, '0.80'),
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
  });

  test('there and back an amount is what it was, exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), fc.integer({ min: 1, max: 10 ** 9 }), (top, bottom) => {
        const some = new RateTable([
          { base: 'EUR', quote: 'SEK', day: 1, rate: new Exact(BigInt(top), BigInt(bottom)) },
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
});
