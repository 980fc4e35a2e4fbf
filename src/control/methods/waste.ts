import * as z from 'zod';
import { SourceId } from '../../schema/slug.ts';
import { Instant, Serial } from '../../view/fields.ts';
import type { MethodSpec } from './method.ts';

/** The costs of scrapes and pulses, and the part of them that found nothing new. */
export const TallyView = z.strictObject({
  scrapes: z.int(),
  /** Scrapes that were complete and changed nothing. */
  unchanged: z.int(),
  requests: z.int(),
  /** Of the requests, the number that pulses make; a request for many targets counts for their source and for no target. */
  pulses: z.int(),
  /** Answers with status 304. */
  notModified: z.int(),
  /** Answers to scrapes with a validator, so that the next request can be conditional. */
  validated: z.int(),
  bytes: z.int(),
  /** Bytes of scrapes that changed nothing. */
  unchangedBytes: z.int(),
  cpuMs: z.number(),
});
export type TallyView = z.infer<typeof TallyView>;

/** Advice against waste: a code to branch on and a sentence to read. */
export const AdviceView = z.strictObject({
  code: z.enum(['ask_less', 'no_validators', 'validators_ignored']),
  text: z.string(),
  /** The interval to consider. */
  betterMs: z.number().optional(),
});

/** The costs of one source or target, with advice. */
export const WasteView = TallyView.extend({
  source: z.string(),
  /** Missing for the source as a whole. */
  target: Serial.optional(),
  projects: z.array(z.string()).readonly().optional(),
  advice: z.array(AdviceView).readonly(),
});
export type WasteView = z.infer<typeof WasteView>;

/** Methods on what scraping costs. */
export const wasteMethods = {
  'waste.report': {
    params: z.strictObject({
      source: SourceId.describe(
        'The id of a source: only its costs, with at most 20 of its targets, the most wasteful first.',
      ).exactOptional(),
      days: z
        .int()
        .min(1)
        .max(32)
        .default(30)
        .describe('The number of days, today included; costs of earlier days are not kept.'),
    }),
    result: z.strictObject({
      /** Days of UTC, from the first on. */
      from: Instant,
      all: TallyView,
      sources: z.array(WasteView).readonly(),
      targets: z.array(WasteView).readonly(),
      /** The number of targets with costs that are left out; missing where there are none. */
      more: z.int().exactOptional(),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Reports what scraping cost lately and how much of it found nothing new, with advice.',
  },
} as const satisfies Record<string, MethodSpec>;
