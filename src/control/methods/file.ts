import * as z from 'zod';
import { SourceId } from '../../schema/slug.ts';
import { FileView } from '../../view/file.ts';
import type { MethodSpec } from './method.ts';
import { Limit } from './fields.ts';

/** A file with the first record that names it. */
const NamedFile = FileView.extend({ source: z.string(), url: z.string(), type: z.string(), key: z.string() });
export type NamedFile = z.infer<typeof NamedFile>;

/** Methods on the files that records name. */
export const fileMethods = {
  'file.list': {
    params: z.strictObject({
      source: SourceId.exactOptional(),
      state: FileView.shape.state.exactOptional(),
      /** The `next` of the slice before. */
      after: z.string().exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ files: z.array(NamedFile).readonly(), next: z.string().optional() }),
    role: 'read',
    doc: 'Lists the files that records of a source name, or of all, each with the first record that does.',
  },
  'file.retry': {
    params: z.strictObject({ source: SourceId, url: z.string().exactOptional() }),
    result: z.strictObject({ files: z.int() }),
    role: 'operate',
    doc: 'Has files of a source fetched within a minute that were given up or have expired, all or one. Tells their number.',
  },
} as const satisfies Record<string, MethodSpec>;
