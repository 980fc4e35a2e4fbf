import * as z from 'zod';
import { RecordCondition } from '../../definition/selector.ts';
import { ProjectId, SourceId } from '../../schema/slug.ts';
import { maxUrlLength } from '../../definition/url-pattern.ts';
import type { Problem } from '../../definition/problem.ts';
import { Value } from '../../view/fields.ts';
import type { RecordDraft } from '../../extract/draft.ts';

/** The parameters that fill an address pattern, by name. */
export const UrlParams = z
  .record(z.string().max(64), z.string().max(maxUrlLength))
  .describe('The parameters that fill the address pattern of the source, by name; in place of `url`.');

/** The politeness key of a host, which is the origin of its addresses by default. */
export const HostKey = z.string().max(maxUrlLength);

/** Arguments of a `refine` that forbids parameters beside the address that they make. */
export const urlOrParams = [
  (given: { readonly url?: string; readonly params?: object }) => given.url === undefined || given.params === undefined,
  { error: 'expected at most one of "url" and "params"' },
] as const;

/** The most rows that an answer may hold. */
export const Limit = z.int().min(1).max(1_000).default(100).describe('The most entries of the answer.');

/** Describes a parameter by which a list goes on. */
export const nextOfBefore =
  'The `next` of the slice before, with all else as it was. Default: begins with the first slice.';

/** What limits a list to one source. */
export const OfSource = SourceId.describe('The id of a source: only what is of it.').exactOptional();

/** What limits a list to one project. */
export const OfProject = ProjectId.describe('The id of a project: only what is of it.').exactOptional();

/** What limits a list to records of one type. */
export const OfRecordType = z.string().describe('A record type: only records of it.').exactOptional();

/** What limits a list to the record of one key. */
export const OfRecordKey = z.string().describe('The key of a record: only what is of it.').exactOptional();

/** The names of those lists of an answer that were cut at their greatest length; missing where all are whole. */
export function cutOf<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z.array(z.enum(names)).readonly().optional();
}

/** A condition on the fields of records. */
export const Where = RecordCondition.describe(
  'A condition on the fields of records, `@`, as in a filter of a JSON path (RFC 9535), such as `@.sponsors[?@.country == "DE"]`. Default: all records.',
);

/** A record as extracted, before it is compared with the store. */
export const DraftView = z.strictObject({
  type: z.string(),
  key: z.string(),
  /** The page to which its item leads. */
  page: z.string().exactOptional(),
  precision: z.record(z.string(), z.string()).readonly().exactOptional(),
  fields: z.record(z.string(), Value).readonly(),
}) satisfies z.ZodType<RecordDraft>;

/** A problem in a file that a person wrote, and its place there. */
export const ProblemView = z.strictObject({
  file: z.string(),
  line: z.int(),
  column: z.int(),
  path: z.string(),
  message: z.string(),
}) satisfies z.ZodType<Problem>;
