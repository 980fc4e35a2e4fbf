import { Exact } from '../expression/exact.ts';
import type { Figure } from '../expression/figure.ts';
import { Day, Money } from '../expression/values.ts';
import type { Value } from '../extract/value/value.ts';

/** Adds numbers, or amounts of one currency. Throws a `RangeError` where the sum has too many digits. */
export function sumOf(one: Figure, other: Figure): Figure {
  if (one instanceof Money && other instanceof Money) return one.plus(other);
  if (one instanceof Exact && other instanceof Exact) return one.plus(other);
  throw new Error('expected numbers or amounts to add');
}

/** Multiplies a number or an amount. Throws a `RangeError` where the product has too many digits. */
export function productOf(figure: Figure, factor: Exact): Figure {
  if (figure instanceof Money || figure instanceof Exact) return figure.times(factor);
  throw new Error('expected a number or an amount to multiply');
}

/** Less than 0, 0 or more than 0, as one figure is less than, equal to or more than another of its type and currency. */
export function compareFigures(one: Figure, other: Figure): number {
  if (one instanceof Money && other instanceof Money) return one.compare(other);
  if (one instanceof Exact && other instanceof Exact) return one.compare(other);
  return instantOf(one) - instantOf(other);
}

function instantOf(figure: Figure): number {
  if (figure instanceof Date) return figure.getTime();
  if (figure instanceof Day) return figure.number;
  throw new Error('expected figures of one type');
}

/** A figure as a value of a field; numbers and amounts have at most ten places after the point. */
export function valueOfFigure(figure: Figure): Value {
  if (figure instanceof Money) return { amount: figure.amount.text(), currency: figure.currency };
  if (figure instanceof Exact) return Number(figure.text());
  return figure instanceof Date ? figure.toISOString() : dayText(figure.number);
}

/** The day of this number, counted from 1 January 1970, such as `2026-03-14`. */
export function dayText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
