import * as z from 'zod';
import { dateFormatFault, isLocale, isZone } from '../extract/value/date-format.ts';
import { expected } from './expected.ts';

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** An ISO 4217 code. */
export const Currency = z
  .string()
  .refine((code) => currencies.has(code), expected('a currency of ISO 4217 like "EUR"'))
  .meta({ pattern: '^[A-Z]{3}$' });

/** The mark before decimals, where the page's language settles what "1.234" and "1,234" mean. */
export const decimal = z.enum(['.', ',']).exactOptional();

/** `yyyy-MM-dd`, `%Y-%m-%d`, `ISO` or `RFC2822`. */
const DateFormat = z
  .string()
  .min(1)
  .max(100)
  .superRefine((format, context) => {
    const fault = dateFormatFault(format);
    if (fault !== undefined)
      context.addIssue({ code: 'custom', message: `expected a date format, got "${format}": ${fault}`, input: format });
  });

/** How dates are written: one form or several, of which the first that fits counts; ISO 8601 without any. */
export const dateOptions = {
  formats: z
    .union([DateFormat, z.array(DateFormat).min(1).max(20)])
    .transform((given) => [given].flat())
    .exactOptional(),
  /** Whose names of months and days are meant; English by default. */
  locale: z.string().max(35).refine(isLocale, expected('a language like "de"')).exactOptional(),
  /** Where texts without an offset were written; UTC by default. */
  zone: z.string().max(50).refine(isZone, expected('a time zone like "Europe/Berlin"')).exactOptional(),
};
