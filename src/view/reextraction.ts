import * as z from 'zod';
import { Instant, Serial } from './fields.ts';

/** A job that reads the kept pages of a source again by the present definition. */
export const ReextractionView = z.strictObject({
  job: Serial,
  source: z.string(),
  /** Only records of this type. */
  type: z.string().exactOptional(),
  /** Only pages that came at this instant or later. */
  since: Instant.exactOptional(),
  /**
   * The ticket whose repair has begun it: only the kept pages of its targets are read, also those from which nothing could be read, and what they
   * say is applied without a person.
   */
  ticket: Serial.exactOptional(),
  /** The version of the definition by which they are read. */
  version: z.string(),
  /**
   * `reading` pages, then `comparing` what they say with the history; `ready` to be applied, `applying`, `applied`; `cancelled` by a
   * person or by a newer job of the source, or `failed`.
   */
  state: z.enum(['reading', 'comparing', 'ready', 'applying', 'applied', 'cancelled', 'failed']),
  createdAt: Instant,
  endedAt: Instant.exactOptional(),
  /** Pages that were read, and those among them that nothing could be read from, or whose bytes are damaged or gone. */
  pages: z.int(),
  unreadable: z.int(),
  damaged: z.int(),
  /** Records whose history would be corrected, the changes that would be added to it, and the present values that would change. */
  records: z.int(),
  changes: z.int(),
  present: z.int(),
  /** The number of changes by field. */
  fields: z.record(z.string(), z.int()).readonly(),
  /** The id of the event that told that it was applied: the serial of each change that it added. */
  serial: Serial.exactOptional(),
  failure: z.string().exactOptional(),
});
export type ReextractionView = Readonly<z.infer<typeof ReextractionView>>;
