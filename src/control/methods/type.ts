import * as z from 'zod';
import { RecordView } from '../../view/record.ts';
import { SourceId } from '../../schema/slug.ts';
import type { MethodSpec } from './method.ts';
import { Limit, Where } from './fields.ts';

/** Methods on the types that records of several sources say they are. */
export const typeMethods = {
  'type.records': {
    params: z.strictObject({
      id: SourceId,
      where: Where.exactOptional(),
      /** The `next` of the slice before. */
      after: z.string().exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      /** The names of the fields of the type. */
      fields: z.array(z.string()).readonly(),
      /** With the fields of the type alone. */
      records: z.array(RecordView).readonly(),
      next: z.string().optional(),
    }),
    role: 'read',
    doc: 'Lists the records of all sources that are of a type, each once and in an order that later scrapes do not change: by source, record and key. `where` is that of `source.records`, on the fields of the type.',
  },
} as const satisfies Record<string, MethodSpec>;
