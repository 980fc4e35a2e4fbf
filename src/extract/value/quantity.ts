import {
  type DecimalMark,
  type DecimalOption,
  decimalOption,
  localMark,
  readDecimal,
  withPlainDigits,
} from './decimal.ts';
import { type FieldType, Refused } from './field-type.ts';
import { localeSchema } from './locale.ts';
import { shortText } from './plain-text.ts';
import { type Unit, unitNamed, unitNames, unitOf, unitRatio } from './unit.ts';

export interface QuantityRule extends DecimalOption {
  readonly type: 'quantity';
  /** The unit that amounts are converted to. Default: the one that the text says. */
  readonly to?: string;
  readonly locale?: string;
}

/** An amount with its unit; `count` where the text says that there are several of it. A type, so that it is a `Value` as well. */
type Quantity = { readonly amount: number; readonly unit: string; readonly count?: number };

/** A measured amount with its unit. */
export const quantity: FieldType<QuantityRule> = {
  isNumber: true,
  options: (z) => ({
    to: z.enum(unitNames as [string, ...string[]]).exactOptional(),
    decimal: decimalOption(z),
    locale: localeSchema(z).exactOptional(),
  }),
  expected: ({ to }) => (to === undefined ? 'an amount with its unit' : `an amount that can be given in ${to}`),
  read(value, rule) {
    const text = shortText(value);
    return text === undefined ? undefined : readQuantity(withPlainDigits(text), rule);
  },
  examples: [
    { field: '{ type: quantity }', text: '18 Years', gives: '{ "amount": 18, "unit": "year" }' },
    {
      field: '{ type: quantity }',
      note: '`count`, where the text says how many',
      text: '6 x 330 ml',
      gives: '{ "amount": 330, "unit": "ml", "count": 6 }',
    },
    {
      field: '{ type: quantity, to: g }',
      note: '`to`: a unit to convert to; several amounts add up',
      text: '1 kg 500 g',
      gives: '{ "amount": 1500, "unit": "g" }',
    },
    {
      field: '{ type: quantity, locale: de }',
      note: '`locale`: names of units, and what "1.500" is; `decimal`',
      text: '1.500 Kilogramm',
      gives: '{ "amount": 1500, "unit": "kg" }',
    },
    { field: '{ type: quantity }', note: 'one and a half, or a thousand?', text: '1.500 kg', gives: 'lost' },
    { field: '{ type: quantity }', text: '5 µg', gives: '{ "amount": 5, "unit": "µg" }' },
  ],
};

const times = String.raw`\s*[x×*✕]\s*`;
const packForm = new RegExp(`^(?:(\\d{1,6})${times}(?=[\\d.]))?(.*?)(?:${times}(\\d{1,6}))?$`, 'iu');
const pairForm =
  /\s*([-+\u2212]?(?:(?:\d{1,3}(?:[ '’]\d{3})+(?!\d)|\d+)(?:[.,\u066b\u066c]\d+)*|\.\d+))\s*([^\d]+?[23²³]?)(?:,|\s(?:and|und|et|y|e|en|och|og|&))?(?=\s*[-+\u2212]?\.?\d|$)/iuy;

function readQuantity(text: string, rule: QuantityRule): Quantity | Refused | undefined {
  const [, before, body = '', after] = packForm.exec(text) ?? [];
  if (before !== undefined && after !== undefined) return undefined;
  const pairs = pairsOf(body, rule);
  if (pairs === undefined || pairs instanceof Refused) return pairs;
  const last = pairs.at(-1)?.unit;
  if (last === undefined) return undefined;
  const to = rule.to === undefined ? last : unitOf(rule.to);
  let sum = 0;
  for (const { amount, unit } of pairs) {
    const ratio = unitRatio(unit, to, rule.locale);
    if (ratio === undefined)
      return unit.measure === to.measure && unit.factor !== undefined
        ? new Refused(`a "locale" of the US or of Britain for what "${unit.symbol}" is in ${to.symbol}`)
        : undefined;
    sum += amount * ratio;
  }
  // Twelve digits are more than anyone measures, and fewer than binary fractions spoil.
  const amount = Number(sum.toPrecision(12));
  const count = before ?? after;
  return Number.isFinite(amount)
    ? { amount, unit: to.symbol, ...(count !== undefined && { count: Number(count) }) }
    : undefined;
}

/** The amounts of a text with their units, each smaller than the one before. */
function pairsOf(
  text: string,
  { decimal, locale }: QuantityRule,
): { readonly amount: number; readonly unit: Unit }[] | Refused | undefined {
  const mark: DecimalMark = decimal ?? (locale === undefined ? undefined : localMark(locale));
  const pairs: { readonly amount: number; readonly unit: Unit }[] = [];
  for (let at = 0; at < text.length; at = pairForm.lastIndex) {
    pairForm.lastIndex = at;
    const found = pairForm.exec(text);
    if (found === null) return undefined;
    const [, number = '', written = ''] = found;
    let isUnclear = false;
    const read = readDecimal(number, decimal, (each) => {
      isUnclear = mark === undefined;
      return mark === undefined ? 'unknown' : each === mark ? 'decimal' : 'grouping';
    });
    if (isUnclear) return new Refused(`"decimal" or "locale" for what "${number}" is`);
    const unit = unitNamed(written.trim(), locale);
    if (read === undefined || unit === undefined) return undefined;
    const before = pairs.at(-1)?.unit;
    // A smaller unit only makes a sum: `5 ft 11 in`, but not `10 cm 20 cm`.
    if (before !== undefined && (unitRatio(unit, before, locale) ?? 1) >= 1) return undefined;
    pairs.push({ amount: Number(read), unit });
  }
  return pairs;
}
