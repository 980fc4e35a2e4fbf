import * as z from 'zod';
import { Value } from './fields.ts';

/** What another version of a definition does to one field, on the pages that were read by both: the records in which it has another value, none any more, or one where there was none. */
const FieldReplay = z.strictObject({ changed: z.int(), lost: z.int(), gained: z.int() });

/** How many records and values differ between the readings of some kept pages by two versions of a definition. */
export const ReplayCounts = z.strictObject({
  /** The version in use, and the one that was read beside it. */
  from: z.string(),
  version: z.string(),
  /** Pages that were read by both. */
  pages: z.int(),
  /** Records that they give by the version in use, and by the other one. */
  before: z.int(),
  records: z.int(),
  /** Records that only the version in use gives, and those that only the other one gives. */
  lost: z.int(),
  added: z.int(),
  /** By `type.field`, those that differ. */
  byField: z.record(z.string(), FieldReplay).readonly(),
});
export type ReplayCounts = Readonly<z.infer<typeof ReplayCounts>>;

/** A record that one version alone gives, or a field that they give differently. */
const ReplayExample = z.strictObject({
  kind: z.enum(['lost', 'added', 'changed']),
  type: z.string(),
  key: z.string(),
  /** Missing for whole records. */
  field: z.string().exactOptional(),
  old: Value.exactOptional(),
  new: Value.exactOptional(),
  /** The digest of the page. */
  page: z.string(),
});
export type ReplayExample = Readonly<z.infer<typeof ReplayExample>>;

/** What kept pages of a source give by another version of its definition than the one in use. */
export const ReplayView = ReplayCounts.extend({
  source: z.string(),
  /** Types of records that the definition still has and that it reads none of any more, on pages of items or on all others, with how many the version in use reads there. Missing where there are none. */
  emptied: z
    .array(z.strictObject({ type: z.string(), ofItems: z.boolean(), before: z.int() }))
    .readonly()
    .exactOptional(),
  /** Three of each kind and field at most, 30 in all. */
  examples: z.array(ReplayExample).readonly(),
});
export type ReplayView = Readonly<z.infer<typeof ReplayView>>;
