import * as z from 'zod';
import { expected } from '../schema/expected.ts';

/** An instant: wall time in milliseconds since 1970. */
export const Instant = z.int(expected('milliseconds since 1970'));

/** A span of at least one millisecond. */
export const Milliseconds = z.int().min(1);

/** The number of a scrape, target, event or other row that counts up. */
export const Serial = z.int().min(1);

type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/** A field's value. */
export const Value: z.ZodType<JsonValue> = z.json();

/** A failure: a code for programs and a sentence for people. */
export const Failure = z.strictObject({
  code: z.string(),
  message: z.string(),
  /** The cause that the failure was classified as, such as `rate_limited`. */
  cause: z.string().exactOptional(),
  /** The beginning of the site's answer. */
  excerpt: z.string().exactOptional(),
});
export type Failure = z.infer<typeof Failure>;

/** The number of records by what a commit did with them. `missing` and `gone` are left out if 0. */
export const ChangeCounts = z.strictObject({
  added: z.int(),
  changed: z.int(),
  confirmed: z.int(),
  missing: z.int().exactOptional(),
  gone: z.int().exactOptional(),
});
export type ChangeCounts = z.infer<typeof ChangeCounts>;

/**
 * The fields of a record that differ, by name; `old` is missing where the field was not known. `firstSeenAt` is when the new value was seen
 * first, where it had to be confirmed.
 */
export const FieldChanges = z.record(
  z.string(),
  z.strictObject({ old: Value.exactOptional(), new: Value, firstSeenAt: Instant.exactOptional() }),
);
export type FieldChanges = Readonly<z.infer<typeof FieldChanges>>;
