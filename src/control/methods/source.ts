import * as z from 'zod';
import { TicketMark } from '../../view/ticket.ts';
import { Failure, Value, Instant, Milliseconds } from '../../view/fields.ts';
import { ReplayView } from '../../view/replay.ts';
import { RecordView } from '../../view/record.ts';
import { ActionView, ExplainedItem, ExplainedNext, TreeDifference } from '../../view/trial.ts';
import { SourceId } from '../../schema/slug.ts';
import { HttpUrl } from '../../definition/url-pattern.ts';
import { Unfound, Unparsed } from '../../view/scrape.ts';
import type { MethodSpec } from './method.ts';
import { CircuitView, HoldView } from '../../view/host.ts';
import { Infeasible } from '../../view/infeasible.ts';
import {
  cutOf,
  DraftView,
  Limit,
  ProblemView,
  UrlParams,
  urlOrParams,
  Where,
  nextOfBefore,
  OfRecordType,
} from './fields.ts';

/** A site or API, as its definition file describes it. */
export const SourceView = z.strictObject({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  /** Set for a source that comes with the program. */
  builtIn: z.literal(true).optional(),
  /**
   * `definition_error`: its file has problems, and what it had before, if anything, is still in use; or its plug-in
   * could not be used; or it has no definition any more, but active targets.
   */
  status: z.enum(['ready', 'definition_error']),
  /** The version in use; missing when there was never a valid one. */
  version: z.string().optional(),
  everyMs: Milliseconds.optional(),
  /** The number of active targets of the source. */
  targets: z.int(),
  /** Whether the source obeys robots.txt; missing if it never had a valid definition. */
  robots: z.enum(['obey', 'ignore']).optional(),
  /** The source's own `User-Agent`, if it has one. */
  userAgent: z.string().optional(),
  /**
   * The state of the source's session; missing while no actor keeps it, and where the source has no log-in and lacks no secret. `login_needed`: the next request logs in first.
   * `not_initialised`: a secret is missing. `login_attempts`: the source gave up until `source.reset`.
   */
  session: z
    .strictObject({
      code: z.enum(['ready', 'login_needed', 'not_initialised', 'login_attempts']),
      message: z.string().optional(),
    })
    .optional(),
  /** Missing while the circuit is closed, so that the source may be asked. */
  circuit: CircuitView.optional(),
  pulse: z
    .strictObject({
      everyMs: Milliseconds,
      /** The end of the last round that sent a request. */
      lastAt: Instant.optional(),
      nextAt: Instant.optional(),
      /** Set while a round is under way. */
      running: z.literal(true).optional(),
      lastFailure: Failure.optional(),
    })
    .optional(),
  /** Objectives of its targets that their hosts do not allow, the first 100; missing where there are none. */
  infeasible: z
    .array(Infeasible.pick({ key: true, targets: true, objectiveMs: true, neededMs: true, nearestMs: true }))
    .readonly()
    .optional(),
  /** Its tickets that are not resolved, the newest 100; missing where there are none. */
  tickets: z.array(TicketMark).readonly().optional(),
  /** Which of these lists have more. */
  cut: cutOf(['infeasible', 'tickets']),
  problems: z.array(ProblemView).readonly(),
});
export type SourceView = z.infer<typeof SourceView>;

/** A page that the built-in source `page` tracks, and the source that knows its address. */
const KnownPage = z.strictObject({ url: z.string(), source: z.string(), projects: z.array(z.string()).readonly() });
export type KnownPage = z.infer<typeof KnownPage>;

/** The verdict of a site's robots.txt on one address. */
export const RobotsVerdictView = z.strictObject({
  /** `ignored`: the source does not obey it. `unreachable`: robots.txt could not be read, so that nothing may be asked. */
  verdict: z.enum(['ignored', 'allowed', 'disallowed', 'unreachable', 'unknown']),
  /** The line that decides; missing when none concerns the URL. */
  rule: z.string().optional(),
  crawlDelayMs: z.number().optional(),
  /** Why robots.txt could not be read. */
  cause: z.string().optional(),
});
export type RobotsVerdictView = z.infer<typeof RobotsVerdictView>;

/** A request of a trial: the decisions before it, its outcome, and what a scrape does next. */
export const TriedStepView = z.strictObject({
  url: z.string(),
  method: z.string(),
  /** The politeness key from whose ledger the request took its turn. */
  key: z.string(),
  robots: RobotsVerdictView,
  /** The kinds of addresses that the request may connect to. */
  addresses: z.enum(['public', 'public_and_private', 'public_and_loopback', 'loopback', 'none']),
  /** The proxy of the request, without credentials. */
  proxy: z.string().optional(),
  userAgent: z.string(),
  /** The controls of the form that the request submits, by their names: those that the page fills in, and those that the definition does. */
  form: z.strictObject({ preset: z.array(z.string()).readonly(), given: z.array(z.string()).readonly() }).optional(),
  /** Names of the headers that the definition sends, and of those that the session adds; never their values. */
  headers: z.array(z.string()).readonly(),
  sessionHeaders: z.array(z.string()).readonly(),
  /** The hold that delayed the request's turn, and the number of requests ahead of it; missing if it took no turn. */
  hold: HoldView.optional(),
  ahead: z.int().optional(),
  /** False where robots.txt, or a session that is missing, forbade it. */
  wasAsked: z.boolean(),
  /** The time until the request's turn. */
  waitedMs: z.number(),
  status: z.int().optional(),
  elapsedMs: z.number(),
  bytes: z.int(),
  /** What was done with the page in the browser; missing where nothing was. */
  actions: z.array(ActionView).readonly().optional(),
  outcome: z.enum(['read', 'page', 'unmodified', 'redirect', 'failed']),
  /** The address that a redirect leads to. */
  location: z.string().optional(),
  /** The validators by which the next scrape can ask whether the page changed. */
  validators: z.array(z.enum(['etag', 'last-modified'])).readonly(),
  failure: Failure.optional(),
  /** The cause that the failure was classified as, and the evidence for it. */
  cause: z.string().optional(),
  seenBy: z.string().optional(),
  decision: z.enum(['complete', 'follow', 'authenticate', 'retry', 'fail']),
  retryAfterMs: z.number().optional(),
});
export type TriedStepView = z.infer<typeof TriedStepView>;

/** A page as the site sent it. */
export const KeptPageView = z.strictObject({
  contentType: z.string().optional(),
  fetchedAt: Instant,
  /** The bytes of the page, in base64. */
  body: z.string(),
});
export type KeptPageView = z.infer<typeof KeptPageView>;

/** What one page of a source gives. */
const TriedPageView = z.strictObject({
  url: z.string(),
  status: z.int().optional(),
  elapsedMs: z.number().optional(),
  bytes: z.int().optional(),
  failure: Failure.optional(),
  drafts: z.array(DraftView).readonly(),
  finished: z.boolean(),
  absent: z.array(z.string()).readonly(),
  unparsed: z.array(Unparsed).readonly(),
  /** Of the absent fields those of types with five or more records, with their rules; missing where there are none, and of a saved page. */
  unfound: z.array(Unfound).readonly().optional(),
  /** The number of records left out because another record on the page has their key. */
  repeated: z.int().optional(),
  /** Further observations, as sentences. */
  notes: z.array(z.string()).readonly().optional(),
  /** How each field got its value, for the first 100 places in page order by type. */
  explained: z.array(ExplainedItem).readonly(),
  /** How the page got what leads to the next page of its list, without a place where that is the `Link` header; missing where the source has no list, and where its pages are counted alone. */
  next: ExplainedNext.optional(),
  /** The fields that the two trees read differently; missing unless requested. */
  trees: z.array(TreeDifference).readonly().optional(),
  /** The page; missing unless requested, and for a page of more than 8 MiB. */
  page: KeptPageView.optional(),
  /** All requests that led to the page; empty for a saved page. */
  steps: z.array(TriedStepView).readonly(),
});

/** The result of a trial: what one page of a source gives; nothing is stored. */
export const TryView = TriedPageView.extend({
  /** What the page gives to which the first item leads that leads to one; missing where none does, and where the page itself was requested to be kept. */
  item: TriedPageView.optional(),
});
export type TryView = z.infer<typeof TryView>;

/** A source that an address belongs to. */
export const ResolvedUrl = z.strictObject({
  source: z.string(),
  /** The parameters of the source's address pattern, where they make the address. */
  params: UrlParams.optional(),
  /** The address to request. */
  url: z.string(),
  /** The active projects that already watch the address on the source; missing where there are none. */
  projects: z.array(z.string()).readonly().optional(),
});
export type ResolvedUrl = z.infer<typeof ResolvedUrl>;

/** The file of a definition. */
export const DefinitionFile = z.strictObject({
  path: z.string(),
  text: z.string(),
  /** Differs between two texts. */
  digest: z.string(),
});
export type DefinitionFile = z.infer<typeof DefinitionFile>;

const OneSource = SourceId.describe('The id of the source.');

/** Methods on sources and their definitions. */
export const sourceMethods = {
  'source.list': {
    params: z.strictObject({}),
    result: z.strictObject({
      sources: z.array(SourceView).readonly(),
      /** Problems that belong to no source, as of a folder that cannot be read. Missing where there are none. */
      problems: z.array(ProblemView).readonly().exactOptional(),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists the sources, including those with a broken definition.',
  },
  'source.get': {
    params: z.strictObject({
      id: OneSource,
      version: z
        .string()
        .max(100)
        .describe('Shows this version of the definition in place of the one in use.')
        .exactOptional(),
      text: z.boolean().default(false).describe("Shows the text of the definition's file as well."),
    }),
    result: SourceView.extend({
      /** The definition in its normal form, with all defaults; missing where there was never a valid one, or that version is not kept. */
      definition: Value.optional(),
      /** The file as it stands now, in use or not; missing where there is none. */
      file: DefinitionFile.optional(),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Shows one source and the definition in use, or a version of it that scrapes were read by.',
  },
  'source.records': {
    params: z.strictObject({
      id: OneSource,
      type: OfRecordType,
      where: Where.exactOptional(),
      after: z.string().describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ records: z.array(RecordView).readonly(), next: z.string().optional() }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists the records of a source, loaded or not, each once and in an order that later scrapes do not change. With `where`, those whose fields, `@`, meet a condition like `@.stock > 0`: a call then tests 500 records at most, and has a `next` though it found few.',
  },
  'source.try': {
    params: z
      .strictObject({
        id: OneSource,
        url: HttpUrl.describe(
          "The address of the page. Default: the one that the source's address pattern makes of `params`.",
        ).exactOptional(),
        params: UrlParams.exactOptional(),
        trees: z.boolean().default(false).describe('Reads the page with both trees, and tells where they differ.'),
        keep: z.boolean().default(false).describe('Returns the page as well.'),
      })
      .refine(...urlOrParams),
    result: TryView,
    role: 'operate',
    scope: 'daemon',
    doc: 'Fetches one page of a source in the turn of its host, and shows what the definition reads there; stores nothing.',
  },
  'source.peek': {
    params: z.strictObject({ url: HttpUrl.describe('The address of the page.') }),
    result: KeptPageView.extend({
      url: z.string(),
      /** By which `page.inspect` and `page.try` find it, for as long as few others were fetched. */
      digest: z.string(),
    }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Fetches one page that belongs to no source yet, in the turn of its host and as its robots.txt allows, so that a definition can be drafted from it, or the targets of a project be read from a sitemap.',
  },
  'source.resolve': {
    params: z.strictObject({ url: HttpUrl.describe('The address of the page.') }),
    result: z.strictObject({ matches: z.array(ResolvedUrl).readonly() }),
    role: 'read',
    scope: 'daemon',
    doc: 'Finds the sources that an address belongs to: those that name exactly it, else those whose pattern makes it, else those on its host, else the built-in source `page`.',
  },
  'source.reset': {
    params: z.strictObject({ id: OneSource }),
    result: SourceView,
    role: 'operate',
    scope: 'daemon',
    doc: 'Lets a source that gave up after too many log-ins try again, with its secrets looked up anew.',
  },
  'source.pulse': {
    params: z.strictObject({ id: OneSource }),
    result: SourceView,
    role: 'operate',
    scope: 'daemon',
    doc: 'Begins a round of the pulse of a source at once, each request of it in the turn of its host. A conflict where one is under way, or where the source has no pulse.',
  },
  'source.save': {
    params: z.strictObject({
      id: OneSource,
      text: z.string().max(1_048_576).describe('The whole text of the definition file.'),
      base: z
        .string()
        .max(100)
        .describe(
          'The digest of the text that was changed, as `source.get` tells it; missing for a source without a file.',
        )
        .exactOptional(),
      dryRun: z.boolean().default(false).describe('Only tells what would be written.'),
    }),
    result: z.strictObject({
      file: z.string(),
      version: z.string(),
      /** The lines in which the file differs from the one before, with two lines around them. */
      diff: z.string(),
    }),
    role: 'author',
    scope: { source: 'id' },
    doc: 'Writes the definition file of a source and loads it, as a reload of that file alone would. Refused where it would not be valid, with the lines and columns; a conflict where the file has changed since `base`. What runs (`plugin`, `options`, `collect.command`), what is sent where (`auth`, `secrets`, `proxy`, and the origin of `url` beside a log-in or a plug-in) and a wider `allowPrivate` are changed in the file itself, as is less regard for a public site: `robots: ignore`, a shorter `minDelay`, another `politeness.key`. A new definition may say `allowPrivate: loopback`.',
  },
  'source.rename': {
    params: z.strictObject({ id: OneSource, to: SourceId.describe('The new id.') }),
    result: SourceView,
    role: 'operate',
    scope: 'daemon',
    doc: 'Gives a source another id: its file gets the name and the `id`, and targets, records, history, schedules and scrapes follow. A conflict where a source of that id exists. It survives the end of the daemon at any instant, whole or not at all.',
  },
  'source.reload': {
    params: z.strictObject({
      force: z
        .boolean()
        .default(false)
        .describe(
          'Removes also sources that active targets use, and takes versions that read no record of kept pages.',
        ),
      dryRun: z.boolean().default(false).describe('Only tells what would be taken.'),
    }),
    result: z.strictObject({
      /** Ids of sources that are new or differ, and of those whose file is gone. */
      changed: z.array(z.string()).readonly(),
      removed: z.array(z.string()).readonly(),
      /** Ids of sinks that are new or differ, and of those whose file is gone; missing where there are none, and of a dry run. */
      sinks: z.array(z.string()).readonly().optional(),
      problems: z.array(ProblemView).readonly(),
      /** How versions that changed read kept pages, beside those in use before; missing where none were read. */
      replays: z.array(ReplayView).readonly().optional(),
      /** Types of records that have another key now: how many records there are, up to 100,000, which will not be seen again; and when. Missing where there are none. */
      rekeyed: z
        .array(z.strictObject({ source: z.string(), type: z.string(), records: z.int(), at: Instant }))
        .readonly()
        .optional(),
      /** Pages that a changed source knows, the first 100; missing where there are none. */
      knownPages: z.array(KnownPage).readonly().optional(),
      /** Whether there may be more known pages. */
      cut: cutOf(['knownPages']),
    }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Reads the definition files again; one with problems is reported and its last valid version stays in use, as does that of a source whose file is gone while active targets use it. A version that reads otherwise is tried on the last kept pages first; one that reads no record of them, where the one in use does, is a problem.',
  },
} as const satisfies Record<string, MethodSpec>;
