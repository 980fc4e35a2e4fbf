import type { Value } from './value.ts';
import { expected } from '../../schema/expected.ts';
import { currencyCodes, type CurrencyOptions, homeOf } from './currency.ts';
import {
  type Ambiguous,
  type DecimalOption,
  decimalOption,
  localMark,
  readDecimal,
  withPlainDigits,
} from './decimal.ts';
import { type FieldType, Refused, type Schemas } from './field-type.ts';
import { localeSchema } from './locale.ts';
import { offeredPrice } from './offer.ts';
import { shortText } from './plain-text.ts';
import { readPrices, type WrittenPrice } from './price-text.ts';
import { isFree } from './price-words.ts';

/** How amounts of money are read. */
export interface MoneyOptions extends DecimalOption, CurrencyOptions {
  /** Which of several prices is meant. Default: a text with several different ones is refused. */
  readonly pick?: 'first' | 'last' | 'lowest';
  /** What a number is multiplied by: a power of ten, 0.01 for cents. Default: 1. */
  readonly scale?: number;
  /** Words for a price of nothing, besides those of many languages. */
  readonly free?: readonly string[];
}

type MoneyRule = MoneyOptions & { readonly type: 'money' };

/** An amount with its currency. */
export const money: FieldType<MoneyRule> = {
  isNumber: true,
  options: moneyOptions,
  expected: ({ currency }) => (currency === undefined ? 'an amount with its currency' : `an amount in ${currency}`),
  read(value, rule) {
    if (typeof value === 'object') return asMoney(value, rule) ?? ofOffer(value, rule);
    const text = shortText(value);
    if (text === undefined) return undefined;
    // The text of a number has no mark but the decimal point, whatever the page's language.
    return readMoney(withPlainDigits(text), typeof value === 'number' ? { ...rule, decimal: '.' } : rule);
  },
  examples: [
    { field: '{ type: money }', text: '1.234,50 €', gives: '{ "amount": "1234.50", "currency": "EUR" }' },
    { field: '{ type: money }', note: 'of many countries', text: '$1,234.50', gives: 'lost' },
    {
      field: '{ type: money, locale: en-US }',
      note: '`locale`: whose signs and names of currencies, and what "1.234" is; `decimal`',
      text: '$1,234.50',
      gives: '{ "amount": "1234.50", "currency": "USD" }',
    },
    {
      field: '{ type: money, currency: NOK }',
      note: '`currency`, where the page does not say it, or says it with a sign of several',
      text: 'kr 1 299,-',
      gives: '{ "amount": "1299.00", "currency": "NOK" }',
    },
    {
      field: '{ type: money }',
      note: 'what it is for, and that others cost more, is part of the value',
      text: 'from €12.99 / month',
      gives: '{ "amount": "12.99", "currency": "EUR", "per": "month", "from": true }',
    },
    {
      field: '{ type: money, currency: EUR, free: [on the house] }',
      note: '`free`: words for 0, besides "Free" in many languages',
      text: 'Free',
      gives: '{ "amount": "0.00", "currency": "EUR" }',
    },
    {
      field: '{ type: money, pick: lowest }',
      note: '`pick`: `first`, `last` or `lowest` of several prices',
      text: '€20.00 – €35.00',
      gives: '{ "amount": "20.00", "currency": "EUR" }',
    },
    {
      field: '{ type: money, currency: EUR, scale: 0.01 }',
      note: '`scale`: a power of ten; 0.01 for cents',
      text: '1999',
      gives: '{ "amount": "19.99", "currency": "EUR" }',
    },
    { field: '{ type: money }', note: 'words that say something else', text: 'Save €5', gives: 'lost' },
  ],
};

/** The schemas of `MoneyOptions`. */
export function moneyOptions(z: Schemas) {
  return {
    currency: z
      .string()
      .refine((code) => currencyCodes.has(code), expected('a currency of ISO 4217 like "EUR"'))
      .meta({ pattern: '^[A-Z]{3}$' })
      .exactOptional(),
    locale: localeSchema(z).exactOptional(),
    decimal: decimalOption(z),
    pick: z.enum(['first', 'last', 'lowest']).exactOptional(),
    scale: z
      .number()
      .refine(
        (scale) => Number.isInteger(Math.log10(scale)) && Math.abs(Math.log10(scale)) <= 9,
        expected('a power of ten like 0.01'),
      )
      .exactOptional(),
    free: z.array(z.string().min(1).max(100)).min(1).max(50).exactOptional(),
  };
}

/** An exact amount; `currency` is an ISO 4217 code. A type, not an interface, so that it is a `Value` as well. */
type Money = {
  readonly amount: string;
  readonly currency: string;
  /** What the amount is for: `month`, `kg`, `100 g`. */
  readonly per?: string;
  /** Set where others of the same offer cost more. */
  readonly from?: true;
};

/**
 * Reads a price as people write it. The amount has at least the currency's decimals, so that `5` and `5.00` are the same. What is
 * ambiguous is refused: a sign of several currencies, a mark that may part groups or decimals, several prices, words that are not known.
 */
function readMoney(text: string, rule: MoneyRule): Money | Refused | undefined {
  if (isFree(text, rule.free))
    return rule.currency === undefined
      ? new Refused(`"currency" for what "${text}" is free of`)
      : { amount: padded('0', decimalsOf(rule.currency)), currency: rule.currency };
  if (!/\d/.test(text)) return undefined;
  const found = readPrices(text, rule);
  if (found instanceof Refused) return found;
  const { prices, currencies = rule.currency === undefined ? [] : [rule.currency], sign, isLoose } = found;
  const [currency, ...others] = currencies;
  if (currency === undefined) return undefined;
  if (others.length > 0) return new Refused(`"currency" or "locale" for what "${sign}" is`);
  const amounts: Money[] = [];
  for (const price of prices) {
    const amount = amountOf(price, currency, rule);
    if (amount === undefined || amount instanceof Refused) return amount;
    const { per, from } = price;
    amounts.push({ amount, currency, ...(per !== undefined && { per }), ...(from && { from }) });
  }
  const [first] = amounts;
  const isOne = amounts.every(({ amount, per }) => amount === first?.amount && per === first.per);
  return isOne || !isLoose ? picked(amounts, isOne ? 'first' : rule.pick) : new Refused('one price');
}

function picked(amounts: readonly Money[], pick: MoneyRule['pick']): Money | Refused | undefined {
  switch (pick) {
    case 'first':
      return amounts[0];
    case 'last':
      return amounts.at(-1);
    case 'lowest':
      return new Set(amounts.map(({ per }) => per)).size > 1
        ? new Refused('prices for the same')
        : amounts.toSorted((one, other) => Number(one.amount) - Number(other.amount))[0];
    case undefined:
      return new Refused('one price, or "pick": first, last or lowest');
    default:
      return pick satisfies never;
  }
}

function amountOf({ number, per }: WrittenPrice, currency: string, rule: MoneyRule): string | Refused | undefined {
  const { decimal, locale, scale = 1 } = rule;
  const decimals = decimalsOf(currency);
  let isUnclear = false;
  const meaning: Ambiguous = (mark) => {
    if (locale !== undefined) return localMark(locale, currency) === mark ? 'decimal' : 'grouping';
    if (decimals === 0) return 'grouping';
    const home = homeOf(currency);
    const isHome = home !== undefined && localMark(home, currency) === mark;
    if (decimals === 3 && mark === '.') return 'decimal';
    // Prices have three decimals where they are for a measure, and where the point is the usual mark before them.
    isUnclear = decimals === 3 || (per !== undefined && per !== 'piece') || (isHome && mark === '.');
    return isUnclear ? 'unknown' : 'grouping';
  };
  const amount = readDecimal(number, decimal, meaning);
  if (isUnclear) return new Refused(`"decimal" or "locale" for what "${number}" is`);
  return amount === undefined ? undefined : padded(shifted(amount, Math.log10(scale)), decimals);
}

/** Moves the point of a decimal by so many places to the right. */
function shifted(amount: string, places: number): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const digits = `${'0'.repeat(Math.max(0, -places))}${whole}${fraction}${'0'.repeat(Math.max(0, places))}`;
  const at = Math.max(0, -places) + whole.length + places;
  const shiftedFraction = digits.slice(at);
  return `${sign}${digits.slice(0, at).replace(/^0+(?=\d)/, '')}${shiftedFraction === '' ? '' : `.${shiftedFraction}`}`;
}

function padded(amount: string, decimals: number): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  const kept = fraction.replace(/0+$/, '').padEnd(decimals, '0');
  return kept === '' ? whole : `${whole}.${kept}`;
}

/** Money that a filter has read before. */
function asMoney(value: Extract<NonNullable<Value>, object>, { currency: declared }: MoneyRule): Money | undefined {
  if (Array.isArray(value) || !('amount' in value) || !('currency' in value)) return undefined;
  const { amount, currency, per, from } = value;
  if (typeof amount !== 'string' || typeof currency !== 'string' || !/^-?\d{1,100}(?:\.\d{1,100})?$/.test(amount))
    return undefined;
  if (!currencyCodes.has(currency) || (declared !== undefined && currency !== declared)) return undefined;
  return {
    amount: padded(amount.replace(/^(-?)0+(?=\d)/, '$1'), decimalsOf(currency)),
    currency,
    ...(typeof per === 'string' && { per }),
    ...(from === true && { from }),
  };
}

/** Reads the price of an offer of schema.org; the currency that the offer names must not be another than the rule's. */
function ofOffer(value: Value, rule: MoneyRule): Money | Refused | undefined {
  const offered = offeredPrice(value);
  if (offered === undefined || offered instanceof Refused) return offered;
  const { price, currency = rule.currency, from, isPlain } = offered;
  if (currency !== rule.currency && rule.currency !== undefined) return undefined;
  const read = readMoney(withPlainDigits(price), {
    ...rule,
    ...(currency && { currency }),
    ...(isPlain && { decimal: '.' }),
  });
  return read === undefined || read instanceof Refused || !from ? read : { ...read, from };
}

/** Decimals by currency; a code is one of `currencyCodes`, so that no page makes it grow. */
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
