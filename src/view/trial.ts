import * as z from 'zod';
import { Value } from './fields.ts';

/** How a rule got its value on a page. */
export const ExplainedRule = z.strictObject({
  /** The place that gave the value; missing where none matched. `alternative` counts from 1 in order of preference, of `alternatives`. */
  place: z
    .strictObject({
      by: z.enum(['css', 'xpath', 'json', 'meta', 'const', 'page', 'here']),
      text: z.string(),
      /** The way to where it is searched. */
      from: z.string().exactOptional(),
      attr: z.string().exactOptional(),
      alternative: z.int(),
      alternatives: z.int(),
      matches: z.int(),
    })
    .exactOptional(),
  /** Each filter with the value that it was given. */
  filters: z.array(z.strictObject({ filter: z.string(), before: Value })).readonly(),
  /** Missing where no place matched, and where the text there could not be read. */
  value: Value.exactOptional(),
  /** Texts that could not be read, with what was expected instead; `path` leads into the value, as `.price`. */
  lost: z.array(z.strictObject({ path: z.string(), text: z.string(), expected: z.string() })).readonly(),
});
export type ExplainedRule = Readonly<z.infer<typeof ExplainedRule>>;

/** How a page got what leads to the next page of its list: the address, cursor or other value is `value`. */
export const ExplainedNext = ExplainedRule.extend({
  /** Where the definition looks for it; missing where it names no place, so that links with `rel=next` count. */
  rule: z.string().exactOptional(),
});
export type ExplainedNext = Readonly<z.infer<typeof ExplainedNext>>;

/** How a field of a page got its value. */
export const ExplainedField = z.strictObject({ name: z.string(), ...ExplainedRule.shape });
export type ExplainedField = Readonly<z.infer<typeof ExplainedField>>;

/** One place of a page that was looked at for a record, whether it is one or not. */
export const ExplainedItem = z.strictObject({
  record: z.string(),
  /** Missing where there is no record, as its key or a required field is missing. */
  key: z.string().exactOptional(),
  fields: z.array(ExplainedField).readonly(),
});
export type ExplainedItem = Readonly<z.infer<typeof ExplainedItem>>;

/** A field that the `fast` and the `browser` tree of a page read differently. */
export const TreeDifference = z.strictObject({
  record: z.string(),
  key: z.string(),
  field: z.string(),
  /** Missing where that tree gives no such record or field. */
  fast: Value.exactOptional(),
  browser: Value.exactOptional(),
});
export type TreeDifference = Readonly<z.infer<typeof TreeDifference>>;

/** What came of one thing that was done with a page in the browser. */
export const ActionView = z.strictObject({
  /** The action as the definition writes it, such as `click: .more`; the text that was typed is left out. */
  action: z.string(),
  /** `absent`: its element was not there, and is optional. `limited`: it was done as often as it may be, and more would have come. `moved`: it led to another page. */
  outcome: z.enum(['done', 'absent', 'limited', 'moved', 'failed']),
  elapsedMs: z.number(),
  /** How often it was done; missing where it is done once only. */
  times: z.int().exactOptional(),
  /** The number of elements that match at its end; of a page that is scrolled, of all its elements. Missing for a time that was waited. */
  elements: z.int().exactOptional(),
});
export type ActionView = Readonly<z.infer<typeof ActionView>>;
