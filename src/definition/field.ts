import { compile } from 'css-select';
import * as z from 'zod';
import { expected } from './expected.ts';
import { strict } from './strict.ts';

/** A CSS selector that compiles here, and so on the extraction thread as well. */
export const Selector = z
  .string()
  .min(1)
  .max(1_000)
  .superRefine((text, context) => {
    const fault = selectorFault(text);
    if (fault !== undefined)
      context.addIssue({ code: 'custom', message: `expected a CSS selector, got "${text}": ${fault}`, input: text });
  });

function selectorFault(text: string): string | undefined {
  if (/^\s*$/.test(text)) return 'it is empty';
  if (/:scope\b/.test(text) || /^\s*[>+~]/.test(text))
    return '":scope" and a combinator at the start have nothing to relate to';
  if (/[>+~]\s*$/.test(text)) return 'nothing follows the last combinator';
  try {
    compile(text);
    return undefined;
  } catch (error) {
    // The compiler has no other way to say that a selector is wrong.
    return error instanceof Error ? error.message : String(error);
  }
}

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** An ISO 4217 code. */
const Currency = z
  .string()
  .refine((code) => currencies.has(code), expected('a currency of ISO 4217 like "EUR"'))
  .meta({ pattern: '^[A-Z]{3}$' });

/** The mark before decimals, where the page's language settles what "1.234" and "1,234" mean. */
const decimal = z.enum(['.', ',']).exactOptional();

const words = z
  .union([z.string().min(1).max(200), z.array(z.string().min(1).max(200)).min(1).max(50)])
  .transform((given) => [given].flat());

/** What each type takes besides where it is found. Without `true`, the usual words of English are known; without `false`, all other texts are false. */
const text = { type: z.literal('text').default('text') };
const integer = { type: z.literal('integer'), decimal };
const number = { type: z.literal('number'), decimal };
const boolean = { type: z.literal('boolean'), true: words.exactOptional(), false: words.exactOptional() };
const date = { type: z.literal('date') };
const datetime = { type: z.literal('datetime') };
const money = { type: z.literal('money'), currency: Currency.exactOptional(), decimal };
const url = { type: z.literal('url') };
const json = { type: z.literal('json') };

/** What an array's elements are. */
export const Element = z.discriminatedUnion('type', [
  strict(text),
  strict(integer),
  strict(number),
  strict(boolean),
  strict(date),
  strict(datetime),
  strict(money),
  strict(url),
  strict(json),
]);
export type Element = z.infer<typeof Element>;

const array = { type: z.literal('array'), of: Element.prefault({}) };

/** Where a field is found: the first element that matches (every one for an array), its text or one of its attributes. */
const place = {
  css: Selector,
  attr: z
    .string()
    .regex(/^[^\s"'<>/=]{1,100}$/, expected('the name of an attribute'))
    .exactOptional(),
  /** A record without it is none. */
  required: z.boolean().default(false),
};

/** One field of a record: where it is and what it is. */
export const Field = z.discriminatedUnion('type', [
  strict({ ...place, ...text }),
  strict({ ...place, ...integer }),
  strict({ ...place, ...number }),
  strict({ ...place, ...boolean }),
  strict({ ...place, ...date }),
  strict({ ...place, ...datetime }),
  strict({ ...place, ...money }),
  strict({ ...place, ...url }),
  strict({ ...place, ...json }),
  strict({ ...place, ...array }),
]);
export type Field = z.infer<typeof Field>;

/** Types whose value can be a record's key: what is read as one short text and is equal only to itself. */
export const keyTypes: readonly Field['type'][] = ['text', 'integer', 'url', 'date'];
