import * as z from 'zod';
import { SourceId } from '../../schema/slug.ts';
import { FileView } from '../../view/file.ts';
import type { MethodSpec } from './method.ts';
import { Limit, nextOfBefore, OfSource } from './fields.ts';

/** A file with the first record that names it. */
const NamedFile = FileView.extend({ source: z.string(), url: z.string(), type: z.string(), key: z.string() });
export type NamedFile = z.infer<typeof NamedFile>;

/** Methods on the files that records name. */
export const fileMethods = {
  'file.list': {
    params: z.strictObject({
      source: OfSource,
      state: FileView.shape.state
        .describe(
          'Only files in this state: `waiting` to be fetched, `stored`, given up (`failed`), or no more in the vault (`expired`).',
        )
        .exactOptional(),
      after: z.string().describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ files: z.array(NamedFile).readonly(), next: z.string().optional() }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists the files that records of a source name, or of all, each with the first record that does.',
  },
  'file.retry': {
    params: z.strictObject({
      source: SourceId.describe('The id of the source whose records name the files.'),
      url: z
        .string()
        .describe('The address of one file. Default: all files of the source that were given up.')
        .exactOptional(),
    }),
    result: z.strictObject({ files: z.int() }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Has files of a source fetched within a minute that were given up or have expired, all or one. Tells their number.',
  },
} as const satisfies Record<string, MethodSpec>;
