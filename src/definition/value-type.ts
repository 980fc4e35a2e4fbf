import * as z from 'zod';
import { Currency, dateOptions, decimal } from './value-option.ts';

const words = z
  .union([z.string().min(1).max(200), z.array(z.string().min(1).max(200)).min(1).max(50)])
  .transform((given) => [given].flat());

/** What each type takes besides where it is found. Without `true`, the usual words of English are known; without `false`, all other texts are false. */
export const scalarTypes = {
  text: { type: z.literal('text').default('text') },
  integer: { type: z.literal('integer'), decimal },
  number: { type: z.literal('number'), decimal },
  boolean: { type: z.literal('boolean'), true: words.exactOptional(), false: words.exactOptional() },
  date: { type: z.literal('date'), ...dateOptions },
  datetime: { type: z.literal('datetime'), ...dateOptions },
  money: { type: z.literal('money'), currency: Currency.exactOptional(), decimal },
  url: { type: z.literal('url') },
  json: { type: z.literal('json') },
};
