import type { Value } from './value.ts';
import { expected } from '../../schema/expected.ts';
import { type DecimalMark, type DecimalOption, decimalOption, readDecimal } from './decimal.ts';
import type { FieldType, Schemas } from './field-type.ts';
import { shortText } from './plain-text.ts';

interface MoneyRule extends DecimalOption {
  readonly type: 'money';
  /** The currency of amounts that do not say theirs; a code of ISO 4217. */
  readonly currency?: string;
}

/** An amount with its currency. */
export const money: FieldType<MoneyRule> = {
  options: (z) => ({ currency: currencyOption(z), decimal: decimalOption(z) }),
  expected: ({ currency }) => (currency === undefined ? 'an amount with its currency' : `an amount in ${currency}`),
  read(value, { currency, decimal }) {
    if (typeof value === 'object') return asMoney(value, currency);
    const text = shortText(value);
    if (text === undefined) return undefined;
    // The text of a number has no mark but the decimal point, whatever the page's language.
    return readMoney(text, currency, typeof value === 'number' ? '.' : decimal);
  },
  examples: [
    {
      field: '{ type: money }',
      note: '`currency` where the page does not say it, `decimal`',
      text: '$1,234.50',
      gives: '{ "amount": "1234.50", "currency": "USD" }',
    },
    {
      field: '{ type: money, currency: EUR }',
      text: '12,50',
      gives: '{ "amount": "12.50", "currency": "EUR" }',
    },
  ],
};

/** The schema of a currency's code. */
export function currencyOption(z: Schemas) {
  return z
    .string()
    .refine((code) => codes.has(code), expected('a currency of ISO 4217 like "EUR"'))
    .meta({ pattern: '^[A-Z]{3}$' })
    .exactOptional();
}

/** An exact amount; `currency` is an ISO 4217 code. A type, not an interface, so that it is a `Value` as well. */
type Money = {
  readonly amount: string;
  readonly currency: string;
};

/**
 * An amount with its currency's sign or code on either side: `$1,234.50`, `1.234,50 €`, `12 500 kr`, `EUR 5`, `499,-`. The
 * amount has at least the currency's decimals, so that `5` and `5.00` are the same. A single mark before three digits parts
 * groups, unless the currency has three decimals. Without a sign the definition's currency is meant; a sign that cannot
 * mean it is refused.
 */
function readMoney(text: string, declared: string | undefined, mark: DecimalMark): Money | undefined {
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

/** Money that a filter has read before. */
function asMoney(value: Extract<NonNullable<Value>, object>, declared: string | undefined): Money | undefined {
  if (Array.isArray(value) || !('amount' in value) || !('currency' in value)) return undefined;
  const { amount, currency } = value;
  if (typeof amount !== 'string' || typeof currency !== 'string' || !/^-?\d{1,100}(?:\.\d{1,100})?$/.test(amount))
    return undefined;
  return readMoney(`${currency} ${amount}`, declared, '.');
}

/** Signs and short names of currencies, each with those that it may stand for; the first is meant where the definition names none. */
const signs: ReadonlyMap<string, readonly string[]> = new Map([
  ['$', ['USD', 'CAD', 'AUD', 'NZD', 'SGD', 'HKD', 'MXN', 'TWD', 'ARS', 'CLP', 'COP']],
  ['US$', ['USD']],
  ['A$', ['AUD']],
  ['AU$', ['AUD']],
  ['C$', ['CAD']],
  ['CA$', ['CAD']],
  ['NZ$', ['NZD']],
  ['HK$', ['HKD']],
  ['S$', ['SGD']],
  ['MX$', ['MXN']],
  ['NT$', ['TWD']],
  ['R$', ['BRL']],
  ['€', ['EUR']],
  ['£', ['GBP', 'EGP']],
  ['¥', ['JPY', 'CNY']],
  ['円', ['JPY']],
  ['CN¥', ['CNY']],
  ['元', ['CNY']],
  ['₹', ['INR']],
  ['₽', ['RUB']],
  ['₩', ['KRW']],
  ['₪', ['ILS']],
  ['₺', ['TRY']],
  ['₴', ['UAH']],
  ['₫', ['VND']],
  ['฿', ['THB']],
  ['₱', ['PHP']],
  ['₦', ['NGN']],
  ['zł', ['PLN']],
  ['Kč', ['CZK']],
  ['Ft', ['HUF']],
  ['lei', ['RON']],
  ['Fr.', ['CHF']],
]);

/** The krone, króna and krona are written alike: without a currency in the definition nobody can tell. */
const crowns: readonly string[] = ['SEK', 'NOK', 'DKK', 'ISK'];

const codes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** The currency that a sign or code on a page means, given the one that the definition names; nothing when they contradict or leave it open. */
function currencyOf(sign: string, declared: string | undefined): string | undefined {
  if (sign === '') return declared;
  const meant = signs.get(sign) ?? (codes.has(sign.toUpperCase()) ? [sign.toUpperCase()] : undefined);
  if (meant !== undefined) return declared === undefined ? meant[0] : meant.find((code) => code === declared);
  return /^kr\.?$/i.test(sign) ? crowns.find((code) => code === declared) : undefined;
}

/** Decimals by currency; a code is one of `codes`, so that no page makes it grow. */
const known = new Map<string, number>();

/** How many decimals a currency has: 2 for the euro, 0 for the yen, 3 for the Kuwaiti dinar. */
function decimalsOf(currency: string): number {
  const decimals =
    known.get(currency) ??
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ??
    2;
  known.set(currency, decimals);
  return decimals;
}
