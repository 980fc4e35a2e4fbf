import * as z from 'zod';
import { FieldChanges, Instant, Serial, Value } from './fields.ts';

/** The value of a record's field: when this value was first observed, and when it was last verified. */
const FieldCell = z.strictObject({ value: Value, observedAt: Instant, verifiedAt: Instant });
export type FieldCell = Readonly<z.infer<typeof FieldCell>>;

/** A record: the known fields of one thing on a site, identified by source, record type and key. */
export const RecordView = z.strictObject({
  /** The number of the record. Never changes. */
  record: Serial,
  source: z.string(),
  type: z.string(),
  key: z.string(),
  target: Serial,
  /** Never changes. */
  id: z.string(),
  /** The address of the page on which the record was last seen. */
  url: z.string(),
  /** The page that its item in a list leads to, and when it was last read; without `readAt` it never was. */
  page: z.strictObject({ url: z.string(), readAt: Instant.exactOptional() }).exactOptional(),
  firstSeenAt: Instant,
  /** When the record was last seen, changed or not. */
  updatedAt: Instant,
  /** The place in the order of all records; the newest item has the highest. */
  sequence: z.int(),
  /** The number of the last scrape that saw the record; 0 when only pulses have. */
  lastScrape: z.int().min(0),
  fields: z.record(z.string(), FieldCell).readonly(),
  /** What the texts of dates say at least, where that is less than their values do: `month` for a day that stands for one. By path. */
  precision: z.record(z.string(), z.string()).readonly().exactOptional(),
  /**
   * Set when complete crawls no longer find the record: since when, how many of them, and the scrape that began the
   * last one.
   */
  absent: z.strictObject({ since: Instant, times: z.int(), scrape: z.int() }).exactOptional(),
});
export type RecordView = Readonly<z.infer<typeof RecordView>>;

/** One change in the history of a record. */
export const HistoryView = z.strictObject({
  serial: Serial,
  target: Serial,
  source: z.string(),
  type: z.string(),
  key: z.string(),
  at: Instant,
  /** The number of the scrape that saw the change; 0 for a pulse. */
  scrape: z.int().min(0),
  kind: z.enum(['added', 'changed', 'missing', 'gone']),
  fields: FieldChanges.readonly(),
});
export type HistoryView = Readonly<z.infer<typeof HistoryView>>;
