import * as z from 'zod';
import { HeldValue } from '../../view/record.ts';
import { Instant, Serial, Value } from '../../view/fields.ts';
import { SourceId } from '../../schema/slug.ts';
import type { MethodSpec } from './method.ts';
import { Limit, nextOfBefore, OfRecordKey, OfRecordType, OfSource } from './fields.ts';

/** What many records of a target have in common that is held. */
const HeldTogether = z.strictObject({
  kind: z.enum(['missing', 'empty', 'unusual']),
  source: z.string(),
  /** Missing where the targets of few records of the source are judged together. */
  target: Serial.exactOptional(),
  /** The type of the records and the field that became empty or is unusual; missing for records that are missing. */
  type: z.string().exactOptional(),
  field: z.string().exactOptional(),
  /** When it was found first, and by which scrape; 0 for a pulse or a re-check. */
  since: Instant,
  scrape: z.int().min(0),
  /** The number of the records. */
  count: z.int(),
  /** The ticket that it is held for, and ends with. */
  ticket: Serial.exactOptional(),
});
export type HeldTogether = z.infer<typeof HeldTogether>;

/** A value that is held, beside the current one. */
const HeldView = HeldValue.omit({ value: true, isRejected: true }).extend({
  source: z.string(),
  type: z.string(),
  key: z.string(),
  field: z.string(),
  /** The current value, which stays meanwhile. */
  old: Value,
  new: Value,
  /** The ticket that it is held for, and ends with. */
  ticket: Serial.exactOptional(),
});
export type HeldView = z.infer<typeof HeldView>;

/** What of a source is released or rejected. */
const Wanted = z
  .strictObject({
    source: SourceId.describe('The id of the source.'),
    target: Serial.describe('The number of a target: only what is held of it.').exactOptional(),
    type: OfRecordType,
    key: OfRecordKey,
    field: z.string().describe('The name of a field: only values of it.').exactOptional(),
    all: z
      .literal(true)
      .describe('In place of `target`, `type`, `key` and `field`: all that is held of the source.')
      .exactOptional(),
  })
  .refine(
    ({ target, type, key, field, all }) =>
      (all === true) !== [target, type, key, field].some((given) => given !== undefined),
    { error: 'expected at least one of "target", "type", "key" and "field", or "all" alone' },
  );

const Decided = z.strictObject({
  /** The number of values, and of missing records. */
  values: z.int(),
  missing: z.int(),
});

/** Methods on what is held. */
export const heldMethods = {
  'held.list': {
    params: z.strictObject({
      source: OfSource,
      after: z.string().describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      /** What many records have in common, with the first slice. */
      together: z.array(HeldTogether).readonly(),
      values: z.array(HeldView).readonly(),
      next: z.string().optional(),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists what was read and is not published until a person releases it, of a source or of all.',
  },
  'held.release': {
    params: Wanted,
    result: Decided,
    role: 'operate',
    scope: 'daemon',
    doc: 'Publishes what is held of a source: each value as the change that it was when it was observed, or records as missing.',
  },
  'held.reject': {
    params: Wanted,
    result: Decided,
    role: 'operate',
    scope: 'daemon',
    doc: 'Forgets what is held of a source; the current values stay, and the same is not held again until the source shows something else.',
  },
} as const satisfies Record<string, MethodSpec>;
