import * as z from 'zod';
import { Failure, Instant } from './fields.ts';

/** What a file must be for it to be kept, and whether it is fetched before others. */
export interface FileOptions {
  /** The largest file that is kept, in bytes. */
  readonly maxBytes: number;
  /** The media types of files that are kept, such as `image/*`. Default: all. */
  readonly accept?: readonly string[];
  /** Set for a file that soon vanishes. */
  readonly isEphemeral?: true;
}

/** Where the records of a type have addresses of files. */
export interface FileField extends FileOptions {
  /** The name of the field, and within objects the names of theirs. Each element of a list is looked into. */
  readonly path: readonly string[];
}

/** The fields of files of a source's records, by type; only types that have some. */
export type FileFields = Readonly<Record<string, readonly FileField[]>>;

/** A file that a record names. */
export const FileView = z.strictObject({
  /**
   * `waiting` to be fetched, perhaps once more, `stored`, given up (`failed`), or no more in the vault (`expired`).
   */
  state: z.enum(['waiting', 'stored', 'failed', 'expired']),
  /** The digest of the stored file, by which `page.get` has it. */
  digest: z.string().exactOptional(),
  bytes: z.int().min(0).exactOptional(),
  mediaType: z.string().exactOptional(),
  storedAt: Instant.exactOptional(),
  /** How many times in a row it could not be fetched, and why at last. */
  tries: z.int().min(1).exactOptional(),
  failure: Failure.exactOptional(),
  /** When it is fetched, at the earliest. */
  dueAt: z.number().exactOptional(),
});
export type FileView = Readonly<z.infer<typeof FileView>>;
