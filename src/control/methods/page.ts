import * as z from 'zod';
import { maxUrlLength } from '../../definition/url-pattern.ts';
import { SourceId } from '../../schema/slug.ts';
import { expected } from '../../schema/expected.ts';
import { PickedPlace, PickedRule } from '../../view/drawn-page.ts';
import { Failure, Instant } from '../../view/fields.ts';
import { Unparsed } from '../../view/scrape.ts';
import { ExplainedItem } from '../../view/trial.ts';
import type { MethodSpec } from './method.ts';
import { DraftView, ProblemView } from './fields.ts';

/** The name of a kept page. */
export const Digest = z
  .string()
  .regex(/^[\w-]{22}$/, expected('a digest of 22 characters, as `history --pages` shows it'))
  .describe('The digest of a kept page or file, which changes of records name as `page`, and records in `files`.');

/** What a definition reads from a kept page. */
const FoundView = z.strictObject({
  drafts: z.array(DraftView).readonly(),
  absent: z.array(z.string()).readonly(),
  unparsed: z.array(Unparsed).readonly(),
  notes: z.array(z.string()).readonly().optional(),
  /** How each field got its value, for the first 100 places in page order by type. */
  explained: z.array(ExplainedItem).readonly(),
  failure: Failure.optional(),
});
export type FoundView = z.infer<typeof FoundView>;

/** A kept page as it is shown to people who choose places in it. */
const InspectedPage = z.strictObject({
  digest: z.string(),
  url: z.string().max(maxUrlLength),
  observedAt: Instant,
  /** The page as HTML without anything that runs or loads: the inside of a body, in which each place that can be chosen is a link to `#N`, by its number. */
  html: z.string(),
  /** Whether the page is more than is shown. */
  isCut: z.boolean(),
  /** What is read from it; missing where no definition reads it. */
  found: FoundView.optional(),
  /** The place that was chosen, with rules that lead to it as a definition writes them. */
  picked: PickedPlace.extend({
    rules: z.array(PickedRule.extend({ rule: z.string() })).readonly(),
  }).optional(),
});
export type InspectedPage = z.infer<typeof InspectedPage>;

/** The number of a place on a page. */
const Pick = z
  .int()
  .min(0)
  .max(1_000_000)
  .describe('The number of a place on the page: the answer has rules that lead to it.')
  .exactOptional();

/** A field that is given to a definition. */
const AddedField = z.strictObject({
  record: z.string().min(1).max(100).describe('The record type that gets the field.'),
  field: z.string().min(1).max(100).describe('The name of the field.'),
  rule: z
    .string()
    .min(1)
    .max(2_000)
    .describe('The rule as a definition writes it: `.price`, or `{ css: .price, type: money }`.'),
  type: z
    .string()
    .min(1)
    .max(40)
    .describe('The type of the value, where the rule names none. Default: text.')
    .exactOptional(),
});
export type AddedField = z.infer<typeof AddedField>;

/** Methods on kept pages as people look at them. */
export const pageMethods = {
  'page.inspect': {
    params: z.strictObject({
      digest: Digest,
      source: SourceId.describe(
        'The id of the source whose definition reads the page. Default: the one that it was kept for.',
      ).exactOptional(),
      pick: Pick,
    }),
    result: InspectedPage,
    role: 'read',
    scope: 'daemon',
    doc: 'Shows a kept page without anything that runs or loads, with what the definition in use reads from it marked; and rules that lead to a place of it. Asks no site.',
  },
  'page.try': {
    params: z.strictObject({
      digest: Digest,
      source: SourceId.describe('The id that the definition has.'),
      text: z
        .string()
        .max(1_048_576)
        .describe(
          'The whole text of the definition. Default: that of its file, or a draft made from the page where there is none.',
        )
        .exactOptional(),
      add: z
        .array(AddedField)
        .max(1)
        .readonly()
        .describe('A field that is added to the definition first.')
        .exactOptional(),
      pick: Pick,
    }),
    result: InspectedPage.extend({
      /** The text that was tried, with the field that it was given. */
      text: z.string(),
      /** The digest of the file's text now, which `source.save` asks for; missing where there is no file. */
      base: z.string().optional(),
      problems: z.array(ProblemView).readonly(),
    }),
    role: 'author',
    scope: { source: 'source' },
    doc: 'Reads a kept page by the text of a definition that is not in use, and stores nothing. Asks no site.',
  },
} as const satisfies Record<string, MethodSpec>;
