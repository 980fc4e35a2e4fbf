import * as z from 'zod';
import { SourceId } from '../../definition/slug.ts';
import { HttpUrl } from '../../definition/url-pattern.ts';
import { FailureView, Instant, Milliseconds, Serial, UrlParams } from '../fields.ts';
import { checkScheduleInput, scheduleInputShape } from './pace.ts';
import { ScrapeView } from './scrape.ts';

const place = {
  url: HttpUrl.exactOptional(),
  params: UrlParams.exactOptional(),
  ...scheduleInputShape,
};
const eitherPlace = { error: 'expected either "url" or "params"' };

/** A project's place on one source, as a person names it: by its address, or by what fills the source's address pattern. */
export const TargetInput = z
  .strictObject({ source: SourceId, ...place })
  .refine((target) => (target.url === undefined) !== (target.params === undefined), eitherPlace)
  .superRefine(checkScheduleInput);
export type TargetInput = z.infer<typeof TargetInput>;

/** The same for a project that is new: without `source`, the one that `url` belongs to. */
export const NewTarget = z
  .strictObject({ source: SourceId.exactOptional(), ...place })
  .refine((target) => (target.url === undefined) !== (target.params === undefined), eitherPlace)
  .refine(({ source, url }) => source !== undefined || url !== undefined, {
    error: 'expected "source", as there is no "url" to find it by',
    path: ['source'],
  })
  .superRefine(checkScheduleInput);
export type NewTarget = z.infer<typeof NewTarget>;

/** A project's place on one source, with all that tells how it fares. */
export const TargetView = z.strictObject({
  target: Serial,
  source: z.string(),
  url: z.string(),
  everyMs: Milliseconds.optional(),
  status: z.enum(['active', 'finished', 'disabled', 'parked']),
  /** What keeps it from being scraped besides its status. */
  conditions: z
    .array(z.enum(['definition_error', 'not_initialised', 'circuit_open', 'objective_infeasible']))
    .readonly(),
  /** Missing when nothing is planned. */
  dueAt: Instant.optional(),
  /** The newest scrape that began. */
  lastScrape: ScrapeView.optional(),
  /** The scrape that was asked for and has not begun. */
  waiting: Serial.optional(),
  lastError: FailureView.optional(),
  /** Crashes in all, and in a row without a committed step. */
  crashes: z.strictObject({ total: z.int(), inRow: z.int(), last: z.string().optional() }),
  parked: z.strictObject({ at: Instant, reason: z.string(), retryAt: Instant, times: z.int() }).optional(),
});
export type TargetView = z.infer<typeof TargetView>;
