import * as z from 'zod';
import { SourceId } from '../../definition/slug.ts';
import { HttpUrl } from '../../definition/url-pattern.ts';
import type { MethodSpec } from '../method.ts';
import { CircuitView, HoldView } from './host.ts';
import {
  AnyValue,
  DraftView,
  FailureView,
  Instant,
  Milliseconds,
  ProblemView,
  UnparsedView,
  UrlParams,
} from '../fields.ts';
import { ExplainedItemView, KeptPageView, TreeDifferenceView } from './trial.ts';

/** A site or API, as its definition file describes it. */
export const SourceView = z.strictObject({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  /** `definition_error`: its file has problems, and what it had before, if anything, is still in use; or its plug-in could not be used. */
  status: z.enum(['ready', 'definition_error']),
  /** The version in use; missing when there was never a valid one. */
  version: z.string().optional(),
  everyMs: Milliseconds.optional(),
  /** Active targets on it. */
  targets: z.int(),
  /** Whether it obeys robots.txt; missing when there was never a valid definition. */
  robots: z.enum(['obey', 'ignore']).optional(),
  /** Where it has one of its own. */
  userAgent: z.string().optional(),
  /**
   * Whether it can be asked, as far as its session goes; missing while nobody keeps that. `login_needed`: the next request
   * logs in first. `not_initialised`: a secret is missing. `login_attempts`: it gave up until `source.reset`.
   */
  session: z
    .strictObject({
      code: z.enum(['ready', 'login_needed', 'not_initialised', 'login_attempts']),
      message: z.string().optional(),
    })
    .optional(),
  /** Missing while it is closed, as it should be. */
  circuit: CircuitView.optional(),
  pulse: z
    .strictObject({
      everyMs: Milliseconds,
      /** When it last asked anybody. */
      lastAt: Instant.optional(),
      nextAt: Instant.optional(),
      lastFailure: FailureView.optional(),
    })
    .optional(),
  /** Objectives of its targets that their hosts do not allow, the first 100; missing where there are none. */
  infeasible: z
    .array(
      z.strictObject({
        key: z.string(),
        targets: z.int(),
        objectiveMs: z.number(),
        /** Once round all of them takes so long, with all turns of the host that their hours leave. */
        neededMs: z.number(),
        /** The nearest that can be kept; missing where shorter ones have all the turns that re-checks are sure of. */
        nearestMs: z.number().optional(),
      }),
    )
    .readonly()
    .optional(),
  problems: z.array(ProblemView).readonly(),
});
export type SourceView = z.infer<typeof SourceView>;

/** What a site's robots.txt says to one URL. */
export const RobotsVerdictView = z.strictObject({
  /** `ignored`: the source does not obey it. `unreachable`: it could not be had, so that nothing may be asked. */
  verdict: z.enum(['ignored', 'allowed', 'disallowed', 'unreachable', 'unknown']),
  /** The line that decides; missing when none concerns the URL. */
  rule: z.string().optional(),
  crawlDelayMs: z.number().optional(),
  /** Why it could not be had. */
  cause: z.string().optional(),
});
export type RobotsVerdictView = z.infer<typeof RobotsVerdictView>;

/** One request of a trial: what was decided before it, what came of it, and what a scrape does then. */
export const TriedStepView = z.strictObject({
  url: z.string(),
  method: z.string(),
  /** The ledger that it took its turn from. */
  key: z.string(),
  robots: RobotsVerdictView,
  /** What addresses it may connect to. */
  addresses: z.enum(['public', 'public_and_private', 'loopback', 'none']),
  /** The proxy it goes through, without credentials. */
  proxy: z.string().optional(),
  userAgent: z.string(),
  /** Names of the headers that the definition sends, and of those that the session adds; never their values. */
  headers: z.array(z.string()).readonly(),
  sessionHeaders: z.array(z.string()).readonly(),
  /** What it had to wait for when it asked for its turn, and how many were there before it; missing where it took none. */
  hold: HoldView.optional(),
  ahead: z.int().optional(),
  /** False where robots.txt, or a session that is missing, forbade it. */
  wasAsked: z.boolean(),
  /** For its turn. */
  waitedMs: z.number(),
  status: z.int().optional(),
  elapsedMs: z.number(),
  bytes: z.int(),
  outcome: z.enum(['read', 'page', 'unmodified', 'redirect', 'failed']),
  /** Where a redirect leads. */
  location: z.string().optional(),
  /** By what the site lets the next scrape ask whether the page changed. */
  validators: z.array(z.enum(['etag', 'last-modified'])).readonly(),
  failure: FailureView.optional(),
  /** What the failure was taken for, and by what sign. */
  cause: z.string().optional(),
  seenBy: z.string().optional(),
  decision: z.enum(['complete', 'follow', 'authenticate', 'retry', 'fail']),
  retryAfterMs: z.number().optional(),
});
export type TriedStepView = z.infer<typeof TriedStepView>;

/** What one page of a source gave, without anything being stored. */
export const TryView = z.strictObject({
  url: z.string(),
  status: z.int().optional(),
  elapsedMs: z.number().optional(),
  bytes: z.int().optional(),
  failure: FailureView.optional(),
  drafts: z.array(DraftView).readonly(),
  finished: z.boolean(),
  absent: z.array(z.string()).readonly(),
  unparsed: z.array(UnparsedView).readonly(),
  /** Records that were left out, as others on the page have their keys and say something else. */
  repeated: z.int().optional(),
  /** What else was noticed, as sentences. */
  notes: z.array(z.string()).readonly().optional(),
  /** How each field came to its value, for the first 100 places in page order by type. */
  explained: z.array(ExplainedItemView).readonly(),
  /** Where the two trees give different fields; missing unless it was asked. */
  trees: z.array(TreeDifferenceView).readonly().optional(),
  /** Missing unless it was asked, and for a page of more than 8 MiB. */
  page: KeptPageView.optional(),
  /** Every request that led there; empty for a saved page. */
  steps: z.array(TriedStepView).readonly(),
});
export type TryView = z.infer<typeof TryView>;

/** A source that an address belongs to. */
export const ResolvedUrl = z.strictObject({
  source: z.string(),
  /** What fills the source's address pattern, where that makes the address. */
  params: UrlParams.optional(),
  /** As it is to be asked. */
  url: z.string(),
  /** The project that tracks it there already. */
  project: z.string().optional(),
});
export type ResolvedUrl = z.infer<typeof ResolvedUrl>;

/** Methods on sources and their definitions. */
export const sourceMethods = {
  'source.list': {
    params: z.strictObject({}),
    result: z.strictObject({ sources: z.array(SourceView).readonly() }),
    role: 'read',
    doc: 'Lists the sources, those with a broken definition too.',
  },
  'source.get': {
    params: z.strictObject({ id: SourceId }),
    result: SourceView.extend({
      /** Its normal form, with every default filled in; missing when there was never a valid one. */
      definition: AnyValue.optional(),
    }),
    role: 'read',
    doc: 'Shows one source and the definition in use.',
  },
  'source.try': {
    params: z
      .strictObject({
        id: SourceId,
        url: HttpUrl.exactOptional(),
        params: UrlParams.exactOptional(),
        /** Reads the page with both trees. */
        trees: z.boolean().default(false),
        /** Hands back the page as well. */
        keep: z.boolean().default(false),
      })
      .refine((asked) => (asked.url === undefined) !== (asked.params === undefined), {
        error: 'expected either "url" or "params"',
      }),
    result: TryView,
    role: 'operate',
    doc: 'Asks a source for one page, in its turn, and shows what its definition reads there; stores nothing.',
  },
  'source.peek': {
    params: z.strictObject({ url: HttpUrl }),
    result: KeptPageView.extend({ url: z.string() }),
    role: 'operate',
    doc: 'Asks for one page that belongs to no source yet, in the turn of its host and as its robots.txt allows, for a definition to be drafted from.',
  },
  'source.resolve': {
    params: z.strictObject({ url: HttpUrl }),
    result: z.strictObject({ matches: z.array(ResolvedUrl).readonly() }),
    role: 'read',
    doc: 'Finds the sources that an address belongs to: those that name exactly it, else those whose pattern makes it, else those on its host.',
  },
  'source.reset': {
    params: z.strictObject({ id: SourceId }),
    result: SourceView,
    role: 'operate',
    doc: 'Lets a source that gave up after too many log-ins try again, with its secrets looked up anew.',
  },
  'source.reload': {
    params: z.strictObject({}),
    result: z.strictObject({
      /** Ids of sources that are new or differ, and of those whose file is gone. */
      changed: z.array(z.string()).readonly(),
      removed: z.array(z.string()).readonly(),
      problems: z.array(ProblemView).readonly(),
    }),
    role: 'operate',
    doc: 'Reads the definition files again; one with problems is reported and its last valid version stays in use.',
  },
} as const satisfies Record<string, MethodSpec>;
