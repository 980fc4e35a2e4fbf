import * as z from 'zod';
import { TicketMark } from '../../view/ticket.ts';
import { Failure, Instant, Milliseconds, Serial } from '../../view/fields.ts';
import { SinkLinksInput } from '../../schema/sink-link.ts';
import { SourceId } from '../../schema/slug.ts';
import { HttpUrl } from '../../definition/url-pattern.ts';
import { Limit, UrlParams, urlOrParams, nextOfBefore, OfProject, OfSource } from './fields.ts';
import { checkScheduleInput, scheduleInputShape } from '../../schedule/levels.ts';
import { ScrapeView } from '../../view/scrape.ts';
import type { MethodSpec } from './method.ts';

/** The address of a target on its source, and its schedule. */
const place = {
  url: HttpUrl.describe('The address of the page, list or site.').exactOptional(),
  params: UrlParams.exactOptional(),
  sinks: SinkLinksInput.describe(
    'The sinks that are told of the target, besides those of its project.',
  ).exactOptional(),
  ...scheduleInputShape,
};

/** A target as a person writes it: with its address, or with the parameters of the source's address pattern. */
export const TargetInput = z
  .strictObject({ source: SourceId.describe('The id of the source.'), ...place })
  .refine(...urlOrParams)
  .superRefine(checkScheduleInput);
export type TargetInput = z.infer<typeof TargetInput>;

/** A target of a new project. Without `source`, it is on the source that `url` belongs to. */
export const NewTarget = z
  .strictObject({
    source: SourceId.describe('The id of the source. Default: the one that `url` belongs to.').exactOptional(),
    ...place,
  })
  .refine(...urlOrParams)
  .refine(({ source, url }) => source !== undefined || url !== undefined, {
    error: 'expected "source", as there is no "url" to find it by',
    path: ['source'],
  })
  .superRefine(checkScheduleInput);
export type NewTarget = z.infer<typeof NewTarget>;

/** A target with its state. */
export const TargetView = z.strictObject({
  target: Serial,
  source: z.string(),
  url: z.string(),
  everyMs: Milliseconds.optional(),
  /** The sinks that are told of it, besides those of the project; missing where there are none. */
  sinks: SinkLinksInput.exactOptional(),
  /** The other active projects that watch it, and share its scrapes, records and history: their number, and the first of them. */
  others: z.strictObject({ count: z.int(), first: z.array(z.string()).readonly() }).optional(),
  /** `disabled`: the project no longer names it. */
  status: z.enum(['active', 'finished', 'disabled', 'parked']),
  /** What keeps the target from being scraped, or is unusual about what it gives, besides its status. */
  conditions: z
    .array(z.enum(['definition_error', 'not_initialised', 'gone', 'circuit_open', 'ticket', 'objective_infeasible']))
    .readonly(),
  /** When the target is next due; missing where nothing is planned. */
  dueAt: Instant.optional(),
  /** Set while the site says that the page is not there (404 or 410): since when, and how many scrapes in a row heard it. */
  gone: z
    .strictObject({ cause: z.enum(['gone', 'not_found']), since: Instant, at: Instant, times: z.int() })
    .optional(),
  /** Its tickets that are not resolved; missing where there are none. */
  tickets: z.array(TicketMark).readonly().optional(),
  /** When the target ends by what its records say, without a scrape. */
  endsAt: Instant.optional(),
  /** The newest scrape that began. */
  lastScrape: ScrapeView.optional(),
  /** When the last scrape that completed ended; missing before the first one, and once it is no longer kept. */
  lastSuccessAt: Instant.optional(),
  /** The requested scrape that has not begun. */
  waiting: Serial.optional(),
  lastError: Failure.optional(),
  /** Parts of its list that scrapes passed over at a limit, the newest first: behind which page, and since when. Later scrapes read them. */
  gaps: z
    .array(z.strictObject({ page: z.int(), url: z.string(), since: Instant }))
    .readonly()
    .optional(),
  /** The pages of its items that are still to be read; later scrapes ask for them. Counted up to 10,000. */
  pagesLeft: z.int().optional(),
  /** Crashes in all, and in a row without a committed step. */
  crashes: z.strictObject({ total: z.int(), inRow: z.int(), last: z.string().optional() }),
  /** Set while parked: `retryAt` is when it is given another chance. */
  parked: z.strictObject({ at: Instant, reason: z.string(), retryAt: Instant, times: z.int() }).optional(),
});
export type TargetView = z.infer<typeof TargetView>;

/** A target with what its scrapes have come to. */
export const TargetSummary = TargetView.pick({
  target: true,
  source: true,
  url: true,
  status: true,
  dueAt: true,
  lastScrape: true,
}).extend({
  /** The politeness key; missing where its source is not loaded. */
  key: z.string().optional(),
  /** The active projects that watch it; where none does, those that did last. */
  projects: z.array(z.string()).readonly(),
  /** Whether the actor runs that has it scraped when it is due. */
  isRunning: z.boolean(),
  /** The scrapes a day that it deserves by what the last ones found. */
  priority: z.number(),
  /** Missing where its pace is not one of tokens. */
  tokens: z.number().optional(),
  /** Its scrapes that ended, but for those that were cancelled. */
  scrapes: z.int(),
  /** The records that these scrapes were the first to store. */
  discovered: z.int(),
  /** The record that was found last. */
  newest: z
    .strictObject({
      type: z.string(),
      key: z.string(),
      firstSeenAt: Instant,
      /** The latest past date among its fields; missing where it has none. */
      datedAt: Instant.optional(),
    })
    .optional(),
});
export type TargetSummary = z.infer<typeof TargetSummary>;

/** Methods on targets. */
export const targetMethods = {
  'target.list': {
    params: z.strictObject({
      project: OfProject,
      source: OfSource,
      status: TargetView.shape.status
        .describe('Only targets of this status. `disabled`: the project no longer names it.')
        .exactOptional(),
      after: Serial.describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ targets: z.array(TargetSummary).readonly(), next: Serial.optional() }),
    role: 'read',
    scope: { project: 'project' },
    doc: 'Lists the targets that active projects watch and those that no project names any more, or all of one project, in the order of their numbers, each once however many watch it, with what its scrapes have come to.',
  },
  'target.delete': {
    params: z.strictObject({ target: Serial.describe('The number of the target.') }),
    result: z.strictObject({
      /** Whether a project named it; again, or for a target that there is not, nothing is changed. */
      modified: z.boolean(),
      /** The projects that no longer name it. */
      projects: z.array(z.string()).readonly(),
    }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Takes a target out of all projects that name it, archived ones included: it is not scraped any more, and its records and history stay. A project may be left without a target.',
  },
} as const satisfies Record<string, MethodSpec>;
