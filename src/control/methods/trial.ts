import * as z from 'zod';
import { AnyValue, Instant } from '../fields.ts';

/** How one field of a page came to its value. */
export const ExplainedFieldView = z.strictObject({
  name: z.string(),
  /** The place that gave it; missing where none matched. `alternative` counts from 1 in order of preference. */
  place: z
    .strictObject({
      by: z.enum(['css', 'xpath', 'json', 'meta', 'const', 'here']),
      text: z.string(),
      attr: z.string().optional(),
      alternative: z.int(),
      alternatives: z.int(),
      matches: z.int(),
    })
    .optional(),
  /** Each filter with what it was given, in the order in which they ran. */
  filters: z.array(z.strictObject({ filter: z.string(), before: AnyValue })).readonly(),
  /** Missing where no place matched, and where what stands there could not be read. */
  value: AnyValue.optional(),
  /** What could not be read, and what was expected; `path` leads into the value. */
  lost: z.array(z.strictObject({ path: z.string(), text: z.string(), expected: z.string() })).readonly(),
});
export type ExplainedFieldView = z.infer<typeof ExplainedFieldView>;

/** One place that was looked at for a record, whether it is one or not. */
export const ExplainedItemView = z.strictObject({
  record: z.string(),
  /** Missing where there is no record, as its key or a required field lacks. */
  key: z.string().optional(),
  fields: z.array(ExplainedFieldView).readonly(),
});
export type ExplainedItemView = z.infer<typeof ExplainedItemView>;

/** A field that the `fast` and the `browser` tree of a page read differently; missing where that tree does not give it. */
export const TreeDifferenceView = z.strictObject({
  record: z.string(),
  key: z.string(),
  field: z.string(),
  fast: AnyValue.optional(),
  browser: AnyValue.optional(),
});
export type TreeDifferenceView = z.infer<typeof TreeDifferenceView>;

/** A page as it came. */
export const KeptPageView = z.strictObject({
  contentType: z.string().optional(),
  fetchedAt: Instant,
  /** In base64. */
  body: z.string(),
});
export type KeptPageView = z.infer<typeof KeptPageView>;
