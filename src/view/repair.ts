import * as z from 'zod';

/** A place that a repair gives a rule, by the keys that a definition has for it. Without one of them it is the present element. */
export const RepairPlace = z.strictObject({
  css: z.string().exactOptional(),
  xpath: z.string().exactOptional(),
  json: z.string().exactOptional(),
  meta: z.string().exactOptional(),
  /** The JSON within the page in which `json` is a path. */
  in: z.union([z.enum(['ld+json', 'microdata']), z.strictObject({ script: z.string() })]).exactOptional(),
  attr: z.string().exactOptional(),
  /** The heading of the cell's column. */
  column: z.string().exactOptional(),
});
export type RepairPlace = Readonly<z.infer<typeof RepairPlace>>;

/** A rule that a repair changes. */
const RepairChange = z.strictObject({
  record: z.string(),
  /** Missing for the rule by which the records themselves are found: `each`. */
  field: z.string().exactOptional(),
  /** The places of the rule before, as people write them. */
  before: z.string(),
  to: RepairPlace,
});
export type RepairChange = Readonly<z.infer<typeof RepairChange>>;

/** How many of the values that were known last are read on the new pages by the repaired rules. */
const RepairKept = z.strictObject({
  record: z.string(),
  /** Missing for the records themselves, by their keys. */
  field: z.string().exactOptional(),
  kept: z.int(),
  of: z.int(),
  /** Values that were read and are others than before, of the right type. */
  other: z.int(),
});
export type RepairKept = Readonly<z.infer<typeof RepairKept>>;

/** Rules that would have read the values that were known last. */
export const Repair = z.strictObject({
  changes: z.array(RepairChange).min(1).max(20).readonly(),
  kept: z.array(RepairKept).max(50).readonly(),
  /** Whether the evidence is enough for it to be made without a person. */
  isSafe: z.boolean(),
});
export type Repair = Readonly<z.infer<typeof Repair>>;

/** A page as it came, for the search for repairs. */
export interface RepairPage {
  readonly url: string;
  readonly body: Uint8Array;
  readonly contentType?: string;
  readonly observedAt?: number;
}

/** What repairs are searched for. */
export interface RepairQuestion {
  /** Pages of the same addresses, the last good one and the first bad one of each. */
  readonly pairs: readonly { readonly good: RepairPage; readonly bad: RepairPage }[];
  /** How the records of two pages are known to be the same: `keyless` where a page has one record, whose key stands on another page. */
  readonly records: 'keyed' | 'keyless';
  /** What a ticket is about: fields, or records with all of their fields where no field is named. */
  readonly lost: readonly { readonly record: string; readonly field?: string }[];
}

/** The most repairs that are proposed for one ticket. */
export const mostRepairs = 5;
