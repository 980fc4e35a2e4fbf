import * as z from 'zod';

/** What a scrape found too little of, beside the scrapes before it. */
export const Symptom = z.strictObject({
  /**
   * `no_record`: no record of a type that had some; `fewer_records`: less than half of ten or more; `field_lost`: a field that half of
   * the records had is in none; `pages_failed`: more than half of ten or more pages that items lead to could not be read.
   */
  kind: z.enum(['no_record', 'fewer_records', 'field_lost', 'pages_failed']),
  /** The type of the records. */
  record: z.string(),
  field: z.string().exactOptional(),
  /** The number of records, or of those that had the field; of pages, how many were asked for, and how many of these were read. */
  before: z.int(),
  now: z.int(),
});
export type Symptom = Readonly<z.infer<typeof Symptom>>;

/** Why what a target gives is doubtful. */
export const Doubt = z.strictObject({
  since: z.number(),
  /** How many complete scrapes in a row have found all the symptoms. */
  times: z.int(),
  symptoms: z.array(Symptom).readonly(),
});
export type Doubt = Readonly<z.infer<typeof Doubt>>;
