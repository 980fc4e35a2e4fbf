/**
 * Formats an amount of money, such as `12.50 EUR` or `from 12.99 EUR / month`, or a quantity, such as `6 × 330 ml`. Undefined for any other value: also for
 * an object that has more members than such an amount.
 */
export function amountText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { amount, currency, per, from, unit, count, ...others }: Readonly<Record<string, unknown>> = { ...value };
  if (Object.keys(others).length > 0 || !isScalar(amount)) return undefined;
  if (typeof currency === 'string' && unit === undefined && count === undefined)
    return `${from === true ? 'from ' : ''}${amount} ${currency}${typeof per === 'string' ? ` / ${per}` : ''}`;
  if (typeof unit === 'string' && currency === undefined && per === undefined && from === undefined)
    return `${isScalar(count) ? `${count} × ` : ''}${amount} ${unit}`;
  return undefined;
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
