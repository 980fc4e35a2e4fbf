import { currencyCodes } from './currency.ts';
import { Refused } from './field-type.ts';
import { shortText } from './plain-text.ts';
import { isList, type Value } from './value.ts';

/** The price of an offer as its page writes it. */
interface OfferedPrice {
  readonly price: string;
  /** A code of ISO 4217; missing where the offer names none. */
  readonly currency?: string;
  /** Set where the offer has a higher price as well. */
  readonly from?: true;
  /** Whether the price has the form that schema.org asks for: digits, perhaps with a point before decimals. */
  readonly isPlain: boolean;
}

type Properties = Readonly<Record<string, Value>>;

/**
 * Returns the price of an offer of schema.org, or the one price of a list of offers, as `ld+json` and microdata have them, or of any object that has a
 * `currency` beside its `price`; undefined for what is no offer with a price.
 */
export function offeredPrice(value: Value): OfferedPrice | Refused | undefined {
  const prices = (isList(value) ? value : [value]).map(priceOf);
  const [first] = prices;
  const isOne = prices.every((each) => JSON.stringify(each) === JSON.stringify(first));
  return isOne ? first : new Refused('one price of all offers');
}

function priceOf(offer: Value): OfferedPrice | Refused | undefined {
  const properties = propertiesOf(offer);
  if (properties === undefined) return undefined;
  const { price = null, lowPrice = null, highPrice = null, priceCurrency = null, currency = null } = properties;
  // A lower price alone does not say whether anything costs more.
  if (price === null && (lowPrice === null || highPrice === null)) return undefined;
  const written = price ?? lowPrice ?? null;
  const text = written === null ? undefined : shortText(written);
  if (text === undefined) return undefined;
  const code = codeOf(priceCurrency) ?? codeOf(currency);
  if (priceCurrency !== null && codeOf(priceCurrency) === undefined)
    return new Refused('a "priceCurrency" of ISO 4217');
  // Sites mean a thousand by "1.299" as well as one and a bit.
  if (typeof written === 'string' && /^\d{1,3}\.\d{3}$/.test(text))
    return new Refused(`a price that is clear, got "${text}"`);
  return {
    price: text,
    ...(code !== undefined && { currency: code }),
    ...(price === null &&
      shortText(lowPrice ?? '') !== shortText(highPrice ?? '') &&
      Number(lowPrice) !== Number(highPrice) && { from: true as const }),
    isPlain: /^\d+(?:\.\d+)?$/.test(text),
  };
}

/** The code of ISO 4217 that a value is. Outside of schema.org, `currency` may be a sign or the name of something else. */
function codeOf(value: Value): string | undefined {
  const code = value === null ? undefined : shortText(value)?.toUpperCase();
  return code !== undefined && currencyCodes.has(code) ? code : undefined;
}

/** The properties of an offer. Microdata has a list of values for each, of which there must be one alone. */
function propertiesOf(offer: Value): Properties | undefined {
  if (typeof offer !== 'object' || offer === null || isList(offer)) return undefined;
  const { props } = offer as Properties;
  if (typeof props !== 'object' || props === null || isList(props)) return offer;
  return Object.fromEntries(
    Object.entries(props).map(([name, values]) => [
      name,
      isList(values) && values.length === 1 ? (values[0] ?? null) : values,
    ]),
  );
}
