import * as z from 'zod';
import { Event } from '../../event/catalogue.ts';
import { Instant } from '../../view/fields.ts';
import { HistoryView, RecordView } from '../../view/record.ts';
import { MetricPoint } from './metric.ts';
import { nextOfBefore, OfProject, OfSource } from './fields.ts';
import type { MethodSpec } from './method.ts';

/** The id of an event outside of the socket, the generation of the store and its number, perhaps with a digest behind. */
const Cursor = z.string().max(200);

const asked = {
  source: OfSource,
  project: OfProject,
  since: Instant.describe('Only what was observed, or told, at this instant or later.').exactOptional(),
  after: Cursor.describe(
    'The `upTo` of an earlier export: only what has changed since. Default: everything.',
  ).exactOptional(),
  cursor: z.string().max(1_000).describe(nextOfBefore).exactOptional(),
  limit: z.int().min(1).max(5_000).default(1_000).describe('The most rows of the answer.'),
};

const RecordType = z
  .string()
  .max(64)
  .describe('Only records of this type: the type in their sources, or the shared type that they are.');

function answered<T extends z.ZodType>(row: T) {
  return {
    rows: z.array(row).readonly(),
    /**
     * The newest event when the export began, with which the next one begins. What came later may be missing. Behind it, after a point, is
     * a digest of the targets of the project and the types of records that were wanted, where such were.
     */
    upTo: Cursor,
    next: z.string().exactOptional(),
    /** The share of what is to be looked through that has been, from 0 to 1. */
    progress: z.number(),
    /**
     * Why everything is read from the beginning: nothing was exported before, the events since then are no longer kept, the data are a
     * restored backup, a source has another id, or the project has other targets, or the type other types of records, than at the last
     * export. Missing where only what has changed is read.
     */
    anew: z.enum(['first', 'trimmed', 'restored', 'renamed', 'reselected']).exactOptional(),
  };
}

const slices =
  'An answer may hold fewer rows than `limit`, or none, while `next` leads on. Rows that change meanwhile may be told as they were or as they are, and again by the next export.';

/** Methods by which records, history and events are exported. */
export const exportMethods = {
  'export.tables': {
    params: z.strictObject({}),
    result: z.strictObject({
      tables: z
        .array(
          z.strictObject({
            /** A shared type, or `source.type`. */
            id: z.string(),
            records: z.array(z.strictObject({ source: z.string(), type: z.string() })).readonly(),
            fields: z.array(z.strictObject({ name: z.string(), type: z.string() })).readonly(),
          }),
        )
        .readonly(),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists the tables that records are exported to: one for each shared type, and one for each other type of record of a source that is loaded.',
  },
  'export.records': {
    params: z.strictObject({ ...asked, type: RecordType.exactOptional() }),
    result: z.strictObject({
      ...answered(RecordView),
      /** Records that a person removed since the last export. */
      removed: z
        .array(z.strictObject({ source: z.string(), type: z.string(), key: z.string(), at: Instant }))
        .readonly(),
    }),
    role: 'read',
    scope: { project: 'project' },
    doc: `Reads all records, or those that have changed since an earlier export. ${slices}`,
  },
  'export.history': {
    params: z.strictObject({ ...asked, type: RecordType.exactOptional() }),
    result: z.strictObject(answered(HistoryView)),
    role: 'read',
    scope: { project: 'project' },
    doc: `Reads the changes of records, each once: all record by record, or those since an earlier export in the order of their events. ${slices}`,
  },
  'export.metrics': {
    params: z.strictObject(asked).omit({ source: true }),
    result: z.strictObject(answered(MetricPoint.extend({ project: z.string() }))),
    role: 'read',
    scope: { project: 'project' },
    doc: `Reads what metrics were over time, point by point as \`metric.series\` does. ${slices}`,
  },
  'export.events': {
    params: z.strictObject({
      ...asked,
      type: z
        .string()
        .max(64)
        .describe('Only events of this type; a `*` at the end stands for any rest, as in `scrape.*`.')
        .exactOptional(),
    }),
    result: z.strictObject(answered(Event)),
    role: 'read',
    scope: { project: 'project' },
    doc: `Reads the events that are kept, in their order. ${slices}`,
  },
} as const satisfies Record<string, MethodSpec>;
