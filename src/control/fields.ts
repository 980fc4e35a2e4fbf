import * as z from 'zod';
import { maxUrlLength } from '../definition/url-pattern.ts';
import type { FieldCell } from '../store/rows.ts';

/** Wall time in milliseconds since the epoch. */
export const Instant = z.int();

/** Milliseconds. */
export const Milliseconds = z.int().min(1);

/** What fills the places of an address pattern, by their names. */
export const UrlParams = z.record(z.string().max(64), z.string().max(maxUrlLength));

/** The number of a scrape, target, event or other row that counts up. */
export const Serial = z.int().min(1);

/** How many rows an answer may hold. */
export const Limit = z.int().min(1).max(1_000).default(100);

/** A field's value. */
export const AnyValue: z.ZodType<FieldCell['value']> = z.json();

/** A failure as it is told: a code to branch on and a sentence to read. */
export const FailureView = z.strictObject({
  code: z.string(),
  message: z.string(),
  /** What it was taken for, such as `rate_limited`. */
  cause: z.string().optional(),
  /** The beginning of what the site said. */
  excerpt: z.string().optional(),
});

/** What a commit did, counted. */
export const CountsView = z.strictObject({
  added: z.int(),
  changed: z.int(),
  confirmed: z.int(),
  missing: z.int().optional(),
  gone: z.int().optional(),
});

/** A record as extracted, before it is compared with the store. */
export const DraftView = z.strictObject({
  type: z.string(),
  key: z.string(),
  fields: z.record(z.string(), AnyValue).readonly(),
});

/** A text that was found but is not of its field's type. */
export const UnparsedView = z.strictObject({
  record: z.string(),
  field: z.string(),
  text: z.string(),
  expected: z.string(),
});

/** Something wrong in a file that a person wrote, and where. */
export const ProblemView = z.strictObject({
  file: z.string(),
  line: z.int(),
  column: z.int(),
  path: z.string(),
  message: z.string(),
});
