import { currencyOf, decimalsOf } from './currency.ts';
import { type DecimalMark, readDecimal } from './decimal.ts';

/** An exact amount; `currency` is an ISO 4217 code. A type, not an interface, so that it is a `Value` as well. */
export type Money = {
  readonly amount: string;
  readonly currency: string;
};

/**
 * An amount with its currency's sign or code on either side: `$1,234.50`, `1.234,50 €`, `12 500 kr`, `EUR 5`, `499,-`. The
 * amount has at least the currency's decimals, so that `5` and `5.00` are the same. A single mark before three digits parts
 * groups, unless the currency has three decimals. Without a sign the definition's currency is meant; a sign that cannot
 * mean it is refused.
 */
export function readMoney(text: string, declared: string | undefined, mark: DecimalMark): Money | undefined {
  const found =
    /^([-+\u2212]?)\s*([^\d\s+\u2212-]*?)\s*([-+\u2212]?)(\.?\d(?:.*\d)?)(?:[.,][-\u2013\u2014]{1,2})?\s*([^\d\s]*)$/su.exec(
      text,
    );
  if (found === null) return undefined;
  const [, outer = '', before = '', inner = '', digits = '', after = ''] = found;
  if ((before !== '' && after !== '') || (outer !== '' && inner !== '')) return undefined;
  const currency = currencyOf(before || after, declared);
  if (currency === undefined) return undefined;
  const decimals = decimalsOf(currency);
  const amount = readDecimal(`${outer}${inner}${digits}`, mark, () => (decimals === 3 ? 'decimal' : 'grouping'));
  return amount === undefined ? undefined : { amount: padded(amount, decimals), currency };
}

function padded(amount: string, decimals: number): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  const kept = fraction.replace(/0+$/, '').padEnd(decimals, '0');
  return kept === '' ? whole : `${whole}.${kept}`;
}
