import * as z from 'zod';
import { expected } from '../schema/expected.ts';

/** The key of a record without a field that tells it from others: all that it holds. */
export const contentKey = 'content';

const Names = z
  .array(z.string())
  .min(1)
  .max(10)
  .refine((names) => new Set(names).size === names.length, expected('each field once'));

/** The field whose value is the key of a record, several fields that are its key together, or `content` for all of them. */
export const RecordKey = z.union([z.string(), Names]);
export type RecordKey = z.infer<typeof RecordKey>;

/** The fields whose values are the key; none where all content is. */
export function keyFields(key: RecordKey): readonly string[] {
  return key === contentKey ? [] : [key].flat();
}
