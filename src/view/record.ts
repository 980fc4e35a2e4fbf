import * as z from 'zod';
import { FileView } from './file.ts';
import { FieldChanges, Instant, Serial, Value } from './fields.ts';

/** The value of a record's field: when this value was first observed, and when it was last verified. */
const FieldCell = z.strictObject({ value: Value, observedAt: Instant, verifiedAt: Instant });
export type FieldCell = Readonly<z.infer<typeof FieldCell>>;

/** What a value of a record goes back to. */
const Evidence = z.strictObject({
  target: Serial,
  /** The number of the scrape that saw it; 0 for a pulse, a re-check or another tool. */
  scrape: z.int().min(0),
  /** Set where a re-check saw it, which belongs to no scrape. */
  recheck: z.literal(true).exactOptional(),
  /** The version of the definition by which it was read; empty where another tool read it. */
  version: z.string(),
  /** The digest of the page that showed it. The vault has the page, unless it has expired or could not be kept. */
  page: z.string().exactOptional(),
});
export type Evidence = Readonly<z.infer<typeof Evidence>>;

/** An implausible value that is not published: a number that jumped, one of many that became empty, or one of a field that is unusual. Its evidence is the sight that observed it first. */
export const HeldValue = Evidence.extend({
  kind: z.enum(['jump', 'empty', 'unusual']),
  value: Value,
  /** When it was observed first, and last. */
  observedAt: Instant,
  seenAt: Instant,
  /** The address of the page. */
  url: z.string(),
  /** Set once a person has rejected it: it is not told again while the site shows it. */
  isRejected: z.literal(true).exactOptional(),
});
export type HeldValue = Readonly<z.infer<typeof HeldValue>>;

/** An observation of a field of which another value than the current one waits to be confirmed. */
const Candidate = z.strictObject({ value: Value, observedAt: Instant });
export type Candidate = Readonly<z.infer<typeof Candidate>>;

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
  /** Values that are held, by field. */
  held: z.record(z.string(), HeldValue).readonly().exactOptional(),
  /** The last observations of fields whose new values must be confirmed, from the first that showed another value than the current one, by field. */
  candidates: z.record(z.string(), z.array(Candidate).readonly()).readonly().exactOptional(),
  /**
   * Set when complete crawls no longer find the record: since when, how many of them, and the scrape that began the
   * last one.
   */
  absent: z.strictObject({ since: Instant, times: z.int(), scrape: z.int() }).exactOptional(),
  /** The files that its fields name, by their addresses. */
  files: z.record(z.string(), FileView).readonly().exactOptional(),
});
export type RecordView = Readonly<z.infer<typeof RecordView>>;

/** One change in the history of a record. */
export const HistoryView = Evidence.extend({
  /** The id of the event that told of it. */
  serial: Serial,
  /** The number of the record. */
  record: Serial,
  source: z.string(),
  type: z.string(),
  key: z.string(),
  at: Instant,
  /** Set for a correction, which a kept page gave when it was read again, or which takes a change back: the serial of the change that it corrects. */
  corrects: Serial.exactOptional(),
  /** Set for a correction that takes back what a run told of a field before the field was found to be unusual. */
  isRecall: z.literal(true).exactOptional(),
  /** Set for a change whose value was held, and then released. */
  wasHeld: z.literal(true).exactOptional(),
  kind: z.enum(['added', 'changed', 'missing', 'gone']),
  fields: FieldChanges.readonly(),
});
export type HistoryView = Readonly<z.infer<typeof HistoryView>>;

/** The difference of a record between two instants. */
export const RecordDifference = z.strictObject({
  record: Serial,
  source: z.string(),
  type: z.string(),
  key: z.string(),
  /** `changed` without fields: it was missing and is back. */
  kind: HistoryView.shape.kind,
  /** The values at both instants, of fields that differ, each with the change that set the later one. */
  fields: z
    .record(
      z.string(),
      FieldChanges.valueType.extend({
        by: HistoryView.omit({
          record: true,
          target: true,
          source: true,
          type: true,
          key: true,
          kind: true,
          fields: true,
        }),
      }),
    )
    .readonly(),
});
export type RecordDifference = Readonly<z.infer<typeof RecordDifference>>;
