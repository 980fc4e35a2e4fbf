import { isList, type Value } from './value.ts';

/** A number, with its currency or unit where it has one. */
export interface Amount {
  readonly amount: number;
  readonly currency?: string;
  readonly unit?: string;
}

/** Reads a number, or what rules of money and of quantities give: an object with an `amount`. Returns `undefined` for any other value. */
export function amountIn(value: Value | undefined): Amount | undefined {
  if (typeof value === 'number') return { amount: value };
  if (typeof value !== 'object' || value === null || isList(value)) return undefined;
  const { amount: told, currency, unit } = value;
  const amount = typeof told === 'string' || typeof told === 'number' ? Number(told) : Number.NaN;
  if (Number.isNaN(amount)) return undefined;
  return { amount, ...(typeof currency === 'string' && { currency }), ...(typeof unit === 'string' && { unit }) };
}
