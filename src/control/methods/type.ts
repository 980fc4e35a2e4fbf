import * as z from 'zod';
import { RecordView } from '../../view/record.ts';
import { SourceId } from '../../schema/slug.ts';
import type { MethodSpec } from './method.ts';
import { Limit, Where, nextOfBefore } from './fields.ts';

const TypedRecords = z.array(RecordView).readonly();

/** Records that are one thing. */
const EntityView = z.strictObject({
  /** In the order in which they were first seen, with the fields of the type alone. */
  records: TypedRecords,
  /** What its records have in the fields of a way to link, as it is compared and cut to 200 characters, and too many others too. */
  tooCommon: z.array(z.record(z.string(), z.string())).readonly().exactOptional(),
  /** Set where a record stands alone because too many would be one thing. */
  tooLarge: z.literal(true).exactOptional(),
});
export type EntityView = z.infer<typeof EntityView>;

const OneType = SourceId.describe('The id of the shared type.');

/** Methods on the types that records of several sources say they are. */
export const typeMethods = {
  'type.records': {
    params: z.strictObject({
      id: OneType,
      where: Where.exactOptional(),
      after: z.string().describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      /** The names of the fields of the type. */
      fields: z.array(z.string()).readonly(),
      /** With the fields of the type alone. */
      records: TypedRecords,
      next: z.string().optional(),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists the records of all sources that are of a type, each once and in an order that later scrapes do not change: by source, record and key. `where` is that of `source.records`, on the fields of the type.',
  },
  'type.entities': {
    params: z
      .strictObject({
        id: OneType,
        source: SourceId.describe(
          'The id of a source, with `key`: only the thing that this record is.',
        ).exactOptional(),
        key: z.string().describe('The key of a record of `source`: only the thing that it is.').exactOptional(),
        after: z.string().describe(nextOfBefore).exactOptional(),
        limit: Limit,
      })
      .refine(({ source, key }) => (source === undefined) === (key === undefined), {
        error: 'expected "source" and "key", or neither',
      }),
    result: z.strictObject({
      entities: z.array(EntityView).readonly(),
      /** The number of records that stand alone because too many would be one thing; missing where there are none. */
      tooLarge: z.int().exactOptional(),
      /** Set while records are linked anew, so that entities may lack some. */
      linking: z.literal(true).exactOptional(),
      next: z.string().optional(),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists the things that several records of a type are, in the order of the first of their records; or shows which records are one thing with a given one, however few. An answer may hold fewer than `limit`.',
  },
} as const satisfies Record<string, MethodSpec>;
