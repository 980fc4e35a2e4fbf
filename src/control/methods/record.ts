import * as z from 'zod';
import { Instant, Value } from '../../view/fields.ts';
import { HttpUrl } from '../../definition/url-pattern.ts';
import { SourceId } from '../../schema/slug.ts';
import type { MethodSpec } from './method.ts';
import { Limit, nextOfBefore } from './fields.ts';

/** Methods on records. */
export const recordMethods = {
  'record.remove': {
    params: z
      .strictObject({
        source: SourceId.describe('The id of the source.'),
        type: z.string().describe('The type of the records.'),
        keys: z
          .array(z.string())
          .min(1)
          .max(1_000)
          .readonly()
          .describe('The keys of the records; all of these records must be there.')
          .exactOptional(),
        gone: z
          .literal(true)
          .describe('In place of `keys`: the records that two complete walks in a row no longer found.')
          .exactOptional(),
        notSeenSince: Instant.describe(
          'In place of `keys`: the records that were last seen before this instant.',
        ).exactOptional(),
        dryRun: z.boolean().default(false).describe('Only tells what would be removed.'),
        after: z.string().describe(nextOfBefore).exactOptional(),
        limit: Limit,
      })
      .refine(
        ({ keys, gone, notSeenSince }) =>
          [keys, gone, notSeenSince].filter((given) => given !== undefined).length === 1,
        { error: 'expected one of "keys", "gone" and "notSeenSince"' },
      ),
    result: z.strictObject({ removed: z.array(z.string()).readonly(), next: z.string().optional() }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Removes records of a source, and tells their keys. Their history stays; seen again, each is a new one.',
  },
  'record.import': {
    params: z.strictObject({
      source: SourceId.describe('The id of the source, which must be defined.'),
      url: HttpUrl.describe('The address of the page that shows the record; no project need track it yet.'),
      type: z.string().describe('The type of the record in the source.'),
      key: z.string().min(1).max(1_000).describe('The key of the record.'),
      versions: z
        .array(
          z.strictObject({
            at: Instant.describe('When the record said so.'),
            fields: z.record(z.string(), Value).describe('What it said: fields that the definition has.'),
          }),
        )
        .min(1)
        .max(1_000)
        .readonly()
        .describe('What it said in the past.'),
    }),
    result: z.strictObject({
      /** The changes that were added. */
      changes: z.int(),
      /** Versions that were as the one before. */
      same: z.int(),
      /** Versions that are not later than what is known, or in the future. */
      skipped: z.int(),
    }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Adds what a record said before this daemon asked for its page to its history: the next scrape compares with the last version. Versions that are not later than what is known are skipped, and all of them once a scrape has seen the record. Tells one event, `history.imported`.',
  },
} as const satisfies Record<string, MethodSpec>;
