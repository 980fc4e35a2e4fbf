import * as z from 'zod';
import { SourceId } from '../../definition/slug.ts';
import { Instant, Serial } from '../fields.ts';
import type { MethodSpec } from '../method.ts';

/** What scrapes and pulses cost, and how much of what scrapes did found nothing new. */
export const TallyView = z.strictObject({
  scrapes: z.int(),
  /** Ended well and changed nothing. */
  unchanged: z.int(),
  requests: z.int(),
  /** Of the requests, those of pulses; one that asks for many targets counts for its source and for none of them. */
  pulses: z.int(),
  /** Answers that said that nothing had been modified. */
  notModified: z.int(),
  /** Of scrapes: answers that let the next request ask whether anything was modified. */
  validated: z.int(),
  bytes: z.int(),
  /** Of scrapes that changed nothing. */
  unchangedBytes: z.int(),
  cpuMs: z.number(),
});
export type TallyView = z.infer<typeof TallyView>;

/** What could be done about waste: a code to branch on and a sentence to read. */
export const AdviceView = z.strictObject({
  code: z.enum(['ask_less', 'no_validators', 'validators_ignored']),
  text: z.string(),
  /** The interval to consider. */
  betterMs: z.number().optional(),
});

/** What one source or target cost. */
export const WasteView = TallyView.extend({
  source: z.string(),
  /** Missing for the source as a whole. */
  target: Serial.optional(),
  project: z.string().optional(),
  advice: z.array(AdviceView).readonly(),
});
export type WasteView = z.infer<typeof WasteView>;

/** Methods on what scraping costs. */
export const wasteMethods = {
  'waste.report': {
    params: z.strictObject({
      /** With its targets, the most wasteful first; 20 at most. */
      source: SourceId.exactOptional(),
      /** Today among them; no more are kept. */
      days: z.int().min(1).max(32).default(30),
    }),
    result: z.strictObject({
      /** Days of UTC, from the first on. */
      from: Instant,
      all: TallyView,
      sources: z.array(WasteView).readonly(),
      targets: z.array(WasteView).readonly(),
    }),
    role: 'read',
    doc: 'Tells what scraping cost lately and how much of it found nothing new, with advice.',
  },
} as const satisfies Record<string, MethodSpec>;
