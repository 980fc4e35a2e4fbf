import * as z from 'zod';
import { ChangeCounts, Failure, Instant, Serial } from './fields.ts';

/** How a person wants a scrape to differ from its definition. */
export const ScrapeWish = z.strictObject({
  full: z.boolean().describe('Reads a list to its end, past what is known; a crawl begins anew.').exactOptional(),
  from: z.iso.date().describe("The first day of a collector's windows, such as `2026-03-01`.").exactOptional(),
  to: z.iso.date().describe("The last day of a collector's windows, such as `2026-03-31`.").exactOptional(),
  args: z
    .array(z.string().max(1_000))
    .max(100)
    .readonly()
    .describe("The arguments of a plug-in's `collect`, in this order.")
    .exactOptional(),
});
export type ScrapeWish = Readonly<z.infer<typeof ScrapeWish>>;

/** Why a scrape runs: its target was due, or a person requested it. */
export const ScrapeReason = z.enum(['due', 'manual']);

/**
 * `waiting`: a person requested the scrape and it has its number, but it has not begun. `aborted`: a guard of its
 * definition ended it; what it found stays.
 */
export const ScrapeStatus = z.enum(['waiting', 'running', 'complete', 'failed', 'aborted', 'cancelled']);

/** What could not be read: a text that is not of its field's type, or what a record must have and lacks, so that it is left out. */
export const Unparsed = z.strictObject({
  record: z.string(),
  /** The key of the record that the field is missing in. */
  key: z.string().exactOptional(),
  /** Of a record without a key: its place among those of its type on the page or in the batch, from 1. */
  position: z.int().exactOptional(),
  field: z.string(),
  /** The beginning of the text; of a record that is left out, of its fields. */
  text: z.string(),
  expected: z.string(),
});
export type Unparsed = Readonly<z.infer<typeof Unparsed>>;

/** What a scrape could not read, with the page that it stands on. */
const UnparsedOnPage = Unparsed.extend({ url: z.string() });

/** A field that none of the five or more records has that were read. */
export const Unfound = z.strictObject({
  record: z.string(),
  field: z.string(),
  /** The number of records. */
  records: z.int(),
  /** The place that the definition names for the field; missing where a plug-in or a program gives the field. */
  rule: z.string().exactOptional(),
});
export type Unfound = Readonly<z.infer<typeof Unfound>>;

/** The counts of a scrape or a step besides those of its records. */
const met = {
  /** Places that should have been records and were none, as they lacked their key or threw, and pages of items that could not be read. */
  errors: z.int().exactOptional(),
  /** Records that were left out because another record of their page has their key and other values. */
  repeated: z.int().exactOptional(),
};

/** The result of a scrape, as its row and the event of its end have it. */
export const scrapeEnd = {
  reason: ScrapeReason,
  steps: z.int(),
  counts: ChangeCounts,
  ...met,
  /** The first 20 things that could not be read; its steps have them all. */
  unparsed: z.array(UnparsedOnPage).readonly().exactOptional(),
  /** Fields that none of the five or more records has that a complete scrape read. Missing where there are none. */
  unfound: z.array(Unfound).readonly().exactOptional(),
  /** Why the scrape ended where it did, such as `known`, `end` or `loop`. */
  endReason: z.string().exactOptional(),
  failure: Failure.exactOptional(),
  /** The pages of the target's items that are still to be read; later scrapes ask for them. Counted up to 10,000. */
  pagesLeft: z.int().exactOptional(),
};

/** One scrape of one target. Its number is its id, for people as well. */
export const ScrapeView = z.strictObject({
  scrape: Serial,
  target: Serial,
  source: z.string(),
  /** Missing for a scrape that goes as its definition says. */
  wish: ScrapeWish.exactOptional(),
  /** The version of the definition by which the scrape reads; empty while it waits. */
  version: z.string(),
  status: ScrapeStatus,
  /** While the scrape waits: when it was requested. */
  startedAt: Instant,
  endedAt: Instant.exactOptional(),
  bytes: z.int(),
  ...scrapeEnd,
});
export type ScrapeView = Readonly<z.infer<typeof ScrapeView>>;

/** One step of a scrape's run log. */
export const StepView = z.strictObject({
  step: Serial,
  url: z.string(),
  /** The number of the page within its list, from 1; missing where there is no list. */
  page: Serial.exactOptional(),
  at: Instant,
  elapsedMs: z.number(),
  bytes: z.int(),
  status: z.int().exactOptional(),
  /** The address to which the answer redirects. */
  location: z.string().exactOptional(),
  failure: Failure.exactOptional(),
  counts: ChangeCounts,
  /** Fields that no record of the page has. */
  absent: z.array(z.string()).readonly(),
  unparsed: z.array(Unparsed).readonly(),
  ...met,
  /** Set for a step without an exchange: drafts and failed items that a plug-in's collector handed over. */
  batch: z.int().exactOptional(),
  /** Other notes as sentences: fields that no record declares, items that could not be read. */
  notes: z.array(z.string()).readonly().exactOptional(),
});
export type StepView = Readonly<z.infer<typeof StepView>>;
