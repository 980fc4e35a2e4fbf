import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Exact } from '../../src/expression/exact.ts';
import { compileCalculation, type Figure } from '../../src/expression/figure.ts';
import { Money } from '../../src/expression/values.ts';

const number = (text: string): Exact => Exact.of(text) ?? assert.fail(text);
const euros = (text: string): Money => new Money(number(text), 'EUR');

function calculated(text: string, values: Readonly<Record<string, Figure>>): string {
  const kinds = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value instanceof Money ? ('money' as const) : ('number' as const),
    ]),
  );
  const compiled = compileCalculation(text, kinds);
  if (!compiled.ok) return compiled.message;
  const result = compiled.calculation.of(new Map(Object.entries(values)));
  if (!result.ok) return result.code;
  const { value } = result;
  if (value instanceof Money) return `${value.amount.text()} ${value.currency}`;
  return value instanceof Exact ? value.text() : JSON.stringify(value);
}

describe('a calculation with figures', () => {
  for (const [text, values, expected] of [
    ['income / spend', { income: euros('12500'), spend: euros('2500') }, '5'],
    ['income / spend', { income: euros('0'), spend: euros('100') }, '0'],
    ['income / spend', { income: euros('100'), spend: euros('0') }, 'division_by_zero'],
    ['income / spend', { income: euros('100'), spend: euros('-5') }, 'refused'],
    ['income / count', { income: euros('100'), count: number('-5') }, '-20 EUR'],
    ['income - spend', { income: euros('0.3'), spend: euros('0.1') }, '0.2 EUR'],
    ['income * 0.19', { income: euros('100') }, '19 EUR'],
    ['income / backers', { income: euros('10'), backers: number('4') }, '2.5 EUR'],
    ['-income + income', { income: euros('7') }, '0 EUR'],
    ['backers > 3 ? backers : 0', { backers: number('4') }, '4'],
  ] as const)
    test(`${text} of ${Object.values(values)
      .map((each) => (each instanceof Money ? `${each.amount.text()} ${each.currency}` : each.text()))
      .join(' and ')} is ${expected}`, () => {
      assert.equal(calculated(text, values), expected);
    });

  test('amounts of two currencies are never joined', () => {
    const dollars = new Money(number('5'), 'USD');
    for (const text of ['a + b', 'a - b', 'a / b', 'a < b ? a : b'])
      assert.equal(calculated(text, { a: euros('5'), b: dollars }), 'no_result', text);
  });

  test('money times money, a condition, the present and unknown names are refused', () => {
    const values = { income: euros('5'), spend: euros('1') };
    assert.match(calculated('income * spend', values), /no such overload/);
    assert.match(
      calculated('income > spend', values),
      /expected a number, money, a date or a datetime, got a condition/,
    );
    assert.match(calculated('now', values), /expected no "now"/);
    assert.match(calculated('incom / spend', values), /metric.*"incom".*income/);
  });
});
