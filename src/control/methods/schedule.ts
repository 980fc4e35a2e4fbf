import * as z from 'zod';
import { SourceId } from '../../schema/slug.ts';
import { cutOf, HostKey, Limit, OfProject, OfSource } from './fields.ts';
import { Instant, Serial } from '../../view/fields.ts';
import type { MethodSpec } from './method.ts';
import { RestingShare } from '../../view/resting.ts';
import { PauseView } from '../../view/pause.ts';
import { Infeasible } from '../../view/infeasible.ts';
import { ListedProjectInput } from './project-input.ts';
import { ReasonView } from './why.ts';

/** A coming turn of a target at its host. */
export const TurnView = z.strictObject({
  dueAt: Instant,
  target: Serial,
  /** The active projects that watch the target. */
  projects: z.array(z.string()).readonly(),
  source: z.string(),
  url: z.string(),
  /** The politeness key. */
  key: z.string(),
  /** The cause that decides the due time. */
  by: ReasonView.shape.by.optional(),
  /** Set if only the day is known whose tokens pay for the turn; `dueAt` is the start of that day. */
  dayOnly: z.literal(true).optional(),
});
export type TurnView = z.infer<typeof TurnView>;

/** The numbers of objectives that are kept and of those that are not. */
export const KeptView = z.strictObject({
  kept: z.int(),
  /** Objectives broken by the pace, the first scrape or the wait for the host. */
  broken: z.int(),
  /** Objectives that the hosts cannot guarantee, whether kept at present or not; see `PlanView.infeasible`. */
  infeasible: z.int(),
  /** The largest excess of an age over its objective, in ms; 0 if none is broken. */
  worstByMs: z.number(),
});

export type KeptView = z.infer<typeof KeptView>;

/** The forecast of one host, or of all hosts together. */
const forecast = {
  targets: z.int(),
  /** Requests that fall due, by day, whether or not hosts have turns for them. */
  requests: z.array(z.int()).readonly(),
  /** Of each day's requests, the number not made by its end. */
  undone: z.array(z.int()).readonly(),
  /** Of the requests, the number that pulses make, and re-checks of single records. */
  pulses: z.int(),
  bytes: z.int(),
  /** The minute with the most requests. */
  peak: z.strictObject({ at: Instant, requests: z.int() }),
  objectives: KeptView,
};

/** The forecast for one host. */
export const HostPlanView = z.strictObject({
  key: z.string(),
  ...forecast,
  longestWaitMs: z.number(),
  /** Requests of the busiest day divided by the requests allowed in a day. */
  load: z.number(),
  /** The usual time from one request to the next, by all that limits it. */
  delayMs: z.number(),
});
export type HostPlanView = z.infer<typeof HostPlanView>;

/** The forecast of the coming days. */
export const PlanView = z.strictObject({
  from: Instant,
  days: z.int(),
  hosts: z.int(),
  ...forecast,
  /** Targets that are left out: their source is not loaded, or nothing sets their pace. */
  skipped: z.int(),
  /** The number of hosts on which more requests fall due in a day than the host allows. */
  overloaded: z.int(),
  /** The hosts with the highest load, the highest first; at most 20. */
  busiest: z.array(HostPlanView).readonly(),
  /** Objectives that their hosts do not allow, the first 100. */
  infeasible: z.array(Infeasible).readonly(),
  /** Objectives that do not hold at the begin, as it is not their season, the first 100; the plan counts none of them. */
  resting: z.array(RestingShare).readonly().optional(),
  /** Which of the two lists have more. */
  cut: cutOf(['infeasible', 'resting']),
});
export type PlanView = z.infer<typeof PlanView>;

/** The longest pause, in milliseconds: half a year. Without a time, it ends by a person. */
const longestPauseMs = 183 * 86_400_000;

const whatIsPaused = {
  source: SourceId.describe('The id of a source. Default, without `host` as well: everything.').exactOptional(),
  host: HostKey.describe('The politeness key of a host, such as `https://shop.example`.').exactOptional(),
  by: z.string().min(1).max(100).describe('Who does it, for people.').exactOptional(),
};

const oneOfBoth = [
  ({ source, host }: { readonly source?: string; readonly host?: string }) =>
    source === undefined || host === undefined,
  { error: 'expected at most one of "source" and "host"' },
] as const;

/** Methods on coming turns. */
export const scheduleMethods = {
  'schedule.list': {
    params: z.strictObject({
      by: z
        .enum(['time', 'host'])
        .default('time')
        .describe('The order: by time, or by host and the turns of each host by time.'),
      source: OfSource,
      project: OfProject,
      key: HostKey.describe(
        'Only turns at this host: its politeness key, or the origin of addresses there.',
      ).exactOptional(),
      before: Instant.describe('Only turns before this instant.').exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      turns: z.array(TurnView).readonly(),
      /** True if more turns come later. */
      more: z.boolean(),
      /** Sources with targets that are left out, as no definition of them is loaded; missing where there are none. */
      unloaded: z.array(z.string()).readonly().optional(),
      /** Why scraping is paused; missing while it is not. */
      paused: z.string().optional(),
    }),
    role: 'read',
    scope: { project: 'project' },
    doc: 'Lists the coming turns, the earliest first; overdue turns come before all others.',
  },
  'schedule.plan': {
    params: z
      .strictObject({
        days: z.int().min(1).max(366).default(1).describe('The number of days to forecast.'),
        from: Instant.describe(
          'When the forecast begins: from the begin of the present day on, and within ten years. Default: now.',
        ).exactOptional(),
        projects: z
          .array(ListedProjectInput)
          .max(10_000)
          .readonly()
          .describe(
            'A list that is about to be applied with `project.apply`; projects that it does not name stay as they are.',
          )
          .exactOptional(),
        prune: z
          .boolean()
          .default(false)
          .describe(
            'Leaves out projects that are not in `projects`, as applying the list with `prune` would archive them.',
          ),
      })
      .refine(({ projects, prune }) => !prune || projects !== undefined, {
        error: 'expected "projects" beside it',
        path: ['prune'],
      }),
    result: PlanView,
    role: 'read',
    scope: 'daemon',
    doc: 'Forecasts the coming days: requests by host, objectives kept or not, bytes and the fullest minute; sends no request and changes nothing. What is paused counts as if it were not.',
  },
  'schedule.pause': {
    params: z
      .strictObject({
        ...whatIsPaused,
        reason: z.string().min(1).max(500).describe('Why, for people.').exactOptional(),
        forMs: z
          .int()
          .min(1_000)
          .max(longestPauseMs)
          .describe('How long the pause lasts. Default: until it is resumed.')
          .exactOptional(),
      })
      .refine(...oneOfBoth),
    result: PauseView,
    role: 'operate',
    scope: 'daemon',
    doc: 'Has nothing asked of a source or a host, or of any where neither is given, until it is resumed or the time is over, also over a restart. Requests under way come back; scrapes under way wait for their next turns. In place of an earlier pause of the same.',
  },
  'schedule.resume': {
    params: z.strictObject(whatIsPaused).refine(...oneOfBoth),
    result: z.strictObject({
      /** Whether it was paused. */
      resumed: z.boolean(),
      /** What is still paused, the first 100. */
      pauses: z.array(PauseView).readonly(),
    }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Ends the pause of a source or a host, or the pause of everything where neither is given; other pauses stay. What is due by then takes its turns at the paces of the hosts.',
  },
} as const satisfies Record<string, MethodSpec>;
