/** A number, with the currency or unit of an amount that has one. */
export interface Amount {
  readonly amount: number;
  readonly of: string | undefined;
}

/** Reads a number, or what rules of money and of quantities give: an object with an `amount`. Returns `undefined` for any other value. */
export function amountIn(value: unknown): Amount | undefined {
  if (typeof value === 'number') return { amount: value, of: undefined };
  if (typeof value !== 'object' || value === null || !('amount' in value)) return undefined;
  const { amount: told } = value;
  const amount = typeof told === 'string' || typeof told === 'number' ? Number(told) : Number.NaN;
  if (Number.isNaN(amount)) return undefined;
  const of = 'currency' in value ? value.currency : 'unit' in value ? value.unit : undefined;
  return { amount, of: typeof of === 'string' ? of : undefined };
}
