import * as z from 'zod';
import { Instant } from '../../view/fields.ts';
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
} as const satisfies Record<string, MethodSpec>;
