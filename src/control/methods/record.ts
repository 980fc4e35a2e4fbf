import * as z from 'zod';
import { Instant } from '../../view/fields.ts';
import { SourceId } from '../../schema/slug.ts';
import type { MethodSpec } from './method.ts';
import { Limit } from './fields.ts';

/** Methods on records. */
export const recordMethods = {
  'record.remove': {
    params: z
      .strictObject({
        source: SourceId,
        type: z.string(),
        /** The keys of the records; all must be there. */
        keys: z.array(z.string()).min(1).max(1_000).readonly().exactOptional(),
        /** Instead of keys: those that two complete walks in a row no longer found. */
        gone: z.literal(true).exactOptional(),
        /** Instead of keys: those that were last seen before this instant. */
        notSeenSince: Instant.exactOptional(),
        /** Removes nothing. */
        dryRun: z.boolean().default(false),
        /** The `next` of the slice before; of what has no keys. */
        after: z.string().exactOptional(),
        limit: Limit,
      })
      .refine(
        ({ keys, gone, notSeenSince }) =>
          [keys, gone, notSeenSince].filter((given) => given !== undefined).length === 1,
        { error: 'expected one of "keys", "gone" and "notSeenSince"' },
      ),
    result: z.strictObject({ removed: z.array(z.string()).readonly(), next: z.string().optional() }),
    role: 'operate',
    doc: 'Removes records of a source, and tells their keys. Their history stays; seen again, each is a new one.',
  },
} as const satisfies Record<string, MethodSpec>;
