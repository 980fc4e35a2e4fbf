import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Value } from '../../src/extract/value/value.ts';
import { measureId } from '../../src/health/measure-kind.ts';
import { measuresOf, type Scope } from '../../src/health/measures.ts';
import {
  pageTally,
  type ReadPage,
  type ReadRecord,
  requestTally,
  scrapeTally,
  valuesSince,
} from '../../src/health/page-tally.ts';
import { emptyTally, type RunTally, sumOfTallies } from '../../src/health/tally.ts';

type Fields = Readonly<Record<string, Value>>;

const product = (fields: Fields, before?: Fields): ReadRecord => ({
  draft: { type: 'product', fields },
  ...(before !== undefined && { before }),
  change: before === undefined ? 'added' : 'confirmed',
});

const page = (records: readonly ReadRecord[], more: Partial<ReadPage> = {}): RunTally =>
  pageTally({ records, absent: [], unparsed: [], items: records.length, refused: 0, ...more });

/** The measures of a tally by identity, without those of `product`'s counts where these are not asked for. */
function measured(tally: RunTally, scope: Scope = 'whole'): Record<string, number> {
  return Object.fromEntries(measuresOf(tally, scope).map((measure) => [measureId(measure), measure.value]));
}

const euros = (amount: string, currency = 'EUR'): Value => ({ amount, currency });
const each = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

describe('the fill of a field', () => {
  test('is the share of records that have it', () => {
    const { 'fill product price': fill } = measured(
      page([product({ price: 1 }), product({ price: null }), product({}), product({ price: 0 })]),
    );
    assert.equal(fill, 0.5);
  });

  test('is 0 where no record has it, it is empty in all, or its texts cannot be read', () => {
    const unparsed = [{ record: 'product', field: 'price', text: 'Loading…', expected: 'an amount' }];
    const tally = page([product({ title: 'a' })], {
      absent: ['product.image', 'other.title'],
      blank: ['product.stock'],
      unparsed,
    });
    const measures = measured(tally);
    assert.equal(measures['fill product stock'], 0);
    assert.equal(measures['fill product image'], 0);
    assert.equal(measures['fill product price'], 0);
    assert.equal(measures['fill product title'], 1);
  });

  test('is not that of the pages of items where a list is read', () => {
    const list = page(each(3, () => product({ title: 'a' })));
    const item = page([product({ text: 'b' })], { isItemPage: true });
    const tally = sumOfTallies(list, item);
    assert.equal(tally.types['product']?.records, 3);
    assert.equal(measured(tally)['fill product text'], 1);
    assert.equal(measured(tally)['fill product title'], 1);
  });
});

describe('of known records', () => {
  test('the share that lost a field counts those that had it', () => {
    const tally = page([
      product({ price: 1 }, { price: 1 }),
      product({}, { price: 2 }),
      product({ price: null }, { price: null }),
      product({}),
    ]);
    assert.equal(measured(tally)['lost product price'], 0.5);
  });

  test('prices that became zero are counted, and those that were are not', () => {
    const tally = page([
      product({ price: euros('0.00') }, { price: euros('5.00') }),
      product({ price: euros('0.00') }, { price: euros('0.00') }),
    ]);
    assert.equal(measured(tally)['emptied product price'], 1);
    assert.equal(measured(tally)['empty product price'], 1);
  });

  test('amounts in another currency are counted', () => {
    const tally = page([
      product({ price: euros('5.00', 'USD') }, { price: euros('5.00') }),
      product({ price: euros('5.00') }, { price: euros('4.00') }),
    ]);
    assert.equal(measured(tally)['currency product price'], 0.5);
  });

  test('numbers that moved by one factor are counted, and those that moved apart are not', () => {
    const moved = (factor: (at: number) => number): number | undefined =>
      measured(page(each(10, (at) => product({ weight: (at + 1) * factor(at) }, { weight: at + 1 }))))[
        'rescaled product weight'
      ];
    assert.equal(
      moved(() => 1_000),
      1,
    );
    assert.equal(
      moved(() => 1 / 100),
      1,
    );
    assert.equal(
      moved(() => 0.5),
      0,
      'a sale at half price',
    );
    assert.ok((moved((at) => 3 ** (at + 1)) ?? 1) <= 0.2);
  });

  test('texts of another shape are counted', () => {
    const tally = page([
      product({ title: 'https://a.example/' }, { title: 'Kettle' }),
      product({ title: 'Pot' }, { title: 'Pots' }),
    ]);
    assert.equal(measured(tally)['shape product title'], 0.5);
    assert.equal(measured(tally)['altered product title'], 1);
  });

  test('one value in place of several is told from a value that all had', () => {
    const merged = (before: (at: number) => string): number | undefined =>
      measured(page(each(10, (at) => product({ title: 'Loading…' }, { title: before(at) }))))['merged product title'];
    assert.equal(
      merged((at) => `Kettle ${at}`),
      1,
    );
    assert.equal(
      merged(() => 'In stock'),
      0,
    );
  });

  test('numbers that changed are no altered texts', () =>
    assert.equal(measured(page([product({ price: 5 }, { price: 4 })]))['altered product price'], undefined));
});

test('values are those that the last healthy run verified', () => {
  const cell = (value: Value, verifiedAt: number) => ({ value, verifiedAt });
  assert.deepEqual(valuesSince({ title: cell('a', 20), price: cell(1, 9), text: cell(null, 10) }, 10), {
    title: 'a',
    text: null,
  });
});

test('counts are those of a whole target alone, and a round has the share of scrapes that found something', () => {
  const tally = scrapeTally(page([product({ price: 1 }), product({ price: 1 }, { price: 1 })]), {
    product: { expected: 4, missing: 3 },
  });
  const counts = (scope: Scope): string[] =>
    Object.keys(measured(tally, scope)).filter((id) => !id.includes('price') && id.includes('product'));
  assert.deepEqual(counts('whole'), ['records product', 'missing product', 'new product', 'changed product']);
  assert.deepEqual(counts('round'), ['found product', 'missing product', 'changed product']);
  assert.deepEqual(counts('part'), []);
  assert.equal(measured(tally)['missing product'], 0.75);
  const round = sumOfTallies(tally, scrapeTally(emptyTally, { product: { expected: 1, missing: 1 } }));
  assert.equal(measured(round, 'round')['found product'], 0.5);
  assert.equal(measured(round, 'round')['missing product'], 0.8);
});

test('requests that fail or are answered by an error are counted, and a body is measured', () => {
  const asked = [
    requestTally({ status: 200, bytes: 1_000, elapsedMs: 100 }),
    requestTally({ status: 304, bytes: 0, elapsedMs: 20 }),
    requestTally({ status: 503, bytes: 200, elapsedMs: 30 }),
    requestTally({ bytes: 0, elapsedMs: 50 }),
  ].reduce(sumOfTallies, emptyTally);
  const measures = measured(asked);
  assert.equal(measures['failed'], 0.5);
  assert.equal(measures['page_bytes'], 600);
  assert.equal(measures['request_ms'], 50);
});

test('a tally is plain data, and pages add up in any order', () => {
  const pages = each(3, (number) =>
    page(
      each(4, (at) =>
        product({ title: `t${number}`, price: at + number }, at % 2 === 0 ? { title: 'a', price: 1 } : undefined),
      ),
    ),
  );
  const forth = pages.reduce(sumOfTallies, emptyTally);
  assert.deepEqual(JSON.parse(JSON.stringify(forth)), forth);
  const close = (tally: RunTally): Record<string, string> =>
    Object.fromEntries(Object.entries(measured(tally)).map(([id, value]) => [id, value.toFixed(9)]));
  assert.deepEqual(close(pages.toReversed().reduce(sumOfTallies, emptyTally)), close(forth));
  assert.equal(forth.types['product']?.fields['price']?.max, 5);
});
